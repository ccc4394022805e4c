"""YAML that people wrote: version 1.2, one document, plain values, with the line of everything.

Built from the parser's events rather than its constructors, so that nothing is guessed on the way:

- ``no``, ``on`` and ``1_000`` are strings, as YAML 1.2 has it;
- an unquoted date, time or non-finite number is an ``Unquoted``: neither a string nor a number, so that whoever wants
  a string asks for quotes instead of coercing;
- duplicate keys, keys that are no strings, tags, several documents and aliases (the stuff of alias bombs, and of
  values that are not where they seem to be) are errors that name the line.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    CollectionEndEvent,
    CollectionStartEvent,
    DocumentStartEvent,
    Event,
    MappingStartEvent,
    NodeEvent,
    ScalarEvent,
)
from ruamel.yaml.reader import ReaderError

from mcp_assay.core.jsontext import decode
from mcp_assay.errors import InputError

__all__ = ["LineOf", "Unquoted", "dumps", "loads"]

MAX_BYTES = 2_000_000
MAX_DEPTH = 64
_PLAIN_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./()-]+)*")
_RESERVED = {"null", "true", "false", "yes", "no", "on", "off", "y", "n"}

Path = tuple[str | int, ...]
LineOf = Callable[[Path], int | None]


@dataclass(frozen=True, slots=True)
class Unquoted:
    """A plain scalar that some YAML readers take for a date, a time or a number, and others for a string."""

    text: str

    def __str__(self) -> str:
        return self.text


def loads(data: bytes, source: str) -> tuple[Any, LineOf]:
    """Parse YAML bytes into dicts, lists, strings, numbers, booleans, None and ``Unquoted``; an empty file is None.

    Also returns ``line_of``: the 1-based line of the value at a path of keys and indices, or of the nearest place
    around it that exists. Raises InputError naming the line.
    """
    if len(data) > MAX_BYTES:
        raise InputError(source, f"larger than {MAX_BYTES:,} bytes")
    text = decode(data, source)
    builder = _Builder(text, source)
    try:
        for event in _events(text):
            builder.take(event)
    except ReaderError as bad:
        raise InputError(source, f"not valid YAML: {bad.reason}", line=builder.line(bad.position)) from None
    except MarkedYAMLError as bad:
        mark = bad.problem_mark or bad.context_mark
        line = None if mark is None else builder.line(mark.index)
        raise InputError(source, _in_plain_words(str(bad.problem or bad.context)), line=line) from None
    except (YAMLError, RecursionError, ValueError):
        raise InputError(source, "not valid YAML") from None
    return builder.value, builder.line_of


def _events(text: str) -> Iterator[Event]:
    yaml = YAML(typ="safe", pure=True)
    events: Iterator[Event] = yaml.parse(text)
    return events


def _in_plain_words(problem: str) -> str:
    if "'\\t'" in problem:
        return "a tab where YAML allows only spaces; indent with spaces"
    return f"not valid YAML: {problem}"


@dataclass(slots=True)
class _Open:
    """A list or mapping that is being filled; ``key`` is the mapping's key that waits for its value."""

    value: list[Any] | dict[str, Any]
    path: Path
    key: str | None = None


