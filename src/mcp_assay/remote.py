"""Sessions to MCP servers over HTTP and SSE: the official SDK carries the messages, and nothing else of it is used.

Requests go out and results come in as they are on the wire, through the SDK's dispatcher; its client would list tools
behind our back, and drop or refuse what it does not know. Importing this costs most of a second, so nobody does who has
no such server.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from contextvars import copy_context
from typing import Any

import anyio
import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import CallOptions, DispatchContext
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext

from mcp_assay import __version__
from mcp_assay.core.model import Manifest, ServerConfig, Transport
from mcp_assay.endpoint import Endpoint, resolve
from mcp_assay.errors import ConnectionLost, ProtocolError, RequestTimeout, RpcError, ServerError, StartError
from mcp_assay.frames import MAX_FRAME
from mcp_assay.handshake import LIST_SHARE, METHOD_NOT_FOUND, Answer, agreed, failure, hello, walk
from mcp_assay.httpwatch import Exchange, Watch, current
from mcp_assay.upstream import Upstream

__all__ = ["connect"]

_GOODBYE = 3.0  # for a server to be told that the session ends
# The SDK answers for a server in these words; nothing else tells such an error from one of the server's own.
_OF_THE_SDK: tuple[tuple[str, type[ServerError], str], ...] = (
    ("Connection closed", ConnectionLost, "the connection to the server was closed"),
    ("SSE stream ended", ConnectionLost, "the server ended its event stream without a reply"),
    ("SSE stream failed", ProtocolError, "answered with an event that is too large to be read"),
    ("Failed to parse", ProtocolError, "answered with something that is no JSON-RPC reply"),
)

for _name in ("mcp", "httpx2", "httpcore2"):  # what they log holds addresses and texts of servers
    logging.getLogger(_name).addHandler(logging.NullHandler())
    logging.getLogger(_name).propagate = False


async def connect(
    config: ServerConfig,
    environ: Mapping[str, str],
    *,
    allowed: Collection[str] = (),
    start_timeout: float = 30.0,
    cwd: str | None = None,
    limit: int = MAX_FRAME,
) -> Upstream:
    """Open a session to a server of type http or sse and initialize it.

    ``environ`` is the user's environment, ``allowed`` the names of it that a ``headersHelper``, run in ``cwd``, may see
    beyond the safe base and that may name a proxy; ``limit`` is the longest reply that is read, in bytes. Raises
    StartError, with nothing left open.
    """
    if config.transport not in (Transport.HTTP, Transport.SSE):
        raise StartError(f"a server of type {config.transport} cannot be contacted")
    session = _RemoteSession(config, await resolve(config, environ, allowed, cwd), limit)
    try:
        await session.start(start_timeout)
    except BaseException:
        await session.close()
        raise
    return session


class _RemoteSession:
    """An initialized session over the SDK's streams, which live in a task of their own until the session is closed."""

    def __init__(self, config: ServerConfig, endpoint: Endpoint, limit: int) -> None:
        self.config = config
        self._endpoint, self._limit = endpoint, limit
        self._closing = asyncio.Event()
        self._life: asyncio.Task[None] | None = None
        self._errands: set[asyncio.Task[None]] = set()
        self._dispatcher: JSONRPCDispatcher[TransportContext] | None = None
        self._sent = 0
        self._protocol: str | None = None
        self._changed = self._closed = False
        self._patience = 0.0

    async def start(self, timeout: float) -> None:  # noqa: ASYNC109 - part of the message
        """Open the streams and initialize the session. Raises StartError; the caller closes what was opened."""
        began, self._patience = asyncio.get_running_loop().time(), timeout * LIST_SHARE
        try:
            async with asyncio.timeout(timeout):
                await self._open()
            left = began + timeout - asyncio.get_running_loop().time()
            self._protocol = agreed((await self.request("initialize", hello(), left)).result)
        except (TimeoutError, RequestTimeout):
            raise StartError(f"the server did not finish initialize within {round(timeout, 2):g} s") from None
        except ConnectionLost as bad:
            raise StartError(str(bad)) from None
        except (RpcError, ProtocolError) as bad:
            raise StartError(failure(bad)) from None
        self._tell("notifications/initialized")

    async def manifest(self) -> Manifest:
        self._changed = False
        pages = await walk(self.request, self._patience)
        return pages.manifest(self.config.name, self._protocol)

    async def request(self, method: str, params: Mapping[str, Any], timeout: float) -> Answer:  # noqa: ASYNC109 - see Upstream
        if self._closed or self._dispatcher is None:
            raise ConnectionLost("the session was closed")
        if timeout <= 0:
            raise RequestTimeout(f"no time left for {method}; it was not sent")
        _require_text(params)
        self._sent += 1
        exchange = Exchange(self._sent, asyncio.get_running_loop().time() + timeout)
        sent = self._send(exchange, method, params)
        try:
            async with asyncio.timeout(timeout):
                await _first(sent, exchange.failed)
        except TimeoutError:
            self._call_off(exchange, method, "timed out")
            raise RequestTimeout(f"no answer to {method} within {round(timeout, 2):g} s") from None
        except asyncio.CancelledError:
            self._call_off(exchange, method, "no longer wanted")
            raise
        finally:
            sent.cancel()
        return _answer(exchange, sent)

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    @property
    def tools_changed(self) -> bool:
        return self._changed

    async def close(self) -> None:
        self._closed = True
        self._closing.set()
        if self._life is not None:
            await asyncio.wait({self._life}, timeout=_GOODBYE if self._dispatcher else 0)
            self._life.cancel()
            await asyncio.wait({self._life})

    # --- the streams -------------------------------------------------------------------------------------------------

    async def _open(self) -> None:
        """Start the task that the streams live in. Raises what the first exchange came to, if it was none."""
        opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        stream = Exchange(None, None)
        context = copy_context()
        context.run(current.set, stream)
        self._life = asyncio.create_task(self._live(opened), context=context)
        self._life.add_done_callback(_seen)
        await _first(self._life, opened, stream.failed)
        if stream.failed.done():
            raise stream.failed.result()
        if not opened.done():
            raise ProtocolError("ended its event stream before the session began")

    async def _live(self, opened: asyncio.Future[None]) -> None:
        async with self._streams() as (incoming, outgoing), anyio.create_task_group() as group:
            self._dispatcher = JSONRPCDispatcher(incoming, outgoing)
            await group.start(self._dispatcher.run, self._serve, _ignore, self._hear)
            opened.set_result(None)
            await self._closing.wait()
            group.cancel_scope.cancel()

    @asynccontextmanager
    async def _streams(self) -> AsyncIterator[Any]:
        url, client = self._endpoint.url, self._client()
        if self.config.transport is Transport.SSE:
            async with sse_client(url, httpx_client_factory=lambda *_, **__: client) as streams:
                yield streams
        else:
            async with (
                client,
                streamable_http_client(url, http_client=client, max_sse_event_size=self._limit) as streams,
            ):
                yield streams

    def _client(self) -> httpx2.AsyncClient:
        # Nothing is taken from the environment: no proxy but the allowed one, and no certificates.
        inner = httpx2.AsyncHTTPTransport(trust_env=False, proxy=self._endpoint.proxy)
        watch = Watch(inner, self.config.transport, self._limit)
        headers = {"user-agent": f"mcp-assay/{__version__}", **self._endpoint.headers}
        return httpx2.AsyncClient(transport=watch, headers=headers, timeout=None, trust_env=False)

    def _send(self, exchange: Exchange, method: str, params: Mapping[str, Any]) -> asyncio.Task[dict[str, Any]]:
        """Begin to send a request; everything that is done for it knows its exchange."""
        if self._dispatcher is None:
            raise ConnectionLost("the session was closed")
        context = copy_context()
        context.run(current.set, exchange)
        # Whether to tell the server that nobody waits any more is decided here: "The initialize request MUST NOT be
        # cancelled by clients", and a request that failed on the way needs no cancellation.
        options: CallOptions = {"request_id": exchange.number or 0, "cancel_on_abandon": False, **self._version()}
        task = asyncio.create_task(self._dispatcher.send_raw_request(method, params, options), context=context)
        task.add_done_callback(_seen)
        return task

    def _call_off(self, exchange: Exchange, method: str, reason: str) -> None:
        if method != "initialize":
            self._tell("notifications/cancelled", {"requestId": exchange.number, "reason": reason})

    def _tell(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        if self._dispatcher is not None:
            errand = asyncio.create_task(self._dispatcher.notify(method, params, self._version()))
            self._errands.add(errand)
            errand.add_done_callback(self._errands.discard)

    def _version(self) -> CallOptions:
        # "the client MUST include the MCP-Protocol-Version: <protocol-version> HTTP header on all subsequent requests"
        return {"headers": {"mcp-protocol-version": self._protocol}} if self._protocol else {}

    # --- what the server says unasked --------------------------------------------------------------------------------

    async def _serve(
        self, _: DispatchContext[TransportContext], method: str, __: Mapping[str, Any] | None
    ) -> dict[str, Any]:
        """Answer what the server asks of us: we declared no capability, so it is nothing but ping."""
        if method == "ping":
            return {}
        raise MCPError(METHOD_NOT_FOUND, "not supported by this client")

    def _hear(self, method: str, _: Mapping[str, Any] | None) -> bool:
        """Take in a notification, in the order in which it came; True says that nobody else need hear it."""
        self._changed |= method == "notifications/tools/list_changed"
        return True


async def _ignore(_: DispatchContext[TransportContext], __: str, ___: Mapping[str, Any] | None) -> None:
    """No notification comes this far."""


async def _first(*futures: asyncio.Future[Any]) -> None:
    """Wait until one of them is done; none is cancelled."""
    await asyncio.wait(futures, return_when=asyncio.FIRST_COMPLETED)


def _seen(task: asyncio.Task[Any]) -> None:
    """Whoever waited for a task has been told in our words; without this the loop would tell the user in its own."""
    if not task.cancelled():
        task.exception()


def _answer(exchange: Exchange, sent: asyncio.Task[dict[str, Any]]) -> Answer:
    if exchange.failed.done():
        raise exchange.failed.result()
    try:
        result = sent.result()
    except MCPError as bad:
        raise _error(bad) from None
    try:
        return Answer(result, len(_text(result)))
    except ValueError:  # the SDK's parser reads NaN and Infinity
        raise ProtocolError("answered with something that is no JSON") from None


def _error(bad: MCPError) -> ServerError:
    for beginning, kind, words in _OF_THE_SDK:
        if bad.message.startswith(beginning):
            return kind(words)
    return RpcError(bad.code, bad.message, bad.data)


def _require_text(params: Mapping[str, Any]) -> None:
    """Raises ValueError for what JSON cannot say, and ProtocolError for what the SDK cannot send though JSON can."""
    try:
        _text(params)
    except UnicodeEncodeError:
        raise ProtocolError("cannot be sent half a character (a lone surrogate) over HTTP; nothing was sent") from None


def _text(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
