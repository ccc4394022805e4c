"""A list is cut short and nothing leads to its rest."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity, Tool
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import ANY, Draft, Rule
from mcp_assay.critic.rules.response_shape.per_server import draft, showing, tools

__all__ = ["RULE"]

_STUCK = "with no way to ask for the rest"
_AWKWARD = "without a cursor or offset to go on from"  # a larger limit, from the start again, may get the rest


def _judge(evidence: Evidence) -> Iterator[Draft]:
    def severity(call: Call) -> Severity | None:
        tool = evidence.described(call)
        return None if tool is None or not call.ok else _stuck(call, tool)

    for calls in showing(evidence, lambda call: severity(call) is not None):
        certain = any(severity(call) is Severity.MAJOR for call in calls)
        yield draft(
            RULE,
            Severity.MAJOR if certain else Severity.MINOR,
            calls,
            f"A list was cut short {_STUCK if certain else _AWKWARD}: {tools(calls)}",
            "Return a next cursor (and accept it), or offer an offset or page parameter.",
        )


def _stuck(call: Call, tool: Tool) -> Severity | None:
    """How badly the caller is stuck before the rest of a list: MAJOR if there certainly is a rest and no way to it."""
    result = call.result
    if result.next_cursor is not False or any(names.is_position(argument.path) for argument in call.args):
        return None  # it may go on from the cursor; or this may be the last of several pages
    positions = [name for name in names.parameters(tool) if names.is_position(name)]
    if any(not names.is_cursor(name) for name in positions):
        return None
    if result.total is not None and result.items is not None:
        certain = result.total > result.items
        return (Severity.MINOR if _may_ask_for_more(call, tool) else Severity.MAJOR) if certain else None
    # A full page alone says little: without a next cursor it is how a list that pages by cursor ends, and where the
    # limit can be raised the caller has a way to see.
    guessed = result.at_limit is True and not positions and not _may_ask_for_more(call, tool)
    return Severity.MINOR if guessed else None


def _may_ask_for_more(call: Call, tool: Tool) -> bool:
    """Whether the tool has a limit parameter that may be higher than what came back."""
    limits = [schema for name, schema in names.parameters(tool).items() if names.is_limit(name)]
    return any(names.maximum(schema) > (call.result.items or 0) for schema in limits)


RULE = Rule(
    "more-data-than-cursor",
    Dimension.RESPONSE_SHAPE,
    ANY,
    needs_manifests=True,
    rationale="A caller that sees part of a list and no way on either misses the rest or believes it has all.",
    judge=_judge,
)
