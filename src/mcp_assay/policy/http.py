"""The HTTP transport: POST /mcp on this machine alone. Stateless, without streams or sessions.

Nobody is asked who they are, so whatever a web page could make a browser send is refused before it is read.
"""

import os
import re
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import uvicorn

from mcp_assay.policy import mirror
from mcp_assay.policy.protocol import Server
from mcp_assay.policy.wire import MOST_BYTES

__all__ = ["HOST", "PATH", "PORT", "App", "run"]

HOST, PORT, PATH = "127.0.0.1", 3333, "/mcp"

_LOCAL = r"(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?"
_HOST = re.compile(_LOCAL, re.IGNORECASE)
_ORIGIN = re.compile(rf"https?://{_LOCAL}", re.IGNORECASE)
_READ = {name.encode(): name for name in ("host", "origin", "content-type", *mirror.HEADERS)}
_JSON = (b"content-type", b"application/json")
_TEXT = (b"content-type", b"text/plain; charset=utf-8")

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]


class App:
    """The ASGI application."""

    def __init__(self, server: Server) -> None:
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = _headers(scope["headers"])
        refusal = _refused(scope, headers)
        if refusal is not None:
            await _send(send, *refusal)
            return
        body = await _read(receive)
        if body is None:
            await _send(
                send, 413, f"the body is larger than {MOST_BYTES} bytes\n".encode(), _TEXT, (b"connection", b"close")
            )
            return
        status, reply = self._server.post(body, headers)
        await _send(send, status, reply, _JSON)


def run(server: Server, port: int) -> None:
    """Serve until interrupted. Raises OSError if the port cannot be had."""
    with _listener(port) as listener:
        config = uvicorn.Config(
            App(server),
            http="httptools",
            ws="none",
            lifespan="off",
            log_level="warning",
            access_log=False,
            proxy_headers=False,
            server_header=False,
        )
        uvicorn.Server(config).run(sockets=[listener])


def _listener(port: int) -> socket.socket:
    # The protocol must be named: asyncio turns Nagle's algorithm off only where it is, and with it on each reply waits
    # 40 ms for the acknowledgement of its headers. socket.create_server does not name it.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # where it does not also let another process have the same port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return listener


def _headers(raw: list[Header]) -> dict[str, str]:
    """The headers that matter. One that is sent twice has both values, and so matches nothing."""
    found: dict[str, str] = {}
    for name, value in raw:
        key = _READ.get(name)
        if key is not None:
            text = value.decode("latin-1").strip(" \t")
            found[key] = f"{found[key]}, {text}" if key in found else text
    return found


def _refused(scope: Scope, headers: dict[str, str]) -> tuple[int, bytes, *tuple[Header, ...]] | None:
    """The answer to a request whose body need not be read, or None if it must be."""
    # A page may have any name resolve to this machine, and then the browser takes us for the page's own server: the
    # names that it sends us are all that tells.
    if not _HOST.fullmatch(headers.get("host", "")):
        return 403, b"the Host is not this machine\n", _TEXT
    if not _ORIGIN.fullmatch(headers.get("origin", "http://localhost")):
        return 403, b"the Origin is not this machine\n", _TEXT
    if scope["path"] != PATH:
        return 404, f"there is nothing here but {PATH}\n".encode(), _TEXT
    if scope["method"] != "POST":
        return 405, b"use POST\n", _TEXT, (b"allow", b"POST")
    if headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return 415, b"the Content-Type must be application/json\n", _TEXT
    return None


async def _read(receive: Receive) -> bytes | None:
    """The request's body, or None if it is larger than may be, or its sender has gone."""
    body, more = bytearray(), True
    while more:
        event = await receive()
        if event["type"] == "http.disconnect":
            return None
        body += event.get("body", b"")
        if len(body) > MOST_BYTES:
            return None
        more = event.get("more_body", False)
    return bytes(body)


async def _send(send: Send, status: int, body: bytes, *headers: Header) -> None:
    length = (b"content-length", str(len(body)).encode())
    await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body})
