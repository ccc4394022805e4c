"""``mcp-assay gateway``: between an agent's host and one MCP server, a client of the process that owns the evaluation.

The host starts it in the server's place and speaks to it over stdin and stdout; it starts the server. What starts that
comes from the owner, so secrets are in this process's memory and the server's environment, and in no configuration.
"""

import os
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mcp_assay.errors import AssayError, StartError, UserError
from mcp_assay.frames import Splitter
from mcp_assay.host import wire
from mcp_assay.host.client import Blocking, Line, connect
from mcp_assay.host.loop import CHUNK, Loop, Outlet
from mcp_assay.host.relay import Relay
from mcp_assay.host.served import Served
from mcp_assay.host.standin import Standin

__all__ = ["run"]

_STDIN, _STDOUT = 0, 1
_DRAIN = 1.0
"""Seconds for calls to be answered after the host has closed our stdin."""


def run(owner: Path, server: str) -> None:
    """Relay between this process's stdin and stdout and the server, until the host closes stdin or sends a signal.

    ``owner`` is the address of the owner's socket. Whatever is missing is told to the agent at each call.
    """
    Gateway(server).run(owner)


class Gateway:
    """One gateway's process: its ends, and what stands between them."""

    def __init__(self, server: str) -> None:
        self._name = server
        self._loop = Loop()
        self._served: Served | None = None
        self._agent = Outlet(self._loop, _STDOUT, self._loop.stop, self._hold)
        self._lines = Splitter()
        self._between: Relay | Standin = Standin(self._agent, "not started yet")

    def run(self, owner: Path) -> None:
        stop = self._loop.stop
        self._loop.on_signals(
            {signal.SIGTERM: stop, signal.SIGINT: stop, signal.SIGHUP: stop, signal.SIGCHLD: self._look}
        )
        try:
            self._between = self._prepared(owner)
        except AssayError as why:
            sys.stderr.write(f"mcp-assay gateway {self._name!a}: no calls: {why}\n")
            self._between = Standin(self._agent, str(why))
        self._loop.readable(_STDIN, self._read)
        try:
            self._loop.run()
        finally:
            if self._served is not None:
                self._served.end()

    def _prepared(self, owner: Path) -> Relay:
        """The relay, with its owner and its server. Raises AssayError if one of them cannot be had."""
        hello = Blocking(connect(owner))
        answer = hello.ask("hello", role="gateway", server=self._name, version=wire.VERSION)
        launch = answer.get("launch")
        if answer.get("ok") is not True or not isinstance(launch, dict):
            why = answer.get("why")
            raise UserError(why if isinstance(why, str) else "the evaluation's owner does not want this gateway")
        if launch.get("transport", "stdio") != "stdio":
            raise StartError("servers over HTTP and SSE are not relayed yet")
        return self._relay(hello, launch)

    def _relay(self, hello: Blocking, launch: Mapping[str, Any]) -> Relay:
        self._served, line = Served(self._loop, launch), Line(self._loop, hello)
        relay = Relay(self._name, self._agent, self._served.input, line, self._loop.later, time.monotonic)
        self._served.begin(relay.from_server, relay.server_lost)
        line.begin(relay.owner_lost)
        return relay

    def _hold(self, held: bool) -> None:  # noqa: FBT001 - an Outlet tells it so
        if self._served is not None:
            self._served.hold(held)

    def _look(self) -> None:
        if self._served is not None:
            self._served.look()

    def _read(self) -> None:
        data = os.read(_STDIN, CHUNK)
        for line in self._lines.feed(data):
            self._between.from_agent(line)
        if not data:  # what it had begun to write is no frame
            self._loop.forget(_STDIN)
            self._end(time.monotonic() + _DRAIN)

    def _end(self, deadline: float) -> None:
        """The host wants no more, but may still read what it has asked for."""
        if (self._between.is_idle and not self._agent.backlog) or time.monotonic() >= deadline:
            self._loop.stop()
        else:
            self._loop.later(0.005, lambda: self._end(deadline))
