"""A session that the owner carries: its gateway has lent it its pipes, so a call wakes one process and not two.

It is the relay of any gateway, over the owner's own loop; to open a call is to call a function. The gateway waits, and
goes on alone when the owner is dead (see ``ledger``).

One server must not hold up the others, nor the time: what it or its agent says is read in small pieces, and after a
piece that took long neither is read for a while.
"""

import asyncio
import os
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from mcp_assay.errors import StartError
from mcp_assay.frames import Splitter
from mcp_assay.host import wire
from mcp_assay.host.client import ENDED, sayable
from mcp_assay.host.ledger import Ledger
from mcp_assay.host.lending import LENT
from mcp_assay.host.loop import Outlet
from mcp_assay.host.relay import Relay
from mcp_assay.host.served import Served

__all__ = ["Lent", "received"]

_PIECE = 16 * 1024
_FEW = 4 * 1024
"""Bytes of the server's and of the agent's that are read in one go: at most some tens of milliseconds of work."""
_MOMENT = 0.001
"""Seconds after a reply until its line is completed: whoever got the reply goes on first."""
_DRAIN = 1.0
"""Seconds for calls to be answered after the host has closed its end."""
_LONG = 0.01
_REST = 4
"""A piece that takes so many seconds of work is followed by so many times as long without any."""
_LOOK = 0.5
_PATIENCE = 10.0


async def received(line: socket.socket) -> list[int]:
    """What a gateway has lent: stdin, stdout, stderr, ledger. Nobody else reads the line.

    Raises Garbled if that is not what comes, TimeoutError if nothing does.
    """
    loop = asyncio.get_running_loop()
    came = asyncio.Event()
    loop.add_reader(line.fileno(), came.set)
    try:
        await asyncio.wait_for(came.wait(), _PATIENCE)
    finally:
        loop.remove_reader(line.fileno())
    _, fds, _, _ = socket.recv_fds(line, 1, LENT, socket.MSG_DONTWAIT | socket.MSG_CMSG_CLOEXEC)
    if len(fds) != LENT:
        for fd in fds:
            os.close(fd)
        raise wire.Garbled("not what a gateway lends")
    return fds


