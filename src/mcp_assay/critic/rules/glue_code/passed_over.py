"""One MCP tool is considered and passed over for steps outside MCP, again and again."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import ANY, FEW, Cost, Draft, Rule, grouped, ids, listed, named
from mcp_assay.critic.rules.glue_code.justifications import considered, is_generic

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    for (server, tool), steps in grouped(_passed(evidence)).items():
        scenarios = {step.scenario for step in steps}
        used = [call for call in evidence.mcp_calls if call.server == server and call.scenario in scenarios]
        # Without a call of the server beside them nothing cited would lead to it.
        if len(steps) >= FEW and used:
            yield Draft(
                rule=RULE.id,
                severity=Severity.MINOR,
                dimension=RULE.dimension,
                mcp=server,
                summary=f"{named(tool)} was considered and passed over {len(steps)} times,"
                f" each time for {listed(step.tool for step in steps)}",
                evidence_ids=ids([used[0], *steps]),
                recommendation="Read the justifications of these steps: they say what the tool lacks.",
                cost=Cost.of(steps),
            )


def _passed(evidence: Evidence) -> Iterator[tuple[tuple[str, str], Call]]:
    for call in evidence.calls:
        if call.is_outside and not is_generic(call):
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
)
