"""Whether an error's text says anything about what went wrong, or only that something did.

Words are looked at, never kept. A text in words that are not listed here, a number or a name included, says something.
"""

import re

from mcp_assay.core.words import tokens

__all__ = ["is_told"]

_MAX_TEXT = 4_000
_WORD = re.compile(r"[^\W_]+")


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_EMPTY = _set(
    "a again an and at but calling code contact could couldn did didn error errors exception execute executing"
    " execution fail failed failing failure false for from function generic happened has have in internal is it later"
    " message none not null occurred of on oops operation our out perform performing please problem process processing"
    " request result retry runtime server service some something sorry success support system t task that the there"
    " this to tool true try trying unable undefined unexpected unexpectedly unhandled unknown unspecified us was we"
    " went were while with wrong you your"
)


def is_told(text: str, tool: str) -> bool:
    """Whether the text names a cause. ``Error executing tool get_issue`` does not, for a tool of that name."""
    idle = _EMPTY | frozenset(tokens(tool)) | {tool.lower()}
    found = _WORD.findall(text[:_MAX_TEXT])
    return not all(idle.issuperset(tokens(word) or [word]) for word in found)
