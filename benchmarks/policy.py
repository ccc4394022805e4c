"""The policy server beside the official SDK's smallest server, and its eval beside Promptfoo.

Requests a second and the time from start to answer; over stdio also beside a plain loop in Node, if there is one: the
specification's own system runs on it. The tool is ``route_agent_seat`` here and one that does nothing there. Promptfoo
judges the same fixtures, if it is installed. Times are those of one request or one eval: a ratio below 1 is faster.
"""

import compileall
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from time import perf_counter

from benchmarks.figures import Figure, compared, main

import mcp_assay

__all__ = ["measure"]

_ROOT = Path(__file__).parents[1]
_PEERS = _ROOT / "benchmarks" / "peers"
_SDK = [sys.executable, str(_PEERS / "sdk_server.py")]
_NODE = ["node", str(_PEERS / "loop.mjs")]
_OURS = [sys.executable, "-P", "-m", "mcp_assay.policy"]
_OURS_HTTP = [sys.executable, "-P", "-m", "mcp_assay", "policy", "serve", "--http", "--port"]

_SEAT = {"role": "scout", "budget": {"usedCU": 1.5, "capacityCU": 10, "reservePct": 20}}
_EVAL = [sys.executable, "-P", "-m", "mcp_assay", "policy", "eval", "--out"]
_PROMPTFOO = ["sh", str(_ROOT / "scripts" / "promptfoo.sh")]
_INSTALLED = _ROOT / "build" / "promptfoo" / "node_modules" / ".installed"
_PROMPTFOO_EVAL = ["eval", "-c", "promptfooconfig.yaml", "--no-table", "--no-write"]

_VERSION = "2025-11-25"
_INITIALIZE = {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": {"name": "benchmark", "version": "1"}}
_HEADERS = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": _VERSION,
}
_PATIENCE = 30.0


def measure(rounds: int = 5, calls: int = 1000) -> list[Figure]:
    """All of it, everything in each round, one after the other. Without Node or Promptfoo they are left out."""
    compileall.compile_dir(Path(str(mcp_assay.__file__)).parent, quiet=1)
    return [*_over_stdio(rounds, calls), *_over_http(rounds, calls), *_evals(rounds)]


def _frame(method: str, params: dict[str, object], number: int | None = 1) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, "params": params}
    return json.dumps(message if number is None else {**message, "id": number}).encode()


_CALL = _frame("tools/call", {"name": "route_agent_seat", "arguments": _SEAT})


# --- stdio ------------------------------------------------------------------------------------------------------------


def _over_stdio(rounds: int, calls: int) -> list[Figure]:
    servers = {"sdk": _SDK, "ours": _OURS}
    if shutil.which("node"):
        servers["node"] = _NODE
    else:
        print("no node here: its loop is not measured", file=sys.stderr)
    times = [_stdio_round(servers, calls) for _ in range(rounds)]
    figures = [
        compared("policy: start to first answer, against the SDK", times, "sdk start", "ours start", bound=0.1),
        compared("policy: stdio, one at a time, against the SDK", times, "sdk single", "ours single", bound=0.1),
        compared("policy: stdio, pipelined, against the SDK", times, "sdk pipelined", "ours pipelined"),
    ]
    if "node" in servers:
        figures += [
            compared("policy: start to first answer, against Node", times, "node start", "ours start"),
            compared("policy: stdio, one at a time, against Node", times, "node single", "ours single"),
            compared("policy: stdio, pipelined, against Node", times, "node pipelined", "ours pipelined"),
        ]
    return figures


def _stdio_round(servers: dict[str, list[str]], calls: int) -> dict[str, float]:
    took: dict[str, float] = {}
    for name, command in servers.items():
        began = perf_counter()
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            ask = _Pipe(process)
            ask.one(_frame("initialize", dict(_INITIALIZE)))
            took[f"{name} start"] = (perf_counter() - began) * 1000
            ask.send(_frame("notifications/initialized", {}, None) + b"\n")
            took[f"{name} single"] = _each(partial(ask.one, _CALL), calls)
            took[f"{name} pipelined"] = _each(partial(ask.many, _CALL, calls), 1) / calls
            ask.close()
    return took


