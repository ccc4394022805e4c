"""counting.py FILE NAME: notes each tools/call in FILE, unbuffered and before it answers: its own name, tool, number.

Several of them may share a file. It ends, as a good server does, when its input does.
"""

import json
import os
import sys
from typing import Any

SCHEMA = {"type": "object", "properties": {"project": {"type": "string"}, "number": {"type": "integer"}}}
TOOLS = [{"name": name, "inputSchema": SCHEMA} for name in ("list_items", "create_item")]


def answer(method: str, params: dict[str, Any]) -> dict[str, Any]:
    if method == "initialize":
        info = {"name": "counting", "version": "1"}
        return {
            "result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
        }
    if method == "tools/list":
        return {"result": {"tools": TOOLS}}
    if method == "tools/call":
        return {"result": {"content": [{"type": "text", "text": f"item {params['arguments']['number']}"}]}}
    return {"error": {"code": -32601, "message": "Method not found"}}


def main(path: str, name: str) -> None:
    received = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        method, params = message["method"], message.get("params", {})
        if method == "tools/call":
            os.write(received, f"{name} {params['name']} {params['arguments']['number']}\n".encode())
        reply = {"jsonrpc": "2.0", "id": message["id"], **answer(method, params)}
        sys.stdout.write(json.dumps(reply) + "\n")
        sys.stdout.flush()


main(sys.argv[1], sys.argv[2])
