"""A server's tools, as its gateway knows them and tells the owner: a walk through ``tools/list`` that no agent sees.

The owner judges a call by the tools that are there now, so they are listed before the first call, and again once the
server says that they changed. A list that cannot be had, whole and in time, is told as an empty one: nothing in it can
be called.
"""

import os
from collections.abc import Callable, Mapping
from typing import Any

from mcp_assay.frames import encode
from mcp_assay.host.base import Later, Owner, Sink, Timer
from mcp_assay.host.traffic import LIST

__all__ = ["Listing"]

_PATIENCE = 60.0
_MOST_PAGES, _MOST_TOOLS, _MOST_BYTES = 1_000, 10_000, 24 * 1024 * 1024


class Listing:
    """``is_stale`` is whether the tools must be listed before the next call."""

    def __init__(self, server: Sink, owner: Owner, later: Later) -> None:
        self.is_stale = True
        self._server, self._owner, self._later = server, owner, later
        # No agent can guess these ids, and one that was told is refused: see ``owns``.
        self._private = f"mcp-assay-{os.urandom(16).hex()}-"
        self._waiters: list[Callable[[], None]] = []
        self._timer: Timer | None = None
        self._asked = self._changes = self._began_at = self._bytes = 0
        self._number = ""
        self._envelope: Mapping[str, Any] = {}
        self._tools: list[Any] = []
        self._seen: set[str] = set()

    @property
    def changes(self) -> int:
        """How often the server has said that its tools changed."""
        return self._changes

    def change(self, owner: Owner | None = None) -> None:
        """The tools have changed, or the owner wants to see them, or it is another owner."""
        self._owner = owner or self._owner
        self._changes += 1
        self.is_stale = True

    def own(self) -> str:
        """An id for a request of this gateway's own."""
        self._asked += 1
        return f"{self._private}{self._asked}"

    def owns(self, number: object) -> bool:
        """Whether an id is one of this gateway's own."""
        return isinstance(number, str) and number.startswith(self._private)

    def refresh(self, envelope: Mapping[str, Any], then: Callable[[], None]) -> None:
        """List the tools, tell the owner, then go on. ``envelope`` is what a stateless request says of itself."""
        self._waiters.append(then)
        if len(self._waiters) == 1:
            self._begin(envelope)
            self._timer = self._later(_PATIENCE, self.fail)
            self._ask()

    def reply(self, message: Mapping[str, Any], size: int) -> None:
        """The server answered one of our own requests."""
        if not self._waiters or message["id"] != self._number:
            return
        result = message.get("result")
        tools = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(result, dict) or not isinstance(tools, list):
            self.fail()
            return
        self._tools += tools
        self._bytes += size
        self._follow(result.get("nextCursor"))

    def unanswered(self, number: object) -> None:
        """The server will not answer one of our own requests."""
        if number == self._number:
            self.fail()

    def passed(self, params: Mapping[str, Any], message: Mapping[str, Any], changes: int) -> None:
        """A reply of the server's to the agent's own ``tools/list``, asked for after so many changes.

        A whole list is told the owner as the agent saw it. A page of one only says that it is time to look again.
        """
        result = message.get("result")
        whole = isinstance(result, dict) and result.get("nextCursor") is None and "cursor" not in params
        tools = result.get("tools") if isinstance(result, dict) and whole else None
        told = isinstance(tools, list) and self._tell(tools)
        self.is_stale = not told or changes != self._changes

    def fail(self) -> None:
        """No list can be had; the next call tries again."""
        self._tools.clear()
        self._end(is_stale=True)

    def _begin(self, envelope: Mapping[str, Any]) -> None:
        self._envelope = envelope
        self._tools.clear()
        self._seen.clear()
        self._began_at, self._bytes = self._changes, 0

    def _ask(self, cursor: str | None = None) -> None:
        self._number = self.own()
        params: dict[str, Any] = {} if cursor is None else {"cursor": cursor}
        if self._envelope:
            params["_meta"] = dict(self._envelope)
        request = {"jsonrpc": "2.0", "id": self._number, "method": LIST}
        self._server.send(encode({**request, "params": params} if params else request))

    def _follow(self, cursor: object) -> None:
        """As everywhere here: a cursor is followed once, and one that is no string ends the list."""
        if not isinstance(cursor, str) or cursor in self._seen:
            self._end(is_stale=self._began_at != self._changes)
        elif len(self._seen) == _MOST_PAGES or len(self._tools) > _MOST_TOOLS or self._bytes > _MOST_BYTES:
            self.fail()
        else:
            self._seen.add(cursor)
            self._ask(cursor)

    def _end(self, *, is_stale: bool) -> None:
        if self._timer is not None:
            self._timer.cancel()
        waiters, self._waiters = self._waiters, []
        if waiters:
            self.is_stale = not self._tell(self._tools) or is_stale
        for then in waiters:
            then()

    def _tell(self, tools: list[Any]) -> bool:
        """Whether the owner could be told these tools; if not, it is told that there are none."""
        try:
            self._owner.tell({"do": "observe", "tools": tools})
        except (ValueError, RecursionError):
            self._owner.tell({"do": "observe", "tools": []})
            return False
        return True
