"""The same read, with the same result, within one scenario."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from mcp_assay.core.model import Dimension, Outcome, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import AGENTS, Cost, Draft, Rule, grouped, named
from mcp_assay.critic.rules.redundant_calls.pauses import pause, watches

__all__ = ["RULE"]

OFTEN = 2
"""Repetitions: one may be the agent's own forgetting, or its care."""
WAITING_SECONDS = 10.0
_INTERRUPTED = frozenset({Outcome.UNKNOWN, Outcome.PENDING, Outcome.LOST})


def _judge(evidence: Evidence) -> Iterator[Draft]:
    for (server, tool), pairs in grouped(_repeats(evidence)).items():
        repeats = [later for _, later in pairs]
        if len(repeats) < OFTEN:
            continue
        cost = Cost.of(repeats)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{named(tool)} was read again with the same arguments and gave the same result",
            evidence_ids=tuple(dict.fromkeys(call.id for pair in pairs for call in pair)),
            recommendation="See what the first result left out or buried, so that one read is enough.",
            cost=cost,
            causes=frozenset((call.id, "again") for call in repeats),
        )


def _repeats(evidence: Evidence) -> Iterator[tuple[tuple[str, str], tuple[Call, Call]]]:
    reads = (
        ((call.scenario, call.server, call.tool, call.args_digest, call.result_digest), call)
        for call in evidence.mcp_calls
        if call.ok and call.is_read and call.args_digest and call.result_digest
    )
    for same in grouped(reads).values():
        for earlier, later in pairwise(same):
            between = _between(evidence.by_scenario[earlier.scenario], earlier, later)
            if not _may_have_changed(between, later.server) and not _waited(earlier, between, later):
                yield (later.server, later.tool), (earlier, later)


def _between(calls: Sequence[Call], earlier: Call, later: Call) -> list[Call]:
    return [call for call in calls if earlier.index < call.index < later.index and not call.synthetic]


def _may_have_changed(between: Sequence[Call], server: str) -> bool:
    return any(call.server == server and not call.is_read for call in between)


def _waited(earlier: Call, between: Sequence[Call], later: Call) -> bool:
    """Whether the second read may be a poll: a tool that watches, a pause, or a step outside MCP, which may be one."""
    if watches(later):
        return True
    if any(not call.server or call.outcome in _INTERRUPTED for call in between):
        return True
    return any(pause(one, next_one) >= WAITING_SECONDS for one, next_one in pairwise([earlier, *between, later]))


RULE = Rule(
    "same-read-again",
    Dimension.REDUNDANT_CALLS,
    AGENTS,
    needs_manifests=False,
    rationale="An agent that reads the same thing again did not find, or could not keep, what it needed.",
    judge=_judge,
    example=(
        "`get_issue` with the same arguments and the same result twice in a scenario, with no change, wait or"
        " step outside MCP in between."
    ),
    ceiling=Severity.MINOR,
    weight="Minor at most: it may be the agent's own forgetting.",
)
