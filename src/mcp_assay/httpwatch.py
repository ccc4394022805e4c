"""Between the SDK's HTTP transports and the network: every exchange is bounded, and what went wrong with it is told.

The SDK ends a whole session when one connection breaks, waits for ever for what an event stream's POST was refused, and
reports both in texts that repeat the server's. So each response is judged here first: a good one passes as it is; a bad
one fails the exchange that it belongs to, in our words, and the SDK is given a stand-in that keeps its session going.
"""

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import ContextVar
from typing import Any

import httpx2

from mcp_assay.core.model import Transport
from mcp_assay.errors import ConnectionLost, ProtocolError, ServerError
from mcp_assay.frames import Kind, classify

__all__ = ["Exchange", "Watch", "broken", "current", "ends_session", "on_origin", "refusal", "unfit"]

_GRACE = 0.5  # whoever waits for an exchange gives up first, and says so better
_HOUSEKEEPING = 5.0  # for notifications, answers to what the server asks, and the end of the session
_MOST_STREAMS = 100  # a server that ends each event stream at once would otherwise be asked for ever
_MOST_REDIRECTS = 3
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _NOT_ALLOWED = 401, 403, 404, 405
_OK, _ACCEPTED, _ERRORS, _STAND_IN = 200, 202, 400, 502
_JSON, _EVENTS = "application/json", "text/event-stream"


class Exchange:
    """One request to the server, with what may become of it on the way. ``failed`` gives the error, if it comes to one.

    ``number`` is the request's id; an exchange without one is the event stream that a session over SSE lives on.
    ``deadline``, in the loop's time, is when nobody waits for it any more; None is never. At ``end`` it is dropped.
    """

    def __init__(self, number: int | None, deadline: float | None) -> None:
        self.number = number
        self.end = None if deadline is None else deadline + _GRACE
        self.failed: asyncio.Future[ServerError] = asyncio.get_running_loop().create_future()

    def fail(self, bad: ServerError) -> None:
        if not self.failed.done():
            self.failed.set_result(bad)

    def is_asked_by(self, request: httpx2.Request) -> bool:
        """Whether an HTTP request carries this exchange's own question, and not what was sent in its course."""
        if self.number is None or request.method != "POST":
            return self.number is None and request.method == "GET"
        message = json.loads(request.content)
        return "method" in message and message.get("id") == self.number


current: ContextVar[Exchange | None] = ContextVar("exchange", default=None)
"""The exchange that a task works for. The SDK sends each message in the context of the task that asked for it."""


