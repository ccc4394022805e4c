"""The owner's side of the socket: every message of ``wire`` answered, over a unix socket that only this user can reach.

Connections are independent; the messages of one are answered in order. A message that cannot be understood ends its
connection, and so does a fault of ours: then there is no answer, which means no.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Mapping
from pathlib import Path
from typing import Any, Protocol, Self

from mcp_assay.core.model import Outcome, Reply, Scenario
from mcp_assay.core.naming import is_mcp, label
from mcp_assay.drivers.hosted import Hosted, Unlisted
from mcp_assay.errors import AssayError, StoreError, UserError
from mcp_assay.gate import Permit, Refusal
from mcp_assay.host import wire
from mcp_assay.host.address import bound
from mcp_assay.host.lent import Lent
from mcp_assay.host.talk import Client, Talk
from mcp_assay.host.wire import (
    Canary,
    Close,
    Finish,
    Garbled,
    Hello,
    Justify,
    Next,
    Observe,
    Open,
    Request,
    Role,
    Status,
)

__all__ = ["Desk", "OwnerSocket"]

_LOST = Reply(Outcome.LOST, error_text="connection lost")
_NO_LIST = "no list yet of what this server offers in this scenario"
_ASK = "; ask for one: next_scenario of the server assay"
_STRANGER = "this connection may not do that"
_SOON = 0.05
"""Seconds by which the state may lag behind the transcript: saving it costs a sync, and nothing rests on it."""


class Desk(Protocol):
    """What the socket's clients want of an evaluation besides its calls."""

    name: str

    async def launch(self, server: str) -> Mapping[str, Any] | str:
        """What starts the server, or why it never is. Raises AssayError, saying why it cannot be started."""

    def observe(self, server: str, tools: list[Any]) -> None:
        """The server lists these tools now."""

    def scenario(self, scenario: Scenario) -> Mapping[str, Any]:
        """The scenario that runs, as the agent is told of it."""

    def status(self) -> Mapping[str, Any]: ...

    def instead(self, join: str | None) -> Mapping[str, Any] | None:
        """What the agent gets that asks for a scenario, by the host's call of that id, if it is to get none."""

    def escaped(self) -> Mapping[str, Any]:
        """The agent's host did not refuse what it had to."""

    def persist(self) -> None:
        """Save the state. Raises StoreError."""

    def note(self, text: str) -> None: ...


