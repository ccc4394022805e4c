"""One connection to the owner's socket: who it is, what it says and is answered, and how its session is carried."""

import asyncio
import os
import socket
from collections import deque
from collections.abc import Awaitable, Coroutine, Mapping
from typing import Any, Protocol, cast

from mcp_assay.errors import StartError
from mcp_assay.frames import Oversized, Splitter
from mcp_assay.gate import Permit
from mcp_assay.host import wire
from mcp_assay.host.address import is_ours
from mcp_assay.host.lent import Lent, received
from mcp_assay.host.wire import Garbled, Hello, Open, Request, Role

__all__ = ["Client", "Talk"]

_READ = bytearray(64 * 1024)
"""One for all: what is read is taken out of it before anybody else reads."""
_MANY = 100  # messages behind one that is yet to be answered


class Client:
    """One connection: who it is, and the permits that end with it."""

    def __init__(self, hello: Hello) -> None:
        self.hello = hello
        self.permits: dict[str, Permit] = {}

    @property
    def named(self) -> str:
        return f"{self.hello.role} of {self.hello.server}" if self.hello.server else str(self.hello.role)

    def may_open(self, request: Open) -> bool:
        """A gateway opens calls of its own server, a hook any, and the agent's own tools none."""
        if self.hello.role is Role.GATEWAY:
            return request.call.mcp == self.hello.server
        return self.hello.role is Role.HOOK


class Answers(Protocol):
    """The owner's socket, as its connections know it."""

    talks: "set[Talk]"
    carried: set[Lent]

    async def greet(self, number: int | None, hello: Request) -> tuple[Client | None, Mapping[str, Any]]: ...

    def answer(self, client: Client, request: Request) -> Mapping[str, Any] | Awaitable[Mapping[str, Any]] | None: ...

    def leave(self, client: Client) -> None: ...

    def blame(self, fault: BaseException) -> None: ...


class Talk(asyncio.BufferedProtocol):
    """One connection: bytes in, messages to the owner's socket, answers out, in order.

    A protocol and no stream: nothing is woken between a message and its answer, which a call waits for. And with a
    buffer that is there already, since to get memory for each read takes longer than to read.
    """

    def __init__(self, owner: Answers) -> None:
        self._owner = owner
        self._lines = Splitter(wire.MOST_BYTES - 1)
        self._held: deque[bytes | Oversized] = deque()
        self._client: Client | None = None
        self._last = 0
        self._slow: asyncio.Task[None] | None = None  # an answer that is yet to come
        self._lent: Lent | None = None
        self._is_full = self._is_over = self._is_ending = False
        self._transport: asyncio.Transport

    @property
    def server(self) -> str | None:
        """The server of the gateway that is at the other end."""
        return self._client.hello.server if self._client else None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._owner.talks.add(self)
        if not is_ours(transport.get_extra_info("socket")):
            self.close()

    def get_buffer(self, sizehint: int) -> bytearray:  # noqa: ARG002 - the library's signature
        return _READ

    def buffer_updated(self, nbytes: int) -> None:
        self._held += self._lines.feed(bytes(_READ[:nbytes]))
        self._go_on()

    def eof_received(self) -> bool:
        """It says no more: what it has said already is still answered, if it asked for anything behind that."""
        self._is_ending = bool(self._held)
        return self._is_ending

    def pause_writing(self) -> None:
        self._is_full = True

    def resume_writing(self) -> None:
        self._is_full = False
        self._go_on()

    def connection_lost(self, fault: Exception | None) -> None:  # noqa: ARG002 - the library's signature
        self.close()

    def close(self) -> None:
        """End the connection, and lose the calls that are open on it."""
        if self._is_over:
            return
        self._is_over = True
        self._owner.talks.discard(self)
        if self._slow is not None:
            self._slow.cancel()
        try:
            if self._lent is not None:
                self._lent.end()
            if self._client is not None:
                self._owner.leave(self._client)
        except Exception as fault:  # noqa: BLE001 - as in _go_on
            self._owner.blame(fault)
        self._transport.close()

    def _go_on(self) -> None:
        """Answer what can be answered now: nothing while an answer is yet to come, or while nobody reads them."""
        try:
            while self._held and self._slow is None and not self._is_full and not self._is_over:
                self._take(self._held.popleft())
        except Exception as fault:  # noqa: BLE001 - a fault of ours ends one connection, never the evaluation
            self.close()
            self._owner.blame(fault)
        if self._is_over:
            return
        if self._is_ending and not self._held and self._slow is None:
            self.close()
        elif len(self._held) > _MANY:
            self._transport.pause_reading()
        else:
            self._transport.resume_reading()

    def _take(self, line: bytes | Oversized) -> None:
        if isinstance(line, Oversized) or self._lent is not None:
            raise Garbled("too long, or from one that has nothing to say")
        number, request = wire.parse(wire.decode(line))
        if number is not None and number <= self._last:
            raise Garbled("numbers count up")
        self._last = self._last if number is None else number
        if self._client is None:
            self._later(self._greet(number, request))
            return
        answer = self._owner.answer(self._client, request)
        if isinstance(answer, Awaitable):
            self._later(self._wait(number, answer))
        elif answer is not None:
            self._say(number, answer)

    def _later(self, answering: Coroutine[Any, Any, None]) -> None:
        self._slow = asyncio.get_running_loop().create_task(answering)
        self._slow.add_done_callback(self._done)

    def _done(self, slow: asyncio.Task[None]) -> None:
        self._slow = None
        if slow.cancelled():
            return
        fault = slow.exception()
        if fault is not None:
            self.close()
            self._owner.blame(fault)
        self._go_on()

    async def _greet(self, number: int | None, hello: Request) -> None:
        self._client, answer = await self._owner.greet(number, hello)
        launch = answer.get("launch")
        carries = isinstance(hello, Hello) and hello.carry and launch is not None and launch["transport"] == "stdio"
        if carries:
            await self._carry(number, self._client, answer, launch)
        else:
            self._say(number, answer)
        if self._client is None:
            self.close()

    async def _carry(self, number: int | None, client: Client | None, answer: Mapping[str, Any], launch: Any) -> None:
        """Do ourselves what the gateway would do. If that cannot be, its connection ends and it does it."""
        if client is None or client.hello.server is None:
            return
        self._transport.pause_reading()
        self._say(number, {**answer, "launch": None, "carry": True})
        with socket.socket(fileno=os.dup(self._transport.get_extra_info("socket").fileno())) as line:
            fds = await received(line)
        owner = self._owner

        def asked(message: Mapping[str, Any]) -> Mapping[str, Any] | None:
            answered = owner.answer(client, wire.parse({"n": 0, **message})[1])
            return None if isinstance(answered, Awaitable) else answered

        def over(fault: Exception | None) -> None:
            owner.carried.discard(lent)
            if fault is not None:
                owner.blame(fault)
            elif not self._is_over:
                self._transport.write(wire.encode({"over": True}))
            self.close()

        try:
            lent = Lent(client.hello.server, launch, fds, asked, self._begun, over)
        except (StartError, OSError):
            for fd in fds:
                os.close(fd)
            self.close()
            return
        self._lent = lent
        owner.carried.add(lent)

    def _begun(self, session: Mapping[str, Any]) -> None:
        self._transport.write(wire.encode({"begun": session}))

    async def _wait(self, number: int | None, answer: Awaitable[Mapping[str, Any]]) -> None:
        self._say(number, await answer)

    def _say(self, number: int | None, answer: Mapping[str, Any]) -> None:
        self._transport.write(wire.encode({"n": number, **answer}))
