"""Values for a tool's parameters from what earlier calls to the same server returned.

A value fits by what it identifies: ``issue_number`` takes the number of an issue, wherever the results say which that
is (``issues[].number``, ``issue_number``, the ``number`` of what ``list_issues`` lists). A value that has to be
converted is converted: that 12 was written "#12" is for the critic to notice, not for us to stumble over.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from mcp_assay.core.content import read
from mcp_assay.core.entities import GENERIC, IDENTIFIERS, Subject, looks, nouns, subject
from mcp_assay.core.model import Tool
from mcp_assay.core.notation import numeric
from mcp_assay.core.parameters import Parameter, member
from mcp_assay.core.sample import fits, singular_name
from mcp_assay.core.words import word_set

__all__ = ["Harvest", "converted"]

_MAX_VALUES = 2_000  # of one result
_MAX_RESULTS = 50
_MAX_PLACES = 20_000  # of one result that are looked at
_MAX_LENGTH = 300
_MAX_LINES = 500
_MAX_QUERY = 60
_IDS = word_set("id uuid uid guid gid iid key number num no identifier")
_PLACES = frozenset({"path", "uri", "url"})
_LABELLED = re.compile(r"\s*(?:[-*\u2022]\s*)?[\"'*]{0,2}([A-Za-z][\w .-]{0,40}?)[\"'*]{0,2}\s*:\s+(\S.*?)\s*$")
_PATH = re.compile(r"\s*(?:[-*\u2022]\s*)?(/[^\s:*?\"<>|][^:*?\"<>|]*|[A-Za-z]:\\[^*?\"<>|]+)$")
_BRACKETED = re.compile(r"\s*\[([A-Za-z]{2,12})\]\s+(\S.*?)\s*$")


@dataclass(frozen=True, slots=True)
class _Known:
    """A value, what it belongs to by the key that it lies under, and what its own key speaks of.

    ``listed`` is what the tool's name says it lists, for a value at the top of the result: ``search_nodes`` may call
    its list ``entities``.
    """

    entity: frozenset[str]
    key: Subject
    value: Any
    listed: frozenset[str] = frozenset()

    @property
    def owner(self) -> frozenset[str]:
        return frozenset(self.key.entity) or self.entity


class Harvest:
    """What one server's tools returned in one scenario. Never shared between servers."""

    def __init__(self, server: str) -> None:
        self._server = server
        self._results: list[list[_Known]] = []

    def take(self, tool: Tool, result: Mapping[str, Any] | None) -> None:
        """Keep what a call returned; of very much, the beginning."""
        found = list(islice(_values(result, nouns(tool, self._server)), _MAX_VALUES))
        self._results = [*self._results, found][-_MAX_RESULTS:]

    def names(self, parameter: Parameter) -> Iterator[Any]:
        """Names and titles that the results hold, in their order: what a search is sure to find."""
        for known in (known for result in self._results for known in result):
            if known.key.identifier in ("name", "title") and len(str(known.value)) <= _MAX_QUERY:
                yield from converted(known.value, parameter)

    def candidates(self, parameter: Parameter, tool: Tool) -> Iterator[Any]:
        """Values for a parameter of a tool: the surest fit first, of equals the one that came last."""
        if parameter.type == "array":
            item = member(singular_name(parameter.name), parameter.schema.get("items"), parameter.root)
            yield from ([value] for value in self.candidates(item, tool))
            return
        wanted = _Wanted(subject(parameter.name), nouns(tool, self._server), looks=looks(tool, self._server))
        ranked = [
            (-score, wanted.preference(known.key), -turn, place, known.value)
            for turn, result in enumerate(self._results)
            for place, known in enumerate(result)
            if (score := wanted.score(known))
        ]
        for *_, value in sorted(ranked, key=lambda found: found[:4]):
            yield from converted(value, parameter)