class OwnerSocket:
    """Listens at ``path`` while it is entered. Use as an async context manager.

    Raises StoreError if the path cannot be used, or if another owner listens there.
    """

    def __init__(self, path: Path, hosted: Hosted, desk: Desk) -> None:
        self._path, self._hosted, self._desk = path, hosted, desk
        self._hooked: dict[str, Permit] = {}
        self.talks: set[Talk] = set()
        self._server: asyncio.Server | None = None
        self._saving: asyncio.TimerHandle | None = None
        self.carried: set[Lent] = set()

    async def __aenter__(self) -> Self:
        listening = bound(self._path)
        self._server = await asyncio.get_running_loop().create_unix_server(lambda: Talk(self), sock=listening)
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.close()
        if self._saving is not None:
            self._saving.cancel()
        with contextlib.suppress(FileNotFoundError):
            self._path.unlink()
        # Whoever waits for a scenario has just been told that there is none: let that go out.
        await asyncio.sleep(0)
        for talk in list(self.talks):
            talk.close()
        await asyncio.sleep(0)
        for lent in list(self.carried):
            await lent.ended.wait()

    @property
    def gateways(self) -> set[str]:
        """The servers that a gateway stands before now."""
        return {server for talk in self.talks if (server := talk.server) is not None}

    def save_soon(self) -> None:
        """Save the state while the server works; of calls that follow closely, once for all."""
        if self._saving is None:
            self._saving = asyncio.get_running_loop().call_later(_SOON, self._save)

    async def greet(self, number: int | None, hello: Request) -> tuple[Client | None, Mapping[str, Any]]:
        """Who has connected, None if it is nobody that is served here, and what it is told.

        Raises Garbled if it does not say who it is.
        """
        if not isinstance(hello, Hello) or number is None:
            raise Garbled("a connection begins with hello")
        try:
            answer = await self._welcome(hello)
        except AssayError as bad:
            return None, {"ok": False, "why": str(bad)}
        client = Client(hello)
        self._say(client, "connected")
        return client, answer

    def answer(self, client: Client, request: Request) -> Mapping[str, Any] | Awaitable[Mapping[str, Any]] | None:
        """The answer to a message, perhaps yet to come; None for what is not answered."""
        answer = self._answer(client, request)
        if isinstance(request, Open) and isinstance(answer, dict) and "list" not in answer:
            self.save_soon()
        return answer

    def leave(self, client: Client) -> None:
        """A connection has ended, and with it the calls that are open on it."""
        for permit in list(client.permits.values()):
            self._hosted.closed(permit, _LOST)
        self._say(client, "disconnected")

    def blame(self, fault: BaseException) -> None:
        """What has ended a connection: that a client speaks badly or has gone is no news here."""
        if isinstance(fault, StoreError):
            self._hosted.fail(fault)
        elif not isinstance(fault, Garbled | OSError):
            self._desk.note(f"a connection was ended by a fault of ours ({type(fault).__name__})")

    def _say(self, client: Client, what: str) -> None:
        if client.hello.role is not Role.HOOK:  # those come and go with every call
            self._desk.note(f"{client.named}: {what}")

    def _save(self) -> None:
        self._saving = None
        try:
            self._desk.persist()
        except StoreError as bad:
            self._hosted.fail(bad)

    async def _welcome(self, hello: Hello) -> dict[str, Any]:
        if hello.version != wire.VERSION:
            raise UserError(f"the owner speaks version {wire.VERSION} of this protocol; use one mcp-assay for all")
        answer: dict[str, Any] = {"ok": True, "eval": self._desk.name}
        if hello.server is not None:
            # A server that is never started has a gateway all the same: what is asked of it is to leave a line.
            launch = await self._desk.launch(hello.server)
            answer |= {"launch": None, "why": launch} if isinstance(launch, str) else {"launch": launch}
        return answer

    def _answer(  # noqa: PLR0911 - a row each
        self, client: Client, request: Request
    ) -> Mapping[str, Any] | Awaitable[Mapping[str, Any]] | None:
        match request:
            case Open():
                return self._open(client, request)
            case Close():
                self._close(client, request)
                return None
            case Status():
                return self._desk.status()
            case Observe() if client.hello.server is not None:
                self._desk.observe(client.hello.server, request.tools)
                self._hosted.listed(client.hello.server)
                return {"ok": True}
            case Next() if client.hello.role is Role.AGENT:
                return self._desk.instead(request.join) or self._next()
            case Canary() if client.hello.role is Role.AGENT:
                return self._desk.escaped()
            case Justify() if client.hello.role is Role.AGENT:
                return self._justify(request)
            case Finish() if client.hello.role is Role.AGENT:
                return self._finish(request)
        return {"refused": _STRANGER, "aborted": None}

    def _open(self, client: Client, request: Open) -> Mapping[str, Any]:
        if not client.may_open(request):
            return {"refused": _STRANGER, "aborted": None}
        opened = self._opened(client, request)
        if isinstance(opened, Unlisted):
            return {"refused": _NO_LIST, "aborted": None, "list": True}
        if isinstance(opened, Refusal):
            call = request.call
            self._desk.note(f"refused: {label(call.mcp, call.tool) if call.mcp else call.tool}: {opened.reason}")
            hint = _ASK if self._hosted.running is None and opened.id is None else ""
            return {"refused": opened.reason + hint, "aborted": opened.aborted}
        kept = self._hooked if client.hello.role is Role.HOOK else client.permits
        kept[opened.id] = opened
        return {"permit": opened.id, "timeout": round(self._hosted.timeout(), 3)}

    def _opened(self, client: Client, request: Open) -> Permit | Refusal | Unlisted:
        if request.again is None:
            return self._hosted.open(request.call, needs_list=client.hello.role is Role.GATEWAY)
        permit = client.permits.get(request.again)
        return Refusal("no such call is open") if permit is None else self._hosted.again(permit, request.call)

    def _close(self, client: Client, request: Close) -> None:
        kept = self._hooked if client.hello.role is Role.HOOK else client.permits
        named = request.permit or next((permit.id for permit in kept.values() if permit.call.join == request.join), "")
        permit = kept.pop(named, None)
        if permit is not None:
            self._hosted.closed(permit, request.reply)

    async def _next(self) -> Mapping[str, Any]:
        found = await self._hosted.next()
        if isinstance(found, str):
            return {"done": True, "why": found}
        return {"scenario": self._desk.scenario(found)}

    def _justify(self, request: Justify) -> Mapping[str, Any]:
        if is_mcp(request.tool):
            return {"refused": "a tool of an MCP server needs no justification", "aborted": None}
        why_not = self._hosted.justify(request.tool, request.text)
        return {"ok": True} if why_not is None else {"refused": why_not, "aborted": None}

    def _finish(self, request: Finish) -> Mapping[str, Any]:
        if not self._hosted.finish(reached=request.reached, why=request.why):
            return {"refused": "no scenario is running", "aborted": None}
        return {"ok": True, "left": 0 if self._hosted.attended else self._hosted.left}
