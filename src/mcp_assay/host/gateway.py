"""``mcp-assay gateway``: between an agent's host and one MCP server, a client of the process that owns the evaluation.

The host starts it in the server's place and speaks to it over stdin and stdout. An owner that is there by then carries
the session itself, over pipes that are lent to it, until one of both ends; else the gateway starts the server, or
contacts it. How comes from the owner, so secrets are in this process's memory and the server's environment, and in no
configuration.
"""

import importlib
import os
import signal
import socket
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_assay.errors import AssayError, StartError, UserError
from mcp_assay.frames import Oversized, Splitter
from mcp_assay.host import traffic, wire
from mcp_assay.host.base import FarEnd, Received
from mcp_assay.host.client import ENDED, Blocking, Line, NoOwnerError, connect
from mcp_assay.host.ledger import Ledger
from mcp_assay.host.lending import can_lend, lend
from mcp_assay.host.loop import CHUNK, Loop, Outlet
from mcp_assay.host.relay import Relay
from mcp_assay.host.served import Served
from mcp_assay.host.standin import Absent, Standin

__all__ = ["run"]

_STDIN, _STDOUT = 0, 1
_DRAIN = 1.0
"""Seconds for calls to be answered after the host has closed our stdin."""
_NOT_YET = "not started yet"
_SKIPPED = "it is never started"
_UNKNOWN = f"{ENDED}; what came of this request is unknown, but for a call its log has a line if it was sent"


def run(owner: Path, server: str) -> None:
    """Relay between this process's stdin and stdout and the server, until the host closes stdin or sends a signal.

    ``owner`` is the address of the owner's socket. Whatever is missing is told to the agent at each call, and looked
    for again.
    """
    Gateway(owner, server).run()


