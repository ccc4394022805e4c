"""A call's arguments, one by one: every value at any depth, and the schema's defaults for those not given."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mcp_assay.core.addressing import Noun, form, noun
from mcp_assay.core.declared import Declared, shown

__all__ = ["Argument", "TooDeepError", "arguments", "meant"]

_MAX_DEPTH = 64
_MAX_ARGUMENTS = 20_000
_MOST = 100
_IS_AN_ID = re.compile(r"\W*(?:[\w-]+ +){0,5}?(?:id|identifier|uuid|guid|arn)s?\b", re.IGNORECASE)
"""``The ID of the customer``, ``Optional list of label IDs``: a description that begins so speaks of an identifier."""
_PARAMETER = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


class TooDeepError(Exception):
    """The arguments are deeper or more than can be looked at."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One value that is no container.

    ``parent`` are the raw keys and indices that lead to the object it belongs to; ``shown`` is its path as it may be
    printed; ``given`` is False for a schema's default and for a map's key.
    """

    parent: tuple[str | int, ...]
    shown: str
    noun: Noun
    value: Any
    given: bool

    @property
    def is_text(self) -> bool:
        """A string that really is in the call: what the specification compares."""
        return self.given and isinstance(self.value, str)

    @property
    def is_plain(self) -> bool:
        """A string that does not look like a resource."""
        return isinstance(self.value, str) and form(self.value, self.noun) is None


@dataclass(frozen=True, slots=True)
class _Place:
    keys: tuple[str | int, ...]
    shown: str
    value: Any
    declared: Declared
    given: bool = True

    def argument(self) -> Argument:
        names = [key for key in self.keys if isinstance(key, str)]
        last = max((at for at, key in enumerate(self.keys) if isinstance(key, str)), default=0)
        return Argument(self.keys[:last], self.shown or "(all)", meant(names, self.declared), self.value, self.given)


def meant(names: Sequence[str], declared: Declared) -> Noun:
    """The noun of an argument; what the schema says of it may make it an identifier, never less than its name does."""
    meant = noun(names)
    by_id = meant.by_id or any(_IS_AN_ID.match(text[:_MOST]) for text in declared.descriptions())
    return replace(meant, by_id=by_id, switch=declared.types() == {"boolean"})


def arguments(args: Mapping[str, Any], schema: Mapping[str, Any]) -> Iterator[Argument]:
    """Every argument in document order. A parameter that is not given is judged by its schema default, if it has one.

    A key that no schema declares is an argument of its own. Raises TooDeepError.
    """
    waiting = [_Place((), "", args, Declared.of(schema))]
    for _ in range(_MAX_ARGUMENTS):
        if not waiting:
            return
        place = waiting.pop()
        if isinstance(place.value, Mapping | list) and len(place.keys) >= _MAX_DEPTH:
            raise TooDeepError
        if isinstance(place.value, Mapping):
            yield from _data_keys(place)
            waiting.extend(reversed([*_fields(place), *_defaults(place)]))
        elif isinstance(place.value, list):
            waiting.extend(reversed(list(_items(place))))
        else:
            yield place.argument()
    if waiting:
        raise TooDeepError


def _fields(place: _Place) -> Iterator[_Place]:
    for key, value in place.value.items():
        declared = place.declared.member(key) or place.declared.rest()
        yield _Place((*place.keys, key), _shown(place, key), value, declared, place.given)


def _defaults(place: _Place) -> Iterator[_Place]:
    """Blank defaults say "none"; of several (in combined schemas) each may be the one that is used."""
    for key in place.declared.names():
        declared = place.declared.member(key)
        if place.value.get(key) is None and declared is not None:
            for value in declared.defaults():
                if not isinstance(value, str) or value.strip():
                    yield _Place((*place.keys, key), _shown(place, key), value, declared, given=False)


def _items(place: _Place) -> Iterator[_Place]:
    for index, value in enumerate(place.value):
        yield _Place((*place.keys, index), f"{place.shown}[]", value, place.declared.element(index), place.given)


def _data_keys(place: _Place) -> Iterator[Argument]:
    """Keys that no schema declares may be data (``{"/etc/hosts": "…"}``): judged by what they look like only."""
    for key in place.value:
        if place.declared.member(key) is None:
            yield Argument(place.keys, _shown(place, key), Noun(""), key, given=False)


def _shown(place: _Place, key: str) -> str:
    """The path to a key: names of parameters and declared keys only; other keys are data (``map[N]``)."""
    is_name = place.declared.member(key) is not None or (not place.keys and _PARAMETER.fullmatch(key))
    name = shown(key) if is_name else f"map[{len(place.value)}]"
    return f"{place.shown}.{name}" if place.shown else name
