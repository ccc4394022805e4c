"""Transcript lines for the critic's tests: only what a test names differs from a plain successful read."""

from collections.abc import Mapping, Sequence
from typing import Any

from mcp_assay.core.model import Manifest, Tool
from mcp_assay.core.naming import label
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.jurisdiction import cases
from mcp_assay.critic.rules import RULES, Draft

Line = dict[str, Any]

RESULT: Mapping[str, Any] = {
    "bytes": 1000,
    "est_tokens": 250,
    "content": ["text"],
    "structured": True,
    "schema_valid": True,
    "text_is_json": True,
    "wraps": False,
    "items": None,
    "total": None,
    "at_limit": None,
    "next_cursor": None,
    "identified": None,
    "echoes": None,
    "error_in_success": False,
    "error_class": None,
    "cause": None,
    "about": None,
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


def refused(
    ident: str, tool: str = "get_issue", error_class: str = "validation", *, about: Sequence[str] = (), **more: Any
) -> Line:
    """A call that failed; ``about`` are the parameters that the error names."""
    return line(ident, tool, outcome="error", result={"error_class": error_class, "about": list(about)}, **more)


def outside(
    ident: str, tool: str = "Bash", *, why: str | None = "no attached MCP covers this step", **more: Any
) -> Line:
    """A call of a tool that is no MCP tool."""
    entry = line(ident, tool, **more)
    entry["assay"].update(mcp=None, verdict=None)
    return {**entry, "tool": tool, "is_mcp": False, "justification": why}


def bare(entry: Line) -> Line:
    """The same line with the specification's fields only."""
    return {key: value for key, value in entry.items() if key != "assay"}


def unexplained(digest: str = "u") -> Line:
    """An argument whose value came from nowhere that is known."""
    return {"type": "string", "digest": digest, "source": "none"}


def blocked(ident: str) -> Line:
    entry = outside(ident, "__blocked__", outcome="blocked")
    return {**entry, "result_shape": "error:blocked", "blocked_tool": "mcp__tracker__delete_issue"}


def tool(name: str, *, output: bool = False, required: Sequence[str] = (), about: str = "", **parameters: Any) -> Tool:
    schema = {"type": "object", "properties": parameters, "required": list(required)}
    raw: Line = {"name": name, "description": about, "inputSchema": schema}
    return Tool.from_raw({**raw, "outputSchema": {"type": "object"}} if output else raw)


def evidence(
    *entries: Line,
    tools: Sequence[Tool] | None = None,
    driver: str = "claude-code",
    drivers: Mapping[str, str] | None = None,
    attached: Sequence[str] = (),
    missed: Sequence[str] = (),
) -> Evidence:
    """Evidence with ``tools`` as the manifest of ``tracker``; without them there are no manifests."""
    manifests = None if tools is None else {"tracker": Manifest("tracker", tuple(tools))}
    named = attached or ("tracker", "docs")
    return Evidence(entries, (), named, manifests, driver, drivers or {}, frozenset(missed))


def found(name: str, evidence: Evidence) -> list[Draft]:
    """The findings of one rule, named ``dimension/id``, before any is merged into another's."""
    rule = next(rule for rule in RULES if f"{rule.dimension}/{rule.id}" == name)
    return [draft for _, seen in cases([rule], evidence) for draft in rule.judge(seen)]
