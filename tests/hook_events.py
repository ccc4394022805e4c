"""What a host tells its hooks, in the words of Claude Code 2.1.332, and what they say to it."""

import json
from collections.abc import Mapping
from typing import Any

from mcp_assay.host.hooks import Answer

SESSION = "5e55-1d"
UNKNOWN = "<tool_use_error>Error: No such tool available: {}</tool_use_error>"
Event = dict[str, Any]


def use(join: str, tool: str, args: Any = None, server: str | None = None, **more: Any) -> Event:
    """What the events of one call have in common. ``server`` is the one that an MCP tool is of."""
    of = {"mcp_server": {"name": server, "source": "project"}} if server else {}
    common = {"session_id": SESSION, "cwd": "/", "tool_use_id": join, "tool_name": tool}
    return common | {"tool_input": {} if args is None else args} | of | more


def listing(join: str, **more: Any) -> Event:
    """A call that the gate of the stage permits."""
    return use(join, "mcp__a__list_items", {"project": "x"}, "a", **more)


def creating(join: str, **more: Any) -> Event:
    """A call that it blocks."""
    return use(join, "mcp__a__create_item", {"path": "x"}, "a", **more)


def ok(event: Event, response: Any = None) -> Event:
    return event | {"tool_response": [{"type": "text", "text": "done"}] if response is None else response}


def failed(event: Event, error: str = "bad", **more: Any) -> Event:
    return event | {"error": error, "is_interrupt": False, "duration_ms": 5} | more


def batch(*events: Event, **more: Any) -> Event:
    """The calls as the host tells them: without their servers."""
    keys = ("tool_name", "tool_input", "tool_use_id", "tool_response")
    calls = [{key: event[key] for key in keys if key in event} for event in events]
    return {"session_id": SESSION, "cwd": "/", "tool_calls": calls} | more


def decision(answer: Answer) -> Any:
    """What was decided and why, as a pair; None if the hook has nothing to say."""
    if answer.exit:
        return "fault", answer.stderr
    said: Mapping[str, Any] = json.loads(answer.stdout)["hookSpecificOutput"] if answer.stdout else {}
    if not said:
        return None
    assert said["hookEventName"] == "PreToolUse"
    return said["permissionDecision"], said["permissionDecisionReason"]
