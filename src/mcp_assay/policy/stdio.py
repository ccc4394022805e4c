"""The stdio transport: one frame a line, read until stdin closes, each answered in the order of arrival."""

import os
import sys
from collections.abc import Iterator
from typing import BinaryIO

from mcp_assay.policy.protocol import Server
from mcp_assay.policy.wire import MOST_BYTES

__all__ = ["Lines", "run", "serve"]

_CHUNK = 16 * 1024
_BLANK = b" \t\r"


class Lines:
    """Cuts a stream of bytes into lines. Of a line longer than ``most`` nothing is kept: it comes out as None."""

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most = most
        self._begun = bytearray()
        self._too_long = False

    def feed(self, data: bytes) -> Iterator[bytes | None]:
        """The lines that ``data`` completes, without their newlines. Blank ones are left out."""
        *ends, rest = data.split(b"\n")
        for end in ends:
            self._add(end)
            yield from self.close()
        self._add(rest)

    def close(self) -> Iterator[bytes | None]:
        """The line begun so far, if there is one: the last need not end in a newline."""
        line = None if self._too_long else bytes(self._begun).strip(_BLANK)
        self._begun, self._too_long = bytearray(), False
        if line != b"":
            yield line

    def _add(self, data: bytes) -> None:
        self._too_long = self._too_long or len(self._begun) + len(data) > self._most
        if self._too_long:
            self._begun.clear()
        else:
            self._begun += data


def run(server: Server) -> None:
    """Serve this process's stdin and stdout until one of them is closed."""
    try:
        serve(server, sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        # The client has gone. What is still buffered must not be written at the exit, nor complained about.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def serve(server: Server, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Answer every frame of ``stdin`` until it ends. Raises BrokenPipeError if nobody reads ``stdout`` any more."""
    lines = Lines()
    while data := stdin.read1(_CHUNK):  # type: ignore[attr-defined]
        _answer(server, lines.feed(data), stdout)
    _answer(server, lines.close(), stdout)


def _answer(server: Server, lines: Iterator[bytes | None], stdout: BinaryIO) -> None:
    for line in lines:
        reply = server.oversized() if line is None else server.line(line)
        if reply is not None:
            stdout.write(reply + b"\n")
    # One flush for all that arrived together: whoever sends one request at a time gets its reply at once, and whoever
    # sends many does not wait for as many system calls. A full buffer is written out in between.
    stdout.flush()
