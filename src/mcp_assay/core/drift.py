"""What changed between two manifests of a server: tools that appeared, vanished or changed, field by field, in words.

A server's text is hostile wherever it is shown, so every word of it stands in the results as inline code, cut short,
and what is long is counted rather than quoted. A renderer still passes the sentences through ``inert``.
"""

import importlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from json import dumps
from typing import Any

from mcp_assay.core import inert
from mcp_assay.core.classify import classify
from mcp_assay.core.model import Manifest, Rules, Tool, Verdict, canonical
from mcp_assay.core.phrases import counted, listed

__all__ = ["Change", "Changed", "Drift", "between", "compare", "details", "sentences", "whole"]

_QUOTED = 100
"""Characters of one quotation."""
_PLACES = 3
"""Places of one text that are quoted; the others are counted."""
_PAIRS = 5000
"""Pairs of equal words, one of each version, that are looked at to tell what was kept: a long or monotonous text has
more, and then only its words are counted."""
_DEPTH = 6
"""Levels of a schema that are compared field by field; what lies deeper is named by its keyword."""
_CHANGES = 12
"""Changes of one tool, and of one keyword's values, that are told; the others are counted."""
_MOST = 50
"""Changes of one tool that are looked for."""
_TOOLS = 500
"""Tools that are compared field by field, unless told otherwise."""

_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Change:
    """``field`` says where, such as ``description`` or ``parameter `limit```; ``said`` says what, in words."""

    field: str
    said: str

    def __str__(self) -> str:
        return f"{self.field}: {self.said}"


@dataclass(frozen=True, slots=True)
class Changed:
    """A tool that is there in both manifests and is not the same. ``before`` and ``after`` are the rules' verdicts."""

    tool: str
    changes: tuple[Change, ...]
    before: Verdict
    after: Verdict


@dataclass(frozen=True, slots=True)
class Drift:
    """What changed of one server; false if nothing did. ``appeared`` maps each new tool to its verdict.

    ``note`` is set where the server, or its list, is there only once: then tools are not compared one by one.
    ``more`` counts the tools that changed beyond those of ``changed``.
    """

    server: str
    appeared: Mapping[str, Verdict]
    vanished: tuple[str, ...] = ()
    changed: tuple[Changed, ...] = ()
    note: str | None = None
    more: int = 0

    def __bool__(self) -> bool:
        return bool(self.appeared or self.vanished or self.changed or self.note)


def between(before: Mapping[str, Manifest], after: Mapping[str, Manifest], rules: Rules) -> tuple[Drift, ...]:
    """What changed of every server that is in either, in the order of ``before``; one without a change is left out."""
    found = []
    for server in dict.fromkeys([*before, *after]):
        if server not in after:
            found.append(Drift(server, {}, note="not attached any more"))
        elif server not in before:
            found.append(Drift(server, {}, note=f"newly attached, with {counted(len(after[server].tools), 'tool')}"))
        else:
            found.append(compare(before[server], after[server], rules))
    return tuple(filter(None, found))


def compare(before: Manifest, after: Manifest, rules: Rules, most: int = _TOOLS) -> Drift:
    """What changed of one server, for at most so many tools by field. The order of its list does not count.

    Total: never raises.
    """
    server, then, now = after.server, _by_name(before), _by_name(after)
    if after.limitation and then and not now:
        return Drift(server, {}, note=f"its tools could not be listed again: {inert.line(after.limitation, 300)}")
    if before.limitation and now and not then:
        return Drift(server, {}, note=f"listed now, with {counted(len(now), 'tool')}; it could not be before")
    both = [name for name in then if name in now and then[name].digest != now[name].digest]
    return Drift(
        server,
        {name: _verdict(tool, after, rules) for name, tool in now.items() if name not in then},
        tuple(name for name in then if name not in now),
        tuple(
            Changed(
                name,
                tuple(islice(_fields(then[name].raw, now[name].raw), _MOST)),
                _verdict(then[name], before, rules),
                _verdict(now[name], after, rules),
            )
            for name in both[:most]
        ),
        more=max(len(both) - most, 0),
    )


def sentences(drift: Drift) -> Iterator[str]:
    """One sentence for what came of the server as a whole, for each kind of change, and for each tool that changed."""
    yield from whole(drift)
    for item in drift.changed:
        yield f"{inert.code(item.tool, 80)} changed: {'; '.join(details(item))}"
    if drift.more:
        yield f"{counted(drift.more, 'more tool')} changed"


def whole(drift: Drift) -> Iterator[str]:
    """What came of the server, and which tools vanished and appeared."""
    if drift.note:
        yield drift.note
    if drift.vanished:
        yield f"vanished: {listed([inert.code(name, 80) for name in drift.vanished], _CHANGES)}"
    if drift.appeared:
        new = [f"{inert.code(name, 80)} ({verdict})" for name, verdict in drift.appeared.items()]
        yield f"appeared: {listed(new, _CHANGES)}"


