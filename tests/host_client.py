"""A client of an owner's socket that plays whatever is wanted: a gateway, an agent, a hook, or something hostile."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any, Self

import pytest

from mcp_assay.host import wire
from mcp_assay.store import keys

PATIENCE = 10.0


class Client:
    """One connection. ``ask`` sends a message and gives its answer; ``tell`` only sends."""

    def __init__(self, path: Path, role: str, **more: Any) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        try:
            self.socket.connect(str(path))
        except OSError:
            self.socket.close()
            raise
        self._file = self.socket.makefile("rb")
        self._numbers = count(1)
        self.hello = self.ask("hello", **({"role": role, "version": wire.VERSION} | more))

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        number = next(self._numbers)
        self.tell({"n": number, "do": do, **fields})
        answer = self.read()
        assert answer.pop("n") == number
        return answer

    def tell(self, message: dict[str, Any]) -> None:
        self.socket.sendall(json.dumps(message).encode() + b"\n")

    def read(self) -> dict[str, Any]:
        line = self._file.readline()
        if not line:
            raise ConnectionError("the owner has gone")
        found: dict[str, Any] = json.loads(line)
        return found

    def call(self, mcp: str | None, tool: str, args: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        return self.ask("open", mcp=mcp, tool=tool, args=args or {}, **more)

    def done(self, permit: str, outcome: str = "ok", **more: Any) -> None:
        body = {"result": {"content": []}, "size": 14, "duration_ms": 3} if outcome == "ok" else {}
        self.tell({"do": "close", "permit": permit, "outcome": outcome, **body, **more})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()
        self.socket.close()


@pytest.fixture
def short() -> Iterator[Path]:
    """A folder whose path is short enough for a socket in it, which those of ``tmp_path`` are not."""
    with tempfile.TemporaryDirectory(prefix="a") as folder:
        yield Path(folder)


def address(folder: Path, environ: dict[str, str]) -> Path:
    """Where the owner of the evaluation in that folder listens."""
    return wire.socket_path(keys.folder(environ, Path(environ["HOME"])), os.path.realpath(folder))


def is_listening(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        return probe.connect_ex(str(path)) == 0


@contextlib.contextmanager
def owning(arguments: list[str], path: Path, environ: dict[str, str], cwd: Path) -> Iterator[subprocess.Popen[bytes]]:
    """``mcp-assay`` with these arguments, once it listens at the path. Killed at the end, if it still runs."""
    command = [sys.executable, "-m", "mcp_assay", *arguments]
    process = subprocess.Popen(command, cwd=cwd, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        deadline = time.monotonic() + PATIENCE
        while not is_listening(path):
            assert process.poll() is None, process.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield process
    finally:
        process.kill()
        process.communicate()
