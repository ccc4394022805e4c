"""Sessions to MCP servers: raw requests out, raw results in.

Results stay the dictionaries that they were on the wire: a typed model would drop what it does not know, and what a
server really sends is what is being evaluated.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, Protocol

from mcp_assay.child import Child
from mcp_assay.core import redact
from mcp_assay.core.expand import Launch, launch, wanted
from mcp_assay.core.model import Manifest, ServerConfig, Transport
from mcp_assay.errors import ConnectionLost, ProtocolError, RequestTimeout, RpcError, ServerError, StartError
from mcp_assay.frames import MAX_FRAME, Kind, Oversized, broken_reply, classify, encode, is_id
from mcp_assay.handshake import LIST_SHARE, METHOD_NOT_FOUND, Answer, agreed, failure, hello, walk

__all__ = ["Answer", "Enclose", "Upstream", "connect"]

Enclose = Callable[[Launch, str], Launch]
"""Puts a launch, with the folder that it is run in, in a box. Raises StartError."""

_NOISE_BEFORE_START = 10_000
_INVALID_REQUEST = -32600
_OF_THE_BOX = ("bwrap: ", "prlimit: ")
"""How the error output of what builds a box begins, where it fails."""


class Upstream(Protocol):
    """A session to one MCP server, whatever carries it."""

    config: ServerConfig

    async def manifest(self) -> Manifest:
        """All pages of its tools. What keeps the list short is the manifest's ``limitation``.

        Raises ConnectionLost if the server is gone.
        """
        ...

    async def request(self, method: str, params: Mapping[str, Any], timeout: float) -> Answer:  # noqa: ASYNC109 - cancels in the protocol's own way
        """Send one request and wait ``timeout`` seconds for its result.

        Raises RpcError, RequestTimeout, ConnectionLost or ProtocolError; ValueError if ``params`` are no JSON. A wait
        that times out or is cancelled tells the server so, and a late reply is dropped.
        """
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What was odd so far about how the server speaks, whatever it says."""
        ...

    @property
    def tools_changed(self) -> bool:
        """Whether the server has said that its tools changed since ``manifest`` was last called."""
        ...

    async def close(self) -> None:
        """End the session and, with it, what was started for it. May be called again."""
        ...


async def connect(
    config: ServerConfig,
    environ: Mapping[str, str],
    *,
    allowed: Collection[str] = (),
    start_timeout: float = 30.0,
    cwd: str | None = None,
    limit: int = MAX_FRAME,
    enclose: Enclose | None = None,
) -> Upstream:
    """Start a stdio server in ``cwd`` (its entry's own working directory is relative to that) and initialize it.

    ``environ`` is the user's environment, ``allowed`` the names of it that the server may see beyond the safe base,
    ``limit`` the longest line that is read from it. With ``enclose`` it runs in a box. Raises StartError, with nothing
    left running.
    """
    if config.transport is not Transport.STDIO or not config.command:
        raise StartError(f"a server of type {config.transport} without a command cannot be started")
    plan = launch(config, environ, allowed)
    folder = str(Path(cwd or ".", plan.cwd or "."))
    session = _StdioSession(config, limit, boxed=enclose is not None)
    try:
        await session.start(enclose(plan, folder) if enclose else plan, folder, start_timeout, environ)
    except BaseException:
        await session.close()
        raise
    return session


