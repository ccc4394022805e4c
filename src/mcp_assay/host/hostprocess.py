"""A process of an agent's host that is ours to end: in a group of its own, it outlives neither us nor its task.

It is not a ``Child``: nothing is spoken over pipes, so that what it writes is on the disk even if it is ended.
"""

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

from mcp_assay.core import inert
from mcp_assay.errors import UserError

__all__ = ["HostProcess"]

_GRACE = 4.0
"""Seconds for the group to end after SIGTERM: the gateways in it end their servers first."""
_POLL = 0.02
_SHOWN = 300  # characters of its last words
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


class HostProcess:
    """One process of the host, in a group of its own."""

    def __init__(self, argv: Sequence[str], environ: Mapping[str, str], cwd: Path) -> None:
        self._argv, self._environ, self._cwd = argv, environ, cwd
        self._process: asyncio.subprocess.Process | None = None
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in end()
        self._words = ""

    async def start(self, prompt: str, out: BinaryIO) -> None:
        """Start it. Its output goes to a file, so that nothing of it is lost when it is ended. Raises UserError."""
        with tempfile.TemporaryFile() as given:
            given.write(prompt.encode("utf-8", errors="backslashreplace"))
            given.seek(0)
            try:
                self._process = await asyncio.create_subprocess_exec(
                    *self._argv,
                    stdin=given,
                    stdout=out,
                    stderr=self._errors,
                    env=dict(self._environ),
                    cwd=self._cwd,
                    start_new_session=True,
                    preexec_fn=_end_with_parent,
                )
            except OSError as bad:
                self._errors.close()
                raise UserError(f"{self._argv[0]} cannot be started: {bad.strerror}") from None

    async def wait(self) -> None:
        if self._process is not None:
            await self._process.wait()

    async def end(self) -> None:
        """SIGTERM, then SIGKILL, to the whole group."""
        if self._process is not None and not self._errors.closed:
            self._signal(self._process.pid, signal.SIGTERM)
            await self._gone(self._process.pid)
            self._signal(self._process.pid, signal.SIGKILL)
            await self._process.wait()
            self._listen()
        self._errors.close()

    @property
    def fate(self) -> str:
        """How it ended, and the last line that it said as an error."""
        self._listen()
        status = self._process.returncode if self._process else None
        how = "it did not end" if status is None else f"it exited with status {status}"
        if status is not None and status < 0:
            how = f"it was ended by signal {-status}"
        return f"{how}: {self._words}" if self._words else how

    def _listen(self) -> None:
        if not self._errors.closed:
            self._errors.seek(0)
            said = self._errors.read().decode("utf-8", errors="replace").strip().splitlines()
            self._words = inert.line(said[-1], _SHOWN) if said else ""

    async def _gone(self, group: int) -> None:
        """Return when nobody of the group is left, or they had their time: its gateways end their servers in it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_GRACE):
                while self._signal(group, 0):  # noqa: ASYNC110 - no event tells of a group's end
                    await asyncio.sleep(_POLL)

    @staticmethod
    def _signal(group: int, number: int) -> bool:
        """Whether there is still somebody to be told; 0 only asks."""
        try:
            os.killpg(group, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True


def _end_with_parent() -> None:
    """In the child, before it becomes the host: an owner that is killed leaves no agent behind."""
    if _LIBC is not None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
