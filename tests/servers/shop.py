"""A server whose one tool runs whatever SQL it is given on the SQLite file that its command line names."""

import json
import sqlite3
import sys
from typing import Any

TOOL = {
    "name": "query",
    "description": "Answers a SQL query.",
    "inputSchema": {"type": "object", "properties": {"sql": {"type": "string"}}, "required": ["sql"]},
}


def run(sql: str) -> dict[str, Any]:
    """Carelessly: several statements are fine with it, and it commits."""
    base = sqlite3.connect(sys.argv[1], isolation_level=None)
    try:
        base.executescript(sql)
        rows = base.execute(sql).fetchall()
    except (sqlite3.Error, sqlite3.Warning) as bad:
        return {"content": [{"type": "text", "text": f"error: {bad}"}], "isError": True}
    finally:
        base.close()
    return {"content": [{"type": "text", "text": json.dumps(rows)}]}


def result(message: dict[str, Any]) -> dict[str, Any]:
    if message["method"] == "initialize":
        server = {"name": "shop", "version": "1"}
        return {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": server}
    if message["method"] == "tools/list":
        return {"tools": [TOOL]}
    return run(message["params"]["arguments"]["sql"]) if message["method"] == "tools/call" else {}


for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result(asked)}) + "\n")
        sys.stdout.flush()
