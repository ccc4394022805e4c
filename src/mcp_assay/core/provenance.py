"""Where each argument's value came from: the scenario, an earlier result, the schema, or nowhere that we saw.

The question is where the agent most plausibly had a value from, so the sources are asked in this order:

1. the scenario's text, where the value stands there as it is: the agent knew it before any call, echoes come later;
2. an earlier call's argument, or a part of one, for the same reason: what the agent gave before, it had already;
3. the earliest result that holds the same value, then the earliest whose prose has it as it is: what a step printed
   comes before what it was made from;
4. the schema's default; 5. the scenario's text in another notation; 6. the earliest result that holds the value in
another notation or inside a longer text; 7. the results of which the argument, a longer text, holds values: as few as
account for all of them, of equal ones the latest.

A value that the schema itself lists (enum, const, examples) has the source ``schema``, or ``default``. A value that is
too common to judge (a boolean, 10, "open") has the source ``none`` and ``entropy: low``. What leaves this module is
digests, types, sources and paths of declared keys; the one exception are declared paging numbers, shown as they are.
"""

import re
from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from itertools import islice
from typing import Any

from mcp_assay.core.content import Body
from mcp_assay.core.declared import Leaf, arguments, clipped
from mcp_assay.core.notation import is_low, numeric
from mcp_assay.core.quantity import is_paging
from mcp_assay.core.recall import Recall
from mcp_assay.core.seen import PROSE, Look, Probe, Seen, Via
from mcp_assay.core.shapes import json_type
from mcp_assay.core.summarize import digest

__all__ = ["Provenance"]

_MAX_PATHS = 40
_MAX_ITEMS = 100  # values under one path whose source is looked up
_MAX_PARTS = 4_000  # of a longer text
_MAX_GIVEN = 50_000  # arguments of a scenario whose source is known
_MAX_VERBATIM = 10**9

_MAX_SAID = 200
_MIN_EMBEDDED = 4
_MIN_WORD = 6  # of prose: shorter ones also are a program's own
_BETWEEN = re.compile(r"""[\s"'`=;|&<>(){}\[\],]+""")
_QUOTES = re.compile(r"""\\?["'`]""")
_MARKS = "@#$%~+:.!?'\""

_LOW = {"source": "none", "entropy": "low"}


