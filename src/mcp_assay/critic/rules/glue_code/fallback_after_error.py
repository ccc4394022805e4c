"""An MCP call fails, and a step outside MCP then does what it should have done."""

from collections.abc import Iterator

from mcp_assay.core import naming
from mcp_assay.core.model import Dimension, Outcome, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import ANY, Cost, Draft, Rule, grouped, ids, listed, named
from mcp_assay.critic.rules.glue_code.justifications import considered

__all__ = ["RULE"]

_FAILED = frozenset({Outcome.ERROR, Outcome.TIMEOUT, Outcome.LOST})


def _judge(evidence: Evidence) -> Iterator[Draft]:
    pairs = (((failed.server, failed.tool), (failed, step)) for failed, step in _fallbacks(evidence))
    for (server, tool), found in grouped(pairs).items():
        steps = [step for _, step in found]
        yield Draft(
            rule=RULE.id,
            severity=Severity.MINOR,
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{listed(step.tool for step in steps)} took over after {named(tool)} had failed",
            evidence_ids=ids(call for pair in found for call in pair),
            recommendation="Mend what failed, or say in the error what to call instead.",
            cost=Cost.of(call for pair in found for call in pair),
        )


def _fallbacks(evidence: Evidence) -> Iterator[tuple[Call, Call]]:
    """Each step that succeeded and names a tool of which the last call in the scenario had failed, with that call."""
    for calls in evidence.by_scenario.values():
        last: dict[tuple[str, str], Call] = {}
        for call in calls:
            if call.server:
                last[call.server, naming.fold(call.tool)] = call
            elif call.is_outside and call.ok:
                tried = (last.get(name) for name in considered(evidence, call))
                yield from ((earlier, call) for earlier in tried if earlier and earlier.outcome in _FAILED)


RULE = Rule(
    "fallback-after-error",
    Dimension.GLUE_CODE,
    ANY,
    needs_manifests=False,
    rationale="Code that does what an MCP call failed to do is the friction at its plainest, and the caller says so.",
    judge=_judge,
    needs_facts=False,
)
