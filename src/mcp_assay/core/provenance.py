"""Where each argument's value came from: the scenario, an earlier result, the schema, or nowhere that we saw.

The question is where the agent most plausibly had a value from, so the sources are asked in this order:

1. the scenario's text, where the value stands there as it is: the agent knew it before any call, echoes come later;
2. an earlier call's argument, or a part of one, for the same reason: what the agent gave before, it had already;
3. the earliest result that holds the same value;
4. the schema's default; 5. the scenario's text in another notation; 6. the earliest result that holds the value in
another notation or inside a longer text; 7. the earliest result of which the argument, a longer text, holds a value.

A value that the schema itself lists (enum, const, examples) has the source ``schema``, or ``default``. A value that is
too common to judge (a boolean, 10, "open") has the source ``none`` and ``entropy: low``. What leaves this module is
digests, types, sources and paths of declared keys; the one exception are declared paging numbers, shown as they are.
"""

import re
from collections import deque
from collections.abc import Hashable, Iterator, Mapping
from itertools import islice
from typing import Any

from mcp_assay.core.declared import Leaf, arguments, clipped
from mcp_assay.core.notation import is_low
from mcp_assay.core.quantity import is_paging
from mcp_assay.core.seen import Probe, Seen, Via
from mcp_assay.core.shapes import json_type
from mcp_assay.core.summarize import digest

__all__ = ["Provenance"]

_MAX_PATHS = 40
_MAX_ITEMS = 100  # values under one path whose source is looked up
_MAX_WEIGHT = 50_000  # values of a scenario; beyond it the oldest results are forgotten
_MAX_VERBATIM = 10**9

_MAX_SAID = 200
_MIN_EMBEDDED = 6
_BETWEEN = re.compile(r"""[\s"'`=;|&<>(){}\[\],]+""")

_LOW = {"source": "none", "entropy": "low"}


class Provenance:
    """The values of one scenario: its text, and what its calls returned so far. In the owner's memory only."""

    def __init__(self, key: bytes, scenario_text: str) -> None:
        self._key = key
        self._scenario = Seen.of_text(scenario_text)
        self._results: deque[Seen] = deque()
        self._weight = 0
        self._given: dict[Hashable, dict[str, str]] = {}
        self._said: deque[str] = deque(maxlen=_MAX_SAID)

    def remember(self, call_id: str, result: Mapping[str, Any] | None, output_schema: Mapping[str, Any] | None) -> None:
        """Take in what a call returned, MCP or not. At about 50,000 values the oldest results are forgotten."""
        if result is None:
            return
        seen = Seen.of_result(call_id, result, output_schema)
        self._results.append(seen)
        self._weight += seen.weight
        while self._weight > _MAX_WEIGHT and len(self._results) > 1:
            self._weight -= self._results.popleft().weight

    def describe(self, args: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """The transcript's ``args`` object: argument path → type, digest, source, and ``at``, ``via``, ``entropy``.

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

    def _origin(self, leaf: Leaf) -> dict[str, str]:
        if _is_supplied(leaf):
            return {"source": "default" if leaf.defaulted else "schema"}
        if is_low(leaf.value, leaf.name):
            return {"source": "default"} if leaf.defaulted else _LOW
        probe = Probe.of(leaf.value)
        origin = next(self._sources(probe, leaf), {"source": "none"})
        if "via" not in origin and len(self._given) < _MAX_WEIGHT:
            self._given.setdefault(probe.same, origin)
            if isinstance(leaf.value, str):
                self._said.append(leaf.value)
        return origin

    def _sources(self, probe: Probe, leaf: Leaf) -> Iterator[dict[str, str]]:
        """Every source there is for a value, the most plausible first."""
        if self._scenario.verbatim(probe):
            yield {"source": "scenario"}
        if probe.same in self._given:
            yield self._given[probe.same]
        elif isinstance(leaf.value, str) and any(leaf.value in text for text in self._said):
            yield {"source": "none"}  # a part of what the agent gave before, such as the folder of a path
        for seen in self._results:
            path = seen.same(probe)
            if path is not None:
                yield _from(seen, Via.SAME, path)
        if leaf.defaulted:
            yield {"source": "default"}
        if self._scenario.changed(probe):
            yield {"source": "scenario"}
        for seen in self._results:
            found = seen.changed(probe)
            if found is not None:
                yield _from(seen, *found)
        yield from self._embedded(leaf.value)

    def _embedded(self, value: object) -> Iterator[dict[str, str]]:
        """The results of which a longer text, such as a shell command or a query, holds a value whole."""
        if not isinstance(value, str):
            return
        parts = [part for part in _BETWEEN.split(value) if len(part) >= _MIN_EMBEDDED and part != value]
        probes = [Probe.of(part) for part in islice(parts, _MAX_ITEMS) if not is_low(part, "")]
        for seen in self._results:
            path = next(filter(None, map(seen.same, probes)), None)
            if path is not None:
                yield _from(seen, Via.EMBEDDED, path)


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
