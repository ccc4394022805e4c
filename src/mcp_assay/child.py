"""A server's process: started in a group of its own, spoken to over pipes, and ended with all that it started.

This sits on the loop's subprocess transport rather than on ``asyncio.subprocess.Process``, whose ``wait()`` may return
only once every pipe is closed: a grandchild that keeps one open would hide the server's death.
"""

import asyncio
import errno
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from subprocess import PIPE
from typing import cast

from mcp_assay.core.expand import Launch
from mcp_assay.errors import StartError
from mcp_assay.frames import MAX_FRAME, Oversized, Splitter

__all__ = ["Child"]

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_TAIL = 16 * 1024
_BACKLOG = MAX_FRAME
_LAST_WORDS = 0.2  # between the first sign of death and giving up: output in the pipe, the exit status
_GRACE = 0.5  # for a server to end by itself once its stdin is closed
_TERM_GRACE = 1.0  # for its group to end after SIGTERM
_KILL_GRACE = 0.3  # for SIGKILL to be carried out, and again for the loop to notice
_POLL = 0.02


class Child(asyncio.SubprocessProtocol):
    """``receive`` gets each line of stdout; ``lost`` is called when no more can come, perhaps more than once.

    stderr is read and forgotten but for a tail, in which a dying server may have named what it lacked.
    """

    def __init__(self, receive: Callable[[bytes | Oversized], None], lost: Callable[[], None], limit: int) -> None:
        self._receive, self._lost = receive, lost
        self._splitter = Splitter(limit)
        self._transport: asyncio.SubprocessTransport | None = None
        self._guard: asyncio.Task[None] | None = None
        self._over = asyncio.Event()
        self._ending = self._killed = False
        self._tail = b""

    async def start(self, launch: Launch, cwd: str | None, shown: str) -> None:
        """Start the process in ``cwd``. Raises StartError, which names the command as ``shown`` and no argument."""
        loop = asyncio.get_running_loop()
        try:
            await loop.subprocess_exec(
                lambda: self,
                launch.command,
                *launch.args,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env=dict(launch.env),
                cwd=cwd,
                start_new_session=True,
            )
        except (OSError, ValueError) as bad:
            raise StartError(_not_started(bad, shown, cwd)) from None
        self._guard = asyncio.create_task(self._guarded())

    @property
    def oversized(self) -> int:
        """How many lines were thrown away because they were too long."""
        return self._splitter.oversized

    @property
    def complaint(self) -> str:
        """The tail of stderr. It may hold secrets: to be searched, never to be shown."""
        return self._tail.decode("utf-8", errors="replace")

    @property
    def fate(self) -> str:
        """How it ended, as far as known: a phrase that follows "the server"."""
        status = None if self._transport is None else self._transport.get_returncode()
        if status is None:
            return "closed its input or output"
        if status < 0:
            return f"was ended by signal {-status}"
        return f"exited with status {status}"

    def write(self, frame: bytes) -> None:
        """Hand bytes over without waiting. What a server does not read stays in memory until it is ended."""
        pipe = self._input()
        if pipe is not None and not pipe.is_closing():
            pipe.write(frame)

    def write_if_read(self, frame: bytes) -> None:
        """Hand bytes over that may be lost: they are, if the server has left too much unread."""
        pipe = self._input()
        if pipe is not None and pipe.get_write_buffer_size() < _BACKLOG:
            self.write(frame)

    async def last_words(self) -> None:
        """Wait a moment for the exit status and the rest of stderr of a server that is dying."""
        await self._over_within(_LAST_WORDS)

    async def end(self) -> None:
        """Close stdin, then SIGTERM, then SIGKILL the whole group. Takes under 3 seconds; may be called again."""
        self._ending = True
        try:
            if (pipe := self._input()) is not None:
                pipe.close()
            if not await self._group_gone(_GRACE):
                self._signal(signal.SIGTERM)
                await self._group_gone(_TERM_GRACE)
            if self._signal(signal.SIGKILL):
                await self._group_gone(_KILL_GRACE)
            if self._transport is not None:
                await self._over_within(_KILL_GRACE)
        finally:
            self._kill()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == _STDERR:
            self._tail = (self._tail + data)[-_TAIL:]
        elif not self._ending:
            for line in self._splitter.feed(data):
                self._receive(line)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        if fd == _STDERR:
            return
        if fd == _STDOUT:
            for line in self._splitter.finish():
                self._receive(line)
        asyncio.get_running_loop().call_later(_LAST_WORDS, self._lost)

    def process_exited(self) -> None:
        asyncio.get_running_loop().call_later(_LAST_WORDS, self._exited)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's signature
        self._over.set()
        self._lost()

    def _exited(self) -> None:
        """End what a dead server left behind while its group's number cannot yet belong to anybody else."""
        self._lost()
        if not self._ending:
            self._kill()

    async def _guarded(self) -> None:
        """Cancelled with the event loop, this takes the process group along even if nobody called ``end``."""
        try:
            await self._over.wait()
        except asyncio.CancelledError:
            self._signal(signal.SIGKILL)
            await self._over_within(_KILL_GRACE)
            raise
        finally:
            if not self._ending:
                self._kill()

    async def _over_within(self, patience: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), patience)

    async def _group_gone(self, patience: float) -> bool:
        clock = asyncio.get_running_loop().time
        deadline = clock() + patience
        while self._signal(0):
            if clock() >= deadline:
                return False
            await asyncio.sleep(_POLL)
        return True

    def _input(self) -> asyncio.WriteTransport | None:
        pipe = None if self._transport is None else self._transport.get_pipe_transport(_STDIN)
        return cast("asyncio.WriteTransport | None", pipe)

    def _signal(self, number: int) -> bool:
        """Send the group a signal; 0 only asks. False if there is no such group, or none of ours, any more."""
        if self._transport is None or self._killed:
            return False
        try:
            os.killpg(self._transport.get_pid(), number)
        except ProcessLookupError:
            return False
        except PermissionError:  # a member that may not be signalled
            return True
        return True

    def _kill(self) -> None:
        """End the group and let go of the pipes, at once and once."""
        self._signal(signal.SIGKILL)
        self._killed = True
        pipe = self._input()
        if pipe is not None and pipe.get_write_buffer_size():
            pipe.abort()  # closing it would wait until everything is read
        if self._transport is not None:
            self._transport.close()


def _not_started(bad: OSError | ValueError, command: str, cwd: str | None) -> str:
    if isinstance(bad, ValueError):
        return f"cannot start {command!r}: an argument or a variable holds a character that no process can be given"
    if cwd is not None and bad.filename == cwd:
        return f"cannot start {command!r}: cannot enter its working directory"
    if bad.errno == errno.ENOENT:
        return f"no such command: {command!r}; install it, or give its full path in the entry"
    return f"cannot start {command!r}: {os.strerror(bad.errno or 0)}"
