"""Non-MCP tools for scripted steps: one, ``Bash``, in a scratch folder with a bare environment."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_assay.core.model import Outcome, Reply

__all__ = ["Bash"]

_MOST_OUTPUT = 1 << 20
_TIMEOUT = 60.0


class Bash:
    """Runs ``args["command"]`` with ``/bin/sh``. The plan must allow it; the gate asks for a justification."""

    def __init__(self, scratch: Path, path: str) -> None:
        self._scratch, self._path = scratch, path

    async def __call__(self, args: Mapping[str, Any]) -> Reply:
        """Standard output as one text block; a non-zero exit is an error result."""
        command = args.get("command")
        if not isinstance(command, str):
            return Reply(Outcome.ERROR, error_text="Bash needs a command")
        self._scratch.mkdir(parents=True, exist_ok=True)
        try:
            async with asyncio.timeout(_TIMEOUT):
                code, output = await self._run(command)
        except TimeoutError:
            return Reply(Outcome.TIMEOUT, error_text="timeout")
        text = output.decode("utf-8", errors="replace")
        result = {"content": [{"type": "text", "text": text}], "isError": code != 0}
        return Reply(Outcome.OK if code == 0 else Outcome.ERROR, result, size=len(output))

    async def _run(self, command: str) -> tuple[int, bytes]:
        """Exit code and output. What the command leaves running is ended with it, and cannot keep the output open."""
        reader = asyncio.StreamReader()
        read_end, write_end = os.pipe()
        pipe = os.fdopen(read_end, "rb", buffering=0)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), pipe
        )
        try:
            process = await asyncio.create_subprocess_exec(
                "/bin/sh",
                "-c",
                command,
                cwd=self._scratch,
                env={"PATH": self._path, "HOME": str(self._scratch)},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=write_end,
                stderr=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(write_end)
        output = asyncio.ensure_future(_bounded(reader))
        try:
            code = await process.wait()
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
        try:
            return code, await output
        finally:
            transport.close()


async def _bounded(reader: asyncio.StreamReader) -> bytes:
    """All of the output up to a bound; the rest is read and dropped, so that the command can end."""
    kept = bytearray()
    while chunk := await reader.read(65536):
        kept += chunk[: max(0, _MOST_OUTPUT - len(kept))]
    return bytes(kept)
