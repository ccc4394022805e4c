"""relayed.py FOLDER WORD...: a server of both eras that keeps each line that it gets in FOLDER/got, and each that it
sends in FOLDER/sent, before anything else happens. The name of a tool says what its call does. Of the words, ``paged``
lists one tool a page, ``slow`` takes its time to list, ``noisy SEED`` says whatever comes to its mind before a reply.
"""

import json
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

VERSION = "io.modelcontextprotocol/protocolVersion"
NAMES = (
    "echo",
    "fail",
    "vendor",
    "progress",
    "elicit",
    "more",
    "hang",
    "die",
    "change",
    "swap",
    "garble",
    "big",
    "deep",
)
ODD = b'{ "result" :{"x-odd":1.50,"content":[{"type":"odd\\u00e9","n":1E2}]},"id":%s , "jsonrpc":"2.0"}\r\n'
OPTIONS: dict[str, Any] = {"description": "first"}
asking: dict[str, Any] = {}  # ids of our own requests -> the call that waits for the answer

folder = Path(sys.argv[1])
got, sent = (os.open(folder / name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600) for name in ("got", "sent"))


def raw(line: bytes) -> None:
    os.write(sent, line)
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


def send(**message: Any) -> None:
    raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def noise(number: Any) -> bytes:
    """A line that nobody asked for; some look like a reply to a call, or to a request that the gateway hides."""
    reply = {"jsonrpc": "2.0", "id": number, "result": {"content": []}}
    return RNG.choice(
        [
            json.dumps([reply]).encode(),
            json.dumps({**reply, "id": RNG.choice([1.5, None, True, {}, f"mcp-assay-{'0' * 32}-1", 7])}).encode(),
            json.dumps({**reply, "jsonrpc": "1.0"}).encode(),
            json.dumps({"jsonrpc": "2.0", "id": RNG.choice([None, 1.5, "q"]), "method": "ping"}).encode(),
            json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {"data": 1}}).encode(),
            b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
            b"banner \xff\xfe",
            b"",
            json.dumps(reply).encode()[: RNG.randrange(20)],
            b"[" * 5000,
        ]
    )


RNG = random.Random(int(sys.argv[sys.argv.index("noisy") + 1])) if "noisy" in sys.argv else None


def tools() -> list[dict[str, Any]]:
    # Keys in no order, a field of a vendor, numbers and characters that do not survive being written anew.
    return [
        {
            "x-vendor": {"é": 1.0, "big": 12345678901234567890},
            "name": name,
            "description": OPTIONS["description"],
            "inputSchema": {"type": "object"},
        }
        for name in NAMES
    ]


def listed(message: dict[str, Any]) -> dict[str, Any]:
    more = {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if stateless(message) else {}
    if "paged" not in sys.argv:
        return {"tools": tools(), **more}
    at = int(message.get("params", {}).get("cursor", "0"))
    following = {"nextCursor": str(at + 1)} if at + 1 < len(NAMES) else {}
    return {"tools": tools()[at : at + 1], **following, **more}


def stateless(message: dict[str, Any]) -> bool:
    return VERSION in (message.get("params", {}).get("_meta") or {})


def text(number: Any, words: str, message: dict[str, Any]) -> None:
    more = {"resultType": "complete"} if stateless(message) else {}
    send(id=number, result={"content": [{"type": "text", "text": words}], **more})


def call(message: dict[str, Any]) -> None:  # noqa: PLR0912 - one for each tool
    number, params = message["id"], message["params"]
    name, args = params["name"], params.get("arguments", {})
    if name == "fail":
        send(id=number, error={"code": -32050, "message": "no\nway", "data": {"why": [1, None]}})
    elif name == "vendor":
        raw(ODD % json.dumps(number).encode())
    elif name == "progress":
        send(method="notifications/progress", params={"progressToken": params["_meta"]["progressToken"], "progress": 1})
        text(number, "done", message)
    elif name == "elicit":
        asking["ask-1"] = message
        send(id="ask-1", method="elicitation/create", params={"message": "may I?", "requestedSchema": {}})
    elif name == "more" and "inputResponses" not in params:
        asked = {"a": {"method": "elicitation/create", "params": {"message": "which?"}}}
        send(id=number, result={"resultType": "input_required", "inputRequests": asked, "requestState": "state-1"})
    elif name == "hang":
        asking["hanging"] = message
    elif name == "die":
        sys.exit(3)
    elif name in ("change", "swap"):
        OPTIONS["description"] = args.get("to", "second")
        if name == "change":
            send(method="notifications/tools/list_changed")
        text(number, "changed", message)
    elif name == "garble":
        raw(b'{"jsonrpc":"2.0","id":%s,"result":{"content":NaN}}\n' % json.dumps(number).encode())
    elif name == "big":
        text(number, "x" * args["bytes"], message)
    elif name == "deep":
        raw(
            b'{"jsonrpc":"2.0","id":%s,"result":{"deep":%s%s}}\n'
            % (json.dumps(number).encode(), b"[" * 900, b"]" * 900)
        )
    else:
        text(number, json.dumps(args), message)


def answer(message: dict[str, Any]) -> None:
    method, number = message["method"], message["id"]
    if RNG is not None and RNG.random() < 0.3:
        raw(noise(number) + b"\n")
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        send(id=number, result={"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}}})
    elif method == "server/discover":
        offer = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "resultType": "complete"}
        send(id=number, result=offer)
    elif method == "tools/list":
        if "slow" in sys.argv:
            time.sleep(0.2)
        send(id=number, result=listed(message))
    elif method == "tools/call":
        call(message)
    else:
        send(id=number, result={"method": method})


def hear(message: dict[str, Any]) -> None:
    """A notification, or an answer to something that we asked."""
    waits = asking.pop(message.get("id"), None)
    if waits is not None:
        text(waits["id"], json.dumps(message.get("result")), waits)
    elif message.get("method") == "notifications/cancelled" and "hanging" in asking:
        text(asking.pop("hanging")["id"], "too late", message)


def main() -> None:
    for line in sys.stdin.buffer:
        os.write(got, line)
        message = json.loads(line)
        if "method" in message and "id" in message:
            answer(message)
        else:
            hear(message)


main()