class Watch(httpx2.AsyncBaseTransport):
    """Carries requests over ``inner`` for the SDK's client of type ``kind``; a reply has at most ``limit`` bytes."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, kind: Transport, limit: int) -> None:
        self._inner, self._kind, self._limit = inner, kind, limit
        self._streams = 0

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        exchange = current.get()
        if exchange is not None and exchange.is_asked_by(request):
            return await self._carry(request, exchange)
        if request.method == "GET":
            return await self._listen(request, exchange.end if exchange else None)
        return await self._attend(request)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def _carry(self, request: httpx2.Request, exchange: Exchange) -> httpx2.Response:
        """Send what an exchange asks."""
        try:
            async with asyncio.timeout_at(exchange.end):
                response = await self._send(request)
                try:
                    return await self._judged(request, response, exchange)
                except BaseException:
                    await response.aclose()
                    raise
        except TimeoutError:
            pass
        except ServerError as bad:
            exchange.fail(bad)
        except httpx2.RequestError as bad:
            exchange.fail(ConnectionLost(broken(bad)))
        return self._stand_in(request)

    async def _listen(self, request: httpx2.Request, end: float | None) -> httpx2.Response:
        """Open an event stream beside the exchanges, or again after it broke: for what the server says unasked."""
        self._streams += 1
        if self._streams > _MOST_STREAMS:
            return httpx2.Response(_NOT_ALLOWED)
        try:
            async with asyncio.timeout_at(end):
                response = await self._send(request)
        except (TimeoutError, ServerError, httpx2.RequestError):
            return self._stand_in(request)
        return _passed(response, _Until(response, end))

    async def _attend(self, request: httpx2.Request) -> httpx2.Response:
        """Send what needs no reply. Whether it arrived shows in the next exchange."""
        try:
            async with asyncio.timeout(_HOUSEKEEPING):
                response = await self._send(request)
                await response.aclose()
        except (TimeoutError, ServerError, httpx2.RequestError):
            return self._stand_in(request)
        fits = response.status_code < _ERRORS or self._kind is Transport.HTTP
        return httpx2.Response(response.status_code) if fits else self._stand_in(request)

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        return await on_origin(self._inner.handle_async_request, request)

    async def _judged(self, request: httpx2.Request, response: httpx2.Response, exchange: Exchange) -> httpx2.Response:
        """The response for the SDK if it can be one to this exchange. Raises ServerError if not."""
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        if response.status_code >= _ERRORS:
            return await self._error(request, response, kind)
        if self._kind is Transport.SSE and exchange.number is not None:  # the reply comes over the event stream
            await response.aclose()
            return httpx2.Response(_ACCEPTED)
        if response.status_code == _OK and kind == _EVENTS:
            return _passed(response, _Until(response, exchange.end))
        if response.status_code != _OK or kind != _JSON or self._kind is Transport.SSE:
            raise ProtocolError(unfit(response.status_code, kind))
        body = await self._read(response)
        frame = classify(body)
        if frame.kind is not Kind.RESPONSE or frame.message.get("id") != exchange.number:
            raise ProtocolError("answered with something that is no JSON-RPC reply to the request")
        return _passed(response, httpx2.ByteStream(body))

    async def _error(self, request: httpx2.Request, response: httpx2.Response, kind: str) -> httpx2.Response:
        """An HTTP error whose body is a JSON-RPC error is that error; any other is a refusal."""
        status = response.status_code
        is_rpc = self._kind is Transport.HTTP and kind == _JSON and not _speaks_for_itself(request, status)
        body = await self._read(response) if is_rpc else b""
        if "error" not in classify(body).message:
            raise refusal(request, status)
        return _passed(response, httpx2.ByteStream(body))

    async def _read(self, response: httpx2.Response) -> bytes:
        body = bytearray()
        async for chunk in _stream(response):
            body += chunk
            if len(body) > self._limit:
                raise ProtocolError(f"answered with a reply larger than {self._limit / (1 << 20):g} MiB")
        await response.aclose()
        return bytes(body)

    def _stand_in(self, request: httpx2.Request) -> httpx2.Response:
        """What keeps the SDK's session going: over SSE it takes a failed POST for the end of everything."""
        calm = self._kind is Transport.SSE and request.method == "POST"
        return httpx2.Response(_ACCEPTED if calm else _STAND_IN)


class _Until(httpx2.AsyncByteStream):
    """A response's body until ``end``. It just ends where the connection breaks: the SDK knows what to do then."""

    def __init__(self, response: httpx2.Response, end: float | None) -> None:
        self._response, self._end = response, end

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(_stream(self._response))
        while True:
            try:
                async with asyncio.timeout_at(self._end):
                    chunk = await anext(chunks)
            except (StopAsyncIteration, TimeoutError, httpx2.RequestError):
                return
            yield chunk

    async def aclose(self) -> None:
        await self._response.aclose()


def _stream(response: httpx2.Response) -> httpx2.AsyncByteStream:
    if not isinstance(response.stream, httpx2.AsyncByteStream):  # a transport for asyncio gives no other
        raise TypeError(response.stream)
    return response.stream


def _passed(response: httpx2.Response, body: httpx2.AsyncByteStream) -> httpx2.Response:
    return httpx2.Response(response.status_code, headers=response.headers, stream=body, extensions=response.extensions)


# --- redirects --------------------------------------------------------------------------------------------------------


async def on_origin(
    send: Callable[[httpx2.Request], Awaitable[httpx2.Response]], request: httpx2.Request
) -> httpx2.Response:
    """Send, and follow redirects as long as they stay on the origin: what is sent may hold secrets.

    Raises ProtocolError for a redirect elsewhere, and for what is compressed.
    """
    # What is compressed has no bound: sixteen mebibytes of it may be sixteen gibibytes.
    request.headers["accept-encoding"] = "identity"
    for _ in range(_MOST_REDIRECTS):
        response = await send(request)
        target = _target(request, response)
        if target is None:
            break
        await response.aclose()
        if _origin(target) != _origin(request.url):
            break
        request = _again(request, target)
    if 300 <= response.status_code < _ERRORS:  # noqa: PLR2004 - the class of redirects
        await response.aclose()
        raise ProtocolError(_redirected(response.status_code))
    if response.headers.get("content-encoding", "identity") != "identity":
        await response.aclose()
        raise ProtocolError("answered in a compressed form that was not asked for")
    return response


