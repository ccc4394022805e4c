"""The messages between an evaluation's owner and its clients: one JSON object a line, and where the socket is.

    hello                          who is there: a gateway, the agent's own tools, a hook
    open, close, observe           a call may be sent; what came of it; what a server offers now
    next, justify, finish          the agent's: which scenario, why a tool that is no MCP tool, how it ended
    canary                         the agent's: its host did not refuse what it had to
    status                         where the evaluation stands

A client gets an answer to what it asked, or none; no answer means no.
"""

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from mcp_assay.core.model import Method, Outcome, Reply, ToolCall
from mcp_assay.errors import UserError

__all__ = [
    "MOST_BYTES",
    "VERSION",
    "Canary",
    "Close",
    "Finish",
    "Garbled",
    "Hello",
    "Justify",
    "Next",
    "Observe",
    "Open",
    "Request",
    "Role",
    "Status",
    "decode",
    "encode",
    "hook_path",
    "parse",
    "socket_path",
]

MOST_BYTES = 32 * 1024 * 1024
"""The longest message, its line end included."""
VERSION = 1
_LONGEST_PATH = 107  # bytes, of the address of a unix socket


class Garbled(ValueError):
    """A message that cannot be understood. Whoever reads it ends the connection."""


class Role(StrEnum):
    GATEWAY = "gateway"
    AGENT = "agent"
    HOOK = "hook"


@dataclass(frozen=True, slots=True)
class Hello:
    """``server`` is the one that a gateway stands before; ``carry``: it would lend its pipes, see ``lent``."""

    role: Role
    version: int
    server: str | None = None
    carry: bool = False


@dataclass(frozen=True, slots=True)
class Open:
    """``again`` names the open permit of a call whose server asked for more before it would answer."""

    call: ToolCall
    again: str | None = None


@dataclass(frozen=True, slots=True)
class Close:
    """By the permit's id, or, from a hook, by the host's own id of the call."""

    reply: Reply
    permit: str | None = None
    join: str | None = None


@dataclass(frozen=True, slots=True)
class Observe:
    """``tools`` are as the server listed them, raw."""

    tools: list[Any] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Next:
    """``join`` is the host's own id of the call by which the agent asks, if it has one."""

    join: str | None = None


@dataclass(frozen=True, slots=True)
class Canary:
    """The agent's call that its host had to refuse was not refused."""


@dataclass(frozen=True, slots=True)
class Justify:
    tool: str
    text: str


@dataclass(frozen=True, slots=True)
class Finish:
    reached: bool
    why: str


@dataclass(frozen=True, slots=True)
class Status:
    pass


Request = Hello | Open | Close | Observe | Next | Canary | Justify | Finish | Status


def encode(message: Mapping[str, Any]) -> bytes:
    """One line of ASCII with its line feed. Raises ValueError for NaN and infinities, which are not JSON."""
    return _ENCODER.encode(message).encode("ascii") + b"\n"


def decode(line: bytes) -> dict[str, Any]:
    """The object that a line holds. Raises Garbled if it is none, or says a key twice."""
    try:
        message = _DECODER.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Garbled("not a line of JSON") from None
    if not isinstance(message, dict):
        raise Garbled("not an object")
    return message


def parse(message: Mapping[str, Any]) -> tuple[int | None, Request]:
    """A client's message: its number, which only a close may lack, and what it asks. Raises Garbled."""
    number = _field(message, "n", int, None)
    do = _field(message, "do", str)
    if do not in _PARSERS or (number is None and do != "close"):
        raise Garbled("no number, or nothing that could be done")
    return number, _PARSERS[do](message)


def socket_path(state: Path, folder: str) -> Path:
    """Where the owner of the evaluation in ``folder``, a real path, listens; ``state`` is the user's state folder.

    Raises UserError if the address would be too long for a socket.
    """
    return _address(state, folder, ".sock")


def hook_path(state: Path, folder: str) -> Path:
    """Where the same owner listens for the hooks of a host that it was told of. Raises UserError like the other."""
    return _address(state, folder, "-h.sock")


