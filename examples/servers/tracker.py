"""An issue tracker as an MCP server, over SQLite, with a few frictions of the kind that real servers have.

It is honest work otherwise: typed parameters, described tools, precise errors where it has them. The frictions are on
purpose, and an evaluation should find each of them and nothing else:

1. search_issues answers with JSON inside a text block, so every client has to parse a string.
2. search_issues names issues "#12", get_issue wants the number 12: the server's output does not fit its own input.
3. search_issues says how many issues there are, stops at its limit, and offers neither cursor nor offset to go on.
4. search_issues gives no more than key and title, and nothing reads several issues at once: N details take N calls.
5. get_issue reports a missing issue as a success whose content is an error.
6. create_issue wants a plain date, where the servers around it speak of moments in time.

Run it with ``python tracker.py [--database FILE]``; without a file it keeps its issues in memory.
"""

import argparse
import json
import sqlite3
from datetime import date
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

READS = ToolAnnotations(read_only_hint=True)
WRITES = ToolAnnotations(read_only_hint=False, destructive_hint=False)

_SUBJECTS = ("Login page", "Export", "Search box", "Invoice mail", "Settings dialog")
_TROUBLES = ("times out", "shows stale data", "loses focus", "ignores the time zone", "breaks on narrow screens")
_LABELS = ("bug", "usability", "performance")


def seeded(path: str) -> sqlite3.Connection:
    """The database, with two projects of issues if it is new."""
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    db.execute(
        "CREATE TABLE IF NOT EXISTS issues (project TEXT, number INTEGER, title TEXT, body TEXT, label TEXT,"
        " due_on TEXT, PRIMARY KEY (project, number))"
    )
    if db.execute("SELECT count(*) FROM issues").fetchone()[0] == 0:
        for project, count in (("playground", 23), ("production", 7)):
            for number in range(1101, 1101 + count):
                title = f"{_SUBJECTS[number % 5]} {_TROUBLES[(number // 5) % 5]}"
                row = (project, number, title, f"Seen by {number} people.", _LABELS[number % 3], None)
                db.execute("INSERT INTO issues VALUES (?, ?, ?, ?, ?, ?)", row)
        db.commit()
    return db


def is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def build(db: sqlite3.Connection) -> MCPServer:
    server = MCPServer("tracker", instructions="Issues of the projects 'playground' and 'production'.")

    @server.tool(annotations=READS, structured_output=False)
    async def search_issues(project: str, query: str = "", limit: Annotated[int, Field(ge=1, le=10)] = 10) -> str:
        """Search a project's issues by words of their title. An empty query matches all of them."""
        rows = db.execute(
            "SELECT number, title FROM issues WHERE project = ? AND title LIKE ? ORDER BY number",
            (project, f"%{query}%"),
        ).fetchall()
        found = [{"key": f"#{row['number']}", "title": row["title"]} for row in rows[:limit]]
        return json.dumps({"total": len(rows), "issues": found})

    @server.tool(annotations=READS)
    async def get_issue(project: str, number: int) -> dict[str, Any]:
        """Read one issue with its body, label and due date."""
        row = db.execute("SELECT * FROM issues WHERE project = ? AND number = ?", (project, number)).fetchone()
        return dict(row) if row else {"error": "no such issue"}

    @server.tool(annotations=READS)
    async def list_labels(project: str) -> list[str]:
        """List the labels in use in a project."""
        rows = db.execute("SELECT DISTINCT label FROM issues WHERE project = ? ORDER BY label", (project,))
        return [row["label"] for row in rows]

    @server.tool(annotations=WRITES)
    async def create_issue(project: str, title: str, body: str = "", due_on: str | None = None) -> dict[str, Any]:
        """Create an issue. due_on is a calendar date, YYYY-MM-DD."""
        if due_on is not None and not is_date(due_on):
            raise ToolError("due_on must be a calendar date, YYYY-MM-DD")
        last = db.execute("SELECT max(number) FROM issues WHERE project = ?", (project,)).fetchone()[0]
        number = (last or 0) + 1
        db.execute("INSERT INTO issues VALUES (?, ?, ?, ?, ?, ?)", (project, number, title, body, "new", due_on))
        db.commit()
        return {"project": project, "number": number}

    return server


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="An issue tracker as an MCP server.")
    parser.add_argument("--database", default=":memory:", help="SQLite file (default: in memory)")
    build(seeded(parser.parse_args().database)).run()
