"""What parameter names and schemas say: identifiers, paging, accepted types.

Schemas come from servers, so every reader is total; a schema that does not say is never taken to say no.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from mcp_assay.core.model import Tool
from mcp_assay.core.words import tokens

__all__ = [
    "Schema",
    "is_address",
    "is_cursor",
    "is_identifier",
    "is_limit",
    "is_opaque",
    "is_position",
    "maximum",
    "narrowing",
    "nouns",
    "parameters",
    "required",
    "types",
    "vocabulary",
    "words",
]

Schema = Mapping[str, Any]

_DEPTH = 4
"""How far nested anyOf/oneOf/allOf are followed: servers write two levels at most, hostile ones any number."""


def vocabulary(text: str) -> frozenset[str]:
    """A set of words, written as one text."""
    return frozenset(text.split())


_THINGS = vocabulary("branch bucket channel file folder project repo repository table tag user")
_GENERIC = vocabulary(
    "arn code database email guid handle hash id iid key login name number path ref sha slug symbol ticker ts uid uri"
    " url urn username uuid"
)
_IDENTIFIERS = _THINGS | _GENERIC
_OPAQUE = vocabulary("arn guid handle hash id iid number sha uid urn uuid")
_ADDRESSES = vocabulary("address command file href link path query ref text uri url")
_LIMITS = vocabulary("count limit max maximum result size")
_LIMIT_STARTS = vocabulary("limit max maximum num per top")
_LIMIT_WHOLES = vocabulary("first k last n take")
_CURSORS = vocabulary("continuation cursor marker token")
_POSITIONS = _CURSORS | vocabulary("after before from index next offset position since skip start until")
_VERBS = vocabulary("all batch bulk by describe fetch find for from get in list lookup many multiple of read show")


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The lower-case words of a snake_case, kebab-case or camelCase name, in the singular."""
    return tuple(_singular(word) for word in tokens(name))


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    plural = len(word) > len("ts") and word.endswith("s") and not word.endswith(("is", "ss", "us"))
    return word[:-1] if plural else word


def _own(path: str) -> tuple[str, ...]:
    """The words of an argument path's own name: ``filter.issueIds[]`` → issue, id. A nameless one gives a blank."""
    return words(path.rpartition(".")[2]) or ("",)


def is_identifier(path: str) -> bool:
    """Whether an argument's name says that it points at something, rather than describes or limits it."""
    return _own(path)[-1] in _IDENTIFIERS and not is_limit(path) and not is_position(path)


def is_opaque(path: str) -> bool:
    """Whether it points at something by a sign that nobody knows by heart: an id or a hash, not a path or a name."""
    return is_identifier(path) and _own(path)[-1] in _OPAQUE


def is_address(path: str) -> bool:
    """Whether the value may hold an identifier among other things: a URL, a path, a query."""
    return _own(path)[-1] in _ADDRESSES


def is_limit(path: str) -> bool:
    """``limit``, ``per_page``, ``pageSize``, ``max_results``: how much, never from where."""
    own = _own(path)
    whole = len(own) == 1 and own[0] in _LIMIT_WHOLES
    return whole or own[0] in _LIMIT_STARTS or own[-1] in _LIMITS


def is_position(path: str) -> bool:
    """``offset``, ``page``, ``page_token``, ``startAt``: from where to go on. ``page_id`` names a page instead."""
    own = _own(path)
    page = own[-1] == "page" or own in (("page", "number"), ("page", "num"), ("page", "no"))
    return not is_limit(path) and (page or not _POSITIONS.isdisjoint(own))


def is_cursor(path: str) -> bool:
    """A position that only an earlier result can supply."""
    return is_position(path) and not _CURSORS.isdisjoint(_own(path))


def nouns(*names: str) -> frozenset[str]:
    """What the names are about: their words without verbs and without words such as ``id`` or ``name``."""
    return frozenset(word for name in names for word in words(name)) - _GENERIC - _VERBS


def parameters(tool: Tool) -> Mapping[str, Schema]:
    """The top-level parameters that a tool's schema declares, each with its own schema."""
    declared = tool.input_schema.get("properties")
    table = declared if isinstance(declared, dict) else {}
    return {name: schema if isinstance(schema, dict) else {} for name, schema in table.items()}


def required(tool: Tool) -> frozenset[str]:
    names = tool.input_schema.get("required")
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def types(schema: Schema) -> frozenset[str]:
    """The JSON types that a schema names, alternatives included. Empty: it does not say."""
    return frozenset(_types(schema, _DEPTH))


def _types(schema: Schema, depth: int) -> Iterator[str]:
    declared = schema.get("type")
    for name in declared if isinstance(declared, list) else [declared]:
        if isinstance(name, str):
            yield name
    for keyword in ("anyOf", "oneOf", "allOf"):
        branches = schema.get(keyword)
        for branch in branches if depth and isinstance(branches, list) else []:
            if isinstance(branch, dict):
                yield from _types(branch, depth - 1)


def maximum(schema: Schema) -> float:
    """The largest number that a schema allows; endless where it does not say."""
    stated = schema.get("maximum")
    return stated if isinstance(stated, int | float) else float("inf")


def narrowing(tool: Tool) -> list[str]:
    """The parameters by which a caller may get less, or choose what: all but required identifiers, which say of what.

    Wide on purpose: a parameter that only might narrow a result down counts.
    """
    must = required(tool)
    return [name for name in parameters(tool) if name not in must or not is_identifier(name)]