class _StdioSession:
    """An initialized session over a child's pipes. Ids are ours and count up; a reply settles the wait of its id."""

    def __init__(self, config: ServerConfig, limit: int, *, boxed: bool) -> None:
        self.config, self._boxed = config, boxed
        self._limit = limit
        self._child = Child(self._receive, self._lose, limit)
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._sent = self._noise = 0
        self._unset: tuple[str, ...] = ()
        self._protocol: str | None = None
        self._changed = False
        self._gone: str | None = None
        self._patience = 0.0

    async def start(self, plan: Launch, cwd: str, timeout: float, environ: Mapping[str, str]) -> None:  # noqa: ASYNC109 - part of the message
        """Start the child and initialize the session. Raises StartError; the caller ends what was started."""
        self._unset, self._patience = plan.unset, timeout * LIST_SHARE
        await self._child.start(plan, cwd, " ".join(redact.argv(self.config.command, ())))
        try:
            await self._initialize(timeout)
        except RequestTimeout:
            raise StartError(
                f"the server did not finish initialize within {_seconds(timeout)}{_lacking(plan.unset)}"
            ) from None
        except ConnectionLost:
            await self._child.last_words()
            if self._boxed and self._child.complaint.startswith(_OF_THE_BOX):
                raise StartError("its box could not be built: bwrap refused its folders, or its command") from None
            lacks = wanted(self._child.complaint, plan.env, environ)
            raise StartError(f"{self._loss()} before initialize finished{_lacking(plan.unset, lacks)}") from None
        except (RpcError, ProtocolError) as bad:
            raise StartError(failure(bad)) from None

    async def _initialize(self, timeout: float) -> None:  # noqa: ASYNC109 - passed on
        self._protocol = agreed((await self.request("initialize", hello(), timeout)).result)
        self._tell("notifications/initialized")

    async def manifest(self) -> Manifest:
        self._changed = False
        pages = await walk(self.request, self._patience)
        return pages.manifest(self.config.name, self._protocol, self._notes())

    async def request(self, method: str, params: Mapping[str, Any], timeout: float) -> Answer:  # noqa: ASYNC109 - see Upstream
        if self._gone is not None:
            raise ConnectionLost(self._loss())
        if timeout <= 0:
            raise RequestTimeout(f"no time left for {method}; it was not sent")
        self._sent += 1
        number = self._sent
        frame = encode({"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params)})
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        self._child.write(frame)
        try:
            async with asyncio.timeout(timeout):
                return await waiting
        except TimeoutError:
            self._call_off(number, method, "timed out")
            raise RequestTimeout(f"no answer to {method} within {_seconds(timeout)}") from None
        except asyncio.CancelledError:
            self._call_off(number, method, "no longer wanted")
            raise
        finally:
            del self._waiting[number]

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes())

    @property
    def tools_changed(self) -> bool:
        return self._changed

    async def close(self) -> None:
        self._lose("the session was closed")
        await self._child.end()

    def _receive(self, line: bytes | Oversized) -> None:
        if isinstance(line, Oversized):
            self._overrun()
            return
        frame = classify(line)
        if frame.kind is Kind.RESPONSE:
            self._settle(frame.message, len(line))
        elif frame.kind is Kind.REQUEST:
            self._answer(frame.message)
        elif frame.kind is Kind.NOISE:
            self._skip(line)
        elif frame.message["method"] == "notifications/tools/list_changed":
            self._changed = True

    def _settle(self, message: Mapping[str, Any], size: int) -> None:
        """Give a reply to whoever waits for it. A late one, or one that was never asked for, is dropped."""
        number, result = message.get("id"), message.get("result")
        waiting = self._waiting.get(number) if type(number) is int else None
        if waiting is None or waiting.done():
            return
        if message.get("error") is not None:
            waiting.set_exception(_error(message["error"]))
        elif isinstance(result, dict):
            waiting.set_result(Answer(result, size))
        else:
            waiting.set_exception(ProtocolError("answered with a result that is no object"))

    def _overrun(self) -> None:
        """A line was too long to be read, so its id is unknown: it was the reply to a request that waits alone.

        If several wait, none is blamed, and the one whose reply it was times out.
        """
        waiting = [wait for wait in self._waiting.values() if not wait.done()]
        if len(waiting) == 1:
            waiting[0].set_exception(ProtocolError(f"answered with a reply larger than {_bytes(self._limit)}"))

    def _answer(self, message: Mapping[str, Any]) -> None:
        """Answer what the server asks of us, at once: we declared no capability, so it is nothing but ping.

        A silent client would make it wait, and the call with it.
        """
        reply: dict[str, Any] = {"jsonrpc": "2.0", "id": message["id"]}
        if not is_id(message["id"]):
            reply |= {"id": None, "error": {"code": _INVALID_REQUEST, "message": "invalid id"}}
        elif message["method"] == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": METHOD_NOT_FOUND, "message": "not supported by this client"}
        self._child.write_if_read(encode(reply))

    def _skip(self, line: bytes) -> None:
        waiting = self._waiting.get(number) if (number := broken_reply(line)) is not None else None
        if waiting is not None and not waiting.done():
            waiting.set_exception(ProtocolError("answered with a reply that cannot be parsed as JSON"))
            return
        self._noise += 1
        if self._protocol is None and self._noise > _NOISE_BEFORE_START:
            self._lose(f"the server wrote more than {_NOISE_BEFORE_START:,} lines that are no JSON-RPC")

    def _call_off(self, number: int, method: str, reason: str) -> None:
        # "The initialize request MUST NOT be cancelled by clients"
        if method != "initialize":
            self._tell("notifications/cancelled", {"requestId": number, "reason": reason})

    def _tell(self, method: str, params: Mapping[str, Any] | None = None) -> None:
        notification = {"jsonrpc": "2.0", "method": method}
        self._child.write_if_read(encode({**notification, "params": params} if params else notification))

    def _lose(self, why: str = "") -> None:
        """No reply can come any more: everyone who waits is told. ``why`` is empty for what befell the child."""
        if self._gone is None:
            self._gone = why
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ConnectionLost(self._loss()))

    def _loss(self) -> str:
        return self._gone or f"the server {self._child.fate}"

    def _notes(self) -> list[str]:
        notes = [f"{name} is not set; the reference to it was passed on as it stands" for name in self._unset]
        if self._noise:
            notes.append(f"wrote {_lines(self._noise)} no JSON-RPC to stdout")
        if self._child.oversized:
            notes.append(f"wrote {_lines(self._child.oversized)} larger than {_bytes(self._limit)}, unread, to stdout")
        return notes


def _error(error: object) -> ServerError:
    """The exception for a reply's ``error`` member."""
    code = error.get("code") if isinstance(error, dict) else None
    if not isinstance(error, dict) or type(code) is not int:
        return ProtocolError("answered with an error that has no code")
    message = error.get("message")
    return RpcError(code, message if isinstance(message, str) else "", error.get("data"))


def _lacking(unset: Collection[str], lacks: Collection[str] = ()) -> str:
    """What a server that did not start may have lacked: names of variables only."""
    hints = ""
    if unset:
        hints += f"; not set, though its entry refers to it: {', '.join(unset)}"
    if lacks:
        hints += f"; its error output names {', '.join(lacks)}, which it was not given"
        hints += ": set it in the entry's env, or allow it by name"
    return hints


def _seconds(number: float) -> str:
    return f"{round(number, 2):g} s"


def _lines(number: int) -> str:
    return "1 line that is" if number == 1 else f"{number:,} lines that are"


def _bytes(number: int) -> str:
    return f"{number >> 20} MiB" if number % (1 << 20) == 0 else f"{number:,} bytes"
