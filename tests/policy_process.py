"""The policy server as a process of its own, over stdio and over HTTP, for the tests that talk to it."""

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FAST = [sys.executable, "-P", "-m", "mcp_assay.policy"]
FULL = [sys.executable, "-P", "-m", "mcp_assay", "policy", "serve"]
ENVIRON = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
JSON = {"Content-Type": "application/json"}
PATIENCE = 20.0


class Stdio:
    """A running server and its two pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process

    def send(self, *frames: bytes) -> None:
        self.process.stdin.write(b"".join(frame + b"\n" for frame in frames))
        self.process.stdin.flush()

    def receive(self) -> Any:
        return json.loads(self.process.stdout.readline())

    def ask(self, frame: bytes) -> Any:
        self.send(frame)
        return self.receive()

    @property
    def kilobytes(self) -> int:
        return resident(self.process.pid)


@contextmanager
def stdio(command: list[str] = FAST, cwd: Path | None = None) -> Iterator[Stdio]:
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRON, cwd=cwd)
    try:
        yield Stdio(process)
    finally:
        with suppress(BrokenPipeError):
            process.stdin.close()
        process.stdout.close()
        assert process.wait(PATIENCE) == 0


@contextmanager
def web(cwd: Path | None = None, command: Sequence[str] = (*FULL, "--http")) -> Iterator[tuple[int, int]]:
    """(port, process id) of a server over HTTP."""
    port = free_port()
    process = subprocess.Popen(command, env={**ENVIRON, "PORT": str(port)}, stderr=subprocess.PIPE, cwd=cwd)
    try:
        await_port(port)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait(PATIENCE)
        log = process.stderr.read().decode()
        process.stderr.close()
    assert "Traceback" not in log
    assert f"http://127.0.0.1:{port}/mcp" in log


def exchange(
    connection: http.client.HTTPConnection,
    body: bytes = b"",
    headers: dict[str, str] | None = None,
    *,
    method: str = "POST",
    path: str = "/mcp",
) -> tuple[int, bytes]:
    connection.request(method, path, body, {**JSON, **(headers or {})})
    response = connection.getresponse()
    return response.status, response.read()


@contextmanager
def connected(port: int) -> Iterator[http.client.HTTPConnection]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        yield connection


def free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port: int = listener.getsockname()[1]
        return port


def await_port(port: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        else:
            return


def resident(pid: int) -> int:
    """The resident memory of a process in kilobytes."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else -1
