"""Drafts and a summary as the critic's markdown: the one format that rules and models share.

Every line starts with words of ours and every text is one line, so nothing that a server is called can begin a heading
or a field.
"""

from collections.abc import Iterable, Sequence

from mcp_assay.core import inert
from mcp_assay.core.phrases import listed
from mcp_assay.critic.rules.base import CROSS_MCP, Draft

__all__ = ["CITED", "cited", "mcp_field", "recommendation", "render", "summary"]

CITED = 20
"""Ids that one finding cites at most; how many more there are is said in words."""

_TEXT_LIMIT = 1000
_ROOM = 100
"""For the escapes of a name that is not clean; a clean one is never cut."""


def render(drafts: Iterable[Draft], summary_lines: Iterable[str], attached: Sequence[str]) -> str:
    """The critic's whole output: one ``###`` block for each draft in the given order, then ``## Summary``.

    ``summary_lines`` are words of ours, in which every foreign name was made inert.
    """
    blocks = ["\n".join(_block(draft, attached)) for draft in drafts]
    return "\n\n".join([*blocks, "\n".join(["## Summary", "", *summary_lines])]) + "\n"


def _block(draft: Draft, attached: Sequence[str]) -> list[str]:
    # ^### \[(CRITICAL|MAJOR|MINOR|SUGGESTION)\] (glue_code|…|cross_mcp): (\S.*?)\s*$
    return [
        f"### [{draft.severity.upper()}] {draft.dimension}: {summary(draft)}",
        f"MCP: {mcp_field(draft.mcp, attached)}".rstrip(),
        f"Evidence: {', '.join(cited(draft))}",
        f"Recommendation: {recommendation(draft)}".rstrip(),
    ]


def summary(draft: Draft) -> str:
    """The heading's text: what was seen and, in parentheses, what it cost."""
    missed = f"; the goal of {listed(draft.missed)} was not reached" if draft.missed else ""
    return _one_line(f"{draft.summary} ({draft.cost}{missed})")


def recommendation(draft: Draft) -> str:
    more = len(set(draft.evidence_ids)) - len(cited(draft))
    return _one_line(
        f"{draft.recommendation} (Cited are {CITED} calls, and {more} more.)" if more else draft.recommendation
    )


def cited(draft: Draft) -> tuple[str, ...]:
    """The first ids of the evidence, each once."""
    return tuple(dict.fromkeys(draft.evidence_ids))[:CITED]


def mcp_field(name: str, attached: Sequence[str]) -> str:
    """The ``MCP:`` value that leads back to a server, or to nobody: never to another one.

    A clean name stands as it is. One that no line can carry (controls, outer blanks) stands in a visible form that is
    no attached name, so that the finding honestly becomes "unattributed" and the report says what stood there; where
    that form is another's name there is no value at all.
    """
    if name == CROSS_MCP:
        # "If the value is literally cross-mcp, record "cross-mcp"": with a server of that name it would mean either.
        return "" if CROSS_MCP in attached else name
    shown = inert.line(name, len(name) + _ROOM).strip()
    return "" if shown != name and shown in (*attached, CROSS_MCP) else shown


def _one_line(text: str) -> str:
    return inert.line(text, _TEXT_LIMIT).strip()
