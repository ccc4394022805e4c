"""The results of a scenario, together: which of them was the first to hold a value, without asking each of them.

The answers are those of asking one after another, the oldest first. Lives in the owner's memory only, and is bounded.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from mcp_assay.core.seen import PROSE, Look, Probe, Seen, Via

__all__ = ["Recall"]

_MAX_WEIGHT = 50_000  # values of a scenario; beyond it the oldest results are forgotten
_BLOCK = 65_536  # characters of several results that are searched in one go


class Recall:
    """What calls have returned. At about 50,000 values the oldest results are forgotten."""

    def __init__(self, most: int = _MAX_WEIGHT) -> None:
        self._most, self._weight = most, 0
        self._results: dict[int, Seen] = {}  # by a number that counts up
        self._next = 0
        self._holders: dict[Look, list[int]] = {}
        self._blocks: list[_Block] = []

    def remember(self, seen: Seen) -> None:
        number, self._next = self._next, self._next + 1
        self._results[number] = seen
        for look in seen.looks:
            self._holders.setdefault(look, []).append(number)
        self._keep_text(number, seen.text)
        self._weight += seen.weight
        while self._weight > self._most and len(self._results) > 1:
            self._forget(next(iter(self._results)))

    def same(self, probe: Probe) -> tuple[Seen, str] | None:
        """The earliest result that holds the value whole and with its type, and where."""
        for number in self._holders.get(probe.same, ()):
            seen = self._results[number]
            path = seen.same(probe)
            if path is not None:
                return seen, path
        return None

    def changed(self, probe: Probe) -> tuple[Seen, Via, str] | None:
        """The earliest result that holds the value in another notation or inside a longer text: how, and where."""
        known = [held[0] for _, look in probe.others if (held := self._holders.get(look))]
        first = min(known, default=self._next)
        if any(look[0] == "part" for _, look in probe.others):
            first = next((number for number in self._mentioning(str(probe.value), first)), first)
        seen = self._results.get(first)
        found = seen.changed(probe) if seen else None
        return (seen, *found) if seen and found else None

    def told(self, probe: Probe) -> Seen | None:
        """The earliest result in whose prose the value stands as it is: as a word, or as several."""
        value = probe.value
        if isinstance(value, str):
            word = ("word", value.casefold())
            numbers = self._mentioning(value, self._next) if " " in value else iter(self._holders.get(word, ()))
            held = (self._results[number] for number in numbers)
            return next((seen for seen in held if seen.part(value) == PROSE), None)
        look = ("number", value)
        held = (self._results[number] for number in self._holders.get(look, ()))
        return next((seen for seen in held if seen.at(look) == PROSE), None)

    def cover(self, values: Sequence[Sequence[Look]], most: int = 20) -> list[tuple[Seen, str]]:
        """As few results as hold, together, all of the values that any of them holds; each with one value's place.

        Each value is given by the notations in which it counts. Of results that hold equally many the latest is taken;
        the answer is in the order in which they came, at most so many.
        """
        left = [holders for holders in map(self._holding, values) if holders]
        chosen: dict[int, str] = {}
        while left and len(chosen) < most:
            counts = Counter(number for holders in left for number in holders)
            best = max(counts, key=lambda number: (counts[number], number))
            chosen[best] = next(holders[best] for holders in left if best in holders)
            left = [holders for holders in left if best not in holders]
        return [(self._results[number], chosen[number]) for number in sorted(chosen)]

    def holds(self, value: Sequence[Look]) -> bool:
        """Whether any result holds the value, as ``cover`` counts it."""
        return bool(self._holding(value))

    def _holding(self, value: Sequence[Look]) -> dict[int, str]:
        """The results that hold a value whole, and where; a word counts in prose only."""
        return {
            number: path
            for look in value
            for number in self._holders.get(look, ())
            if (path := self._results[number].at(look)) is not None and (look[0] != "word" or path == PROSE)
        }

    def _mentioning(self, value: str, before: int) -> Iterator[int]:
        """The results before that one which hold the value inside a text of theirs, on token boundaries."""
        for block in self._blocks:
            for number in block.mentioning(value):
                if number >= before:
                    return
                if number in self._results and self._results[number].part(value) is not None:
                    yield number

    def _keep_text(self, number: int, text: str) -> None:
        if not text:
            return
        if not self._blocks or not self._blocks[-1].has_room(text):
            self._blocks.append(_Block())
        self._blocks[-1].add(number, text)

    def _forget(self, number: int) -> None:
        """The oldest result: wherever it is listed, it stands first."""
        seen = self._results.pop(number)
        self._weight -= seen.weight
        for look in seen.looks:
            held = self._holders[look]
            del held[0]
            if not held:
                del self._holders[look]
        while self._blocks and self._blocks[0].last <= number:
            del self._blocks[0]


class _Block:
    """The texts of several results in one, so that a value which stands in none of them costs one search."""

    def __init__(self) -> None:
        self._text = ""
        self._starts: list[int] = []
        self._numbers: list[int] = []

    @property
    def last(self) -> int:
        return self._numbers[-1]

    def has_room(self, text: str) -> bool:
        return len(self._text) + len(text) < _BLOCK

    def add(self, number: int, text: str) -> None:
        self._starts.append(len(self._text))
        self._numbers.append(number)
        self._text += text + "\0"

    def mentioning(self, value: str) -> Iterator[int]:
        """The results whose text holds the value anywhere."""
        start = self._text.find(value)
        while start >= 0:
            at = bisect_right(self._starts, start)
            yield self._numbers[at - 1]
            if at == len(self._starts):
                return
            start = self._text.find(value, self._starts[at])
