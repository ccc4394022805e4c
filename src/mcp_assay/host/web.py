"""A gateway's server over HTTP or SSE: a thread of its own, in which asyncio and an HTTP client live, and nothing else.

The relay's loop has neither, and a gateway whose server is a process loads neither.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

import httpx2

from mcp_assay import __version__
from mcp_assay.errors import StartError
from mcp_assay.host.base import Received
from mcp_assay.host.carrier import Carrier, Ears
from mcp_assay.host.loop import Loop
from mcp_assay.host.oversse import OverSse
from mcp_assay.host.streamable import Streamable

__all__ = ["Web"]

_GOODBYE, _LAST = 1.0, 1.5  # seconds for a server to be told that its session ends, and for the thread to end
_PATIENCE = 30.0
_FAULT = "its connection was ended by a fault of ours"

for _name in ("asyncio", "httpx2", "httpcore2"):  # what they log holds addresses and texts of servers
    logging.getLogger(_name).addHandler(logging.NullHandler())
    logging.getLogger(_name).propagate = False


class Web:
    """The server that ``launch`` says how to reach; see ``FarEnd``. Its address and headers are shown nowhere."""

    def __init__(self, loop: Loop, launch: Mapping[str, Any]) -> None:
        """Raises StartError."""
        self._launch, self._client = launch, _client(launch)
        self._call = loop.caller()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._frames = asyncio.Queue[bytes]()
        self._ending, self._flow = asyncio.Event(), asyncio.Event()
        self._flow.set()
        self._over = False
        self.input = _Input(self._put)

    def begin(self, receive: Callable[[Received], None], lost: Callable[[str], None]) -> None:
        def heard(what: Received) -> None:
            self._call(lambda: None if self._over else receive(what))

        def gone(why: str) -> None:
            self._call(lambda: None if self._over else lost(why))

        self._ears = Ears(heard, heard, gone, self._flow)
        self._aside = asyncio.new_event_loop()
        self._thread.start()

    def hold(self, held: bool) -> None:  # noqa: FBT001 - an Outlet tells it so
        self._do(self._flow.clear if held else self._flow.set)

    def look(self) -> None:
        """It is no child of ours."""

    def end(self) -> None:
        self._over = True
        if self._thread.is_alive():
            self._do(self._ending.set)
            self._thread.join(_LAST)

    def _put(self, frame: bytes) -> None:
        self._do(lambda: self._frames.put_nowait(frame))

    def _do(self, what: Callable[[], object]) -> None:
        """Do something in the thread, unless it has ended."""
        if self._thread.is_alive():
            with suppress(RuntimeError):  # it is just ending
                self._aside.call_soon_threadsafe(what)

    # --- in the thread ------------------------------------------------------------------------------------------------

    def _run(self) -> None:
        life = self._aside.create_task(self._live())
        self._aside.run_until_complete(asyncio.wait((life,)))
        if life.exception() is not None:  # a fault of ours, whose texts may hold anything
            self._ears.lost(_FAULT)
        self._aside.run_until_complete(self._aside.shutdown_asyncgens())
        self._aside.close()

    async def _live(self) -> None:
        try:
            async with self._client, asyncio.TaskGroup() as group:
                carrier = self._carrier(group)
                group.create_task(self._pump(carrier))
                await self._ending.wait()
                with suppress(TimeoutError):
                    async with asyncio.timeout(_GOODBYE):
                        await carrier.goodbye()
                raise _EndedError  # noqa: TRY301 - what ends a group
        except* _EndedError:
            pass

    def _carrier(self, group: asyncio.TaskGroup) -> Carrier:
        url, patience = self._launch["url"], self._launch.get("start_timeout", _PATIENCE)
        if self._launch["transport"] == "sse":
            return OverSse(self._client, url, self._ears, group, patience)
        return Streamable(self._client, url, self._ears, group)

    async def _pump(self, carrier: Carrier) -> None:
        """Send what is to be sent, in order."""
        await carrier.open()
        while True:
            frame = await self._frames.get()
            task = await carrier.carry(frame)
            if task is None:
                self.input.taken(len(frame))
            else:
                task.add_done_callback(partial(self._taken, len(frame)))

    def _taken(self, size: int, _: object) -> None:
        self.input.taken(size)


class _EndedError(Exception):
    """Ends all that goes on."""


class _Input:
    """Frames for the thread. ``backlog`` counts those that the server has not answered."""

    def __init__(self, put: Callable[[bytes], None]) -> None:
        self._put, self._lock = put, threading.Lock()
        self.backlog = 0

    def send(self, frame: bytes) -> None:
        with self._lock:
            self.backlog += len(frame)
        self._put(frame)

    def after(self, then: Callable[[], None]) -> None:
        then()

    def taken(self, size: int) -> None:
        with self._lock:
            self.backlog -= size


def _client(launch: Mapping[str, Any]) -> httpx2.AsyncClient:
    """What sends all requests. Nothing is taken from the environment: no proxy but the owner's, and no certificates."""
    try:
        httpx2.URL(launch["url"])
        limits = httpx2.Limits(max_connections=None, max_keepalive_connections=10)
        inner = httpx2.AsyncHTTPTransport(trust_env=False, proxy=launch.get("proxy"), limits=limits)
        patience = httpx2.Timeout(None, connect=launch.get("start_timeout", _PATIENCE))
        headers = {"user-agent": f"mcp-assay/{__version__}", **launch.get("headers", {})}
        return httpx2.AsyncClient(transport=inner, headers=headers, timeout=patience, trust_env=False)
    except (httpx2.InvalidURL, ValueError, TypeError, KeyError):
        raise StartError("the server cannot be contacted: its address cannot be used") from None
