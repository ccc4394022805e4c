"""What parameter names and schemas say: identifiers, paging, accepted types.

Schemas come from servers, so every reader is total; a schema that does not say is never taken to say no.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from mcp_assay.core.declared import Declared
from mcp_assay.core.model import Tool
from mcp_assay.core.words import tokens

__all__ = [
    "Schema",
    "described",
    "is_about",
    "is_address",
    "is_cursor",
    "is_identifier",
    "is_limit",
    "is_opaque",
    "is_position",
    "is_supplied",
    "maximum",
    "members",
    "minimum",
    "narrowing",
    "nouns",
    "parameters",
    "points",
    "positions",
    "required",
    "says_which",
    "types",
    "vocabulary",
    "words",
]

Schema = Mapping[str, Any]

_STEM = 3
_MOST = 500
_DEPTH = 4
"""How far nested anyOf/oneOf/allOf are followed: servers write two levels at most, hostile ones any number."""


def vocabulary(text: str) -> frozenset[str]:
    """A set of words, written as one text."""
    return frozenset(text.split())


_THINGS = vocabulary("branch bucket channel file folder project repo repository table tag user")
_GENERIC = vocabulary(
    "arn barcode code database ean email guid handle hash id iid isbn key login name number path ref reference serial"
    " sha sku slug symbol ticker ts uid uri url urn username uuid"
)
_IDENTIFIERS = _THINGS | _GENERIC
_OPAQUE = vocabulary("arn barcode ean guid handle hash id iid isbn number serial sha sku uid urn uuid")
_ADDRESSES = vocabulary("address command file href link path query ref text uri url")
_LIMITS = vocabulary("count limit max maximum result size")
_LIMIT_STARTS = vocabulary("limit max maximum num per top")
_LIMIT_WHOLES = vocabulary("first k last n take")
_CURSORS = vocabulary("continuation cursor marker token")
_TIMES = vocabulary("after before from since start until")
_POSITIONS = _CURSORS | _TIMES | vocabulary("index next offset position skip")
_DAYS = vocabulary("date datetime day month time timestamp week year")
_TOWARDS = vocabulary("cursor end ending id key page start starting token") | _CURSORS
_GROUPS = vocabulary("account collection company customer group member organization org space team tenant workspace")
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
    # Of a status there is one, of skus and cpus there are several.
    singular = word.endswith(("is", "ss")) or (word.endswith("us") and len(word) != len("skus"))
    plural = len(word) > len("ts") and word.endswith("s") and not singular
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
    # A result alone is how something ended: max_results, results_limit.
    return whole or own[0] in _LIMIT_STARTS or (own[-1] in _LIMITS and own != ("result",))


def is_position(path: str) -> bool:
    """``offset``, ``page``, ``page_token``, ``startAt``: from where to go on. ``page_id`` names a page instead."""
    own = _own(path)
    page = own[-1] == "page" or own in (("page", "number"), ("page", "num"), ("page", "no"))
    # Of a time it is a filter: updated_since, start_date. starting_after and since_id go on from where one was.
    dated = own[-1] in _DAYS or (len(own) > 1 and own[-1] in _TIMES and _TOWARDS.isdisjoint(own))
    return not is_limit(path) and not dated and (page or not _POSITIONS.isdisjoint(own))


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


def described(tool: Tool, name: str) -> str:
    """What a tool and one of its parameters say in words."""
    return f"{tool.description}\n{parameters(tool).get(name, {}).get('description', '')}"


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


def minimum(schema: Schema) -> float:
    stated = schema.get("minimum")
    return stated if isinstance(stated, int | float) else float("-inf")


_SPEAKS_OF_TIME = re.compile(r"\b(?:date|day|iso|rfc|time|timestamp|utc|yyyy)", re.IGNORECASE)


def positions(tool: Tool) -> list[str]:
    """The parameters by which a list can be gone on with. ``from`` may be a date, by its schema's own words."""
    return [name for name, schema in parameters(tool).items() if is_position(name) and not _is_time(name, schema)]


def _is_time(name: str, schema: Schema) -> bool:
    says = " ".join(str(schema.get(keyword)) for keyword in ("format", "description"))
    return _own(name)[-1] in _TIMES and _SPEAKS_OF_TIME.search(says) is not None


def points(path: str) -> bool:
    """As ``is_identifier``, or it names somebody or something that others belong to: ``team``, ``workspace``."""
    return is_identifier(path) or _own(path)[-1] in _GROUPS


def says_which(tool: Tool | None, path: str) -> bool:
    """Whether an argument says which record is meant: by its name, or as the one thing that the tool requires."""
    return points(path) or (tool is not None and required(tool) == {path})


def is_supplied(path: str, tools: Iterable[Tool]) -> bool:
    """Whether one of these tools declares that it returns a member of such a name, or is about such things."""
    own = _own(path)
    kind = frozenset(own) - _GENERIC
    return any(own in map(words, members(tool)) or not kind.isdisjoint(nouns(tool.name)) for tool in tools)


def members(tool: Tool, *, of_items: bool = False) -> frozenset[str]:
    """The names that a tool's output schema declares, at any depth (bounded), or those of the items of its lists."""
    return frozenset(islice(_members(Declared.of(tool.output_schema), not of_items, _DEPTH * 2), _MOST))


def _members(view: Declared, counts: bool, depth: int) -> Iterator[str]:  # noqa: FBT001
    found = view.names() if depth else []
    yield from found if counts else ()
    for name in found:
        inner = view.member(name)
        if inner is not None:
            yield from _members(inner, counts, depth - 1)
            yield from _members(inner.element(0), True, depth - 1)  # noqa: FBT003


def is_about(one: str, other: str) -> bool:
    """Whether two tools' names speak of the same thing; ``doc`` and ``document`` do."""
    pairs = ((a, b) for a in nouns(one) for b in nouns(other))
    return any(a == b or (min(len(a), len(b)) >= _STEM and (a.startswith(b) or b.startswith(a))) for a, b in pairs)


def narrowing(tool: Tool) -> list[str]:
    """The parameters by which a caller may get less, or choose what: all but identifiers of what is asked for.

    Wide on purpose: a parameter that only might narrow a result down counts, and so does an optional identifier of
    another kind, which is a filter.
    """
    must = required(tool)
    subjects = [name for name in parameters(tool) if is_identifier(name)]
    return [
        name
        for name in parameters(tool)
        if name not in subjects or (name not in must and not _is_subject(name, tool, subjects))
    ]


def _is_subject(name: str, tool: Tool, identifiers: list[str]) -> bool:
    """Whether an optional identifier says which record is asked for: by its noun, or beside its own plural."""
    twin = any(other != name and words(other) == words(name) for other in identifiers)
    return twin or (is_opaque(name) and not nouns(name)) or is_about(name, tool.name)
