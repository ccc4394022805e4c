"""What MCP's two transports over HTTP share: frames out as POSTs, what comes back as frames, and what goes wrong told.

Runs in a loop of asyncio's. Nothing is decided here about what may be sent: that is the relay's.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx2

from mcp_assay.errors import ConnectionLost, ProtocolError, ServerError
from mcp_assay.frames import MAX_FRAME, classify, is_id
from mcp_assay.host.base import Unanswered
from mcp_assay.host.events import Event, Events, TooLarge
from mcp_assay.host.traffic import CANCELLED
from mcp_assay.httpwatch import broken, ends_session, on_origin

__all__ = ["ACCEPTED", "ERRORS", "EVENTS", "JSON", "OK", "Carrier", "Ears", "kind_of"]

OK, ACCEPTED, ERRORS = 200, 202, 400
JSON, EVENTS = "application/json", "text/event-stream"
HOUSEKEEPING = 5.0
"""Seconds for what needs no reply."""


@dataclass(frozen=True, slots=True)
class Ears:
    """Who listens. ``flow`` is set while somebody reads what is said."""

    frame: Callable[[bytes], None]
    unanswered: Callable[[Unanswered], None]
    lost: Callable[[str], None]
    flow: asyncio.Event


class Carrier(ABC):
    """``client`` sends what every request has with it; ``group`` runs the exchanges."""

    def __init__(self, client: httpx2.AsyncClient, url: str, ears: Ears, group: asyncio.TaskGroup) -> None:
        self._client, self._url, self._ears, self._group = client, url, ears, group
        self._asked: dict[str | int, tuple[asyncio.Task[None], bool]] = {}

    async def open(self) -> None:  # noqa: B027 - most have nothing to do
        """Do what comes before the first frame."""

    async def carry(self, frame: bytes) -> asyncio.Task[None] | None:
        """Send a frame. Returns when the next one may be sent: what asks for nothing has arrived by then.

        For a request that is at once, with what waits for its reply.
        """
        message, body = classify(frame).message, frame.rstrip(b"\r\n")
        number = message.get("id")
        if "method" in message and is_id(number):
            task = self._group.create_task(self._settled(number, message, body))
            self._asked[number] = task, self.is_stateless(message)
            task.add_done_callback(partial(self._done, number))
            return task
        if message.get("method") == CANCELLED:
            await self._cancel(message, body)
        else:
            await self.tell(message, body)
        return None

    async def goodbye(self) -> None:  # noqa: B027 - most have nothing to do
        """Tell the server that its session ends, if it has one."""

    @abstractmethod
    async def ask(self, message: Mapping[str, Any], body: bytes) -> None:
        """Send a request and hand on its reply. Raises ServerError or RequestError if there is none."""

    @abstractmethod
    async def tell(self, message: Mapping[str, Any], body: bytes) -> None:
        """Send what gets no reply. Whether it arrived shows in the next exchange."""

    def is_stateless(self, message: Mapping[str, Any]) -> bool:  # noqa: ARG002 - others know
        """Whether to close a request's connection is to cancel it."""
        return False

    # --- for those that carry -----------------------------------------------------------------------------------------

    async def post(self, body: bytes, headers: Mapping[str, str], url: str | None = None) -> httpx2.Response:
        return await self._send("POST", url or self._url, {"content-type": JSON, **headers}, body)

    async def get(self, headers: Mapping[str, str]) -> httpx2.Response:
        return await self._send("GET", self._url, {"accept": EVENTS, **headers}, None)

    async def errand(self, sent: Awaitable[httpx2.Response]) -> None:
        """Send what needs no answer, and see to it that its connection is given back."""
        try:
            async with asyncio.timeout(HOUSEKEEPING):
                response = await sent
                await response.aclose()
        except (TimeoutError, ServerError, httpx2.RequestError):
            return
        if ends_session(response.request, response.status_code):
            self._ears.lost(f"the server ended the session (HTTP {response.status_code})")

    async def listen(self, response: httpx2.Response, take: Callable[[Event], bool]) -> bool:
        """Hand on the events of a response until one is the last that is wanted. Returns whether it came."""
        events = Events()
        try:
            async for chunk in response.aiter_raw():
                await self._ears.flow.wait()
                taken = [take(event) for event in events.feed(chunk)]
                if any(taken):
                    return True
        except TooLarge:
            raise ProtocolError(f"answered with an event larger than {MAX_FRAME >> 20} MiB") from None
        return False

    async def body(self, response: httpx2.Response) -> bytes:
        """All of a response. Raises ProtocolError if that is too much."""
        held = bytearray()
        async for chunk in response.aiter_raw():
            await self._ears.flow.wait()
            held += chunk
            if len(held) > MAX_FRAME:
                raise ProtocolError(f"answered with a reply larger than {MAX_FRAME >> 20} MiB")
        return bytes(held)

    async def _send(self, method: str, url: str, headers: Mapping[str, str], content: bytes | None) -> httpx2.Response:
        request = self._client.build_request(method, url, headers=dict(headers), content=content)
        return await on_origin(partial(self._client.send, stream=True), request)

    # --- exchanges ----------------------------------------------------------------------------------------------------

    async def _settled(self, number: str | int, message: Mapping[str, Any], body: bytes) -> None:
        try:
            await self.ask(message, body)
        except ConnectionLost as bad:
            self._ears.unanswered(Unanswered(number, "lost", str(bad)))
        except ServerError as bad:
            self._ears.unanswered(Unanswered(number, "error", f"the server {bad}"))
        except httpx2.RequestError as bad:
            self._ears.unanswered(Unanswered(number, "lost", broken(bad)))

    async def _cancel(self, message: Mapping[str, Any], body: bytes) -> None:
        """Nobody waits any more. Up to 2025-11-25 that must be said; since then the closed connection says it."""
        params = message.get("params")
        number = params.get("requestId") if isinstance(params, dict) else None
        task, is_stateless = self._asked.get(number, (None, False)) if is_id(number) else (None, False)
        if not is_stateless:
            await self.tell(message, body)
        if task is not None:
            task.cancel()

    def _done(self, number: str | int, task: asyncio.Task[None]) -> None:
        if self._asked.get(number, (None, False))[0] is task:
            del self._asked[number]


def kind_of(response: httpx2.Response) -> str:
    """A response's type of content."""
    return str(response.headers.get("content-type", "")).partition(";")[0].strip().lower()
