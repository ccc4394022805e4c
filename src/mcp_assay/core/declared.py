"""What a JSON Schema declares at each place of a value, and the walk over a value that names only declared keys.

A schema is a server's own text. Of all it says, only the names under ``properties`` are ever shown, and those only if
they look like identifiers; an object's other keys are data, and show up as ``map[N]``.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from mcp_assay.core.model import canonical

__all__ = ["UNDECLARED", "Declared", "Leaf", "alike", "arguments", "clipped", "leaves", "shown"]

_PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_MAX_PARTS = 64  # subschemas that are merged at one place
_MAX_STEPS = 32  # of one JSON pointer
_MAX_DEPTH = 64  # of a walk; what lies deeper is one leaf
_MAX_PLACES = 20_000  # of a walk
_MAX_PATH = 120
_MAX_KEPT = 256  # views of schemas


def shown(key: str) -> str:
    """A declared key as it may be printed: itself if it looks like an identifier, else ``key?``."""
    return key if _PLAIN.fullmatch(key) else "key?"


class Declared:
    """The schemas that apply at one place of a value: local references followed, combinators merged.

    ``allOf``, ``anyOf`` and ``oneOf`` count alike, because the question is which names the server wrote down, not which
    values it would accept. Remote references are ignored; cycles and size are bounded. Never raises.
    """

    __slots__ = ("_elements", "_fixed", "_members", "_parts", "_rest", "_root")

    def __init__(self, schemas: list[Any], root: object = None) -> None:
        self._root = root
        self._parts = _merged(schemas, root)
        self._fixed = max((len(_fixed_items(part)) for part in self._parts), default=0)
        self._members: dict[str, Declared] = {}
        self._elements: dict[int, Declared] = {}
        self._rest: Declared | None = None

    @classmethod
    def of(cls, schema: object) -> "Declared":
        """The view of a whole schema; anything that is no schema declares nothing.

        A view is kept for the next call of the same tool, so a schema must not be changed once it has been looked at.
        """
        if type(schema) is not dict and not isinstance(schema, Mapping):  # the plain case first: it is quicker
            return UNDECLARED
        known = _KEPT.get(id(schema))
        if known is None or known._root is not schema:  # noqa: SLF001 - one of ours
            if len(_KEPT) >= _MAX_KEPT:
                _KEPT.clear()
            known = _KEPT[id(schema)] = cls([schema], schema)
        return known

    def member(self, key: str) -> "Declared | None":
        """What is declared about the value of ``key``, or None if no ``properties`` names that key."""
        known = self._members.get(key)
        if known is None and self._parts:
            found = [table[key] for table in self._tables("properties") if key in table]
            if found:  # what is not declared is not kept: a view lives long, and keys are data
                known = self._members[key] = Declared(found, self._root)
        return known

    def names(self) -> list[str]:
        """Every declared key, in the order of the schema."""
        return list(dict.fromkeys(key for table in self._tables("properties") for key in table))

    def rest(self) -> "Declared":
        """What is declared about the values of keys that are not declared themselves."""
        if self._rest is None:
            self._rest = Declared(list(self._tables("additionalProperties")), self._root)
        return self._rest

    def element(self, index: int) -> "Declared":
        """What is declared about the list item at ``index``."""
        at = min(index, self._fixed)
        if at not in self._elements:
            found = [item for part in self._parts for item in _items(part, at)]
            self._elements[at] = Declared(found, self._root)
        return self._elements[at]

    def defaults(self) -> list[Any]:
        return [part["default"] for part in self._parts if "default" in part]

    def required(self) -> frozenset[str]:
        """The members that must be there; of alternatives the first that says so."""
        named: list[Any] = next(
            (part["required"] for part in self._parts if isinstance(part.get("required"), list)), []
        )
        return frozenset(name for name in named if isinstance(name, str))

    def has(self, *words: str) -> bool:
        """Whether any of the schemas has one of these keywords."""
        return any(word in part for part in self._parts for word in words)

    def types(self) -> frozenset[str]:
        """The types that the schema names, in any of its branches."""
        named = [part.get("type") for part in self._parts]
        kinds = (kind for each in named for kind in (each if isinstance(each, list) else [each]))
        return frozenset(kind for kind in kinds if isinstance(kind, str))

    def descriptions(self) -> list[str]:
        return [text for part in self._parts if isinstance(text := part.get("description"), str)]

    def choices(self) -> list[Any]:
        """The values that the schema itself supplies: ``const``, the members of ``enum``, and ``examples``."""
        found = [part["const"] for part in self._parts if "const" in part]
        for word in ("enum", "examples"):
            for part in self._parts:
                values = part.get(word)
                found += values if isinstance(values, list) else []
        return found

    def _tables(self, word: str) -> Iterator[Mapping[str, Any]]:
        return (part[word] for part in self._parts if isinstance(part.get(word), Mapping))


def _merged(schemas: list[Any], root: object) -> list[Mapping[str, Any]]:
    parts: list[Mapping[str, Any]] = []
    waiting, met = list(schemas), set()
    for schema in waiting:  # grows while it is walked
        if len(parts) == _MAX_PARTS:
            break
        if not isinstance(schema, Mapping) or id(schema) in met:
            continue
        met.add(id(schema))
        parts.append(schema)
        waiting.extend(_applied(schema, root))
    return parts


def _applied(schema: Mapping[str, Any], root: object) -> Iterator[Any]:
    """The schemas that hold at the same place because this one does."""
    if isinstance(schema.get("$ref"), str):
        yield _resolve(root, schema["$ref"])
    for word in ("allOf", "anyOf", "oneOf"):
        branches = schema.get(word)
        if isinstance(branches, list):
            yield from branches[:_MAX_PARTS]


def _resolve(root: object, reference: str) -> object:
    """Follow a JSON pointer inside the same schema; None for a remote reference or one that leads nowhere."""
    if reference != "#" and not reference.startswith("#/"):
        return None
    here = root
    for step in reference.split("/")[1:][:_MAX_STEPS]:
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        # Array indices too: "#/oneOf/0". Text that is no index leads nowhere.
        if isinstance(here, list):
            here = here[int(name)] if name in map(str, range(min(len(here), _MAX_PARTS))) else None
        else:
            here = here.get(name) if isinstance(here, Mapping) else None
    return here


def _fixed_items(part: Mapping[str, Any]) -> list[Any]:
    """The schemas of a list's first items, in the keyword of today or in that of older drafts."""
    fixed = part.get("prefixItems", part.get("items"))
    return fixed if isinstance(fixed, list) else []


