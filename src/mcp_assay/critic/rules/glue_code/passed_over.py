"""One MCP tool is considered and passed over for steps outside MCP, again and again."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import ANY, FEW, Cost, Draft, Rule, grouped, ids, listed, named
from mcp_assay.critic.rules.glue_code.bridges import bridges
from mcp_assay.critic.rules.glue_code.code_over_results import work
from mcp_assay.critic.rules.glue_code.justifications import considered, is_insufficient
from mcp_assay.critic.rules.redundant_calls.pauses import is_pause

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    for (server, tool), steps in grouped(_passed(evidence)).items():
        scenarios = {step.scenario for step in steps}
        used = [call for call in evidence.mcp_calls if call.server == server and call.scenario in scenarios]
        # Without a call of the server beside them nothing cited would lead to it.
        if len(steps) >= FEW and used:
            cost = Cost.of(steps)
            yield Draft(
                rule=RULE.id,
                severity=RULE.severity(cost),
                dimension=RULE.dimension,
                mcp=server,
                summary=f"{named(tool)} was considered and passed over {len(steps)} times,"
                f" each time for {listed(step.tool for step in steps)}",
                evidence_ids=ids([used[0], *steps]),
                recommendation="Read the justifications of these steps: they say what the tool lacks.",
                cost=cost,
            )


def _passed(evidence: Evidence) -> Iterator[tuple[tuple[str, str], Call]]:
    """Not the steps that another rule tells of already: those that had results to work on, and waits."""
    told = {step.id for _, _, step in work(evidence)}
    told |= {step.id for bridge in bridges(evidence) for step in bridge.steps}
    for call in evidence.calls:
        is_new = call.is_outside and call.id not in told and not is_pause(evidence, call)
        if is_new and not is_insufficient(evidence, call):
            for server, tool in considered(evidence, call):
                if evidence.manifests is None or evidence.promised(server, tool):
                    yield (server, tool), call


RULE = Rule(
    "passed-over",
    Dimension.GLUE_CODE,
    ANY,
    needs_manifests=False,
    rationale="A tool that is always almost the right one leaves its part to code, and each time for a stated reason.",
    judge=_judge,
    needs_facts=False,
    example='Three `Bash` steps, each with "considered mcp__tracker__search_issues, which has no regex".',
)
