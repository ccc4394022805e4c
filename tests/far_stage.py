"""A gateway's server over HTTP or SSE, in the loop that a gateway runs, without the rest of it."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from mcp_assay.host.base import Received, Unanswered
from mcp_assay.host.loop import Loop
from mcp_assay.host.web import Web as FarWeb

PATIENCE = 10.0
SECRET = "s3cr3t-value"
SDK_SERVER = Path(__file__).parent / "servers" / "sdk_web.py"
STATELESS = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}

Message = dict[str, Any]


def request(number: Any, method: str, /, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: Any, tool: str, /, *, stateless: bool = False, **args: Any) -> Message:
    more = {"_meta": STATELESS} if stateless else {}
    return request(number, "tools/call", name=tool, arguments=args, **more)


HELLO = request("hello", "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo={"name": "t"})


def launch(url: str, transport: str = "http", **more: Any) -> Message:
    headers = {"authorization": f"Bearer {SECRET}"}
    return {"transport": transport, "url": url, "headers": headers, "proxy": None, "start_timeout": 5.0, **more}


class Far:
    """What the server said, in order, and why it was lost. Use as a context manager."""

    def __init__(self, url: str, transport: str = "http", **more: Any) -> None:
        self.loop = Loop()
        self.got: list[Received] = []
        self.fates: list[str] = []
        self.web = FarWeb(self.loop, launch(url, transport, **more))
        self.web.begin(self.got.append, self.fates.append)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        began = time.monotonic()
        self.web.end()
        self.web.end()
        assert time.monotonic() - began < 3

    def send(self, *messages: Message | bytes) -> None:
        for each in messages:
            self.web.input.send(each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n")

    def until(self, condition: Callable[[], bool]) -> None:
        """Run the loop until something is so."""
        deadline = time.monotonic() + PATIENCE

        def look() -> None:
            if condition() or time.monotonic() > deadline:
                self.loop.stop()
            else:
                self.loop.later(0.005, look)

        self.loop._stopped = False
        look()
        self.loop.run()
        assert condition(), (self.got, self.fates)

    def rest(self, seconds: float = 0.2) -> None:
        """Let some time pass."""
        end = time.monotonic() + seconds
        self.until(lambda: time.monotonic() > end)

    def receive(self) -> Received:
        """The next thing that it says."""
        self.until(lambda: bool(self.got))
        return self.got.pop(0)

    def ask(self, message: Message | bytes) -> Any:
        """The next thing that it says after this, parsed if it is a line."""
        self.send(message)
        found = self.receive()
        return json.loads(found) if isinstance(found, bytes) else found

    def hello(self) -> Message:
        answer = self.ask(HELLO)
        assert isinstance(answer, dict), answer
        self.send(INITIALIZED)
        return answer

    def fails(self, message: Message) -> tuple[str, str]:
        """How a request comes to nothing, and why; no secret is told."""
        found = self.ask(message)
        assert isinstance(found, Unanswered)
        assert (found.number, SECRET in found.why) == (message["id"], False)
        return found.outcome, found.why

    def lost(self) -> str:
        """Why there is no server any more."""
        self.until(lambda: bool(self.fates))
        assert SECRET not in self.fates[0]
        return self.fates[0]


@contextmanager
def sdk_server(*words: str) -> Iterator[str]:
    """The official SDK's server, as a process; its address, without a path."""
    command = [sys.executable, str(SDK_SERVER), *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()
