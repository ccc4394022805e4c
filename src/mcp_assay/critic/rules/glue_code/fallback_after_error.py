"""An MCP call fails, and a step outside MCP then does what it should have done."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import ANY, Cause, Cost, Draft, Rule, grouped, ids, listed, named
from mcp_assay.critic.rules.glue_code.fallbacks import fallbacks

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    pairs = (((vain[0].server, vain[0].tool), (vain, step)) for vain, step in fallbacks(evidence))
    for (server, tool), found in grouped(pairs).items():
        steps = [step for _, step in found]
        cost = Cost.of(call for vain, step in found for call in (*vain, step))
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{listed(step.tool for step in steps)} took over after {named(tool)} had failed",
            evidence_ids=ids(call for vain, step in found for call in (*vain, step)),
            recommendation="Mend what failed, or say in the error what to call instead.",
            cost=cost,
            causes=frozenset[Cause]((step.id, "step") for step in steps),
        )


RULE = Rule(
    "fallback-after-error",
    Dimension.GLUE_CODE,
    ANY,
    needs_manifests=False,
    rationale="Code that does what an MCP call failed to do is the friction at its plainest, and the caller says so.",
    judge=_judge,
    needs_facts=False,
    example=(
        '`search_issues` fails, and `Bash` runs with the justification "considered mcp__tracker__search_issues,'
        ' which failed".'
    ),
    floor=Severity.MINOR,
    weight="Minor at least: something failed and was not made good.",
)
