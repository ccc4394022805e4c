"""The hook of the plugin as a process of its own, as a host starts it."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hook_events import SESSION

__all__ = ["HOOK", "answered", "start"]

HOOK = Path(__file__).parents[1] / "src/mcp_assay/host/plugin/hooks/hook.py"
PATIENCE = 30


def start(
    event: str, *, state: Path, hooks: Path | None = None, script: Path = HOOK, **environ: str
) -> subprocess.Popen[bytes]:
    """``state`` is XDG_STATE_HOME; ``hooks`` the socket that the host was told of, if it was."""
    given = {"PATH": os.environ["PATH"], "XDG_STATE_HOME": str(state), "CLAUDE_CODE_SESSION_ID": SESSION, **environ}
    if hooks is not None:
        given["MCP_ASSAY_HOOKS"] = str(hooks)
    pipe = subprocess.PIPE
    command = [sys.executable, "-I", "-S", script, event]
    return subprocess.Popen(command, env=given, stdin=pipe, stdout=pipe, stderr=pipe)


def answered(process: subprocess.Popen[bytes], body: Mapping[str, Any] | bytes) -> tuple[int, str, str]:
    """What it ends with, once it was given the event."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    out, err = process.communicate(data, PATIENCE)
    return process.returncode, out.decode(), err.decode()
