"""Where there is no server to relay: one with no tools, so that the agent's host shows something sensible.

Calls do not come this far: without an owner the relay refuses them, and the owner does if the server is to be skipped.
"""

from collections.abc import Callable, Mapping
from typing import Any

from mcp_assay import __version__
from mcp_assay.frames import Kind, encode
from mcp_assay.host import traffic
from mcp_assay.host.base import Later, Received
from mcp_assay.host.traffic import Said

__all__ = ["Absent", "Standin"]

_HANDSHAKES = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
_STATELESS = "2026-07-28"
_INFO = {"name": "mcp-assay gateway", "version": __version__}
_OFFER: dict[str, Any] = {"capabilities": {"tools": {"listChanged": True}}, "serverInfo": _INFO}


class Absent:
    """In the place of an owner, while there is none. ``lost`` is why."""

    def __init__(self, why: str) -> None:
        self.lost: str | None = why

    def ask(self, message: Mapping[str, Any], then: Callable[[Mapping[str, Any]], None]) -> None:
        """Nobody answers."""

    def tell(self, message: Mapping[str, Any]) -> None:
        """Nobody hears it."""


class Standin:
    """In the place of a server; see ``FarEnd``. ``why`` is what a call is told that comes this far."""

    def __init__(self, later: Later, why: str) -> None:
        self._later, self._why = later, why
        self._receive: Callable[[Received], None] | None = None
        self.backlog = 0

    @property
    def input(self) -> "Standin":
        return self

    def begin(self, receive: Callable[[Received], None], lost: Callable[[str], None]) -> None:  # noqa: ARG002 - never
        self._receive = receive

    def hold(self, held: bool) -> None:  # noqa: FBT001 - an Outlet tells it so
        """It says little."""

    def look(self) -> None:
        """It is no child process."""

    def end(self) -> None:
        self._receive = None

    def send(self, frame: bytes) -> None:
        """Answer, in a moment, what one line asks for."""
        said = traffic.read(frame)
        if isinstance(said, Said) and said.kind is Kind.REQUEST:
            answer = self._answer(said)
            self._later(0, lambda: self._receive(answer) if self._receive else None)

    def after(self, then: Callable[[], None]) -> None:
        then()

    def _answer(self, said: Said) -> bytes:
        if said.method in traffic.JUDGED:
            return traffic.refusal(said, self._why)
        result = _result(said)
        if result is None:
            return traffic.error(said.id, traffic.UNKNOWN_METHOD, "Method not found")
        return encode({"jsonrpc": "2.0", "id": said.id, "result": result})


def _result(said: Said) -> Mapping[str, Any] | None:
    if said.method == "initialize":
        version = said.params.get("protocolVersion")
        return {"protocolVersion": version if version in _HANDSHAKES else _HANDSHAKES[0], **_OFFER}
    if said.method == "server/discover":
        return {"supportedVersions": [_STATELESS, *_HANDSHAKES], **_OFFER, **_for_now(said)}
    if said.method == traffic.LIST:
        return {"tools": [], **_for_now(said)}
    return {} if said.method == "ping" else None


def _for_now(said: Said) -> Mapping[str, Any]:
    """What a result says besides since 2026-07-28: that it is one, and that it must not be kept."""
    return {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"} if said.is_stateless else {}
