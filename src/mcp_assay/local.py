"""Non-MCP tools for scripted steps: one, ``Bash``, in a scratch folder with a bare environment."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_assay import shell
from mcp_assay.core.model import Outcome, Reply

__all__ = ["Bash"]

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
                environ = {"PATH": self._path, "HOME": str(self._scratch)}
                code, output = await shell.run(command, environ, self._scratch)
        except TimeoutError:
            return Reply(Outcome.TIMEOUT, error_text="timeout")
        text = output.decode("utf-8", errors="replace")
        result = {"content": [{"type": "text", "text": text}], "isError": code != 0}
        return Reply(Outcome.OK if code == 0 else Outcome.ERROR, result, size=len(output))
