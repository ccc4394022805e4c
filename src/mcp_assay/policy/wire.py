"""JSON-RPC 2.0 on the wire: bytes to values and back, the error codes, and what a request must look like."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, NoReturn

__all__ = [
    "HEADER_MISMATCH",
    "INTERNAL_ERROR",
    "INVALID_PARAMS",
    "INVALID_REQUEST",
    "METHOD_NOT_FOUND",
    "MOST_BYTES",
    "PARSE_ERROR",
    "RESOURCE_NOT_FOUND",
    "UNSUPPORTED_VERSION",
    "Refusal",
    "Request",
    "answer",
    "dump",
    "parse",
    "request",
]

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002
HEADER_MISMATCH = -32020
UNSUPPORTED_VERSION = -32022

MOST_BYTES = 4 * 1024 * 1024
"""The largest frame that is read, on either transport. What is larger is refused without being parsed."""

RequestId = str | int | None


class Refusal(Exception):
    """A frame or request that gets a JSON-RPC error instead of a result. ``id`` is None while it is not known."""

    def __init__(self, code: int, message: str, *, data: object = None, id: RequestId = None) -> None:  # noqa: A002 - the protocol's word
        super().__init__(message)
        self.code, self.message, self.data, self.id = code, message, data, id

    def reply(self) -> bytes:
        """The error reply, as it goes out."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.data is not None:
            error["data"] = self.data
        return dump({"jsonrpc": "2.0", "id": self.id, "error": error})


class Request(NamedTuple):  # not a dataclass: a client waits for the imports that those need
    """A request that wants an answer. ``params`` is empty where none were sent."""

    id: str | int
    method: str
    params: Mapping[str, Any]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Two readers of one text may each believe another of two equal keys; a policy must not depend on which.
    table = dict(pairs)
    if len(table) != len(pairs):
        raise Refusal(PARSE_ERROR, "Parse error: a key stands twice in one object")
    return table


def _no_number(constant: str) -> NoReturn:
    raise Refusal(PARSE_ERROR, f"Parse error: {constant} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_number)
# ASCII, so that no line or paragraph separator of Unicode can end a line early for a careless reader.
_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
_UNICODE = json.JSONEncoder(ensure_ascii=False)


def parse(frame: bytes) -> Any:
    """The value that a frame holds. Raises Refusal (-32700) if it is not JSON, or cannot be held.

    Not only what the grammar forbids: invalid UTF-8, NaN and infinities, lone surrogates, an integer of more digits
    than Python reads, nesting deeper than its stack, and a key that stands twice.
    """
    try:
        text = frame.decode("utf-8")
        value = _DECODER.decode(text)
        if "\\u" in text:
            _UNICODE.encode(value).encode("utf-8")  # a lone surrogate has no UTF-8
    except json.JSONDecodeError as bad:
        raise Refusal(PARSE_ERROR, f"Parse error: {bad.msg} at character {bad.pos}") from None
    except UnicodeError:
        raise Refusal(PARSE_ERROR, "Parse error: not UTF-8, or a lone surrogate") from None
    except ValueError:
        raise Refusal(PARSE_ERROR, "Parse error: an integer of too many digits") from None
    except RecursionError:
        raise Refusal(PARSE_ERROR, "Parse error: nested too deeply") from None
    return value


def dump(value: object) -> bytes:
    """A value as one line of ASCII. Raises ValueError for NaN and infinities, which are not JSON."""
    return _ENCODER.encode(value).encode("ascii")


def answer(number: str | int, result: bytes) -> bytes:
    """The reply to a request: its id, and the result as JSON."""
    return b'{"jsonrpc":"2.0","id":%b,"result":%b}' % (dump(number), result)


def request(message: object) -> Request | None:
    """The request that a parsed message is, or None if it is a notification. Raises Refusal for anything else."""
    if not isinstance(message, dict):
        raise Refusal(INVALID_REQUEST, "Invalid Request: a message is a JSON object")
    number = _id(message)
    method = message.get("method")
    if message.get("jsonrpc") != "2.0":
        raise Refusal(INVALID_REQUEST, 'Invalid Request: "jsonrpc" must be "2.0"', id=number)
    if not isinstance(method, str):
        raise Refusal(INVALID_REQUEST, 'Invalid Request: "method" must be a string', id=number)
    if number is None:
        return None
    params = message.get("params", {})
    if not isinstance(params, dict):
        raise Refusal(INVALID_PARAMS, 'Invalid params: "params" must be an object', id=number)
    return Request(number, method, params)


def _id(message: Mapping[str, Any]) -> RequestId:
    """The message's id; None if it has none, or is a response, whose id is a number of ours and not of the sender."""
    if "id" not in message or ("method" not in message and ("result" in message or "error" in message)):
        return None
    number = message["id"]
    # bool is a kind of int in Python, and 1.0 equals 1: neither is an integer here.
    if type(number) is not int and type(number) is not str:
        raise Refusal(INVALID_REQUEST, 'Invalid Request: "id" must be a string or an integer')
    return number
