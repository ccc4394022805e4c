"""A client of the process that owns an evaluation: for a gateway, which never waits, and for a hook, which asks once.

Whatever goes wrong is no answer, and no answer means no.
"""

import os
import socket
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

from mcp_assay.core.paging import nests_deeper
from mcp_assay.errors import UserError
from mcp_assay.frames import Oversized, Splitter
from mcp_assay.host import wire
from mcp_assay.host.loop import CHUNK, Loop, Outlet

__all__ = ["ENDED", "Blocking", "Line", "NoOwnerError", "connect", "sayable"]

_PATIENCE = 10.0
_DEEPEST = 200
_MOST_UNREAD = 64 * 1024 * 1024
_NOBODY = "no process owns this evaluation now; start it (mcp-assay gate NAME), then try again"
ENDED = "the process that owns this evaluation has ended, so nothing may be called until it is started anew"


class NoOwnerError(UserError):
    """Nobody owns the evaluation, or whoever does gives no answer that can be used."""


def connect(path: Path, patience: float = _PATIENCE) -> socket.socket:
    """A connection to the owner that listens at ``path``. Raises NoOwnerError."""
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.settimeout(patience)
    try:
        line.connect(os.fspath(path))
        ours = _is_ours(line)
    except OSError:
        line.close()
        raise NoOwnerError(
            "no process owns this evaluation now; start it (mcp-assay gate NAME), then try again"
        ) from None
    if not ours:
        line.close()
        raise NoOwnerError("the process that listens for this evaluation belongs to another user")
    return line


class Blocking:
    """A conversation with the owner, one question at a time. Use as a context manager."""

    def __init__(self, line: socket.socket) -> None:
        self._line, self._number, self._held = line, 0, bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()

    def ask(self, do: str, **fields: object) -> dict[str, Any]:
        """The owner's answer. Raises NoOwnerError if there is none, ValueError for what cannot be said."""
        self._number += 1
        try:
            self._line.sendall(sayable({"n": self._number, "do": do, **fields}))
            answer = wire.decode(self._read())
        except wire.Garbled:
            raise NoOwnerError(ENDED) from None
        except OSError:
            raise NoOwnerError(ENDED) from None
        if answer.get("n") != self._number:
            raise NoOwnerError(ENDED)
        return answer

    def detach(self) -> socket.socket:
        """The connection, for somebody else to go on with: see ``Line``, which counts on from ``asked``."""
        return self._line

    @property
    def asked(self) -> int:
        return self._number

    def _read(self) -> bytes:
        while b"\n" not in self._held:
            data = self._line.recv(CHUNK)
            if not data or len(self._held) > wire.MOST_BYTES:
                raise NoOwnerError(ENDED)
            self._held += data
        line, _, rest = bytes(self._held).partition(b"\n")
        self._held = bytearray(rest)
        return line


class Line:
    """The same conversation in a loop, after its hello: questions and answers overlap.

    ``lost`` is why there are no answers any more.
    """

    def __init__(self, loop: Loop, hello: Blocking) -> None:
        self._loop = loop
        self._line, self._number = hello.detach(), hello.asked
        self._line.setblocking(False)  # noqa: FBT003 - the library's signature
        # One descriptor for each direction: a loop looks at one of them for one thing only.
        self._writing = os.dup(self._line.fileno())
        self._out = Outlet(loop, self._writing, self._end)
        self._lines = Splitter(wire.MOST_BYTES)
        self._waiting: dict[int, Callable[[Mapping[str, Any]], None]] = {}
        self.lost: str | None = None

    def begin(self, ended: Callable[[], None]) -> None:
        """From now on answers are handed on; ``ended`` is called once when there will be none any more."""
        self._ended = ended
        self._loop.readable(self._line.fileno(), self._read)

    def ask(self, message: Mapping[str, Any], then: Callable[[Mapping[str, Any]], None]) -> None:
        """Ask; the answer goes to ``then``. Raises ValueError or RecursionError for what cannot be said."""
        self._say(message)
        self._waiting[self._number] = then

    def tell(self, message: Mapping[str, Any]) -> None:
        """Say something whose answer does not matter. Raises as ``ask`` does."""
        self._say(message)

    def _say(self, message: Mapping[str, Any]) -> None:
        data = sayable({"n": self._number + 1, **message})
        if self._out.backlog > _MOST_UNREAD:
            raise ValueError("the owner does not read")
        self._number += 1
        self._out.send(data)

    def _read(self) -> None:
        try:
            data = self._line.recv(CHUNK)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        try:
            for line in self._lines.feed(data):
                self._answer(line)
        except wire.Garbled:
            data = b""
        if not data:
            self._end()

    def _answer(self, line: bytes | Oversized) -> None:
        if isinstance(line, Oversized):
            raise wire.Garbled("too long")
        answer = wire.decode(line)
        number = answer.get("n")
        then = self._waiting.pop(number, None) if type(number) is int else None
        if then is not None:
            then(answer)

    def _end(self) -> None:
        if self.lost is not None:
            return
        self.lost = ENDED
        self._out.close()
        self._loop.forget(self._line.fileno())
        self._line.close()
        os.close(self._writing)
        self._waiting.clear()
        self._ended()


def sayable(message: Mapping[str, Any]) -> bytes:
    """As ``wire.encode``, but also a ValueError for what the owner would hang up on: too long, or nested too deeply."""
    data = wire.encode(message)
    if len(data) > wire.MOST_BYTES:
        raise ValueError("a message that is too long")
    if data.count(b"{") + data.count(b"[") > _DEEPEST and nests_deeper(message, _DEEPEST):
        raise ValueError("a message that nests too deeply")
    return data


def _is_ours(line: socket.socket) -> bool:
    """Whether whoever listens runs as we do. Where the system does not tell, the folder's mode must do."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    form = struct.Struct("3i")
    _, uid, _ = form.unpack(line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, form.size))
    return bool(uid == os.geteuid())
