"""The walk through the pages of ``tools/list``: which page comes next, when it ends, and what was odd about it.

Notes and limitations are in our own words and hold no text of the server's.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mcp_assay.core.model import Manifest, Tool

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_NAME", "MAX_PAGES", "MAX_TOOLS", "Pages", "nests_deeper"]

MAX_PAGES = 1_000
MAX_TOOLS = 10_000
MAX_BYTES = 64 * 1024 * 1024
MAX_NAME = 256
"""Characters of a tool's name: the names of all tools are written down at every call."""
MAX_DEPTH = 100
"""How deeply a tool's entry may nest: whoever walks or writes a manifest later does so recursively."""

_UNUSABLE = f"not an object with a name of at most {MAX_NAME} characters, or nested too deeply"


class Pages:
    """Collects the results of ``tools/list`` until the list is over.

    ``cursor`` is what the next request must carry; None asks for the first page.
    """

    def __init__(self) -> None:
        self.cursor: str | None = None
        self.over = False
        self._limitation: str | None = None
        self._tools: dict[str, Tool] = {}
        self._notes: list[str] = []
        self._seen: set[str] = set()
        self._pages = self._bytes = self._unusable = self._repeated = 0

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of the next request."""
        return {} if self.cursor is None else {"cursor": self.cursor}

    def add(self, result: Mapping[str, Any], size: int = 0) -> None:
        """Take one page of ``size`` bytes in, and decide whether there is another."""
        self._pages += 1
        self._bytes += size
        entries = result.get("tools")
        if not isinstance(entries, list):
            self.stop(f"page {self._pages} of its tools holds no list of tools")
            return
        for entry in entries:
            self._take(entry)
        if not self.over:
            self._follow(result.get("nextCursor"))

    def stop(self, limitation: str) -> None:
        """End the walk before the list did. ``limitation`` says why, in words of ours."""
        self._limitation, self.over = limitation, True

    def manifest(self, server: str, protocol: str | None, notes: Sequence[str] = ()) -> Manifest:
        """What was collected; ``notes`` come before those of the walk."""
        found = [*notes, *self._notes]
        if self._unusable:
            found.append(f"{_skipped(self._unusable)}: {_UNUSABLE}")
        if self._repeated:
            found.append(f"{_skipped(self._repeated)}: the name of an earlier tool")
        return Manifest(server, tuple(self._tools.values()), self._limitation, tuple(found), protocol)

    def _take(self, entry: object) -> None:
        tool = _tool(entry)
        if tool is None:
            self._unusable += 1
        elif tool.name in self._tools:
            self._repeated += 1
        elif len(self._tools) == MAX_TOOLS:
            self.stop(f"it offers more than {MAX_TOOLS:,} tools; the rest was left out")
        else:
            self._tools[tool.name] = tool

    def _follow(self, cursor: object) -> None:
        """Null or none ends the list. An empty cursor means the end to some servers and one more page to others.

        So it is followed like any cursor, and like any cursor only once: that finds the page if there is one.
        """
        if cursor is None:
            self.over = True
        elif not isinstance(cursor, str):
            self._end_with("its nextCursor is not a string; the tool list was taken to end there")
        elif cursor in self._seen:
            self._end_with("its nextCursor came a second time; the tool list was taken to end there")
        elif self._pages == MAX_PAGES:
            self.stop(f"its tool list has more than {MAX_PAGES:,} pages; the rest was not read")
        elif self._bytes > MAX_BYTES:
            self.stop(f"its tool list is larger than {MAX_BYTES >> 20} MiB; the rest was not read")
        else:
            self._seen.add(cursor)
            self.cursor = cursor

    def _end_with(self, note: str) -> None:
        self._notes.append(note)
        self.over = True


def _tool(entry: object) -> Tool | None:
    if not isinstance(entry, dict) or nests_deeper(entry, MAX_DEPTH):
        return None
    try:
        tool = Tool.from_raw(entry)
    except ValueError:
        return None
    return tool if len(tool.name) <= MAX_NAME else None


def nests_deeper(value: object, limit: int) -> bool:
    """Whether a JSON value nests deeper than so many levels; found without recursion."""
    level = [value]
    for _ in range(limit):
        level = [child for parent in level for child in _children(parent)]
    return bool(level)


def _children(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _skipped(number: int) -> str:
    return f"{number:,} {'entry' if number == 1 else 'entries'} of its tool list skipped"
