"""Serves the pages of a tool list, in the order given on the command line, whatever cursor is asked for.

A page is the result of tools/list, or the error if it has a code. A last call tells which cursors were asked for.
"""

import json
import sys
from typing import Any

PAGES: list[dict[str, Any]] = json.loads(sys.argv[1])


def answer(message: dict[str, Any], asked: list[Any]) -> dict[str, Any]:
    if message["method"] == "initialize":
        return {"result": {"protocolVersion": "2025-06-18", "capabilities": {}}}
    if message["method"] == "tools/call":
        return {"result": {"asked": asked}}
    page = PAGES[min(len(asked), len(PAGES) - 1)]
    asked.append(message["params"].get("cursor"))
    return {"error": page} if "code" in page else {"result": page}


def main() -> None:
    asked: list[Any] = []
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message:
            reply = {"jsonrpc": "2.0", "id": message["id"], **answer(message, asked)}
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


main()
