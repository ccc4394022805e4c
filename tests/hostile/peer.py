"""What every server here has in common: a well-behaved server, from which each takes away one thing."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

Message = dict[str, Any]
LOOK: Message = {"name": "get_thing", "description": "Shows a thing.", "inputSchema": {"type": "object"}}


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def raw(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def reply(asked: Message, **result: Any) -> None:
    send(id=asked["id"], result=result)


def text(asked: Message, words: str = "fine") -> None:
    reply(asked, content=[{"type": "text", "text": words}])


def hello(asked: Message) -> None:
    reply(asked, protocolVersion="2025-11-25", capabilities={"tools": {"listChanged": True}}, serverInfo={})


def listed(*tools: Mapping[str, Any]) -> Callable[[Message], None]:
    return lambda asked: reply(asked, tools=list(tools or [LOOK]))


def serve(
    call: Callable[[Message], None] = text,
    tools: Callable[[Message], None] | None = None,
    initialize: Callable[[Message], None] = hello,
) -> None:
    """Answer until the input ends, each method with what is given for it."""
    answers = {"initialize": initialize, "tools/list": tools or listed(), "tools/call": call}
    for line in sys.stdin:
        asked = json.loads(line)
        if asked.get("method") in answers:
            answers[asked["method"]](asked)
