"""What lies between two calls: time, steps outside MCP, and tools that are there to be asked again."""

from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names

__all__ = ["is_pause", "may_watch", "pause", "watches"]

_SURELY = names.vocabulary("health job ping poll progress status wait watch")
_PERHAPS = names.vocabulary("build check deployment operation run state task")


def watches(call: Call) -> bool:
    """Whether the tool's name says that it tells how something is getting on."""
    return not _SURELY.isdisjoint(names.words(call.tool))


def may_watch(call: Call) -> bool:
    """Whether it might: a task may be running, or only stand in a list."""
    return watches(call) or not _PERHAPS.isdisjoint(names.words(call.tool))


def pause(one: Call, next_one: Call) -> float:
    """Seconds from the end of a call to the start of the next; endless where the lines do not say."""
    if one.started is None or next_one.started is None:
        return float("inf")
    return next_one.started - one.started - one.duration_ms / 1000


def is_pause(evidence: Evidence, step: Call) -> bool:
    """Whether a step outside MCP lies between two calls that are the very same: then it is a wait, or might be one."""
    calls = [call for call in evidence.by_scenario[step.scenario] if call.server]
    before = [call for call in calls if call.index < step.index][-1:]
    after = [call for call in calls if call.index > step.index][:1]
    same = {(call.server, call.tool, call.args_digest) for call in (*before, *after)}
    return bool(before and after) and len(same) == 1
