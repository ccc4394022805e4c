"""A step outside MCP turns one result into the next call's argument."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import CROSS_MCP, NOT_OURS, Cost, Draft, Rule, grouped, listed, named
from mcp_assay.critic.rules.glue_code.bridges import bridges

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    shorter = (bridge for bridge in bridges(evidence) if not bridge.is_long)
    found = grouped(((bridge.origin.server, bridge.taker.server), bridge) for bridge in shorter)
    for (giver, taker), over in found.items():
        steps = [step for each in over for step in each.steps]
        cost = Cost.of(steps)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            # Glue between two servers is neither's alone; giver and taker are both cited, so it spans two.
            mcp=giver if giver == taker else CROSS_MCP,
            summary=f"{listed(step.tool for step in steps)} had to turn results of"
            f" {listed(each.origin.tool for each in over)} ({named(giver)}) into arguments for"
            f" {listed(each.taker.tool for each in over)} ({named(taker)})",
            evidence_ids=tuple(dict.fromkeys(ident for each in over for ident in each.cited)),
            recommendation="Return the value that the next call takes, or let that call take the result as it came.",
            cost=cost,
            causes=frozenset(each.cause for each in over),
        )


RULE = Rule(
    "transform-between",
    Dimension.GLUE_CODE,
    NOT_OURS,
    needs_manifests=False,
    rationale="A step outside MCP that turns one result into the next call's argument is work left over.",
    judge=_judge,
    example=(
        "`get_current_time` returns a moment, `create_issue` wants a day, and `Bash` cuts the one out of the other."
    ),
    floor=Severity.MAJOR,
    weight="Major at least: an agent that may run no code cannot go on.",
)
