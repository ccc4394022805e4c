"""What a hook of the host costs: where no evaluation runs, and with an owner that answers, beside bare Python.

Two of them run for each call of a tool, in every session in which the plugin is installed.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from benchmarks.figures import Figure, compared, main

from mcp_assay.host import hooks as owner
from mcp_assay.host.hooks import Hooks
from mcp_assay.host.hooksocket import HookSocket

__all__ = ["measure"]

MOST = 2.0
HOOK = Path(owner.__file__).parent / "plugin" / "hooks" / "hook.py"
SESSION = "5e55-1d"
EVENT = {
    "session_id": SESSION,
    "cwd": "/",
    "tool_use_id": "toolu_1",
    "tool_name": "Read",
    "tool_input": {"file_path": "/etc/hostname"},
}


def measure(rounds: int = 31) -> list[Figure]:
    """Whole processes of the same interpreter, started in turn. Raises RuntimeError if an owner is not heard."""
    with tempfile.TemporaryDirectory(prefix="ma-", dir="/tmp") as place:
        idle, held = Path(place) / "idle", Path(place) / "held"
        with _owner(held / "mcp-assay"):
            times = [{"bare": _bare(), "idle": _hook(idle, 0), "held": _hook(held, 1)} for _ in range(rounds)]
    return [
        compared("a hook where no evaluation runs against python -c pass", times, "bare", "idle", bound=MOST),
        compared("a hook that the owner answers against python -c pass", times, "bare", "held", bound=MOST),
    ]


def _bare() -> float:
    return _took([sys.executable, "-c", "pass"], dict(os.environ), 0)


def _hook(state: Path, answers: int) -> float:
    environ = {"PATH": os.environ["PATH"], "XDG_STATE_HOME": str(state), "CLAUDE_CODE_SESSION_ID": SESSION}
    return _took([sys.executable, "-I", "-S", str(HOOK), "PreToolUse"], environ, answers)


def _took(command: list[str], environ: dict[str, str], answers: int) -> float:
    event = json.dumps(EVENT).encode()
    began = perf_counter()
    done = subprocess.run(command, env=environ, input=event, check=True, stdout=subprocess.PIPE)
    took = (perf_counter() - began) * 1000
    if bool(done.stdout) != bool(answers):
        raise RuntimeError("the hook was not answered as it should be")
    return took


@contextmanager
def _owner(state: Path) -> Iterator[None]:
    """An owner that refuses, in a thread: nothing else runs here while a hook does."""
    ready, over = threading.Event(), threading.Event()

    async def listen() -> None:
        hooks = Hooks(state / "eval", state, session=SESSION, note=lambda _: None)
        async with HookSocket(state / "run" / f"s-{SESSION}.sock", hooks):
            ready.set()
            await asyncio.to_thread(over.wait)

    thread = threading.Thread(target=lambda: asyncio.run(listen()))
    thread.start()
    ready.wait(10)
    try:
        yield
    finally:
        over.set()
        thread.join()


if __name__ == "__main__":
    main(measure)
