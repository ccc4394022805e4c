"""MCP's older transport over HTTP (2024-11-05), as a gateway speaks it: all that a server says comes on one stream."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx2

from mcp_assay.errors import ConnectionLost, ProtocolError, ServerError
from mcp_assay.host.carrier import ERRORS, EVENTS, OK, Carrier, Ears, kind_of
from mcp_assay.host.events import Event, as_frame
from mcp_assay.httpwatch import broken, refusal, unfit

__all__ = ["OverSse"]


class OverSse(Carrier):
    """``patience`` is how many seconds the server has to say where messages go."""

    def __init__(
        self, client: httpx2.AsyncClient, url: str, ears: Ears, group: asyncio.TaskGroup, patience: float
    ) -> None:
        super().__init__(client, url, ears, group)
        self._patience = patience
        self._endpoint: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def open(self) -> None:
        stream = self._group.create_task(self._live())
        await asyncio.wait((self._endpoint, stream), timeout=self._patience, return_when=asyncio.FIRST_COMPLETED)
        if not self._endpoint.done():
            self._ears.lost(f"the server did not say where messages go within {self._patience:g} s")
            stream.cancel()

    async def ask(self, message: Mapping[str, Any], body: bytes) -> None:  # noqa: ARG002 - the reply comes elsewhere
        response = await self.post(body, {}, await self._to())
        await response.aclose()
        if response.status_code >= ERRORS:
            raise refusal(response.request, response.status_code)

    async def tell(self, message: Mapping[str, Any], body: bytes) -> None:  # noqa: ARG002 - none has a reply
        if self._endpoint.done():
            await self.errand(self.post(body, {}, self._endpoint.result()))

    async def _to(self) -> str:
        if not self._endpoint.done():
            raise ConnectionLost("the server did not say where messages go")
        return self._endpoint.result()

    async def _live(self) -> None:
        """Hand on the stream. It is all there is: its end is the server's."""
        try:
            response = await self.get({})
            try:
                await self._read(response)
            finally:
                await response.aclose()
        except ServerError as bad:
            self._ears.lost(f"the server {bad}")
        except httpx2.RequestError as bad:
            self._ears.lost(broken(bad))
        else:
            self._ears.lost("the server ended its event stream")

    async def _read(self, response: httpx2.Response) -> None:
        if response.status_code >= ERRORS:
            raise refusal(response.request, response.status_code)
        if response.status_code != OK or kind_of(response) != EVENTS:
            raise ProtocolError(unfit(response.status_code, kind_of(response)))
        await self.listen(response, self._take)

    def _take(self, event: Event) -> bool:
        if event.kind == b"endpoint" and not self._endpoint.done():
            self._endpoint.set_result(self._resolved(event.data))
        elif event.kind == b"message" and event.data:
            self._ears.frame(as_frame(event.data))
        return False

    def _resolved(self, told: bytes) -> str:
        """Where messages go. Raises ProtocolError if that is on another origin: what is sent may hold secrets."""
        base = httpx2.URL(self._url)
        try:
            target = base.join(told.decode("ascii").strip())
        except (UnicodeDecodeError, httpx2.InvalidURL):
            raise ProtocolError("did not say where messages go") from None
        if (target.scheme, target.host, target.port) != (base.scheme, base.host, base.port):
            raise ProtocolError("wants messages sent to another origin, which is not done: they may hold secrets")
        return str(target)