@dataclass(slots=True)
class _Builder:
    text: str
    source: str
    value: Any = None
    lines: dict[Path, int] = field(default_factory=dict)
    open: list[_Open] = field(default_factory=list)
    documents: int = 0

    def line(self, index: int) -> int:
        return self.text.count("\n", 0, index) + 1

    def line_of(self, path: Path) -> int | None:
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path)

    def take(self, event: Event) -> None:
        if isinstance(event, DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self.error(event, "a second document; keep one")
        elif isinstance(event, CollectionEndEvent):
            self.open.pop()
        elif isinstance(event, NodeEvent):
            self.node(event)

    def node(self, event: NodeEvent) -> None:
        if isinstance(event, AliasEvent):
            raise self.error(event, "aliases are not supported; write the value out")
        if isinstance(event, ScalarEvent | CollectionStartEvent) and not _is_untagged(event):
            raise self.error(event, "tags are not supported; remove it")
        parent = self.open[-1] if self.open else None
        if parent is not None and isinstance(parent.value, dict) and parent.key is None:
            self.key(parent, event)
        elif isinstance(event, ScalarEvent):
            self.put(parent, event, self.scalar(event))
        elif isinstance(event, CollectionStartEvent):
            value: list[Any] | dict[str, Any] = {} if isinstance(event, MappingStartEvent) else []
            self.open.append(_Open(value, self.put(parent, event, value)))
            if len(self.open) > MAX_DEPTH:
                raise self.error(event, "nested too deeply")

    def key(self, parent: _Open, event: NodeEvent) -> None:
        key = self.scalar(event) if isinstance(event, ScalarEvent) else None
        if not isinstance(key, str):
            raise self.error(event, "a key must be a string; quote it")
        if key in parent.value:
            raise self.error(event, "duplicate key; keep one of them", key=key)
        parent.key = key
        self.lines[(*parent.path, key)] = self.line(event.start_mark.index)

    def put(self, parent: _Open | None, event: NodeEvent, value: Any) -> Path:
        """Store a value where it belongs; returns its path."""
        path: Path = ()
        if parent is None:
            self.value = value
        elif isinstance(parent.value, list):
            path = (*parent.path, len(parent.value))
            parent.value.append(value)
        else:
            path = (*parent.path, str(parent.key))
            parent.value[str(parent.key)], parent.key = value, None
        self.lines.setdefault(path, self.line(event.start_mark.index))
        return path

    def scalar(self, event: ScalarEvent) -> Any:
        text: str = event.value
        if not event.implicit[0]:  # quoted, a block, or marked !!str
            return text
        try:
            return next((convert(text) for pattern, convert in _PLAIN if pattern.fullmatch(text)), text)
        except ValueError:
            raise self.error(event, "a number that is too large") from None

    def error(self, event: Event, message: str, key: str | None = None) -> InputError:
        return InputError(self.source, message, line=self.line(event.start_mark.index), key=key)


def _is_untagged(event: ScalarEvent | CollectionStartEvent) -> bool:
    return event.ctag is None or str(event.ctag) in _PLAIN_TAGS


def dumps(value: Any) -> str:
    """The YAML text of plain values. Whatever any reader could take for something else is in double quotes."""
    writer = YAML(typ="safe", pure=True)
    writer.default_flow_style, writer.width, writer.allow_unicode = False, 100, True
    writer.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    writer.representer.add_representer(str, _quoted)
    stream = StringIO()
    writer.dump(value, stream)
    return stream.getvalue()


def _quoted(representer: Any, text: str) -> Any:
    plain = _PLAIN_WORD.fullmatch(text) and text.lower() not in _RESERVED
    return representer.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


def _finite(text: str) -> float:
    """Raises ValueError for what no finite number can hold."""
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


_PLAIN_TAGS = frozenset({"tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"})

# The core schema of YAML 1.2; then what older readers take for dates, times and sexagesimal numbers.
_PLAIN: tuple[tuple[re.Pattern[str], Callable[[str], Any]], ...] = (
    (re.compile(r"null|Null|NULL|~|"), lambda _: None),
    (re.compile(r"true|True|TRUE"), lambda _: True),
    (re.compile(r"false|False|FALSE"), lambda _: False),
    (re.compile(r"[-+]?[0-9]+"), int),
    (re.compile(r"0o[0-7]+"), lambda text: int(text, 0)),
    (re.compile(r"0x[0-9a-fA-F]+"), lambda text: int(text, 0)),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"), _finite),
    (re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)"), Unquoted),
    (re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:(?:[Tt]|[ \t]+)[0-9:.]+[ \t]*(?:Z|[-+][0-9:]+)?)?"), Unquoted),
    (re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"), Unquoted),
)