def converted(value: object, parameter: Parameter) -> Iterator[Any]:
    """The value as the parameter's type wants it; nothing if it cannot be that, or is no plain identifier."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return
    if isinstance(value, str) and (not value.strip() or len(value) > _MAX_LENGTH or not value.isprintable()):
        return
    number = numeric(value)
    forms: list[Any] = [value]
    if parameter.type in ("integer", "number") and number is not None:
        forms = [int(number) if float(number).is_integer() else number]
    elif parameter.type == "string" and isinstance(value, int):
        forms = [str(value)]
    yield from (form for form in forms if fits(form, parameter))


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What a parameter asks for: what it speaks of, in a tool that is ``about`` something; ``looks``: in some place."""

    subject: Subject
    about: frozenset[str]
    looks: bool

    def score(self, known: _Known) -> int:
        """0 if a value is not what the parameter asks for; more, the surer it is."""
        entity, identifier = self.subject.entity, self.subject.identifier
        alike = _alike(identifier, known.key.identifier)
        if known.key == self.subject and entity:
            return 7
        if entity:
            whole, last = known.owner.issuperset(entity), entity[-1] in known.owner
            return alike + (3 if whole else 1) if alike and (whole or last) else 0
        if not identifier:
            return 0
        if self.about & known.owner:
            return alike + 2 if alike else 0
        if self.about & known.listed and not known.key.entity:
            return alike
        # A path leads somewhere whatever lies there, and a search wants to be told where; a bare id means nothing.
        return 1 if alike == _SAME and identifier in _PLACES and (self.looks or not self.about) else 0

    def preference(self, key: Subject) -> int:
        """Of what one thing is known by, a name before an id, if the parameter does not say (``branch``)."""
        naming = ("", "name", "slug", "login", "key") if not self.subject.identifier else ("",)
        return (*naming, *IDENTIFIERS).index(key.identifier)


_SAME, _OPEN, _KINDRED = 3, 2, 1


def _alike(wanted: str, given: str) -> int:
    """Whether two identifiers may stand for each other: the same, one that is left open, or two sorts of id."""
    if wanted == given:
        return _SAME
    if not wanted or not given:
        return _OPEN
    return _KINDRED if wanted in _IDS and given in _IDS else 0


# --- taking results apart ----------------------------------------------------------------------------------------


def _values(result: Mapping[str, Any] | None, about: frozenset[str]) -> Iterator[_Known]:
    body = read(result)
    if body.data is not None:
        yield from _leaves(body.data, about)
        return
    for text in body.texts:
        yield from _lines(text, about)
    for link in body.links:
        yield _Known(about, Subject((), "uri"), link)


def _leaves(data: object, about: frozenset[str]) -> Iterator[_Known]:
    """The values of a JSON document in document order, without recursion; a text of several lines line by line."""
    waiting = [_Place(data, about, "", about)]
    for _ in range(_MAX_PLACES):
        if not waiting:
            return
        place = waiting.pop()
        if isinstance(place.value, list | dict):
            waiting.extend(reversed(list(_members(place, about))))
        elif isinstance(place.value, str) and "\n" in place.value:
            yield from _lines(place.value, place.entity)
        elif place.value is not None:
            yield _Known(place.entity, subject(place.key), place.value, place.listed)


class _Place(NamedTuple):
    value: Any
    entity: frozenset[str]
    key: str
    listed: frozenset[str]
    depth: int = 0


_RECORDS = 2  # {"issues": [ … ]}


def _members(place: _Place, about: frozenset[str]) -> Iterator[_Place]:
    inner, depth = _entity(place.key, place.entity), place.depth + 1
    if isinstance(place.value, dict):
        for name, item in islice(place.value.items(), _MAX_VALUES):
            nested = isinstance(item, dict)
            yield _Place(item, inner, str(name), frozenset() if nested else place.listed, depth)
        return
    # Only the records of the result itself can be what the tool's name speaks of, not the lists inside a record.
    listed = about if depth <= _RECORDS else frozenset[str]()
    for item in place.value[:_MAX_VALUES]:
        yield _Place(item, inner, "", listed, depth)


def _entity(key: str, around: frozenset[str]) -> frozenset[str]:
    """What lies under a key belongs to that key's entity; under ``items`` or ``data``, to what is around it."""
    named = frozenset(word for word in subject(key).entity if word not in GENERIC)
    return named or around


def _lines(text: str, about: frozenset[str]) -> Iterator[_Known]:
    """Plain text as servers write it: ``Number: 12``, a path on a line of its own, ``[FILE] notes.txt``."""
    for line in text[: 64 * 1024].split("\n")[:_MAX_LINES]:
        if path := _PATH.fullmatch(line):
            yield _Known(about, Subject((), "path"), path[1].strip())
        elif marked := _BRACKETED.fullmatch(line):
            yield _Known(frozenset(subject(marked[1]).entity), Subject((), "name"), marked[2])
        elif labelled := _LABELLED.fullmatch(line):
            yield _Known(about, subject(labelled[1]), labelled[2].strip("\"'`"))
