"""What names speak of: the verb and the nouns of a tool's name, the entity and the identifier of a parameter's.

``list_open_issues`` lists the entity *issue*; ``issue_number`` is a parameter for the *number* of an *issue*. Singular
and plural, ``camelCase`` and ``snake_case``, ``repo`` and ``repository`` are alike. Nothing here is sure: it decides
what is worth trying, never what is permitted.
"""

from dataclasses import dataclass

from mcp_assay.core.model import Rules, Tool
from mcp_assay.core.words import DENYLIST, MUTATING_VERBS, PERMIT_LIST, tokens, word_set

__all__ = [
    "IDENTIFIERS",
    "Subject",
    "head_noun",
    "lists",
    "looks",
    "nouns",
    "seeks",
    "singular",
    "subject",
    "verb",
]


IDENTIFIERS = (
    "id", "uuid", "uid", "guid", "gid", "iid", "key", "number", "num", "no", "slug", "name", "path", "uri", "url",
    "login", "handle", "sha", "hash", "title", "identifier", "code", "ref",
)  # fmt: skip
"""Last words of a name that say by what an entity is named. The order is that of preference where a name says none."""

GENERIC = word_set(
    """all any api body call content count current data date detail entry field format history info information input
    item kind latest limit list mcp my new object of output overview page parameter param property query recent record
    request response result resource search server setting stat state status summary system text time tool total type
    value version"""
)
"""Nouns that imply no shared entity: what two servers' tools both have of these says nothing."""

_SEEKING = word_set("search query find lookup filter")
_LISTING = word_set("list ls browse enumerate") | _SEEKING
_READING = word_set("get read show fetch view retrieve load describe")
_GLUE = word_set("a an and as at by for from in into of on or the then this to via with")
_VERBS = PERMIT_LIST | DENYLIST | MUTATING_VERBS | _LISTING | _READING
_SYNONYMS = {
    "repository": "repo",
    "organization": "org",
    "organisation": "org",
    "directory": "dir",
    "folder": "dir",
    "database": "db",
    "document": "doc",
    "application": "app",
    "environment": "env",
    "revision": "commit",
    "rev": "commit",
}
_SAME_IN_PLURAL = ("ss", "us", "is")
_SPEC_SEEKING = ("search_", "list_", "query_")


def singular(word: str) -> str:
    """A word's singular, and one word for several that mean the same: ``repositories`` is ``repo``."""
    if word.endswith("ies") and len(word) > len("ties"):
        word = word[:-3] + "y"
    elif word.endswith(("ches", "shes", "sses", "xes")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith(_SAME_IN_PLURAL) and len(word) > len("ids") - 1:
        word = word[:-1]
    return _SYNONYMS.get(word, word)


def _own(tool: Tool, server: str) -> list[str]:
    """The words of a tool's name without the server's own at its ends: ``github_search_code`` is ``search_code``.

    Where that would leave no noun, the server is called after what it holds: ``list_notes`` of ``notes`` stays.
    """
    words, own = tokens(tool.name[:200]), (set(tokens(server)) | {"mcp"}) - _VERBS
    rest = list(words)
    for end in (0, -1):
        while len(rest) > 1 and rest[end] in own:
            rest.pop(end)
    return rest if any(word not in _VERBS for word in rest) else words


def verb(tool: Tool, server: str) -> str:
    """What the tool's name says it does: its first word, or its last where the noun comes first (``issue-search``)."""
    words = _own(tool, server)
    if not words or words[0] in _VERBS:
        return words[0] if words else ""
    return words[-1] if words[-1] in _LISTING | _READING else ""


def seeks(tool: Tool, server: str, rules: Rules) -> bool:
    """Whether the tool looks like search or list."""
    # "if any tool looks like search/list (search_*, list_*, query_*)"
    if rules is Rules.SPEC:
        return tool.name.lower().startswith(_SPEC_SEEKING)
    return looks(tool, server)


def looks(tool: Tool, server: str) -> bool:
    """Whether the tool lists or searches some place, by its verb."""
    return verb(tool, server) in _LISTING


def searches(tool: Tool, server: str) -> bool:
    return verb(tool, server) in _SEEKING


def lists(tool: Tool, server: str) -> bool:
    """Whether several entities come back: it seeks, or it gets a plural (``get_messages``)."""
    done, words = verb(tool, server), _own(tool, server)
    if done in _LISTING:
        return True
    head = _head(words)
    return done in _READING and head != singular(head) and head not in _SYNONYMS


def head_noun(tool: Tool, server: str) -> str:
    """What a tool's name is about in the end, singular: ``list_model_versions`` is about a version."""
    return singular(_head(_own(tool, server)))


def _head(words: list[str]) -> str:
    return next((word for word in reversed(_before_glue(words)) if word not in _VERBS), "")


def _before_glue(words: list[str]) -> list[str]:
    """``get_issues_for_repo`` is about issues."""
    end = next((at for at, word in enumerate(words) if word in _GLUE and at > 1), len(words))
    return words[:end]


def nouns(tool: Tool, server: str) -> frozenset[str]:
    """The entities that the tool's name speaks of, singular; generic nouns are none."""
    found = (singular(word) for word in _before_glue(_own(tool, server)) if word not in _VERBS | _GLUE)
    return frozenset(word for word in found if word not in GENERIC and word not in IDENTIFIERS and len(word) > 1)


@dataclass(frozen=True, slots=True)
class Subject:
    """What a parameter's or a result's key speaks of: ``issue_number`` is ``Subject(("issue",), "number")``."""

    entity: tuple[str, ...]
    identifier: str


def subject(name: str) -> Subject:
    """Read a key. ``id`` has no entity of its own; ``repo`` names no identifier."""
    words = [singular(word) for word in tokens(name[:200])]
    identifier = ""
    while words and words[-1] in IDENTIFIERS:
        identifier = identifier or words[-1]
        words.pop()
    return Subject(tuple(words), identifier)
