"""A server that answers properly until a tool asks it not to: the name of the tool called is the trick."""

import json
import os
import sys
from pathlib import Path
from typing import Any

heard: list[Any] = []  # whatever came that was no request
hanging: list[Any] = []  # ids of the calls left unanswered


def send(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def reply(number: Any, **result: Any) -> None:
    send(id=number, result={"content": [], **result})


def ask(number: Any) -> None:
    """Ask the client for things, first under the very id of the call in hand."""
    send(id=number, method="roots/list")
    send(id="p", method="ping")
    send(id=7, method="sampling/createMessage", params={})
    send(id=None, method="ping")
    reply(number, structuredContent={"mine": True})


def mislead(number: Any) -> None:
    """Things that look like the reply and are not, then the reply."""
    frame = json.dumps({"jsonrpc": "2.0", "id": number, "result": {"wrong": 1}})
    for line in (
        "[1,2]",
        '"hi"',
        "",
        "\u2500\u2500",
        "[" * 200_000,
        f"[{frame}]",
        frame.replace("1}", "NaN}").replace(str(number), str(number + 1)),
        frame.replace('"jsonrpc": "2.0", ', ""),
    ):
        sys.stdout.write(line + "\n")
    sys.stdout.flush()
    sys.stdout.buffer.write(b"\xff\xfe bytes\r\n")
    for wrong in (float(number), True, None, str(number), -1):
        reply(wrong, structuredContent={"wrong": repr(wrong)})
    reply(number, structuredContent={"right": True})
    reply(number, structuredContent={"second": True})


def change(number: Any) -> None:
    send(method="notifications/tools/list_changed")
    reply(number)


def call(number: Any, trick: str, arguments: dict[str, Any]) -> None:
    if trick == "echo":
        reply(number, structuredContent=arguments)
    elif trick == "environment":
        reply(number, structuredContent=dict(os.environ))
    elif trick == "folder":
        reply(number, structuredContent={"cwd": str(Path.cwd()), "argv": sys.argv[1:]})
    elif trick == "heard":
        reply(number, structuredContent=list(heard))
    elif trick == "hang":
        hanging.append(number)
    elif trick == "die":
        os._exit(3)
    elif trick == "big":
        reply(number, blob="x" * arguments["bytes"])
    elif trick == "garble":
        sys.stdout.write(f'{{"jsonrpc":"2.0","id":{number},"result":{arguments["body"]}}}\n')
        sys.stdout.flush()
    elif trick == "scalar":
        send(id=number, result=5)
    elif trick == "fail":
        send(id=number, error={"code": -32050, "message": "no\nway", "data": {"why": 1}}, result=None)
    elif trick == "misfail":
        send(id=number, error="boom")
    else:
        {"ask": ask, "mislead": mislead, "change": change}[trick](number)


def main() -> None:
    sys.stderr.write("chatter\n" * 32_768)  # 256 KiB: more than any pipe holds
    for line in sys.stdin:
        message = json.loads(line)
        method = message.get("method")
        if method == "initialize":
            send(id=message["id"], result={"protocolVersion": message["params"]["protocolVersion"], "capabilities": {}})
        elif method == "tools/list":
            send(id=message["id"], result={"tools": [{"name": "echo"}]})
        elif method == "tools/call":
            call(message["id"], message["params"]["name"], message["params"].get("arguments", {}))
        else:
            heard.append(message)
            if method == "notifications/cancelled" and hanging:
                reply(hanging.pop(), structuredContent={"late": True})


main()
