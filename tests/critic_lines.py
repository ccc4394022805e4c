"""Transcript lines for the critic's tests: only what a test names differs from a plain successful read."""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_assay.core.model import Manifest, Tool
from mcp_assay.core.naming import label
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import Draft
from mcp_assay.critic.run import judge

Line = dict[str, Any]

RESULT: Mapping[str, Any] = {
    "bytes": 1000,
    "content": ["text"],
    "structured": True,
    "schema_valid": True,
    "text_is_json": True,
    "items": None,
    "total": None,
    "at_limit": None,
    "next_cursor": None,
    "error_in_success": False,
    "error_class": None,
}


def taken(source: str, at: str = "id", via: str = "same", *, type: str = "string", digest: str = "d") -> Line:  # noqa: A002
    """An argument whose value came from an earlier call."""
    return {"type": type, "digest": digest, "source": source, "at": at, "via": via}


def line(
    ident: str,
    tool: str = "get_issue",
    *,
    mcp: str = "tracker",
    args: Mapping[str, Any] | None = None,
    result: Mapping[str, Any] | None = None,
    second: int = 0,
    **assay: Any,
) -> Line:
    """One MCP call. ``result`` overrides single fields of RESULT; ``assay`` single fields of the line's own."""
    return {
        "id": ident,
        "scenario_id": ident.partition("-")[0],
        "ts": f"2026-01-01T00:{second // 60:02}:{second % 60:02}Z",
        "tool": label(mcp, tool),
        "is_mcp": True,
        "args_summary": "",
        "result_shape": "object",
        "justification": None,
        "assay": {
            "mcp": mcp,
            "tool": tool,
            "verdict": "read",
            "outcome": "ok",
            "duration_ms": 200,
            "args_digest": f"a-{ident}",
            "result_digest": f"r-{ident}",
            "args": dict(args or {}),
            "result": {**RESULT, **(result or {})},
            **assay,
        },
    }


def refused(ident: str, tool: str = "get_issue", error_class: str = "validation", **more: Any) -> Line:
    return line(ident, tool, outcome="error", result={"error_class": error_class}, **more)


def outside(ident: str, tool: str = "Bash", **more: Any) -> Line:
    """A call of a tool that is no MCP tool."""
    entry = line(ident, tool, **more)
    entry["assay"].update(mcp=None, verdict=None)
    return {**entry, "tool": tool, "is_mcp": False, "justification": "no attached MCP covers this step"}


def blocked(ident: str) -> Line:
    entry = outside(ident, "__blocked__", outcome="blocked")
    return {**entry, "result_shape": "error:blocked", "blocked_tool": "mcp__tracker__delete_issue"}


def tool(name: str, *, output: bool = False, required: Sequence[str] = (), **parameters: Any) -> Tool:
    schema = {"type": "object", "properties": parameters, "required": list(required)}
    raw: Line = {"name": name, "inputSchema": schema}
    return Tool.from_raw({**raw, "outputSchema": {"type": "object"}} if output else raw)


def evidence(
    *entries: Line, tools: Sequence[Tool] | None = None, driver: str = "claude-code", attached: Sequence[str] = ()
) -> Evidence:
    """Evidence with ``tools`` as the manifest of ``tracker``; without them there are no manifests."""
    manifests = None if tools is None else {"tracker": Manifest("tracker", tuple(tools))}
    return Evidence(entries, (), attached or ("tracker", "docs"), manifests, driver)


def found(rule: str, evidence: Evidence) -> list[Draft]:
    """The findings of one rule, named ``dimension/id``, as the whole critic makes them."""
    return [draft for draft in judge(evidence) if f"{draft.dimension}/{draft.rule}" == rule]