def _target(request: httpx2.Request, response: httpx2.Response) -> httpx2.URL | None:
    """Where a redirect leads that keeps the request's method; None for any other response."""
    keeps = response.status_code in (307, 308) or (request.method == "GET" and response.status_code in (301, 302, 303))
    location = response.headers.get("location")
    if not keeps or location is None:
        return None
    try:
        return request.url.join(location)
    except httpx2.InvalidURL:
        return None


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _again(request: httpx2.Request, target: httpx2.URL) -> httpx2.Request:
    content = request.content if request.method == "POST" else None
    return httpx2.Request(
        request.method, target, headers=request.headers, content=content, extensions=request.extensions
    )


# --- words ------------------------------------------------------------------------------------------------------------


def ends_session(request: httpx2.Request, status: int) -> bool:
    """Whether the status says that the session, whose id was sent, is over."""
    # "The server MAY terminate the session at any time, after which it MUST respond to requests containing that session
    # ID with HTTP 404 Not Found."
    return status == _NOT_FOUND and "mcp-session-id" in request.headers


def _speaks_for_itself(request: httpx2.Request, status: int) -> bool:
    """Whether an HTTP status says more than a JSON-RPC error in its body would."""
    return status in (_UNAUTHORIZED, _FORBIDDEN) or ends_session(request, status)


def refusal(request: httpx2.Request, status: int) -> ServerError:
    """What an HTTP error means."""
    if status in (_UNAUTHORIZED, _FORBIDDEN):
        return ProtocolError(_unauthorized(status, was_tried="authorization" in request.headers))
    if ends_session(request, status):
        return ConnectionLost(f"the server ended the session (HTTP {status})")
    if status in (_NOT_FOUND, _NOT_ALLOWED):
        return ProtocolError(
            f"has no endpoint of this type at its address (HTTP {status}); check the url, and whether the type is http "
            "or sse"
        )
    return ProtocolError(f"failed the request (HTTP {status})")


def _unauthorized(status: int, *, was_tried: bool) -> str:
    if was_tried:
        return (
            f"does not accept the authorization that was sent (HTTP {status}); check the token in its headers; OAuth "
            "sign-in is not done here"
        )
    return (
        f"asks for authorization (HTTP {status}); OAuth sign-in is not done here; give a token in headers through "
        "${VAR}"
    )


def _redirected(status: int) -> str:
    return (
        f"redirects elsewhere (HTTP {status}), which is not followed, since what is sent may hold secrets; put the "
        "final address into its entry"
    )


def unfit(status: int, kind: str) -> str:
    """What is wrong with a response that carries no reply; ``kind`` is its type of content."""
    if status == _ACCEPTED:
        return f"took the request and said that no reply will come (HTTP {status})"
    if status != _OK:
        return f"answered with nothing (HTTP {status})"
    if kind == "text/html":
        return "answered with a web page: there is no MCP endpoint at its address"
    return "answered with a type of content that MCP does not have there"


def broken(bad: httpx2.RequestError) -> str:
    """What is wrong with a connection."""
    if isinstance(bad, httpx2.ProxyError):
        return "the proxy does not let the request through"
    for cause in _causes(bad):
        if isinstance(cause, ssl.SSLError):
            return "the server cannot be reached: its TLS certificate or its TLS is not acceptable"
        if isinstance(cause, socket.gaierror):
            return "the server cannot be reached: its host name cannot be resolved"
        if isinstance(cause, ConnectionRefusedError):
            return "the server cannot be reached: the connection is refused"
    if isinstance(bad, httpx2.ConnectError | httpx2.ConnectTimeout):
        return "the server cannot be reached"
    return "the connection to the server broke"


def _causes(bad: BaseException | None) -> Iterator[Any]:
    """An exception and what led to it, the members of groups too."""
    while bad is not None:
        yield bad
        if isinstance(bad, BaseExceptionGroup):
            for member in bad.exceptions:
                yield from _causes(member)
        bad = bad.__cause__ or bad.__context__
