"""Frames for the tests of the policy server, and what the bad ones are answered with."""

import json
from typing import Any

VERSION = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES = "io.modelcontextprotocol/clientCapabilities"
STATELESS = "2026-07-28"
META = {VERSION: STATELESS, CAPABILITIES: {}}
BUDGET: dict[str, Any] = {"usedCU": 1, "capacityCU": 10, "reservePct": 10}
SEAT: dict[str, Any] = {"role": "grunt", "budget": BUDGET}


def request(method: str, params: Any = None, number: Any = 1, **more: Any) -> bytes:
    message = {"jsonrpc": "2.0", "id": number, "method": method, **more}
    return json.dumps(message if params is None else {**message, "params": params}).encode()


def call(name: str = "route_agent_seat", arguments: Any = SEAT, number: Any = 1, **params: Any) -> bytes:
    return request("tools/call", {"name": name, "arguments": arguments, **params}, number)


def modern(method: str, params: Any = None, number: Any = 1) -> bytes:
    return request(method, {**(params or {}), "_meta": META}, number)


PING = request("ping", number="next")
NOTE = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'

# Each: what it is, the frame, the code and the id of its answer.
BAD: list[tuple[str, bytes, int, Any]] = [
    ("no JSON", b"{", -32700, None),
    ("a bare word", b"hello", -32700, None),
    ("two values", b"{} {}", -32700, None),
    ("a byte-order mark", b"\xef\xbb\xbf" + PING, -32700, None),
    ("not UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', -32700, None),
    ("a NUL", b"\x00", -32700, None),
    ("NaN", call(arguments={"role": "grunt", "budget": {**BUDGET, "usedCU": float("nan")}}), -32700, None),
    ("infinity", call(arguments={"role": "grunt", "budget": {**BUDGET, "usedCU": float("inf")}}), -32700, None),
    ("a lone surrogate", b'{"jsonrpc":"2.0","id":1,"method":"\\ud800"}', -32700, None),
    ("a lone surrogate as a key", b'{"jsonrpc":"2.0","id":1,"method":"ping","\\udfff":1}', -32700, None),
    ("a raw surrogate", b'{"jsonrpc":"2.0","id":1,"method":"\xed\xa0\x80"}', -32700, None),
    ("200,000 arrays", b"[" * 200_000, -32700, None),
    ("200,000 arrays, closed", b"[" * 200_000 + b"]" * 200_000, -32700, None),
    ("200,000 objects as arguments", call(arguments=0)[:-3] + b'{"a":' * 200_000, -32700, None),
    ("an integer of 5,000 digits", b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"ping"}', -32700, None),
    ("a key twice", b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}', -32700, None),
    ("a string", b'"ping"', -32600, None),
    ("a number", b"1", -32600, None),
    ("null", b"null", -32600, None),
    ("an empty object", b"{}", -32600, None),
    ("a null id", request("ping", number=None), -32600, None),
    ("a fraction as id", request("ping", number=1.5), -32600, None),
    ("a whole float as id", b'{"jsonrpc":"2.0","id":1.0,"method":"ping"}', -32600, None),
    ("an exponent as id", b'{"jsonrpc":"2.0","id":1e0,"method":"ping"}', -32600, None),
    ("an infinite id", b'{"jsonrpc":"2.0","id":1e309,"method":"ping"}', -32600, None),
    ("true as id", request("ping", number=True), -32600, None),
    ("false as id", request("ping", number=False), -32600, None),
    ("an object as id", request("ping", number={}), -32600, None),
    ("an array as id", request("ping", number=[1]), -32600, None),
    ("a response", b'{"jsonrpc":"2.0","id":1,"result":{}}', -32600, None),
    ("no version of JSON-RPC", b'{"id":7,"method":"ping"}', -32600, 7),
    ("another version of JSON-RPC", request("ping", number=7, jsonrpc="1.0"), -32600, 7),
    ("a number as version", request("ping", number=7, jsonrpc=2.0), -32600, 7),
    ("no method", b'{"jsonrpc":"2.0","id":7}', -32600, 7),
    ("a number as method", request(1, number=7), -32600, 7),
    ("an array as params", request("ping", [1], 7), -32602, 7),
    ("a string as params", request("ping", "x", 7), -32602, 7),
    ("an unknown method", request("tools/delete", number=7), -32601, 7),
    ("a method of another case", request("Tools/List", number=7), -32601, 7),
    ("prompts, which there are not", request("prompts/list", number=7), -32601, 7),
    ("an unknown tool", call("rm", {}, 7), -32602, 7),
    ("no tool's name", request("tools/call", {"arguments": {}}, 7), -32602, 7),
    ("a number as the tool's name", call(1, {}, 7), -32602, 7),
    ("an unknown resource", request("resources/read", {"uri": "file:///etc/passwd"}, 7), -32002, 7),
    ("no resource's name", request("resources/read", {}, 7), -32602, 7),
    ("a page that is not there", request("tools/list", {"cursor": "2"}, 7), -32602, 7),
    ("initialize without a version", request("initialize", {}, 7), -32602, 7),
]
NAMES = [what for what, *_ in BAD]