class Lent:
    """``answer`` is asked what a gateway asks of the owner, and ``begun`` told how the session began.

    ``over`` is told once, when the server has ended after anything else than ``end``: what fault of ours ended it.
    """

    def __init__(  # noqa: PLR0917 - what a gateway knows, and what it is told
        self,
        name: str,
        launch: Mapping[str, Any],
        fds: list[int],
        answer: Callable[[Mapping[str, Any]], Mapping[str, Any] | None],
        begun: Callable[[Mapping[str, Any]], None],
        over: Callable[[Exception | None], None],
    ) -> None:
        """``fds`` are closed at the end. Raises StartError, or OSError for pipes that cannot be waited for."""
        self._fds, (self._stdin, stdout, stderr, ledger) = fds, fds
        self._begun, self._over = begun, over
        self._loop = asyncio.get_running_loop()
        self._fault: Exception | None = None
        self.ended = asyncio.Event()
        self._is_over = self._is_ending = self._is_resting = self._is_looking = False
        self._noted: tuple[list[str | int], bool] = ([], False)
        self._session: Mapping[str, Any] | None = None
        self._lines, self._ledger, self._owner = Splitter(), Ledger(ledger), _Direct(answer, self.later)
        os.set_blocking(self._stdin, False)
        self.readable(self._stdin, self._read)
        try:
            self._far = Served(self, launch, stderr, _PIECE)
        except StartError:
            self.forget(self._stdin)
            raise
        self._agent = _Noted(self, stdout, self.end, self._hold, self._note_waiting)
        self._relay = Relay(name, self._agent, self._far.input, self._owner, self.later, time.monotonic)
        self._far.begin(self._relay.from_server, self._relay.server_lost)
        self.later(_LOOK, self._look)

    # --- a loop, for its ends -----------------------------------------------------------------------------------------

    def readable(self, fd: int, then: Callable[[], None]) -> None:
        self._loop.add_reader(fd, self._turn, then)

    def writable(self, fd: int, then: Callable[[], None]) -> None:
        self._loop.add_writer(fd, self._turn, then)

    def forget(self, fd: int) -> None:
        self._loop.remove_reader(fd)
        self._loop.remove_writer(fd)

    def later(self, seconds: float, then: Callable[[], None]) -> asyncio.TimerHandle:
        return self._loop.call_later(seconds, self._turn, then)

    def _turn(self, then: Callable[[], None]) -> None:
        """Everything that happens here. A fault of ours ends this session, never the evaluation."""
        if self._is_over:
            return
        began = time.thread_time()
        try:
            then()
            self._note()
        except Exception as fault:  # noqa: BLE001 - as in the docstring
            self._fault = fault
            self.end()
            return
        took = time.thread_time() - began
        if took > _LONG and not self._is_resting and not self._is_over:
            self._is_resting = True
            self._hold()
            self._loop.call_later(_REST * took, self._turn, self._rested)

    def _note(self) -> None:
        if self._is_over:
            return
        self._note_waiting()
        if self._is_looking:
            self._ledger.done()
            self._is_looking = False
        session = self._relay.server.params
        if session is not None and session is not self._session:
            self._session = session
            self._begun(session)

    def _note_waiting(self) -> None:
        now = (self._relay.waiting, self._agent.backlog > 0)
        if now != self._noted:
            self._ledger.note(now[0], torn=now[1])
            self._noted = now

    def _hold(self) -> None:
        self._far.hold(self._is_resting or self._agent.backlog > 0)
        self._loop.remove_reader(self._stdin)
        if not self._is_resting and not self._is_ending:
            self.readable(self._stdin, self._read)

    def _rested(self) -> None:
        self._is_resting = False
        self._hold()

    def _look(self) -> None:
        self._far.look()
        self.later(_LOOK, self._look)

    # --- the host -----------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            data = os.read(self._stdin, _FEW)
        except BlockingIOError:
            return
        self._ledger.took(data)
        self._is_looking = True
        for line in self._lines.feed(data):
            self._relay.from_agent(line)
        if not data:
            self._is_ending = True
            self._loop.remove_reader(self._stdin)
            self._drain(time.monotonic() + _DRAIN)

    def _drain(self, deadline: float) -> None:
        """The host wants no more, but may still read what it has asked for."""
        if not (self._relay.waiting or self._agent.backlog) or time.monotonic() >= deadline:
            self.end()
        else:
            self.later(0.005, lambda: self._drain(deadline))

    # --- the end ------------------------------------------------------------------------------------------------------

    def end(self) -> None:
        """Nothing passes from now on. The server and its group are ended meanwhile; may be called again."""
        if self._is_over:
            return
        with suppress(Exception):  # what it could not say is a call that is lost
            self._owner.end()
        self._is_over = True
        self.forget(self._stdin)
        self._agent.close()
        self._ending = self._far.ending()
        self._step()

    def _step(self) -> None:
        pause = next(self._ending, None)
        if pause is not None:
            self._loop.call_later(pause, self._step)
            return
        for fd in self._fds:
            os.close(fd)
        self.ended.set()
        self._over(self._fault)


class _Noted(Outlet):
    """To the agent. Noted at once, not at the end of a turn: what still waits when we die is answered a second time."""

    def __init__(
        self, loop: "Lent", fd: int, broken: Callable[[], None], hold: Callable[[], None], note: Callable[[], None]
    ) -> None:
        super().__init__(loop, fd, broken, lambda _: hold())
        self._note = note

    def send(self, frame: bytes) -> None:
        super().send(frame)
        self._note()


class _Direct:
    """The owner, in its own process. What a call has come to is told a moment later, or before the next is opened."""

    def __init__(
        self, answer: Callable[[Mapping[str, Any]], Mapping[str, Any] | None], later: Callable[..., Any]
    ) -> None:
        self._answer, self._later = answer, later
        self._told: list[Mapping[str, Any]] = []
        self.lost: str | None = None

    def ask(self, message: Mapping[str, Any], then: Callable[[Mapping[str, Any]], None]) -> None:
        """The gate refuses itself what cannot be written down."""
        self._flush()
        answer = self._answer(message)
        if answer is not None:
            then(answer)

    def tell(self, message: Mapping[str, Any]) -> None:
        """Raises ValueError or RecursionError for what could not be said over a socket either."""
        sayable(message)
        self._told.append(message)
        if len(self._told) == 1:
            self._later(_MOMENT, self._flush)

    def end(self) -> None:
        self._flush()
        self.lost = ENDED

    def _flush(self) -> None:
        told, self._told = self._told, []
        for message in told:
            self._answer(message)
