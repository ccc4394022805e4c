"""Server-sent events: bytes in, events out, and no byte of their data changed.

"The stream must then be parsed by reading everything line by line, with a U+000D CARRIAGE RETURN U+000A LINE FEED
character pair, a single U+000A LINE FEED character …, and a single U+000D CARRIAGE RETURN character … being the ways in
which a line can end."
"""

import re
from dataclasses import dataclass

from mcp_assay.frames import MAX_FRAME

__all__ = ["Event", "Events", "TooLarge", "as_frame"]

_END = re.compile(rb"\r\n|\n|\r")
_MARK = b"\xef\xbb\xbf"
_ID = re.compile(rb"[\x21-\x7e](?:[\x20-\x7e]{0,1022}[\x21-\x7e])?|")  # what a header can say
_MESSAGE = b"message"


class TooLarge(Exception):
    """An event is longer than may be held."""


@dataclass(frozen=True, slots=True)
class Event:
    """``last`` is the id to go on from, of this event or an earlier one; ``retry`` the milliseconds asked for."""

    kind: bytes
    data: bytes
    last: bytes | None = None
    retry: int | None = None


class Events:
    """The events of one stream. ``limit`` is the most that one of them, or a line, may hold."""

    def __init__(self, limit: int = MAX_FRAME) -> None:
        self._limit = limit
        self._held = bytearray()
        self._begun = self._returned = False
        self._last: bytes | None = None
        self._kind, self._data, self._size = b"", list[bytes](), 0
        self._retry: int | None = None

    def feed(self, data: bytes) -> list[Event]:
        """The events that ``data`` completes. Raises TooLarge."""
        if not data:
            return []
        # A line that a carriage return has ended need not wait for what follows it.
        rest = data.removeprefix(b"\n") if self._returned else data
        self._returned = data.endswith(b"\r")
        at, start, found = len(self._held), 0, []
        self._held += rest
        while (end := _END.search(self._held, at)) is not None:
            event = self._line(bytes(self._held[start : end.start()]))
            if event is not None:
                found.append(event)
            start = at = end.end()
        del self._held[:start]
        if len(self._held) + self._size > self._limit + 1:
            raise TooLarge
        return found

    def _line(self, line: bytes) -> Event | None:
        if not self._begun:
            self._begun, line = True, line.removeprefix(_MARK)
        if not line:
            return self._dispatch()
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value) + 1
            if self._size > self._limit + 1:
                raise TooLarge
        elif name == b"event":
            self._kind = value
        elif name == b"id" and _ID.fullmatch(value):
            self._last = value or None
        elif name == b"retry" and value.isdigit() and len(value) < 10:  # noqa: PLR2004 - four months
            self._retry = int(value)
        return None

    def _dispatch(self) -> Event | None:
        event = Event(self._kind or _MESSAGE, b"\n".join(self._data), self._last, self._retry)
        is_one = bool(self._data) or self._retry is not None
        self._clear()
        return event if is_one else None

    def _clear(self) -> None:
        self._kind, self._data, self._size, self._retry = b"", [], 0, None


def as_frame(text: bytes) -> bytes:
    """JSON as one line, with its line feed.

    A line's end cannot stand inside of a string of JSON, only between tokens, so a space there changes nothing else.
    """
    return text.replace(b"\r", b" ").replace(b"\n", b" ") + b"\n"
