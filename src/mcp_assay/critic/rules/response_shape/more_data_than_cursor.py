"""A list is cut short and nothing leads to its rest."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity, Tool
from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import ANY, Draft, Rule
from mcp_assay.critic.rules.response_shape.per_server import draft, showing, tools

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    def how(call: Call) -> Severity | None:
        tool = evidence.described(call)
        return None if tool is None or not call.served else _stuck(call, tool)

    for calls in showing(evidence, lambda call: how(call) is not None):
        certain = any(how(call) is Severity.MAJOR for call in calls)
        yield draft(
            RULE,
            calls,
            f"A list {'was' if certain else 'may have been'} cut short with no way to ask for the rest: {tools(calls)}",
            "Return a next cursor (and accept it), or offer an offset or page parameter.",
            at_least=Severity.MAJOR if certain else Severity.MINOR,
            at_most=Severity.CRITICAL if certain else Severity.MINOR,
        )


def _stuck(call: Call, tool: Tool) -> Severity | None:
    """How badly the caller is stuck before the rest of a list: MAJOR if there certainly is a rest and no way to it."""
    result, positions = call.result, names.positions(tool)
    if any(name in positions for name in map(_top, call.args)) or _may_ask_for_more(call, tool):
        return None  # it may be the last of several pages; or a higher limit gets the rest
    if result.next_cursor:
        known = result.total is not None and result.items is not None and result.total > result.items
        # It says that there is more, and nothing takes what it says.
        return None if positions or result.items is None else Severity.MAJOR if known else Severity.MINOR
    if result.next_cursor is None or any(not names.is_cursor(name) for name in positions) or _leads_on(tool):
        return None
    if result.total is not None and result.items is not None:
        return Severity.MAJOR if result.total > result.items else None
    # A full page alone says little: without a next cursor it is how a list that pages by cursor ends.
    return Severity.MINOR if result.at_limit is True and not positions else None


def _top(argument: Argument) -> str:
    return argument.path.partition(".")[0]


def _leads_on(tool: Tool) -> bool:
    """Whether the tool declares a member that leads on, by whatever name; then its absence means the end."""
    declared = (tool.output_schema or {}).get("properties")
    found = declared if isinstance(declared, dict) else {}
    return any(names.is_cursor(name) or "next" in names.words(name) for name in found)


def _may_ask_for_more(call: Call, tool: Tool) -> bool:
    """Whether the tool has a limit parameter that may be higher than what came back."""
    limits = [schema for name, schema in names.parameters(tool).items() if names.is_limit(name)]
    numbers = [schema for schema in limits if names.types(schema) != {"string"}]
    return any(names.maximum(schema) > (call.result.items or 0) for schema in numbers)


RULE = Rule(
    "more-data-than-cursor",
    Dimension.RESPONSE_SHAPE,
    ANY,
    needs_manifests=True,
    rationale="A caller that sees part of a list and no way on either misses the rest or believes it has all.",
    judge=_judge,
    example=('10 of `"total": 23` issues, no cursor in the result, and no offset, page or higher limit to ask with.'),
    weight="Major at least where there surely is more and no way to it; else Minor.",
)
