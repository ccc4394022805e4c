"""What one result, or the scenario's text, holds: each value under every notation in which it may come back.

Lives in the owner's memory only, and is bounded: 5,000 values and words, and 64 Ki characters, of one result.
"""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import Any

from mcp_assay.core.content import Body, parsed, read
from mcp_assay.core.declared import UNDECLARED, Declared, Leaf, leaves
from mcp_assay.core.notation import bare, is_identifier, is_low, is_small, moments, numeric, tokens, undressed, url_tail

__all__ = ["PROSE", "Look", "Probe", "Seen", "Via"]

_MAX_VALUES = 5_000
_MAX_TEXT = 65_536
_MAX_WORD = 256  # a longer string is no name and no id; it is only compared whole
_MIN_WORD = 3
_MIN_PART = 4
_MAX_TRIES = 50  # occurrences of a text that are tried for one on token boundaries
_MAX_LINES = 500  # of a plain text, each of which may be a value
_CHARACTERS_PER_VALUE = 64  # what kept text weighs, in values

_GLUED_BEFORE = re.compile(r"[\w-]\Z|\w\.\Z")
_GLUED_AFTER = re.compile(r"[\w-]|\.\w")

PROSE = "text"
"""The path of what stands in plain text."""

Look = tuple[str, Hashable]
"""A notation and the value in it: ("number", 12), ("case", "bug"), ("tail", "readme.md"), …"""


class Via(StrEnum):
    """What was done to a value between the result that held it and the argument that holds it now."""

    SAME = "same"
    NUMBER = "number"
    CASE = "case"
    DATE = "date"
    URL_TAIL = "url-tail"
    TRIMMED = "trimmed"  # a mark, a prefix or a suffix taken from a single word, or put to it
    SUBSTRING = "substring"
    EMBEDDED = "embedded"  # the reverse: the argument is a longer text that holds the value


@dataclass(frozen=True)  # no slots: the other notations are kept
class Probe:
    """One argument's value as it is looked up: as it is, and in other notations, the plainest first.

    Only for values that are not low in entropy; a small number is found only where it was taken for an identifier.
    """

    value: str | float
    same: Look

    @classmethod
    def of(cls, value: str | float) -> "Probe":
        return cls(value, ("same", _key(value)))

    @cached_property
    def others(self) -> tuple[tuple[Via, Look], ...]:
        """Made only if they are asked for: most values have come as they are."""
        return tuple(_others(self.value))


def _others(value: str | float) -> Iterator[tuple[Via, Look]]:
    folded = value.casefold() if isinstance(value, str) and len(value) <= _MAX_WORD else ""
    if folded:
        yield Via.CASE, ("case", folded)
    number = numeric(value)
    if number is None or not is_small(number):
        yield Via.URL_TAIL, ("tail", str(value)[:_MAX_WORD])
    yield from ((Via.URL_TAIL, look) for look in _ends(value))
    yield Via.TRIMMED, ("bare", str(value)[:_MAX_WORD])
    inner = undressed(value) if isinstance(value, str) else None
    if inner is not None and not is_low(inner, ""):
        yield Via.TRIMMED, ("same", inner)
    if isinstance(value, str) and len(value) >= _MIN_PART:
        yield Via.SUBSTRING, ("part", value)
    if number is not None:
        yield Via.NUMBER, ("number", number)
    for when in moments(value):
        yield Via.DATE, ("instant", when.instant)
        if when.is_day:
            yield Via.DATE, ("day", when.day)
    if len(folded) >= _MIN_PART:
        yield Via.CASE, ("word", folded)


def _ends(value: str | float) -> Iterator[Look]:
    """Where a URL was built around a value that a result held."""
    tail = url_tail(value) if isinstance(value, str) else None
    if tail is None:
        return
    number = numeric(tail)
    if number is not None:
        yield "number", number
    elif not is_low(tail, ""):
        yield "same", _key(tail)


def _key(value: str | float) -> Hashable:
    """A long text is known by its hash."""
    if not isinstance(value, str) or len(value) <= _MAX_WORD:
        return value
    return hashlib.sha256(value.encode(errors="surrogatepass")).digest()