def _address(state: Path, folder: str, end: str) -> Path:
    path = state / "run" / f"{hashlib.sha256(os.fsencode(folder)).hexdigest()[:24]}{end}"
    if len(os.fsencode(path)) > _LONGEST_PATH:
        raise UserError(f"{path}: too long for a socket's address; set XDG_STATE_HOME to a shorter folder")
    return path


# --- one kind of message each -----------------------------------------------------------------------------------------

_Value = TypeVar("_Value")
_Word = TypeVar("_Word", bound=StrEnum)
_Missing = object()


def _hello(message: Mapping[str, Any]) -> Hello:
    role = _one_of(Role, _field(message, "role", str))
    server = _field(message, "server", str, None)
    if (role is Role.GATEWAY) != (server is not None):
        raise Garbled("a gateway, and only a gateway, is of a server")
    return Hello(role, _field(message, "version", int), server, bool(_field(message, "carry", bool, None)))


def _open(message: Mapping[str, Any]) -> Open:
    method = _one_of(Method, _field(message, "kind", str, Method.CALL))
    mcp, args = _field(message, "mcp", str, None), _field(message, "args", dict)
    if mcp is None and method is not Method.CALL:
        raise Garbled("only a server has resources, prompts and completions")
    tool = _field(message, "tool", str) if method is Method.CALL else str(method)
    call = ToolCall(mcp, tool, args, join=_field(message, "join", str, None), method=method)
    return Open(call, _field(message, "again", str, None))


def _close(message: Mapping[str, Any]) -> Close:
    outcome = _one_of(Outcome, _field(message, "outcome", str))
    if outcome not in _ENDS:
        raise Garbled("not how a call ends")
    result = _field(message, "result", dict, None)
    # "Any errors that originate from the tool SHOULD be reported inside the result object, with isError set to true".
    # Whatever stands there instead of true or false is no success either.
    if outcome is Outcome.OK and result is not None and result.get("isError"):
        outcome = Outcome.ERROR
    reply = Reply(
        outcome,
        result,
        _field(message, "error_code", int, None),
        _field(message, "error_text", str, None) or "",
        max(0, _field(message, "size", int, 0)),
        max(0, _field(message, "duration_ms", int, 0)),
    )
    permit, join = _field(message, "permit", str, None), _field(message, "join", str, None)
    if (permit is None) == (join is None):
        raise Garbled("a close names a permit, or the host's id of a call")
    return Close(reply, permit, join)


_ENDS = frozenset({Outcome.OK, Outcome.ERROR, Outcome.TIMEOUT, Outcome.CANCELLED, Outcome.LOST})
_PARSERS: Mapping[str, Callable[[Mapping[str, Any]], Request]] = {
    "hello": _hello,
    "open": _open,
    "close": _close,
    "observe": lambda message: Observe(_field(message, "tools", list)),
    "next": lambda message: Next(_field(message, "join", str, None)),
    "canary": lambda _: Canary(),
    "justify": lambda message: Justify(_field(message, "tool", str), _field(message, "text", str)),
    "finish": lambda message: Finish(_field(message, "reached", bool), _field(message, "why", str, "")),
    "status": lambda _: Status(),
}


def _field(message: Mapping[str, Any], name: str, kind: type[_Value], default: Any = _Missing) -> Any:
    """The field's value. Null counts as absent, and true is no number. Raises Garbled."""
    value = message.get(name)
    if value is None and default is not _Missing:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise Garbled(f"{name} is missing or of the wrong type")
    return value


def _one_of(words: type[_Word], value: str) -> _Word:
    try:
        return words(value)
    except ValueError:
        raise Garbled("a word that is not one of those") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise Garbled("a key stands twice")
    return table


def _refuse(_: str) -> NoReturn:
    raise Garbled("NaN and infinities are not JSON")


# Made once: to make one anew takes as long as to read a small message with it.
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_refuse)
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
