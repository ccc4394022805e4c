"""What a frame from the agent is, and the frames that a gateway makes itself. Pure.

A relay hands bytes on, so what it understood must be what the server will understand. Readers of JSON differ: in which
of two equal keys counts, in whether ``Method`` is ``method``, in whether a carriage return ends a line. A frame of
which two of them could make two things is refused.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from mcp_assay.frames import Kind, Oversized, encode, is_id

__all__ = [
    "CALL",
    "CANCELLED",
    "CHANGED",
    "INTERNAL",
    "INVALID_REQUEST",
    "JUDGED",
    "LIST",
    "PASSED",
    "TOOLS_CHANGED",
    "UNKNOWN_METHOD",
    "Fault",
    "Said",
    "Wanted",
    "as_task",
    "cancellation",
    "envelope",
    "error",
    "oversized",
    "read",
    "refusal",
    "wanted",
]

CALL, LIST = "tools/call", "tools/list"
JUDGED = frozenset({CALL, "resources/read", "prompts/get", "completion/complete"})
"""Requests that the owner decides about, one by one, and that leave a line."""

PASSED = frozenset(
    {
        "initialize",
        "logging/setLevel",
        "ping",
        "prompts/list",
        "resources/list",
        "resources/subscribe",
        "resources/templates/list",
        "resources/unsubscribe",
        "server/discover",
        "subscriptions/listen",
        LIST,
    }
)
"""Requests that are handed on without asking. A method that is in neither set is refused: nobody judged it."""

CANCELLED, TOOLS_CHANGED = "notifications/cancelled", "notifications/tools/list_changed"
CHANGED = encode({"jsonrpc": "2.0", "method": TOOLS_CHANGED})

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, INVALID_PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
_REFUSED = -32000
_TASKS = "calls as tasks are not relayed, since their results come outside of any call"

_META = "_meta"
_PREFIX = "io.modelcontextprotocol/"
_VERSION = f"{_PREFIX}protocolVersion"
_JOINS = ("claudecode/toolUseId", "callId")
_LONGEST_JOIN = 256
_MEMBERS = ("jsonrpc", "id", "method", "params", "result", "error")
_ROUND = ("inputResponses", "requestState")
_PARAMETERS = (
    _META,
    "name",
    "arguments",
    "uri",
    "ref",
    "argument",
    "context",
    "task",
    "inputResponses",
    "requestState",
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a frame is not handed on, and the answer to it: None where JSON-RPC allows none."""

    why: str
    answer: bytes | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """One message of the agent's. ``params`` is empty for a response, and if there are none."""

    kind: Kind
    message: Mapping[str, Any]
    params: Mapping[str, Any]

    @property
    def id(self) -> str | int:
        """A request's or a response's."""
        number: str | int = self.message["id"]
        return number

    @property
    def method(self) -> str:
        return str(self.message["method"])

    @property
    def is_retry(self) -> bool:
        """Whether it goes on with a request whose server asked for more before it would answer."""
        return any(name in self.params for name in _ROUND)

    @property
    def is_stateless(self) -> bool:
        """Whether it carries its protocol version itself, as each request does since 2026-07-28."""
        return _VERSION in _meta(self.params)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a judged request asks for, in the words of the owner's socket.

    ``args`` hold nothing of the rounds in which a server may ask for more before it answers: they are the same in each.
    """

    tool: str
    args: Mapping[str, Any]
    join: str | None


def read(line: bytes) -> Said | Fault:
    """What the agent says with a line. Total."""
    body = line.removesuffix(b"\n").removesuffix(b"\r")
    if b"\r" in body:  # JSON allows it between tokens, where some servers end a line: it would hide a second message
        return _invalid("a carriage return inside a frame")
    try:
        message = _DECODER.decode(body.decode("utf-8"))
    except _TwiceError:
        return _invalid("a key that occurs twice")
    except (ValueError, RecursionError):
        return Fault("no JSON", error(None, PARSE_ERROR, "Parse error"))
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return _invalid("a batch" if isinstance(message, list) else "no JSON-RPC 2.0 message")
    if _shadows(message, _MEMBERS):
        return _invalid("a key that only looks like one of JSON-RPC's")
    return _asked(message) if "method" in message else _answered(message)


def wanted(said: Said) -> Wanted | Fault:
    """What a request of a method in ``JUDGED`` asks for."""
    if _shadows(said.params, _PARAMETERS):
        return _unusable(said, "a parameter that only looks like one of the protocol's")
    join = next((value for name in _JOINS if isinstance(value := _meta(said.params).get(name), str)), None)
    join = join[:_LONGEST_JOIN] if join else None
    if said.method != CALL:
        kept = {name: value for name, value in said.params.items() if name not in (_META, *_ROUND)}
        return Wanted(said.method, kept, join)
    name, args = said.params.get("name"), said.params.get("arguments")
    if not isinstance(name, str) or not isinstance(args, dict | None):
        return _unusable(said, "name must be a string and arguments an object")
    if "task" in said.params:
        return Fault("a call as a task", refusal(said, f"this call was not sent: {_TASKS}; call it without a task"))
    return Wanted(name, args or {}, join)


def as_task(message: Mapping[str, Any]) -> str | None:
    """Why a reply to a call is no result: the server goes on with it as a task, whose result nobody would see."""
    result = message.get("result")
    if not isinstance(result, dict):
        return None
    # 2026-07-28, in the extension's words, and 2025-11-25.
    is_task = result.get("resultType") == "task" or (isinstance(result.get("task"), dict) and "content" not in result)
    return f"the server goes on with this call as a task, and {_TASKS}" if is_task else None


def envelope(params: Mapping[str, Any]) -> dict[str, Any]:
    """Of a request's ``_meta`` what says its protocol version and who asks; empty up to 2025-11-25."""
    return {name: value for name, value in _meta(params).items() if name.startswith(_PREFIX)}


