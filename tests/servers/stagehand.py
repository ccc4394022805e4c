"""A server that does what the JSON file given first on the command line says, and leaves a mark when it is started.

The file holds ``tools``, and what else a test needs of: ``mark`` (a file to append a line to at the start), ``stderr``
and ``banner`` (written at the start), ``exit`` (a status to end with then), ``refuse`` (the error that answers
initialize), ``initialize`` (members of its result), ``cursor`` (of a second page of tools, which is empty), ``then``
(the tools after a ``change``, and after so many ``lists``), and ``replies``: for each tool ``result`` or ``error``,
after ``notify`` (messages to send first) and ``trick``: die, hang, change, or swap (a change that is not told). A list
of replies is given one by one.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

SPEC: dict[str, Any] = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))


def send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def call(number: Any, name: str) -> None:
    reply = SPEC.get("replies", {}).get(name, {"result": {"content": [{"type": "text", "text": "fine"}]}})
    if isinstance(reply, list):
        reply = reply.pop(0) if len(reply) > 1 else reply[0]
    for message in reply.get("notify", ()):
        send(message)
    if reply.get("trick") == "die":
        os._exit(3)
    if reply.get("trick") in ("change", "swap"):
        SPEC["tools"] = SPEC["then"]
    if reply.get("trick") == "change":
        send({"method": "notifications/tools/list_changed"})
    if reply.get("trick") != "hang":
        send({"id": number, **{key: reply[key] for key in ("result", "error") if key in reply}})


def answer(message: dict[str, Any]) -> None:
    if message["method"] == "initialize" and "refuse" in SPEC:
        send({"id": message["id"], "error": SPEC["refuse"]})
    elif message["method"] == "initialize":
        hello = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": True}}}
        send({"id": message["id"], "result": {**hello, **SPEC.get("initialize", {})}})
    elif message["method"] == "tools/list":
        first = "cursor" in SPEC and "cursor" not in message.get("params", {})
        more = {"nextCursor": SPEC["cursor"]} if first else {}
        send({"id": message["id"], "result": {"tools": SPEC["tools"] if first or "cursor" not in SPEC else [], **more}})
        SPEC["lists"] = SPEC.get("lists", 0) - 1
        if SPEC["lists"] == 0:
            SPEC["tools"] = SPEC["then"]
    elif message["method"] == "tools/call":
        call(message["id"], message["params"]["name"])


def main() -> None:
    if "mark" in SPEC:
        with Path(SPEC["mark"]).open("a", encoding="utf-8") as mark:
            mark.write(f"{os.getpid()}\n")
    sys.stderr.write(SPEC.get("stderr", ""))
    sys.stderr.flush()
    sys.stdout.write(SPEC.get("banner", ""))
    if "exit" in SPEC:
        sys.exit(SPEC["exit"])
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            answer(message)


main()
