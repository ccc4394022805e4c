"""The owner's side of the socket: every message of ``wire`` answered, over a unix socket that only this user can reach.

Connections are independent; the messages of one are answered in order. A message that cannot be understood ends its
connection, and so does a fault of ours: then there is no answer, which means no.
"""

import asyncio
import contextlib
import os
import socket
import stat
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol, Self

from mcp_assay.core.model import Outcome, Reply, Scenario
from mcp_assay.core.naming import is_mcp, label
from mcp_assay.drivers.hosted import Hosted, Unlisted
from mcp_assay.errors import AssayError, StoreError, UserError
from mcp_assay.gate import Permit, Refusal
from mcp_assay.host import wire
from mcp_assay.host.wire import (
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
_PATIENCE = 2.0  # seconds for an owner to answer


class Desk(Protocol):
    """What the socket's clients want of an evaluation besides its calls."""

    name: str

    async def launch(self, server: str) -> Mapping[str, Any]:
        """What starts the server. Raises AssayError, saying why it may not or cannot be started."""

    def observe(self, server: str, tools: list[Any]) -> None:
        """The server lists these tools now."""

    def scenario(self, scenario: Scenario) -> Mapping[str, Any]:
        """The scenario that runs, as the agent is told of it."""

    def status(self) -> Mapping[str, Any]: ...

    def persist(self) -> None:
        """Save the state. Raises StoreError."""

    def note(self, text: str) -> None: ...


class _Client:
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


class OwnerSocket:
    """Listens at ``path`` while it is entered. Use as an async context manager.

    Raises StoreError if the path cannot be used, or if another owner listens there.
    """

    def __init__(self, path: Path, hosted: Hosted, desk: Desk) -> None:
        self._path, self._hosted, self._desk = path, hosted, desk
        self._hooked: dict[str, Permit] = {}
        self._talks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self._saving: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        listening = _bound(self._path)
        self._server = await asyncio.start_unix_server(self._serve, sock=listening, limit=wire.MOST_BYTES)
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
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        talk = asyncio.current_task()
        if talk is not None:
            self._talks.add(talk)
            talk.add_done_callback(self._talks.discard)
        try:
            if _is_ours(writer.get_extra_info("socket")):
                await self._talk(reader, writer)
        except (Garbled, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, asyncio.CancelledError):
            pass
        except StoreError as bad:
            self._hosted.fail(bad)
        except Exception as fault:  # noqa: BLE001 - a fault of ours ends one connection, never the evaluation
            self._desk.note(f"a connection was ended by a fault of ours ({type(fault).__name__})")
        finally:
            writer.close()

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        client, last = await self._greeted(reader, writer)
        if client is None:
            return
        self._say(client, "connected")
        try:
            while True:
                number, request = wire.parse(wire.decode(await reader.readuntil()))
                if number is not None and number <= last:
                    raise Garbled("numbers count up")
                last = last if number is None else number
                answer = await self._answer(client, request)
                if answer is not None:
                    writer.write(wire.encode({"n": number, **answer}))
                if isinstance(request, Open) and answer and "list" not in answer:
                    self._save_soon()
                await writer.drain()
        finally:
            for permit in list(client.permits.values()):
                self._hosted.closed(permit, _LOST)
            self._say(client, "disconnected")

    def _say(self, client: _Client, what: str) -> None:
        if client.hello.role is not Role.HOOK:  # those come and go with every call
            self._desk.note(f"{client.named}: {what}")

    def _save_soon(self) -> None:
        """Save the state while the server works; of calls that follow closely, once for all."""
        if self._saving is None:
            self._saving = asyncio.get_running_loop().call_later(_SOON, self._save)

    def _save(self) -> None:
        self._saving = None
        try:
            self._desk.persist()
        except StoreError as bad:
            self._hosted.fail(bad)

    async def _greeted(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[_Client | None, int]:
        """Who has connected; None if it is nobody that is served here. Raises Garbled if it does not say."""
        number, hello = wire.parse(wire.decode(await reader.readuntil()))
        if not isinstance(hello, Hello) or number is None:
            raise Garbled("a connection begins with hello")
        client: _Client | None = None
        try:
            answer = await self._welcome(hello)
            client = _Client(hello)
        except AssayError as bad:
            answer = {"ok": False, "why": str(bad)}
        writer.write(wire.encode({"n": number, **answer}))
        await writer.drain()
        return client, number

    async def _welcome(self, hello: Hello) -> dict[str, Any]:
        if hello.version != wire.VERSION:
            raise UserError(f"the owner speaks version {wire.VERSION} of this protocol; use one mcp-assay for all")
        answer: dict[str, Any] = {"ok": True, "eval": self._desk.name}
        if hello.server is not None:
            answer["launch"] = await self._desk.launch(hello.server)
        return answer

    async def _answer(self, client: _Client, request: Request) -> Mapping[str, Any] | None:  # noqa: PLR0911 - a row each
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
                return await self._next()
            case Justify() if client.hello.role is Role.AGENT:
                return self._justify(request)
            case Finish() if client.hello.role is Role.AGENT:
                return self._finish(request)
        return {"refused": _STRANGER, "aborted": None}

    def _open(self, client: _Client, request: Open) -> Mapping[str, Any]:
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

    def _opened(self, client: _Client, request: Open) -> Permit | Refusal | Unlisted:
        if request.again is None:
            return self._hosted.open(request.call, needs_list=client.hello.role is Role.GATEWAY)
        permit = client.permits.get(request.again)
        return Refusal("no such call is open") if permit is None else self._hosted.again(permit, request.call)

    def _close(self, client: _Client, request: Close) -> None:
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
        return {"ok": True, "left": self._hosted.left}


# --- the path ---------------------------------------------------------------------------------------------------------


def _bound(path: Path) -> socket.socket:
    """A socket that listens at the path, in a folder of our own. Raises StoreError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = path.parent.lstat()
        if not stat.S_ISDIR(folder.st_mode) or folder.st_uid != os.getuid():
            raise StoreError(f"{path.parent} is not a folder of this user's; move it away")
        path.parent.chmod(0o700)
        _clear(path)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listening.bind(str(path))
        path.chmod(0o600)
    except OSError as bad:
        raise StoreError(f"cannot listen at {path}: {bad.strerror}") from None
    return listening


def _clear(path: Path) -> None:
    """Take away a socket that nobody listens at any more. Raises StoreError if somebody does, or it is no socket."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise StoreError(f"{path} is in the way: it is no socket; move it away")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PATIENCE)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except TimeoutError:
            pass  # somebody listens, and is busy
    raise StoreError(f"another mcp-assay process runs this evaluation (it listens at {path})")


def _is_ours(peer: socket.socket) -> bool:
    """Whether the other side is a process of this user's. Where the system does not tell, the folder's mode must do."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    raw = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", raw)
    return bool(user == os.getuid())
