"""Two tools of one server return the very same thing, and an agent asked both."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import AGENTS, Cost, Draft, Rule, grouped, ids, listed
from mcp_assay.critic.rules.parameter_inference.refusals import digests

__all__ = ["RULE"]

TELLING = 500
"""Bytes below which two results may be the same by chance, where nothing was asked for."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    pairs = ((first.server, (first, again)) for first, again in _pairs(evidence))
    for server, found in grouped(pairs).items():
        again = [call for _, call in found]
        cost = Cost.of(again)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{listed(call.tool for pair in found for call in pair)} gave the very same result, and both were"
            " asked",
            evidence_ids=ids(call for pair in found for call in pair),
            recommendation="Keep one of the tools, or say in the descriptions when to use which.",
            cost=cost,
            causes=frozenset((call.id, "again") for call in again),
        )


def _pairs(evidence: Evidence) -> Iterator[tuple[Call, Call]]:
    """Each result that two tools gave within a scenario: its first call, and every later one."""
    reads = (
        ((call.scenario, call.server, call.result_digest), call)
        for call in evidence.mcp_calls
        if call.served and call.is_read and call.result_digest
    )
    for first, *others in grouped(reads).values():
        same = [call for call in others if _is_same(first, call)]
        if any(call.tool != first.tool for call in same):
            yield from ((first, call) for call in same)


def _is_same(one: Call, other: Call) -> bool:
    """Whether both were given the same values, be it under other names; without any the result must be telling.

    A list and a search that happen to find the same were asked for different things.
    """
    asked = sorted(digests(one).values())
    return asked == sorted(digests(other).values()) and (bool(asked) or one.result.bytes >= TELLING)


RULE = Rule(
    "twin-tools",
    Dimension.REDUNDANT_CALLS,
    AGENTS,
    needs_manifests=False,
    rationale="Tools that do the same under two names leave an agent to ask both, and to wonder what differs.",
    judge=_judge,
    example="`list_issues` and `query_issues` with the same arguments return the same 20 issues.",
)