class Seen:
    """The values of one result; ``call`` is the id of its call, ``weight`` roughly how many values are kept."""

    __slots__ = ("_identifiers", "_paths", "_places", "_starts", "_text", "call", "weight")

    def __init__(self, call: str, found: Iterable[Leaf], *, identifiers: bool = False) -> None:
        """``identifiers``: take every number for an identifier, whatever its name."""
        self.call, self._identifiers = call, identifiers
        self._places: dict[Look, str] = {}
        kept = list(islice(found, _MAX_VALUES))
        for leaf in kept:
            self._note_leaf(leaf)
        # Values come before words, lest the prose of the first records crowd out the ids of the last.
        words = list(islice((word for leaf in kept for word in _words(leaf)), _MAX_VALUES - len(kept)))
        for word in words:
            self._note_word(word)
        self._keep_text(kept)
        self.weight = len(kept) + len(words) + len(self._text) // _CHARACTERS_PER_VALUE

    @classmethod
    def of_text(cls, text: str) -> "Seen":
        return cls("", [_prose(text)], identifiers=True)

    @classmethod
    def of_result(
        cls,
        call: str,
        result: Mapping[str, Any] | None,
        output_schema: Mapping[str, Any] | None,
        body: Body | None = None,
    ) -> "Seen":
        """``body`` is the result taken apart, if that has been done already."""
        return cls(call, _held(body or read(result), output_schema))

    @property
    def looks(self) -> Collection[Look]:
        """Every notation of every value, each once."""
        return self._places.keys()

    @property
    def text(self) -> str:
        """All strings in one, a NUL between them."""
        return self._text

    def at(self, look: Look) -> str | None:
        """The path where a value stands in this notation, or None."""
        return self._places.get(look)

    def same(self, probe: Probe) -> str | None:
        """The path where the value stands whole and with its type, or None."""
        return self._places.get(probe.same)

    def verbatim(self, probe: Probe) -> bool:
        """Whether a reader would say that the value stands in this text: whole, as a number, or as one of its parts."""
        if isinstance(probe.value, str):
            return self.same(probe) is not None or self.part(probe.value) is not None
        return ("number", probe.value) in self._places

    def changed(self, probe: Probe) -> tuple[Via, str] | None:
        """How, and at which path, the value stands in another notation or inside a longer text; None if it does not.

        A word of plain prose is what a reader of prose takes as it is: nothing was done to it.
        """
        for via, look in probe.others:
            path = self.part(probe.value) if look[0] == "part" else self._places.get(look)
            if path is not None:
                return (Via.SAME if look[0] == "part" and path == PROSE else via), path
        return None

    def _note_leaf(self, leaf: Leaf) -> None:
        value, path = leaf.value, leaf.path
        if path == PROSE and isinstance(value, str):
            self._note_lines(value)
        if isinstance(value, str) and len(value) > _MAX_WORD:
            self._note(("same", _key(value)), path)
            return
        number = numeric(value)
        if number is not None:
            if self._note_number(number, leaf):
                self._note(("same", value), path)
        elif isinstance(value, str) and len(value) >= _MIN_WORD:
            self._note(("same", value), path)
            self._note(("case", value.casefold()), path)
            self._note_tail(value, path)
            for piece in bare(value, leaf.name):
                self._note(("bare", piece), path)
        self._note_moment(leaf)

    def _note_lines(self, text: str) -> None:
        """Programs print a value a line, and a line feed after it."""
        for line in islice(text.splitlines(), _MAX_LINES):
            word = line.strip()
            if _MIN_WORD <= len(word) <= _MAX_WORD and numeric(word) is None:
                self._note(("same", word), PROSE)

    def _note_word(self, word: Leaf) -> None:
        number = numeric(word.value)
        if number is not None:
            self._note_number(number, word)
        elif len(word.value) >= _MIN_PART:
            self._note(("word", word.value.casefold()), word.path)
            self._note_tail(word.value, word.path)
        self._note_moment(word)

    def _note_number(self, number: float, leaf: Leaf) -> bool:
        """Small numbers are noted only where a name, or a #, says that they identify something."""
        marked = isinstance(leaf.value, str) and leaf.value.startswith("#")
        if is_small(number) and not (self._identifiers or marked or is_identifier(leaf.name)):
            return False
        self._note(("number", number), leaf.path)
        return True

    def _note_tail(self, text: str, path: str) -> None:
        tail = url_tail(text)
        if tail is not None:
            self._note(("tail", tail), path)

    def _note_moment(self, leaf: Leaf) -> None:
        for when in moments(leaf.value, leaf.name):
            self._note(("instant", when.instant), leaf.path)
            if when.day is not None:
                self._note(("day", when.day), leaf.path)

    def _note(self, look: Look, path: str) -> None:
        self._places.setdefault(look, path)

    def _keep_text(self, kept: list[Leaf]) -> None:
        """All strings in one, so that one search finds a value inside any of them."""
        self._starts: list[int] = []
        self._paths: list[str] = []
        texts, length = [], 0
        for leaf in kept:
            if isinstance(leaf.value, str) and leaf.value and length < _MAX_TEXT:
                texts.append(leaf.value[: _MAX_TEXT - length])
                self._starts.append(length)
                self._paths.append(leaf.path)
                length += len(texts[-1]) + 1
        self._text = "\0".join(texts)

    def part(self, value: object) -> str | None:
        """The path of a text that contains the value on token boundaries: ``app`` is no part of ``app-old``."""
        if not isinstance(value, str) or "\0" in value:
            return None
        start = self._text.find(value)
        for _ in range(_MAX_TRIES):
            if start < 0:
                return None
            if self._stands_free(start, start + len(value)):
                return self._paths[bisect_right(self._starts, start) - 1]
            start = self._text.find(value, start + 1)
        return None

    def _stands_free(self, start: int, end: int) -> bool:
        before, after = self._text[max(start - 2, 0) : start], self._text[end : end + 2]
        return not _GLUED_BEFORE.search(before) and not _GLUED_AFTER.match(after)


def _held(body: Body, output_schema: Mapping[str, Any] | None) -> Iterator[Leaf]:
    """The leaves of a result: its data, the texts that are not that data over again, and the addresses it links to.

    Structured content that only repeats the text adds nothing: what is prose in the one is prose in the other.
    """
    data = None if body.wraps and not body.from_text else body.data
    if data is not None:
        declared = UNDECLARED if body.structured and body.from_text else Declared.of(output_schema)
        yield from leaves(data, declared, prefix="text:json " if body.from_text else "")
    for text in () if body.from_text else filter(None, body.texts):
        spelled = parsed(text)
        if spelled is None:
            yield _prose(text)
        elif data is None:
            yield from leaves(spelled, UNDECLARED, prefix="text:json ")
    for link in body.links:
        yield _prose(link)


def _prose(text: str) -> Leaf:
    return Leaf(PROSE, "", text, UNDECLARED, defaulted=False)


def _words(leaf: Leaf) -> Iterator[Leaf]:
    """The words of a text of several; each has the word before it for a name: "issue number: 12"."""
    if not isinstance(leaf.value, str):
        return
    before = ""
    for word in tokens(leaf.value[:_MAX_TEXT]):
        if word != leaf.value and len(word) <= _MAX_WORD:
            yield Leaf(leaf.path, before, word, UNDECLARED, defaulted=False)
        before = word