class Gateway:
    """One gateway's process: its ends, and what stands between them."""

    def __init__(self, owner: Path, server: str) -> None:
        self._owner, self._name = owner, server
        self._loop = Loop()
        self._launch: Mapping[str, Any] | None = None
        self._far: FarEnd = Standin(self._loop.later, _NOT_YET)
        self._agent = Outlet(self._loop, _STDOUT, self._loop.stop, self._hold)
        self._relay = Relay(
            server,
            self._agent,
            self._far.input,
            Absent(_NOT_YET),
            self._loop.later,
            time.monotonic,
            self._seek,
        )
        self._lines = Splitter()
        self._said: str | None = None
        self._is_gone = True
        self._may_lend = can_lend()  # once, before anything was read
        self._ledger: Ledger | None = None

    def run(self) -> None:
        stop = self._loop.stop
        self._loop.on_signals(
            {signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: stop, signal.SIGCHLD: self._look}
        )
        self._begin(self._far)
        self._is_gone = True  # it is none
        self._seek()
        self._may_lend = False
        if self._ledger is None:
            self._loop.readable(_STDIN, self._read)
        try:
            self._loop.run()
        finally:
            self._far.end()

    # --- the owner and the server -------------------------------------------------------------------------------------

    def _seek(self) -> None:
        """Look for an owner. The server that is there goes on, unless this owner says that it is another."""
        try:
            hello, answer = self._asked()
            if self._may_lend and answer.get("carry") is True:
                self._lend(hello.detach())
                return
            launch, why = _told(answer)
            is_kept = launch == self._launch and not self._is_gone
            far = self._far if is_kept else self._reached(launch, why)
        except AssayError as bad:
            self._say(f"no calls: {bad}")
            self._relay.change(Absent(str(bad)))
            return
        line, former = Line(self._loop, hello), self._far
        self._far, self._launch = far, launch
        if is_kept:
            self._relay.change(line)
        else:
            self._begin(far)
            self._relay.change(line, far.input)
            former.end()
        line.begin(self._relay.owner_lost)
        self._say(f"no calls: {why}" if launch is None else None)

    def _asked(self) -> tuple[Blocking, Mapping[str, Any]]:
        """A line to the owner, and its answer. Raises AssayError if there is none."""
        hello = Blocking(connect(self._owner))
        carry = {"carry": True} if self._may_lend else {}
        return hello, hello.ask("hello", role="gateway", server=self._name, version=wire.VERSION, **carry)

    def _reached(self, launch: Mapping[str, Any] | None, why: str) -> FarEnd:
        """The server, started. Raises StartError."""
        if launch is None:
            return Standin(self._loop.later, why)
        transport = launch.get("transport", "stdio")
        if transport == "stdio":
            return Served(self._loop, launch)
        if transport not in ("http", "sse"):
            raise StartError("servers of its type are not relayed")
        # An HTTP client and its loop are most of what such a gateway holds: others do without.
        far: FarEnd = importlib.import_module("mcp_assay.host.web").Web(self._loop, launch)
        return far

    def _begin(self, far: FarEnd) -> None:
        """Listen to it for as long as it is the one."""

        def heard(what: Received) -> None:
            if far is self._far:
                self._relay.from_server(what)

        def gone(why: str) -> None:
            if far is self._far:
                self._is_gone = True
                self._relay.server_lost(why)

        far.begin(heard, gone)
        self._is_gone = False
        if self._agent.backlog:
            far.hold(True)  # noqa: FBT003 - a protocol of one word

    def _hold(self, held: bool) -> None:  # noqa: FBT001 - an Outlet tells it so
        self._far.hold(held)

    def _look(self) -> None:
        self._far.look()

    def _say(self, what: str | None) -> None:
        """Tell the user what is new."""
        if what != self._said:
            sys.stderr.write(f"mcp-assay gateway {self._name!a}: {what or 'calls are relayed now'}\n")
            self._said = what

    # --- while the owner carries the session --------------------------------------------------------------------------

    def _lend(self, line: socket.socket) -> None:
        """Raises NoOwnerError if the owner has ended meanwhile."""
        ledger = Ledger.make()
        try:
            lend(line, ledger)
        except OSError:
            ledger.close()
            raise NoOwnerError(ENDED) from None
        self._ledger, told = ledger, Splitter(wire.MOST_BYTES)
        self._loop.readable(line.fileno(), lambda: self._hear(line, told))
        self._say(None)

    def _hear(self, line: socket.socket, told: Splitter) -> None:
        """The owner tells how the session began, and that the host has ended it."""
        try:
            data = line.recv(CHUNK)
        except OSError:
            data = b""
        for each in told.feed(data):
            message = {} if isinstance(each, Oversized) else wire.decode(each)
            if message.get("over") is True:
                self._loop.stop()
            elif isinstance(message.get("begun"), dict):
                self._relay.server.params = message["begun"]
        if not data:
            self._loop.forget(line.fileno())
            line.close()
            self._go_on_alone()

    def _go_on_alone(self) -> None:
        """The owner has ended, or let go: nothing passes, and what waited for it is answered."""
        if self._ledger is None:
            return
        waiting, torn = self._ledger.read()
        self._ledger.close()
        self._say(f"no calls: {ENDED}")
        self._relay.change(Absent(ENDED))
        if torn:
            self._agent.send(b"\n")
        for number in waiting:
            self._agent.send(traffic.error(number, traffic.INTERNAL, _UNKNOWN))
        self._loop.readable(_STDIN, self._read)

    # --- the host -----------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        try:
            data = os.read(_STDIN, CHUNK)
        except BlockingIOError:
            return
        for line in self._lines.feed(data):
            self._relay.from_agent(line)
        if not data:  # what it had begun to write is no frame
            self._loop.forget(_STDIN)
            self._end(time.monotonic() + _DRAIN)

    def _end(self, deadline: float) -> None:
        """The host wants no more, but may still read what it has asked for."""
        if not (self._relay.waiting or self._agent.backlog) or time.monotonic() >= deadline:
            self._loop.stop()
        else:
            self._loop.later(0.005, lambda: self._end(deadline))


def _told(answer: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, str]:
    """What starts the server, and why it is None. Raises UserError if the owner does not want this gateway."""
    launch, why = answer.get("launch"), answer.get("why")
    if answer.get("ok") is not True or not isinstance(launch, dict | None):
        raise UserError(why if isinstance(why, str) else "the evaluation's owner does not want this gateway")
    return launch, why if isinstance(why, str) else _SKIPPED