def details(item: Changed) -> Iterator[str]:
    """What is different about a tool: first the verdict, then field by field, the first of them."""
    if item.before is not item.after:
        yield f"verdict {item.before} → {item.after}"
    yield from map(str, item.changes[:_CHANGES])
    if len(item.changes) > _CHANGES:
        more = counted(len(item.changes) - _CHANGES, "more change")
        yield more if len(item.changes) < _MOST else f"{more}, or more than that"


def _by_name(manifest: Manifest) -> dict[str, Tool]:
    return {tool.name: tool for tool in manifest.tools}


def _verdict(tool: Tool, manifest: Manifest, rules: Rules) -> Verdict:
    return classify(tool, manifest.server, rules, manifest.tools).verdict


# --- the fields of a tool --------------------------------------------------------------------------------------------


def _fields(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[Change]:
    others = []
    for key in _differing(before, after):
        then, now = before.get(key, _ABSENT), after.get(key, _ABSENT)
        found = _FIELDS[key](then, now) if key in _FIELDS else iter(())
        first = next(found, None)
        if first is None:
            others.append(key)
        else:
            yield first
            yield from found
    if others:
        yield Change("other fields", _names(others))


def _title(then: object, now: object) -> Iterator[Change]:
    yield from _text("title", then, now)


def _description(then: object, now: object) -> Iterator[Change]:
    yield from _text("description", then, now)


def _annotations(then: object, now: object) -> Iterator[Change]:
    before, after = _table(then), _table(now)
    if before is not None and after is not None:
        for key in _differing(before, after):
            was, is_now = before.get(key, _ABSENT), after.get(key, _ABSENT)
            yield Change(_inside("annotation", key), f"{_value(was)} → {_value(is_now)}")


def _input(then: object, now: object) -> Iterator[Change]:
    yield from _schema(then, now, "input schema", "parameter")


def _output(then: object, now: object) -> Iterator[Change]:
    if then is _ABSENT or now is _ABSENT:
        yield Change("output schema", "added" if then is _ABSENT else "removed")
    else:
        yield from _schema(then, now, "output schema", "result field")


_FIELDS: Mapping[str, Callable[[object, object], Iterator[Change]]] = {
    "title": _title,
    "description": _description,
    "annotations": _annotations,
    "inputSchema": _input,
    "outputSchema": _output,
}


# --- schemas ---------------------------------------------------------------------------------------------------------


def _schema(then: object, now: object, whole: str, part: str) -> Iterator[Change]:
    """A tool's whole schema: its properties one by one, and the rest of it by keyword."""
    before, after = _table(then), _table(now)
    if before is not None and after is not None:
        yield from _properties(before, after, "", part, _DEPTH)
        yield from _keywords(before, after, whole, _ONE_BY_ONE)


def _properties(
    before: Mapping[str, Any], after: Mapping[str, Any], path: str, part: str, depth: int
) -> Iterator[Change]:
    """What changed among the properties of an object, those of its properties included."""
    then, now = _table(before.get("properties", _ABSENT)), _table(after.get("properties", _ABSENT))
    if then is None or now is None:
        yield Change(_inside(part, path) if path else f"{part}s", "no map of names, before or now")
        return
    needed, needs = _required(before), _required(after)
    for name in dict.fromkeys([*then, *now]):
        here = _inside(part, f"{path}{name}")
        if name not in now:
            yield Change(here, "removed")
        elif name not in then:
            yield Change(here, f"added, {'required' if name in needs else 'optional'}{_typed(now[name])}")
        else:
            if (name in needed) != (name in needs):
                yield Change(here, "made required" if name in needs else "made optional")
            yield from _node(then[name], now[name], f"{path}{name}", part, depth)


def _node(then: object, now: object, path: str, part: str, depth: int) -> Iterator[Change]:
    """What changed of one property's own schema."""
    if _same(then, now):
        return
    before, after, here = _table(then), _table(now), _inside(part, path)
    if before is None or after is None or depth == 0:
        yield Change(here, "its schema changed")
        return
    differing = _differing(before, after)
    for key in ("type", "default"):
        if key in differing:
            yield Change(here, f"{key} {_value(before.get(key, _ABSENT))} → {_value(after.get(key, _ABSENT))}")
    yield from (Change(here, said) for said in _enum(before, after))
    if "description" in differing:
        key = "description"
        yield from _text(f"{here}, {key}", before.get(key, _ABSENT), after.get(key, _ABSENT))
    if _ONE_BY_ONE.intersection(differing):
        yield from _properties(before, after, f"{path}.", part, depth - 1)
    if "items" in differing:
        yield from _node(before.get("items", {}), after.get("items", {}), f"{path}[]", part, depth - 1)
    yield from _keywords(before, after, here, _TOLD)


_ONE_BY_ONE = frozenset({"properties", "required"})
_TOLD = _ONE_BY_ONE | {"type", "enum", "default", "description", "items"}


def _keywords(before: Mapping[str, Any], after: Mapping[str, Any], here: str, told: frozenset[str]) -> Iterator[Change]:
    others = [key for key in _differing(before, after) if key not in told]
    if others:
        yield Change(here, f"other keywords: {_names(others)}")


def _enum(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    then, now = before.get("enum"), after.get("enum")
    if not (isinstance(then, list) and isinstance(now, list)):
        if not _same(then, now):
            yield "no longer limited to certain values" if now is None else f"limited to {_values(_items(now))}"
        return
    added, removed = _missing(now, then), _missing(then, now)
    if added:
        yield f"values added: {_values(added)}"
    if removed:
        yield f"values removed: {_values(removed)}"


def _items(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]


def _missing(these: Iterable[object], those: Iterable[object]) -> list[object]:
    known = set(map(canonical, those))
    return [item for item in these if canonical(item) not in known]


def _required(schema: Mapping[str, Any]) -> frozenset[str]:
    names = schema.get("required")
    return frozenset(name for name in names if isinstance(name, str)) if isinstance(names, list) else frozenset()


def _typed(schema: object) -> str:
    kind = schema.get("type", _ABSENT) if isinstance(schema, dict) else _ABSENT
    return "" if kind is _ABSENT else f", type {_value(kind)}"


# --- words -----------------------------------------------------------------------------------------------------------


def _text(field: str, then: object, now: object) -> Iterator[Change]:
    """A text's change: the words that came and went, quoted, or how much of it is another."""
    before, after = ("" if text is _ABSENT else text for text in (then, now))
    if isinstance(before, str) and isinstance(after, str):
        yield Change(field, _rewording(before, after))
    else:
        yield Change(field, "not a text, before or now")


def _rewording(before: str, after: str) -> str:
    if not before or not after:
        return f"added {_quoted(after.split())}" if after else f"removed {_quoted(before.split())}"
    then, now = before.split(), after.split()
    if then == now:
        return "only blanks or line breaks"
    lead = _shared(then, now)
    tail = _shared(then[lead:][::-1], now[lead:][::-1])
    then, now = then[lead : len(then) - tail], now[lead : len(now) - tail]
    times = Counter(then)
    if sum(times[word] for word in now) > _PAIRS:
        return f"rewritten: {counted(len(then), 'word')} became {counted(len(now), 'word')}"
    matcher = importlib.import_module("difflib").SequenceMatcher(None, then, now, autojunk=False)
    places = [place for place in matcher.get_opcodes() if place[0] != "equal"]
    said = [_edit(then[low:high], now[from_:to]) for _, low, high, from_, to in places[:_PLACES]]
    more = len(places) - _PLACES
    return ", ".join([*said, f"and {counted(more, 'more place')}"] if more > 0 else said)


def _edit(gone: Sequence[str], came: Sequence[str]) -> str:
    if not gone or not came:
        return f"added {_quoted(came)}" if came else f"removed {_quoted(gone)}"
    return f"{_quoted(gone)} → {_quoted(came)}"


def _shared(these: Sequence[str], those: Sequence[str]) -> int:
    """How many words both begin with."""
    pairs = enumerate(zip(these, those, strict=False))
    return next((place for place, (one, other) in pairs if one != other), min(len(these), len(those)))


def _quoted(words: Sequence[str]) -> str:
    return inert.code(" ".join(words), _QUOTED)


def _value(value: object) -> str:
    return "absent" if value is _ABSENT else inert.code(dumps(value, ensure_ascii=False), 60)


def _values(values: Sequence[object]) -> str:
    shown = ", ".join(map(_value, islice(values, _CHANGES)))
    return shown if len(values) <= _CHANGES else f"{shown} and {len(values) - _CHANGES} more"


def _names(names: Sequence[str]) -> str:
    return listed([inert.code(name, 60) for name in names], _CHANGES)


def _inside(what: str, name: str) -> str:
    return f"{what} {inert.code(name, 80)}"


def _table(value: object) -> Mapping[str, Any] | None:
    """An object; an empty one for what is absent; None for anything else."""
    if value is _ABSENT:
        return {}
    return value if isinstance(value, dict) else None


def _differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """The keys whose values differ, in the order in which they stand."""
    keys = dict.fromkeys([*before, *after])
    return [key for key in keys if not (key in before and key in after and _same(before[key], after[key]))]


def _same(one: object, other: object) -> bool:
    return canonical(one) == canonical(other)
