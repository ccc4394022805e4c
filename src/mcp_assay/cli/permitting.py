"""Which of the agent's own tools may be used in scenarios, besides those of the MCP servers?"""

import re
from dataclasses import replace

from mcp_assay.cli.ask import Ask
from mcp_assay.core import inert
from mcp_assay.core.naming import is_mcp
from mcp_assay.core.phrases import listed
from mcp_assay.core.plan import Plan

__all__ = ["permit"]

_QUESTION = (
    "The agent's host has tools of its own. Which of them may the agent use in the scenarios, each time with a "
    "justification that the critic reads?"
)
_HOW = "Name them as the host does, separated by commas (such as: Read, Grep, WebFetch), or answer: none"
_SHELL = "with a shell the agent can start programs: calls that pass around the gate cannot be excluded then"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
_NONE = "none"


async def permit(ask: Ask, plan: Plan) -> Plan:
    """The plan with the non-MCP tools that the user allows; what it allows already is not asked again."""
    if plan.allow:
        return plan
    ask.say()
    ask.say(_QUESTION)
    ask.say(f"  {_HOW}")
    while True:
        parts = [name.strip() for part in await ask.parts("tools: ") for name in part.split(",")]
        if [part.lower() for part in parts] == [_NONE]:
            return plan
        names = [part for part in parts if part]
        wrong = [name for name in names if not _NAME.fullmatch(name) or is_mcp(name) or name.lower() == _NONE]
        if names and not wrong:
            break
        said = (
            f"not names of tools of the host: {listed([inert.terminal(name, 60) for name in wrong])}; " if wrong else ""
        )
        ask.say(f"  Please name tools, or answer {_NONE}. {said}".rstrip(" ;"))
    if "Bash" in names:
        ask.warn(_SHELL)
    return replace(plan, allow=tuple(dict.fromkeys(names)))