def refusal(said: Said, why: str) -> bytes:
    """The answer to a judged request that is not sent: for a call a tool error, in the shape of the request's era."""
    if said.method != CALL:
        return error(said.id, _REFUSED, why)
    result: dict[str, Any] = {"content": [{"type": "text", "text": why}], "isError": True}
    if said.is_stateless:
        result["resultType"] = "complete"
    return encode({"jsonrpc": "2.0", "id": said.id, "result": result})


def error(number: str | int | None, code: int, message: str) -> bytes:
    return encode({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}})


def oversized(line: Oversized) -> bytes:
    """The answer to a frame that is too long to be read, so that nobody knows its id."""
    return error(None, INVALID_REQUEST, f"Invalid Request: a frame of more than {line.limit:,} bytes")


def cancellation(number: str | int, reason: str) -> bytes:
    return encode({"jsonrpc": "2.0", "method": CANCELLED, "params": {"requestId": number, "reason": reason}})


def _asked(message: Mapping[str, Any]) -> Said | Fault:
    method, params = message["method"], message.get("params", {})
    if not isinstance(method, str) or "result" in message or "error" in message:
        return _invalid("neither a request nor a response")
    if "id" not in message:
        # "The Server MUST NOT reply to a Notification"
        if not method.startswith("notifications/") or not isinstance(params, dict):
            return Fault("a request without an id")
        return Said(Kind.NOTIFICATION, message, params)
    # A server may take a request whose id JSON-RPC does not allow for a notification, and act on it.
    if not is_id(message["id"]):
        return _invalid("an id that is neither a string nor an integer")
    if not isinstance(params, dict):
        return Fault("params that are no object", error(message["id"], INVALID_PARAMS, "params must be an object"))
    return Said(Kind.REQUEST, message, params)


def _answered(message: Mapping[str, Any]) -> Said | Fault:
    """A response is never answered, whatever is wrong with it."""
    if ("result" in message) == ("error" in message):
        return _invalid("neither a request nor a response")
    return Said(Kind.RESPONSE, message, {}) if is_id(message.get("id")) else Fault("a response without an id")


def _invalid(why: str) -> Fault:
    # "If there was an error in detecting the id in the Request object … it MUST be Null."
    return Fault(why, error(None, INVALID_REQUEST, f"Invalid Request: {why}"))


def _unusable(said: Said, why: str) -> Fault:
    return Fault(why, error(said.id, INVALID_PARAMS, f"Invalid params: {why}"))


def _meta(params: Mapping[str, Any]) -> Mapping[str, Any]:
    meta = params.get(_META)
    return meta if isinstance(meta, dict) else {}


def _shadows(members: Mapping[str, Any], known: tuple[str, ...]) -> bool:
    """Whether a key is not one of these, but would be to a reader that does not tell cases apart."""
    strange = [name for name in members if name not in known]
    return bool(strange) and not {name.casefold() for name in known}.isdisjoint(name.casefold() for name in strange)


class _TwiceError(ValueError):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _TwiceError
    return members


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_refuse)
