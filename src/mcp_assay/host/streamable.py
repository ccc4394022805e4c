"""MCP's streamable HTTP, as a gateway speaks it to a server, in both eras.

Since 2025-03-26: a session that ``initialize`` begins, and an event stream for what the server says unasked. Since
2026-07-28 each request stands for itself, and its headers say what its body says.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import Any

import httpx2

from mcp_assay.errors import ConnectionLost, ProtocolError
from mcp_assay.frames import Kind, classify
from mcp_assay.host.carrier import ERRORS, EVENTS, JSON, OK, Carrier, Ears, kind_of
from mcp_assay.host.events import Event, as_frame
from mcp_assay.host.mirrored import Parameters, mirrored
from mcp_assay.host.traffic import LIST
from mcp_assay.httpwatch import ends_session, refusal, unfit

__all__ = ["Streamable"]

_UNAUTHORIZED = (401, 403)
_MOST_STREAMS = 100  # a server that ends each event stream at once would otherwise be asked for ever
_SOON, _LATE, _USUAL = 0.01, 30.0, 1.0  # seconds until an event stream is asked for again
_VISIBLE = re.compile(r"[\x21-\x7e]+")
_ACCEPT = {"accept": f"{JSON}, {EVENTS}"}


class _Place:
    """Where an event stream has come to."""

    def __init__(self) -> None:
        self.last: bytes | None = None
        self.delay = _USUAL

    def note(self, event: Event) -> None:
        self.last = event.last or self.last
        if event.retry is not None:
            self.delay = min(max(event.retry / 1000, _SOON), _LATE)

    @property
    def header(self) -> dict[str, str]:
        return {} if self.last is None else {"last-event-id": self.last.decode("latin-1")}


class Streamable(Carrier):
    """One server's end of it."""

    def __init__(self, client: httpx2.AsyncClient, url: str, ears: Ears, group: asyncio.TaskGroup) -> None:
        super().__init__(client, url, ears, group)
        self._session: str | None = None
        self._version: str | None = None
        self._parameters = Parameters()
        self._stream: asyncio.Task[None] | None = None

    def is_stateless(self, message: Mapping[str, Any]) -> bool:
        return mirrored(message, self._parameters) is not None

    async def ask(self, message: Mapping[str, Any], body: bytes) -> None:
        headers = mirrored(message, self._parameters)
        if headers is None and message["method"] == "initialize":
            self._begin_anew()
        response = await self.post(body, self._headers(headers))
        try:
            await self._answered(response, message, is_stateless=headers is not None)
        finally:
            await response.aclose()

    async def tell(self, message: Mapping[str, Any], body: bytes) -> None:
        headers = mirrored(message, self._parameters) if "method" in message else None
        await self.errand(self.post(body, self._headers(headers)))
        if message.get("method") == "notifications/initialized" and headers is None and self._stream is None:
            self._stream = self._group.create_task(self._attend())

    async def goodbye(self) -> None:
        if self._session is not None:
            await self.errand(self._send("DELETE", self._url, self._headers(None), None))

    def _headers(self, stateless: Mapping[str, str] | None) -> dict[str, str]:
        if stateless is not None:
            return {**_ACCEPT, **stateless}
        headers = dict(_ACCEPT)
        if self._session is not None:
            headers["mcp-session-id"] = self._session
        if self._version is not None:
            headers["mcp-protocol-version"] = self._version
        return headers

    def _begin_anew(self) -> None:
        self._session = self._version = None
        if self._stream is not None:
            self._stream.cancel()
            self._stream = None

    # --- what comes back ----------------------------------------------------------------------------------------------

    async def _answered(self, response: httpx2.Response, asked: Mapping[str, Any], *, is_stateless: bool) -> None:
        """Hand on the reply to a request. Raises ServerError or RequestError if there is none."""
        status, kind = response.status_code, kind_of(response)
        if asked["method"] == "initialize" and status == OK:
            self._session = _session_of(response)
        if status >= ERRORS:
            await self._failed(response, asked, kind)
        elif status == OK and kind == EVENTS:
            await self._follow(response, asked, is_stateless=is_stateless)
        elif status == OK and kind == JSON:
            if not self._take_reply(as_frame(await self.body(response)), asked):
                raise ProtocolError("answered with something that is no JSON-RPC reply to the request")
        else:
            raise ProtocolError(unfit(status, kind))

    async def _failed(self, response: httpx2.Response, asked: Mapping[str, Any], kind: str) -> None:
        """An HTTP error whose body is a JSON-RPC error is that error; any other is a refusal."""
        status = response.status_code
        if ends_session(response.request, status):
            bad = refusal(response.request, status)
            self._ears.lost(str(bad))
            raise bad
        if kind == JSON and status not in _UNAUTHORIZED:
            line = as_frame(await self.body(response))
            error = classify(line).message.get("error")
            if error is not None and self._take_reply(line, asked):
                return
            code = error.get("code") if isinstance(error, dict) else None
            if type(code) is int:
                raise ProtocolError(f"failed the request (HTTP {status}, JSON-RPC error {code})")
        raise refusal(response.request, status)

    async def _follow(self, response: httpx2.Response, asked: Mapping[str, Any], *, is_stateless: bool) -> None:
        """Hand on the events of a reply's stream. One that breaks is gone on with, where the server lets us."""
        place = _Place()

        def take(event: Event) -> bool:
            place.note(event)
            if not event.data or event.kind != b"message":
                return False
            line = as_frame(event.data)
            is_reply = self._take_reply(line, asked)
            if not is_reply:
                self._ears.frame(line)
            return is_reply

        for _ in range(_MOST_STREAMS):
            try:
                if await self.listen(response, take):
                    return
            except httpx2.RequestError:
                if place.last is None or is_stateless:
                    raise
            finally:
                await response.aclose()
            if place.last is None or is_stateless:
                break
            await asyncio.sleep(place.delay)
            response = await self.get({**self._headers(None), "accept": EVENTS, **place.header})
            if response.status_code != OK or kind_of(response) != EVENTS:
                await response.aclose()
                break
        raise ConnectionLost("the server ended its event stream without a reply")

    def _take_reply(self, line: bytes, asked: Mapping[str, Any]) -> bool:
        """Hand on the reply to a request. Returns whether it is that."""
        frame = classify(line)
        if frame.kind is not Kind.RESPONSE or frame.message.get("id") != asked["id"]:
            return False
        self._learn(asked["method"], frame.message.get("result"))
        self._ears.frame(line)
        return True

    def _learn(self, method: str, result: Any) -> None:
        if method == LIST:
            self._parameters.listed(result)
        elif method == "initialize" and isinstance(result, dict):
            version = result.get("protocolVersion")
            self._version = version if isinstance(version, str) and _VISIBLE.fullmatch(version) else None

    # --- what the server says unasked ---------------------------------------------------------------------------------

    async def _attend(self) -> None:
        """Hand on the event stream of a session, if the server has one, and ask for it again when it ends."""
        place = _Place()

        def take(event: Event) -> bool:
            place.note(event)
            if event.data and event.kind == b"message":
                self._ears.frame(as_frame(event.data))
            return False

        for _ in range(_MOST_STREAMS):
            try:
                response = await self.get({**self._headers(None), "accept": EVENTS, **place.header})
                try:
                    if ends_session(response.request, response.status_code):
                        self._ears.lost(str(refusal(response.request, response.status_code)))
                    if response.status_code != OK or kind_of(response) != EVENTS:
                        return  # "or else return HTTP 405 Method Not Allowed"
                    await self.listen(response, take)
                finally:
                    await response.aclose()
            except ProtocolError:
                return
            except httpx2.RequestError:
                pass
            await asyncio.sleep(place.delay)


def _session_of(response: httpx2.Response) -> str | None:
    session = response.headers.get("mcp-session-id")
    if session is not None and not _VISIBLE.fullmatch(session):
        # "The session ID MUST only contain visible ASCII characters (ranging from 0x21 to 0x7E)."
        raise ProtocolError("gave a session id that MCP does not allow")
    return session