class _Pipe:
    """A server's two pipes."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("no pipes")
        self._out, self._in = process.stdin, process.stdout

    def send(self, data: bytes) -> None:
        self._out.write(data)
        self._out.flush()

    def one(self, frame: bytes) -> None:
        self.send(frame + b"\n")
        _check(self._in.readline())

    def many(self, frame: bytes, number: int) -> None:
        """Send them all without waiting, while the replies are read."""
        writer = threading.Thread(target=self.send, args=((frame + b"\n") * number,))
        writer.start()
        for _ in range(number):
            reply = self._in.readline()
        writer.join()
        _check(reply)

    def close(self) -> None:
        self._out.close()


# --- HTTP -------------------------------------------------------------------------------------------------------------


def _over_http(rounds: int, calls: int) -> list[Figure]:
    with _serving([*_SDK, "--http"]) as sdk, _serving(_OURS_HTTP) as ours:
        times = [
            {
                f"{name} {connections}": _posts(port, connections, max(1, calls // connections))
                for name, port in (("sdk", sdk), ("ours", ours))
                for connections in (1, 16)
            }
            for _ in range(rounds)
        ]
    return [
        compared(f"policy: HTTP, {connections}, against the SDK", times, f"sdk {number}", f"ours {number}", bound=0.25)
        for connections, number in (("1 connection", 1), ("16 connections", 16))
    ]


@contextmanager
def _serving(command: list[str]) -> Iterator[int]:
    """A port on which the command, given it as its last word, serves."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        port: int = listener.getsockname()[1]
    with subprocess.Popen([*command, str(port)], stderr=subprocess.DEVNULL) as process:
        try:
            _await(port)
            yield port
        finally:
            process.terminate()


def _await(port: int) -> None:
    deadline = perf_counter() + _PATIENCE
    while perf_counter() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise RuntimeError(f"nothing serves on port {port}")


def _posts(port: int, connections: int, calls: int) -> float:
    """Milliseconds a request, when so many connections each make so many calls."""
    command = [sys.executable, str(_PEERS / "post.py"), str(port), str(connections), str(calls)]
    done = subprocess.run(command, input=_post(port), capture_output=True, check=True, timeout=_PATIENCE)
    return float(done.stdout)


def _post(port: int) -> bytes:
    head = [f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}", *(f"{name}: {value}" for name, value in _HEADERS.items())]
    return "\r\n".join([*head, f"Content-Length: {len(_CALL)}", "", ""]).encode() + _CALL


# --- the eval ---------------------------------------------------------------------------------------------------------


def _evals(rounds: int) -> list[Figure]:
    """The same fixtures by either, as whole processes."""
    if not _INSTALLED.is_file():
        print("no Promptfoo here: its eval is not measured; make test-promptfoo installs it", file=sys.stderr)
        return []
    with tempfile.TemporaryDirectory() as kept:
        commands = {"promptfoo": [*_PROMPTFOO, kept, *_PROMPTFOO_EVAL], "ours": [*_EVAL, kept]}
        times = [{name: _each(partial(_run, command), 1) for name, command in commands.items()} for _ in range(rounds)]
    return [compared("policy: eval of all fixtures, against Promptfoo", times, "promptfoo", "ours", bound=0.083)]


def _run(command: list[str]) -> None:
    env = {**os.environ, "PROMPTFOO_PYTHON": sys.executable}
    subprocess.run(command, cwd=_ROOT, env=env, capture_output=True, check=True, timeout=_PATIENCE)


def _each(work: Callable[[], None], times: int) -> float:
    """Milliseconds for each."""
    began = perf_counter()
    for _ in range(times):
        work()
    return (perf_counter() - began) * 1000 / times


def _check(reply: bytes) -> None:
    if b'"result"' not in reply:
        raise RuntimeError(f"not a result: {reply[:200]!r}")


if __name__ == "__main__":
    main(measure)