def _items(part: Mapping[str, Any], index: int) -> Iterator[Any]:
    fixed = _fixed_items(part)
    if index < len(fixed):
        yield fixed[index]
    elif isinstance(part.get("items"), Mapping):
        yield part["items"]


# By the schema's identity: each view holds its schema, so that no other can take its place in memory.
_KEPT: dict[int, Declared] = {}

UNDECLARED = Declared([])
"""Where no schema says anything."""


class Leaf(NamedTuple):
    """One place of a value. ``path`` may be shown; ``name`` is the raw last key: data, only ever looked at."""

    path: str
    name: str
    value: Any
    declared: Declared
    defaulted: bool  # it, or what it is part of, equals the schema's default

    def is_inner(self) -> bool:
        return isinstance(self.value, dict | list) and bool(self.value)


class _TooManyError(Exception):
    """A walk has seen as many places as it may."""


def leaves(value: object, declared: Declared, *, prefix: str = "") -> Iterator[Leaf]:
    """The leaves of a JSON value in document order; empty and too deep containers are leaves as well.

    Paths hold declared keys, ``[]`` for the items of a list, and ``map[N]`` for the N keys that nothing declares.
    Work is bounded: after 20,000 places the walk ends.
    """
    try:
        yield from _walk(Leaf(prefix, "", value, declared, _is_default(value, declared)))
    except _TooManyError:
        return


def arguments(args: Mapping[str, Any], schema: object) -> Iterator[Leaf]:
    """The leaves of a call's arguments. None is left out: an argument of over 20,000 places is one leaf itself."""
    for argument in _fields(Leaf("", "", args, Declared.of(schema), defaulted=False)):
        if not argument.is_inner():
            yield argument
            continue
        try:
            yield from list(_walk(argument))
        except _TooManyError:
            yield argument


def _walk(start: Leaf) -> Iterator[Leaf]:
    walk = [iter([start])]
    places = 0
    while walk:
        place = next(walk[-1], None)
        if place is None:
            walk.pop()
            continue
        places += 1
        if places > _MAX_PLACES:
            raise _TooManyError
        if place.is_inner() and len(walk) < _MAX_DEPTH:
            walk.append(_children(place))
        else:
            yield place


def _children(place: Leaf) -> Iterator[Leaf]:
    return _elements(place) if isinstance(place.value, list) else _fields(place)


def _elements(place: Leaf) -> Iterator[Leaf]:
    path = f"{place.path}[]"
    for index, item in enumerate(place.value):
        declared = place.declared.element(index)
        yield Leaf(path, place.name, item, declared, place.defaulted or _is_default(item, declared))


def _fields(place: Leaf) -> Iterator[Leaf]:
    member, table = place.declared.member, place.value
    dot = "" if not place.path or place.path.endswith(" ") else "."
    undeclared = sum(member(key) is None for key in table)
    for key, item in table.items():
        known = member(key)
        path = f"{place.path}{dot}{f'map[{undeclared}]' if known is None else shown(key)}"
        declared = place.declared.rest() if known is None else known
        yield Leaf(path, key, item, declared, place.defaulted or _is_default(item, declared))


def _is_default(value: object, declared: Declared) -> bool:
    return any(alike(value, default) for default in declared.defaults())


def alike(one: object, other: object) -> bool:
    """Whether two JSON values are the same, types included. A value too odd to be spelled out is like no other."""
    try:
        return canonical(one) == canonical(other)
    except (RecursionError, TypeError, ValueError):
        return False


def clipped(path: str) -> str:
    """A path of at most 120 characters."""
    return path if len(path) <= _MAX_PATH else path[: _MAX_PATH - 1] + "…"