class Provenance:
    """The values of one scenario: its text, and what its calls returned so far. In the owner's memory only."""

    def __init__(self, key: bytes, scenario_text: str) -> None:
        self._key = key
        self._scenario = Seen.of_text(scenario_text)
        self._results = Recall()
        self._given: dict[Hashable, dict[str, str]] = {}
        self._said: deque[str] = deque(maxlen=_MAX_SAID)

    def remember(
        self,
        call_id: str,
        result: Mapping[str, Any] | None,
        output_schema: Mapping[str, Any] | None,
        body: Body | None = None,
    ) -> None:
        """Take in what a call returned, MCP or not; ``body`` is the result taken apart, if that has been done already.

        At about 50,000 values the oldest results are forgotten.
        """
        if result is not None:
            self._results.remember(Seen.of_result(call_id, result, output_schema, body))

    def describe(self, args: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """The transcript's ``args`` object: argument path → type, digest, source, and ``at``, ``via``, ``entropy``.

        A longer text that holds values of results has their number (``values``), and up to 19 more ids (``also``).

        At most 40 paths, of at most 120 characters; the number of the others is ``{"…": {"more": N}}``.
        """
        places: dict[str, list[Leaf]] = {}
        for leaf in arguments(args, schema):
            places.setdefault(clipped(leaf.path), []).append(leaf)
        described = {path: self._place(found) for path, found in islice(places.items(), _MAX_PATHS)}
        if len(places) > _MAX_PATHS:
            described["…"] = {"more": len(places) - _MAX_PATHS}
        return described

    def _place(self, found: list[Leaf]) -> dict[str, Any]:
        """All values under one path. Items of a list share theirs: the source is that of the least explained one."""
        types = {json_type(leaf.value) for leaf in found}
        origin = min((self._origin(leaf) for leaf in found[:_MAX_ITEMS]), key=_explained)
        kind = types.pop() if len(types) == 1 else "mixed"
        if len(found) == 1 and _is_shown(found[0]):
            return {"type": kind, "value": found[0].value, **origin}
        values = [leaf.value for leaf in found]
        return {"type": kind, "digest": digest(self._key, values if len(values) > 1 else values[0]), **origin}

    def _origin(self, leaf: Leaf) -> dict[str, Any]:
        if _is_supplied(leaf):
            return {"source": "default" if leaf.defaulted else "schema"}
        if is_low(leaf.value, leaf.name):
            return {"source": "default"} if leaf.defaulted else _LOW
        probe = Probe.of(leaf.value)
        origin = next(self._sources(probe, leaf), {"source": "none"})
        if "via" not in origin and len(self._given) < _MAX_GIVEN:
            self._given.setdefault(probe.same, origin)
            if isinstance(leaf.value, str):
                self._said.append(leaf.value)
        return origin

    def _sources(self, probe: Probe, leaf: Leaf) -> Iterator[dict[str, Any]]:
        """The sources that a value has, of each kind the earliest, the most plausible first."""
        if self._scenario.verbatim(probe):
            yield {"source": "scenario"}
        if probe.same in self._given:
            yield self._given[probe.same]
        elif isinstance(leaf.value, str) and any(leaf.value in text for text in self._said):
            yield {"source": "none"}  # a part of what the agent gave before, such as the folder of a path
        if held := self._results.same(probe):
            yield _from(held[0], Via.SAME, held[1])
        if told := self._results.told(probe):
            yield _from(told, Via.SAME, PROSE)
        if leaf.defaulted:
            yield {"source": "default"}
        if self._scenario.changed(probe):
            yield {"source": "scenario"}
        if found := self._results.changed(probe):
            yield _from(*found)
        yield from self._embedded(leaf.value)

    def _embedded(self, value: object) -> Iterator[dict[str, Any]]:
        """The results of which a longer text, such as a shell command or a query, holds values whole."""
        if not isinstance(value, str):
            return
        parts = islice(dict.fromkeys(_parts(value)), _MAX_PARTS)
        looks = [tuple(_looks(part)) for part in parts if not is_low(part, "") and not self._is_told(part)]
        if held := self._results.cover(looks):
            (first, path), *others = held
            more = {"also": [seen.call for seen, _ in others]} if others else {}
            yield {**_from(first, Via.EMBEDDED, path), "values": sum(map(self._results.holds, looks)), **more}

    def _is_told(self, part: str) -> bool:
        """Whether the agent had it from the scenario: then it is no sign that a result was worked on."""
        return self._scenario.verbatim(Probe.of(part))


def _parts(text: str) -> Iterator[str]:
    """What stands between blanks, brackets or quotes, and what stands between quotes whole, without outer marks."""
    for part in (*_BETWEEN.split(text), *_QUOTES.split(text), *text.split()):
        for form in (part, part.strip(_MARKS)):
            if _MIN_EMBEDDED <= len(form) < len(text):
                yield form


def _looks(part: str) -> Iterator[Look]:
    yield Probe.of(part).same
    number = numeric(part)
    if number is not None:
        yield "number", number
    elif len(part) >= _MIN_WORD:
        yield "word", part.casefold()


def _from(seen: Seen, via: Via, path: str) -> dict[str, str]:
    return {"source": seen.call, "at": clipped(path), "via": str(via)}


def _is_supplied(leaf: Leaf) -> bool:
    """Whether the schema lists the value. Types count: true is not 1."""
    if isinstance(leaf.value, dict | list):
        return False
    return any(type(choice) is type(leaf.value) and choice == leaf.value for choice in leaf.declared.choices())


def _is_shown(leaf: Leaf) -> bool:
    """Paging integers are shown, since a reader must see how far an agent walked, if the schema declares their name."""
    is_number = type(leaf.value) is int and abs(leaf.value) < _MAX_VERBATIM
    return is_number and is_paging(leaf.name) and not leaf.path.endswith("]")


def _explained(origin: Mapping[str, str]) -> int:
    """How well a value is explained: not at all, by a result that had to be converted, by one that had it, …"""
    if origin["source"] == "none":
        return 4 if "entropy" in origin else 0
    if "via" in origin:
        return 2 if origin["via"] == Via.SAME else 1
    return 3
