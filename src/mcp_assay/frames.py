"""Newline-delimited JSON-RPC frames: bytes in, whole lines out, and what each line is.

Nothing here changes a byte of what passes, so a relay can hand lines on as they came. Memory is bounded: a line longer
than the limit is thrown away while it streams in, reported once, and the stream goes on with the next line.
"""

import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NoReturn, Protocol, TypeGuard

__all__ = [
    "MAX_FRAME",
    "Frame",
    "Kind",
    "Oversized",
    "Splitter",
    "broken_reply",
    "classify",
    "encode",
    "is_id",
    "lines",
]

MAX_FRAME = 16 * 1024 * 1024
"""The longest line that is accepted, in bytes without its line end."""

_CHUNK = 64 * 1024
_NEAR = 200
_ID = re.compile(rb'"id"\s*:\s*(\d{1,15})\s*[,}]')
_NAMES_JSONRPC = re.compile(rb'"jsonrpc"\s*:\s*"2\.0"')


@dataclass(frozen=True, slots=True)
class Oversized:
    """Stands where a line of more than ``limit`` bytes was thrown away."""

    limit: int


class Splitter:
    """Cuts a stream of bytes into lines. A line keeps its line end; only LF ends one.

    An oversized line is reported as soon as it is known to be one, even if it never ends.
    """

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._limit = limit
        self._held = bytearray()
        self._discarding = False
        self.oversized = 0

    def feed(self, data: bytes) -> list[bytes | Oversized]:
        """The lines that ``data`` completes, in order."""
        first, *others = data.split(b"\n")
        found = self._hold(first)
        for piece in others:
            found += self._end(b"\n")
            found += self._hold(piece)
        return found

    def finish(self) -> list[bytes | Oversized]:
        """At the end of the stream: the last line, if it lacks its line end."""
        return self._end(b"")

    def _hold(self, piece: bytes) -> list[bytes | Oversized]:
        if self._discarding:
            return []
        if len(self._held) + len(piece) <= self._limit:
            self._held += piece
            return []
        self._held.clear()
        self._discarding = True
        self.oversized += 1
        return [Oversized(self._limit)]

    def _end(self, terminator: bytes) -> list[bytes | Oversized]:
        line = b"" if self._discarding else bytes(self._held) + terminator
        self._held.clear()
        self._discarding = False
        return [line] if line else []


class Reader(Protocol):
    """What a stream of asyncio's can do. Named here because a process that is to start fast and stay small has none."""

    async def read(self, most: int, /) -> bytes: ...


async def lines(reader: Reader, limit: int = MAX_FRAME) -> AsyncIterator[bytes | Oversized]:
    """The lines of a stream until it ends. The reader's own line limit does not matter."""
    splitter = Splitter(limit)
    while data := await reader.read(_CHUNK):
        for line in splitter.feed(data):
            yield line
    for line in splitter.finish():
        yield line


class Kind(StrEnum):
    REQUEST = "request"
    NOTIFICATION = "notification"
    RESPONSE = "response"
    NOISE = "noise"


@dataclass(frozen=True, slots=True)
class Frame:
    """What one line is. ``message`` is the whole JSON object, and empty for noise."""

    kind: Kind
    message: Mapping[str, Any] = field(default_factory=dict)


def classify(line: bytes) -> Frame:
    """What a line is; total. Noise is all that is no single JSON-RPC 2.0 message, so batches and NaN are noise too.

    A frame with a method is never a response, whatever its id: the ids of the two directions are independent. One with
    an id that JSON-RPC does not allow is still a request, never a notification; ``is_id`` tells.
    """
    message = _parse(line)
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return Frame(Kind.NOISE)
    if isinstance(message.get("method"), str):
        return Frame(Kind.REQUEST if "id" in message else Kind.NOTIFICATION, message)
    if "method" not in message and ("result" in message or "error" in message):
        return Frame(Kind.RESPONSE, message)
    return Frame(Kind.NOISE)


def broken_reply(line: bytes) -> int | None:
    """The id of a reply that was meant but cannot be read: bad UTF-8, bad JSON, or nested too deeply.

    Asked about noise only. Banners are never taken for one: it begins as an object does, and near its start or its end
    it names the protocol and an id.
    """
    text = line.strip()
    ends = text[:_NEAR] + b" " + text[-_NEAR:]
    found = _ID.search(ends)
    meant = text.startswith(b"{") and found is not None and _NAMES_JSONRPC.search(ends) and _parse(line) is None
    return int(found[1]) if meant and found else None


def is_id(value: object) -> TypeGuard[str | int]:
    """Whether a request may carry this id: a string or an integer (``true`` and ``1.0`` are neither)."""
    return isinstance(value, str) or type(value) is int


def encode(message: Mapping[str, Any]) -> bytes:
    """One line of ASCII JSON (so lone surrogates stay escaped), with its LF.

    Raises ValueError for what JSON cannot say: NaN, infinities, cycles.
    """
    return _ENCODER.encode(message).encode("ascii") + b"\n"


def _parse(line: bytes) -> object:
    try:
        return _DECODER.decode(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):  # bad UTF-8, bad JSON, integers of thousands of digits, endless nesting
        return None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


# Made once: to make one anew takes as long as to read a small frame with it.
_DECODER = json.JSONDecoder(parse_constant=_refuse)
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
