"""A web server on loopback that answers as a test says and remembers what it was asked. It lives in a thread.

with Web(mcp({"look": lambda seen: result(seen, {"n": 1})})) as web:
    ...  # web.url is its address, web.seen what came
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from mcp_assay.core.model import ServerConfig, Transport

PATIENCE = 20.0


@dataclass(frozen=True)
class Seen:
    """One request: ``message`` is its body, parsed, if it has one."""

    method: str
    path: str
    headers: Mapping[str, str]
    message: Any
    body: bytes = b""

    @property
    def asks(self) -> str:
        """The JSON-RPC method; else the HTTP method."""
        return self.message["method"] if self.message and "method" in self.message else self.method


@dataclass(frozen=True)
class Out:
    """One response. ``chunks`` are sent as they come, and the connection is closed after the last."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    chunks: Iterable[bytes] | None = None


Answer = Callable[[Seen], Out]


class Web:
    def __init__(self, answer: Answer, port: int = 0) -> None:
        self.answer, self.seen = answer, list[Seen]()
        self.over = threading.Event()
        handler = type("Handler", (_Handler,), {"web": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", port), handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    def config(self, transport: Transport = Transport.HTTP, **fields: Any) -> ServerConfig:
        return ServerConfig("s", "test", transport=transport, url=fields.pop("url", self.url), **fields)

    def asked(self, method: str) -> list[Seen]:
        """The requests of one JSON-RPC or HTTP method, in order."""
        return [seen for seen in self.seen if seen.asks == method]

    def hang(self) -> Out:
        """Keep the one who asked waiting until the test is over."""
        self.over.wait(PATIENCE)
        return Out()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    web: Web

    def _handle(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        seen = Seen(self.command, self.path, headers, json.loads(body) if body else None, body)
        self.web.seen.append(seen)
        try:
            self._send(self.web.answer(seen))
        except ConnectionError:  # whoever asked has gone: that is for the test to see, not for stderr
            self.close_connection = True

    do_GET = do_POST = do_DELETE = _handle  # noqa: N815 - the names that http.server calls

    def _send(self, out: Out) -> None:
        self.send_response(out.status)
        for name, value in out.headers.items():
            self.send_header(name, value)
        if out.chunks is None:
            self.send_header("content-length", str(len(out.body)))
            self.end_headers()
            self.wfile.write(out.body)
            return
        self.close_connection = True
        self.end_headers()
        for chunk in out.chunks:
            self.wfile.write(chunk)
            self.wfile.flush()

    def log_message(self, *_: object) -> None:
        """Nothing goes to stderr."""


# --- what to answer ---------------------------------------------------------------------------------------------------


def as_json(value: object, status: int = 200, **headers: str) -> Out:
    body = value if isinstance(value, bytes) else json.dumps(value).encode()
    return Out(status, body, {"content-type": "application/json", **headers})


def reply(seen: Seen, **members: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": seen.message["id"], **members}


def result(seen: Seen, value: object, **headers: str) -> Out:
    return as_json(reply(seen, result=value), **headers)


def event(message: object, **fields: str) -> bytes:
    """One server-sent event; text is sent as it is."""
    data = message if isinstance(message, str) else json.dumps(message)
    return "".join(f"{name}: {value}\n" for name, value in [*fields.items(), ("data", data)]).encode() + b"\n"


def events(chunks: Iterable[bytes]) -> Out:
    return Out(headers={"content-type": "text/event-stream"}, chunks=chunks)


def mcp(
    calls: Mapping[str, Answer] | None = None, *, session: str | None = None, listen: Answer | None = None
) -> Answer:
    """A server that behaves but for its tools: ``calls`` says what each answers. ``listen`` answers a GET."""
    known = dict(calls or {})

    def answer(seen: Seen) -> Out:
        if seen.asks == "initialize":
            version = seen.message["params"]["protocolVersion"]
            headers = {"mcp-session-id": session} if session else {}
            return result(seen, {"protocolVersion": version, "capabilities": {"tools": {}}}, **headers)
        if seen.asks == "tools/list":
            return result(seen, {"tools": [{"name": name} for name in known]})
        if seen.asks == "tools/call":
            return known[seen.message["params"]["name"]](seen)
        if seen.method == "GET":
            return listen(seen) if listen else Out(405)
        return Out(202 if seen.method == "POST" else 200)

    return answer


class OverSse:
    """The older transport: replies come over the one event stream that a GET opened. ``post`` may refuse a message."""

    def __init__(self, calls: Mapping[str, Answer] | None = None) -> None:
        self._answer, self._lines = mcp(calls), list[bytes]()
        self._fresh, self._ended = threading.Condition(), False

    def __call__(self, seen: Seen) -> Out:
        if seen.method == "GET":
            return events(self._stream())
        out = self._answer(seen)
        if out.status == 200 and out.chunks is None and out.headers.get("content-type") == "application/json":
            self.say(event(out.body.decode(), event="message"))
            return Out(202)
        return out

    def say(self, line: bytes) -> None:
        with self._fresh:
            self._lines.append(line)
            self._fresh.notify_all()

    def end(self) -> None:
        with self._fresh:
            self._ended = True
            self._fresh.notify_all()

    def _stream(self) -> Iterator[bytes]:
        yield event("/messages?session=1", event="endpoint")
        at = 0
        while True:
            with self._fresh:
                self._fresh.wait_for(lambda: self._ended or len(self._lines) > at, PATIENCE)  # noqa: B023 - called at once
                if self._ended:
                    return
                fresh, at = self._lines[at:], len(self._lines)
            yield from fresh
