"""A shell command, run to its end and no longer: what it leaves running is ended with it."""

import asyncio
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

__all__ = ["MOST_OUTPUT", "run"]

MOST_OUTPUT = 1 << 20
"""The bytes of output that are kept; what comes after them is read and dropped, so that the command can end."""


async def run(command: str, environ: Mapping[str, str], cwd: Path | str | None = None) -> tuple[int, bytes]:
    """Run a command with ``/bin/sh``: its exit code (minus the signal's number if one ended it) and its stdout.

    A process that it leaves behind cannot keep the output open. Cancelling ends it. Raises OSError or ValueError if it
    cannot be started.
    """
    reader = asyncio.StreamReader()
    read_end, write_end = os.pipe()
    pipe = os.fdopen(read_end, "rb", buffering=0)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), pipe
    )
    try:
        process = await _started(command, environ, cwd, write_end)
        output = asyncio.ensure_future(_bounded(reader))
        try:
            await process.wait()
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            code = await process.wait()  # at once; also when nobody wants to know any more
        return code, await output
    finally:
        transport.close()


async def _started(
    command: str, environ: Mapping[str, str], cwd: Path | str | None, output: int
) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-c",
            command,
            cwd=cwd,
            env=environ,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
    finally:
        os.close(output)


async def _bounded(reader: asyncio.StreamReader) -> bytes:
    kept = bytearray()
    while chunk := await reader.read(65536):
        kept += chunk[: max(0, MOST_OUTPUT - len(kept))]
    return bytes(kept)
