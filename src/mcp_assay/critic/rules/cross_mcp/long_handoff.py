"""A value needs two or more steps outside MCP on its way from one server to another."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import CROSS_MCP, NOT_OURS, Cost, Draft, Rule, grouped, listed, named
from mcp_assay.critic.rules.glue_code.bridges import bridges

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    keyed = (((bridge.origin.server, bridge.taker.server), bridge) for bridge in bridges(evidence) if bridge.is_long)
    for (giver, taker), found in grouped(keyed).items():
        steps = [step for each in found for step in each.steps]
        cost = Cost.of(steps)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=CROSS_MCP,
            summary=f"What {listed(each.origin.tool for each in found)} ({named(giver)}) returned needed"
            f" {max(len(each.steps) for each in found)} steps outside MCP ({listed(step.tool for step in steps)})"
            f" to become an argument of {listed(each.taker.tool for each in found)} ({named(taker)})",
            evidence_ids=tuple(dict.fromkeys(ident for each in found for ident in each.cited)),
            recommendation="Return, or accept, the value in a form that both servers share.",
            cost=cost,
            causes=frozenset(each.cause for each in found),
        )


RULE = Rule(
    "long-handoff",
    Dimension.CROSS_MCP,
    NOT_OURS,
    needs_manifests=False,
    rationale="A handoff that takes several steps of code is a program of its own, written anew by every caller.",
    judge=_judge,
    example="`Bash` and then `Python` before `docs` takes what `tracker` returned.",
    floor=Severity.MAJOR,
    weight="Major at least: an agent that may run no code cannot go on.",
)
