"""What a host's hook events say: which tool is called with what, and what came of it.

Names come from the server that the host says it calls; a tool's name is taken apart only where it does not say.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mcp_assay.core.model import Manifest, Method, Outcome, Reply, ToolCall
from mcp_assay.core.naming import is_mcp, label, split

__all__ = ["Use", "reply", "uses"]

_PREFIX = len("mcp__")
_AGES = 1e12  # milliseconds


@dataclass(frozen=True, slots=True)
class Use:
    """One use of a tool. ``server`` and ``source`` are what the host says of an MCP tool's server.

    ``response`` is what the model is given, where the event tells.
    """

    id: str
    tool: str
    args: Mapping[str, Any]
    cwd: str = ""
    agent: str | None = None
    server: str | None = None
    source: str | None = None
    response: Any = None

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> "Use":
        """The use that an event is about. Raises ValueError if it is not told as it must be."""
        found, tool, args = event.get("tool_use_id"), event.get("tool_name"), event.get("tool_input")
        if not isinstance(found, str) or not found or not isinstance(tool, str) or not tool:
            raise ValueError("an event without the call's id or the tool's name")
        if not isinstance(args, dict):
            raise ValueError("a call whose arguments are no object")  # noqa: TRY004 - what was said, not our code
        server = event.get("mcp_server")
        of = server if isinstance(server, dict) else {}
        return cls(
            found,
            tool,
            args,
            _text(event.get("cwd")) or "",
            _text(event.get("agent_type")),
            _text(of.get("name")),
            _text(of.get("source")),
            event.get("tool_response"),
        )

    def call(self, pinned: Mapping[str, Manifest]) -> ToolCall:
        """The call as the gate knows it: the server's own name and its tool's own name."""
        if self.tool == "ReadMcpResourceTool" and (read := self._read()) is not None:
            return read
        if self.server is None and not is_mcp(self.tool):
            return ToolCall(None, self.tool, self.args, join=self.id)
        server, folded = self.server, ""
        if server is None:
            found = split(self.tool, pinned)
            server, folded = found or self._parts()
        alike = [tool.name for tool in _tools(pinned, server) if label(server, tool.name) == self.tool]
        if len(alike) > 1:  # of tools that the host cannot tell apart none is meant
            return ToolCall(server, self.tool, self.args, join=self.id)
        name = alike[0] if alike else folded or self.tool.removeprefix(label(server, ""))
        return ToolCall(server, name, self.args, join=self.id)

    def _read(self) -> ToolCall | None:
        """A resource is read through a tool of the host's."""
        server, uri = self.args.get("server"), self.args.get("uri")
        if not isinstance(server, str) or not isinstance(uri, str):
            return None
        method = Method.READ_RESOURCE
        return ToolCall(server, str(method), {"uri": uri}, join=self.id, method=method)

    def _parts(self) -> tuple[str, str]:
        """Of a name that fits no server."""
        server, _, tool = self.tool[_PREFIX:].partition("__")
        return server, tool


def uses(batch: Mapping[str, Any]) -> list[Use]:
    """The uses that a batch of calls consisted of. Raises ValueError."""
    listed = batch.get("tool_calls")
    if not isinstance(listed, list):
        raise ValueError("a batch without its calls")  # noqa: TRY004 - as above
    common = {key: batch[key] for key in ("cwd", "agent_type") if key in batch}
    return [Use.of(common | item) for item in listed if isinstance(item, dict)]


def reply(use: Use, event: Mapping[str, Any]) -> Reply:
    """What came back for a call that has been made: of ``PostToolUse``, or of ``PostToolUseFailure``."""
    took = event.get("duration_ms")
    duration = int(took) if isinstance(took, int | float) and 0 < took < _AGES else 0
    if "tool_response" in event:
        size = len(json.dumps(use.response, separators=(",", ":")))
        return Reply(Outcome.OK, _result(use), size=size, duration_ms=duration)
    error = _text(event.get("error")) or ""
    outcome = Outcome.CANCELLED if event.get("is_interrupt") is True else Outcome.ERROR
    result = {"content": [{"type": "text", "text": error}], "isError": True} if outcome is Outcome.ERROR else None
    return Reply(outcome, result, error_text=error, size=len(error.encode()), duration_ms=duration)


def _result(use: Use) -> dict[str, Any]:
    """In the form of an MCP result. The host hands on the structured content as a text, or else the content."""
    response = use.response
    if isinstance(response, str) and use.server is not None:
        try:
            return {"content": [], "structuredContent": json.loads(response)}
        except (ValueError, RecursionError):
            pass
    if isinstance(response, list) and all(isinstance(block, dict) and "type" in block for block in response):
        return {"content": response}
    if isinstance(response, dict):
        return response if use.tool == "ReadMcpResourceTool" else {"content": [], "structuredContent": response}
    text = response if isinstance(response, str) else json.dumps(response)
    return {"content": [{"type": "text", "text": text}]}


def _tools(pinned: Mapping[str, Manifest], server: str) -> Iterable[Any]:
    return pinned[server].tools if server in pinned else ()


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
