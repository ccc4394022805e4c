"""Two servers return the same thing, and an agent asked both."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import AGENTS, CROSS_MCP, Cost, Draft, Rule, grouped, ids, listed

__all__ = ["RULE"]

TELLING = 500
"""Bytes below which two results may be the same by chance: empty ones, or a bare "ok"."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    pairs = (((first.server, second.server), (first, second)) for first, second in _pairs(evidence))
    for (one, other), found in grouped(pairs).items():
        firsts, seconds = [first for first, _ in found], [second for _, second in found]
        cost = Cost.of(seconds)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=CROSS_MCP,
            summary=f"The same data was fetched from {listed([one, other])}: by {listed(call.tool for call in firsts)}"
            f" and again by {listed(call.tool for call in seconds)}",
            evidence_ids=ids(call for pair in found for call in pair),
            recommendation="Say in the descriptions which of the two servers to ask for what.",
            cost=cost,
        )


def _pairs(evidence: Evidence) -> Iterator[tuple[Call, Call]]:
    """Reads of two servers in one scenario that gave the very same result."""
    reads = (
        ((call.scenario, call.result_digest), call)
        for call in evidence.mcp_calls
        if call.ok and call.is_read and call.result_digest and call.result.bytes >= TELLING
    )
    for first, *others in grouped(reads).values():
        yield from ((first, other) for other in others if other.server != first.server)


RULE = Rule(
    "same-data-twice",
    Dimension.CROSS_MCP,
    AGENTS,
    needs_manifests=False,
    rationale="Servers that overlap unsaid leave an agent to ask both, and to wonder which of them is right.",
    judge=_judge,
    example="`read_file` of one server and `get_document` of another return the very same result.",
    ceiling=Severity.MINOR,
    weight="Minor at most: the agent may have asked twice to be sure.",
)
