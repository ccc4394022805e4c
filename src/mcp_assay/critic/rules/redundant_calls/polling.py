"""A status is asked for over and over, where nothing offers to wait for it."""

from collections.abc import Iterator
from itertools import pairwise

from mcp_assay.core.model import Dimension
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, Cost, Draft, Rule, grouped, ids, named
from mcp_assay.critic.rules.redundant_calls.pauses import may_watch, pause

__all__ = ["RULE"]

POLLS, LOOKS = 4, 3
"""Looks that are polling: at what a name says is getting on, and at what a call of the same server surely began."""
WAITING_SECONDS = 1.0

_WAITING = names.vocabulary(
    "await block blocking callback event follow longpoll notification notify seconds sleep stream subscribe"
    " subscription timeout until wait watch webhook"
)


def _judge(evidence: Evidence) -> Iterator[Draft]:
    series = grouped(((calls[0].server, calls[0].tool), calls) for calls in _series(evidence))
    for (server, tool), found in series.items():
        calls = [call for each in found for call in each]
        cost = Cost.of(calls)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{named(tool)} was asked {len(calls)} times with the same arguments for something that went on",
            evidence_ids=ids(calls),
            recommendation="Offer a call that waits, with a timeout, until there is something new, or a notification.",
            cost=cost,
            causes=frozenset((call.id, "again") for each in found for call in each[1:]),
        )


def _series(evidence: Evidence) -> Iterator[list[Call]]:
    """The calls of each status read that was repeated often enough in a scenario."""
    reads = (
        ((call.scenario, call.server, call.tool, call.args_digest), call)
        for call in evidence.mcp_calls
        if call.ok and call.is_read and call.args_digest
    )
    for calls in grouped(reads).values():
        polled = len(calls) >= LOOKS and _was_begun(evidence, calls)
        watched = len(calls) >= POLLS and may_watch(calls[0]) and _waited(evidence, calls)
        if (polled or watched) and not _may_wait(evidence, calls[0]):
            yield calls


def _was_begun(evidence: Evidence, calls: list[Call]) -> bool:
    """Whether what is looked at came from a call that changed something, and nothing was changed since."""
    began = any(origin.server == calls[0].server and not origin.is_read for _, origin in evidence.sourced(calls[0]))
    since = [call for call in evidence.by_scenario[calls[0].scenario] if calls[0].index < call.index < calls[-1].index]
    return began and all(call.is_read for call in since if call.server == calls[0].server)


def _waited(evidence: Evidence, calls: list[Call]) -> bool:
    """Whether time was let pass before each repetition: by itself, or in a step outside MCP, which may be a sleep."""
    outside = [call.index for call in evidence.by_scenario[calls[0].scenario] if call.is_outside]
    return all(
        WAITING_SECONDS <= pause(one, later) < float("inf") or any(one.index < at < later.index for at in outside)
        for one, later in pairwise(calls)
    )


def _may_wait(evidence: Evidence, call: Call) -> bool:
    """Whether the manifest names something to wait by: a parameter of this tool, or another tool. Unknown counts."""
    tool = evidence.described(call)
    if tool is None:
        return True
    siblings = [sibling for sibling in (evidence.manifests or {})[call.server].tools if sibling is not tool]
    spoken = [*names.parameters(tool), *(sibling.name for sibling in siblings)]
    return any(not _WAITING.isdisjoint(names.words(name)) for name in spoken)


RULE = Rule(
    "polling",
    Dimension.REDUNDANT_CALLS,
    AGENTS,
    needs_manifests=True,
    rationale="Each look at an unfinished job costs a call and a turn; a call that waits costs one.",
    judge=_judge,
    example=(
        "`start_export` returns an id, `get_export` is asked for it three times; or `get_job_status` four times with"
        " waits in between. The server names nothing to wait by."
    ),
)
