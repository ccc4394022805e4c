"""What an agent's host gets where there is no server to relay: a server with no tools, which refuses every call.

So the host shows something sensible, and whoever calls all the same is told why it cannot be done.
"""

from collections.abc import Mapping
from typing import Any

from mcp_assay import __version__
from mcp_assay.frames import Kind, Oversized, encode
from mcp_assay.host import traffic
from mcp_assay.host.base import Sink
from mcp_assay.host.traffic import Fault, Said

__all__ = ["Standin"]

_HANDSHAKES = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
_STATELESS = "2026-07-28"
_INFO = {"name": "mcp-assay gateway", "version": __version__}
_OFFER: dict[str, Any] = {"capabilities": {"tools": {}}, "serverInfo": _INFO}


class Standin:
    """``why`` is what every call is told."""

    def __init__(self, agent: Sink, why: str) -> None:
        self._agent, self._why = agent, why

    @property
    def is_idle(self) -> bool:
        return True

    def from_agent(self, line: bytes | Oversized) -> None:
        """Take in one line that the agent's host has written."""
        if isinstance(line, Oversized):
            self._agent.send(traffic.oversized(line))
            return
        said = traffic.read(line) if not line.isspace() else None
        if isinstance(said, Fault) and said.answer is not None:
            self._agent.send(said.answer)
        elif isinstance(said, Said) and said.kind is Kind.REQUEST:
            self._agent.send(self._answer(said))

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
