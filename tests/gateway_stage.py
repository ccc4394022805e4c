"""A gateway as a process of its own, with a server behind it and an owner that answers as a test says."""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal

from mcp_assay.host import wire
from mcp_assay.store.evaldir import place

ROOT = Path(__file__).parents[1]
SERVER = Path(__file__).parent / "servers" / "relayed.py"
PATIENCE = 20.0
NAME, EVAL = "relayed", "run"
STATELESS = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

Message = dict[str, Any]
Decide = Callable[[Message], Message | bytes | None]


def permit_all(message: Message) -> Message:
    return {}


class FakeOwner:
    """Listens where the owner does, in a thread, and answers each ``open`` with a permit, unless ``decide`` says else.

    It gives an answer, bytes to send as they are, None for no answer, or {} for a permit.
    What it heard is in ``heard``, in order. ``launch`` is what its hello offers; None skips the server, False refuses
    the gateway. Another that has died may have listened at ``path`` before.
    """

    def __init__(self, path: Path, launch: Mapping[str, Any] | Literal[False] | None) -> None:
        self.decide: Decide = permit_all
        self.heard: list[Message] = []
        self._launch, self._permits = launch, 0
        path.parent.mkdir(parents=True, mode=0o700, exist_ok=True)
        path.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(os.fspath(path))
        self._listener.listen()
        self._open: list[socket.socket] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def of(self, do: str) -> list[Message]:
        return [message for message in self.heard if message["do"] == do]

    def closes(self, number: int = 1) -> list[Message]:
        """Wait for so many ``close`` messages, which come after the replies."""
        deadline = time.monotonic() + PATIENCE
        while len(self.of("close")) < number and time.monotonic() < deadline:
            time.sleep(0.005)
        return self.of("close")

    def die(self) -> None:
        """As a killed process does: all its sockets are closed."""
        _hang_up(self._listener)
        self._accepting.join()  # whoever was just let in is in the list then
        for each in self._open:
            _hang_up(each)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._listener.accept()
                self._open.append(line)
                threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: socket.socket) -> None:
        with suppress(OSError, ValueError), line.makefile("rb") as lines:
            for received in lines:
                message = json.loads(received)
                self.heard.append(message)
                answer = self._answer(message)
                if isinstance(answer, bytes):
                    line.sendall(answer)
                elif answer is not None:
                    line.sendall(wire.encode({"n": message["n"], **answer}))

    def _answer(self, message: Message) -> Message | bytes | None:
        if message["do"] == "hello":
            if self._launch is False:
                return {"ok": False, "why": "there is no such server"}
            why = {"why": "it is to be skipped"} if self._launch is None else {}
            return {"ok": True, "eval": EVAL, "launch": self._launch, **why}
        if message["do"] != "open":
            return {"ok": True}
        decided = self.decide(message)
        if decided != {}:
            return decided
        if "again" in message:
            return {"permit": message["again"]}
        self._permits += 1
        return {"permit": f"S1-{self._permits:03d}"}


def _hang_up(line: socket.socket) -> None:
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
    line.close()


class Gateway:
    """A running gateway, as the agent's host has it."""

    def __init__(self, process: subprocess.Popen[bytes], folder: Path) -> None:
        self.process, self._folder = process, folder

    def send(self, *messages: Message | bytes) -> None:
        lines = [each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n" for each in messages]
        self.process.stdin.write(b"".join(lines))
        self.process.stdin.flush()

    def line(self) -> bytes:
        return self.process.stdout.readline()

    def receive(self) -> Message:
        return json.loads(self.line())

    def ask(self, message: Message | bytes) -> Message:
        self.send(message)
        return self.receive()

    def call(self, number: Any, tool: str, /, *, meta: Message | None = None, **args: Any) -> Message:
        return self.ask(call(number, tool, meta=meta, **args))

    def got(self) -> list[Message]:
        """What reached the server, in order."""
        return [json.loads(line) for line in self.raw("got")]

    def calls(self) -> list[str]:
        """The tools of the calls that reached the server, whatever form they had."""
        return [each["params"]["name"] for each in self.got() if each.get("method") == "tools/call"]

    def raw(self, name: str) -> list[bytes]:
        path = self._folder / name
        return path.read_bytes().splitlines(keepends=True) if path.exists() else []


def request(number: Any, method: str, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(number: Any, tool: str, /, *, meta: Message | None = None, **args: Any) -> Message:
    message = request(number, "tools/call", name=tool, arguments=args)
    if meta is not None:
        message["params"]["_meta"] = meta
    return message


HELLO = request(
    "hello",
    "initialize",
    protocolVersion="2025-11-25",
    capabilities={"elicitation": {}},
    clientInfo={"name": "test", "version": "1"},
)
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder whose path is short enough for a socket's address."""
    path = Path(tempfile.mkdtemp(prefix="gw"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def launch(folder: Path, *words: str, command: str = sys.executable) -> Message:
    environ = {"PATH": os.environ["PATH"]}
    args = ["-S", str(SERVER), str(folder), *words]
    return {"transport": "stdio", "command": command, "args": args, "cwd": str(folder), "env": environ}


def address(folder: Path) -> Path:
    return wire.socket_path(folder / "state" / "mcp-assay", os.path.realpath(place(folder, EVAL)))


def command(folder: Path, server: str = NAME) -> list[str]:
    named = ["--eval", EVAL, "--server", server]
    return [sys.executable, "-P", "-m", "mcp_assay", "gateway", *named, "--home", str(folder), "--out", str(folder)]


def environ(folder: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT / "src"),
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
    }


@contextmanager
def gateway(folder: Path, *, hello: bool = True) -> Iterator[Gateway]:
    """A gateway, ended as its host ends it; it must end well and leave nothing running."""
    with (folder / "stderr").open("wb") as stderr:
        process = subprocess.Popen(
            command(folder), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=environ(folder)
        )
    running = Gateway(process, folder)
    try:
        if hello:
            running.ask(HELLO)
            running.send(INITIALIZED)
        yield running
        with suppress(BrokenPipeError):
            process.stdin.close()
        assert process.wait(PATIENCE) == 0, (folder / "stderr").read_text()
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
        with suppress(BrokenPipeError):
            process.stdin.close()


@contextmanager
def stage(*words: str, hello: bool = True) -> Iterator[tuple[Gateway, FakeOwner]]:
    """A gateway with a server and an owner."""
    with short_folder() as folder:
        owner = FakeOwner(address(folder), launch(folder, *words))
        try:
            with gateway(folder, hello=hello) as running:
                yield running, owner
        finally:
            owner.die()
