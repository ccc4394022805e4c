"""Where the hooks of an agent's host reach the evaluation's owner: one process, one event, one answer.

    EVENT {the event's JSON, without line ends} LF   →   EXIT LENGTH LENGTH LF, what to print, what to say as error

Whatever is no event gets no answer, which refuses.
"""

import asyncio
import contextlib
from pathlib import Path
from typing import Self

from mcp_assay.host import wire
from mcp_assay.host.address import bound, is_ours
from mcp_assay.host.hooks import EVENTS, Answer, Hooks

__all__ = ["HookSocket"]

_PATIENCE = 10.0
"""Seconds for a hook to say its event: it has it whole before it connects."""


class HookSocket:
    """Listens at ``path`` while it is entered. Use as an async context manager.

    Raises StoreError if the path cannot be used, or if another owner listens there.
    """

    def __init__(self, path: Path, hooks: Hooks) -> None:
        self._path, self._hooks = path, hooks
        self._talks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> Self:
        listening = bound(self._path)
        self._server = await asyncio.start_unix_server(self._serve, sock=listening, limit=wire.MOST_BYTES + 64)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.current_task()
        if talk is not None:
            self._talks.add(talk)
            talk.add_done_callback(self._talks.discard)
        with contextlib.suppress(
            wire.Garbled, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError
        ):
            if is_ours(writer.get_extra_info("socket")):
                async with asyncio.timeout(_PATIENCE):
                    line = await reader.readuntil()
                writer.write(_said(self._answer(line)))
                await writer.drain()
        writer.close()

    def _answer(self, line: bytes) -> Answer:
        """Raises Garbled."""
        word, _, body = line.partition(b" ")
        event = word.decode("ascii", "replace")
        if event not in EVENTS:
            raise wire.Garbled("no event of a hook")
        return self._hooks.answer(event, wire.decode(body))


def _said(answer: Answer) -> bytes:
    stdout, stderr = answer.stdout.encode(), answer.stderr.encode("utf-8", "replace")
    return b"%d %d %d\n" % (answer.exit, len(stdout), len(stderr)) + stdout + stderr
