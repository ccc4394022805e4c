"""The server's side of a relay, whichever server is there: a new one is greeted as the agent greeted the first.

Up to 2025-11-25 a session begins with ``initialize``, and the agent's host says that once. Where another server answers
than the one that it was said to, it must be said again, and what else is to be sent waits for the answer.
"""

from collections.abc import Callable, Mapping
from typing import Any

from mcp_assay.frames import encode
from mcp_assay.host.base import Sink

__all__ = ["INITIALIZE", "Greeting"]

INITIALIZE = "initialize"
_INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_OTHER = "the server speaks another version of the protocol than was agreed; start this session anew"
_NOT_AGAIN = "the server refused to begin a session anew; start this session anew"


class Greeting:
    """A sink for the server's frames. ``number`` is the id under which a server is being greeted.

    ``params`` are what a server is greeted with: the agent's, and the version that was agreed on.
    """

    def __init__(self, server: Sink) -> None:
        self._server = server
        self.params: Mapping[str, Any] | None = None
        self._held: list[bytes] | None = None
        self.number: str | None = None

    @property
    def backlog(self) -> int:
        return self._server.backlog + sum(map(len, self._held or ()))

    def send(self, frame: bytes) -> None:
        if self._held is None:
            self._server.send(frame)
        else:
            self._held.append(frame)

    def after(self, then: Callable[[], None]) -> None:
        self._server.after(then)

    def heard(self, params: Mapping[str, Any], reply: Mapping[str, Any]) -> None:
        """The agent's ``initialize`` was answered."""
        result = reply.get("result")
        version = result.get("protocolVersion") if isinstance(result, dict) else None
        if isinstance(version, str):
            self.params = {**params, "protocolVersion": version}

    def turn(self, server: Sink, number: str) -> bool:
        """Send to this server from now on. Returns whether it is greeted first, under this id."""
        self._server, self._held, self.number = server, None, None
        if self.params is None:
            return False
        self._held, self.number = [], number
        server.send(encode({"jsonrpc": "2.0", "id": number, "method": INITIALIZE, "params": self.params}))
        return True

    def drop(self) -> None:
        """What was held back is not sent any more."""
        self._held = self.number = None

    def answered(self, reply: Mapping[str, Any]) -> str | None:
        """The server has answered our greeting: what was held back is sent. Returns why not, if it cannot be."""
        held, self._held, self.number = self._held or [], None, None
        result = reply.get("result")
        if not isinstance(result, dict) or self.params is None:
            return _NOT_AGAIN
        if result.get("protocolVersion") != self.params["protocolVersion"]:
            return _OTHER
        for frame in (encode(_INITIALIZED), *held):
            self._server.send(frame)
        return None
