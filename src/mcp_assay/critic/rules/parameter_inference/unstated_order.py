"""A call works only after another one, which nothing in the manifest says."""

import re
from collections.abc import Iterator, Sequence

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import AGENTS, Cost, Draft, Rule, grouped, ids, listed, named
from mcp_assay.critic.rules.parameter_inference.refusals import NOT_FOUND, is_refused

__all__ = ["RULE"]

_ORDER = re.compile(r"\b(?:before|first|prior|beforehand)\b", re.IGNORECASE)

Order = tuple[Call, Call, Call]
"""The call that was refused, the other one after it, and the same call again, which then went through."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    keyed = (((order[0].server, order[0].tool), order) for order in _orders(evidence))
    for (server, tool), found in grouped(keyed).items():
        cost = Cost.of(call for refused, first, _ in found for call in (refused, first))
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{named(tool)} was refused until {listed(first.tool for _, first, _ in found)} had been called,"
            " which the manifest does not say",
            evidence_ids=ids(call for order in found for call in order),
            recommendation="Say in the description what has to be called first, or do it as part of the call.",
            cost=cost,
        )


def _orders(evidence: Evidence) -> Iterator[Order]:
    for calls in evidence.by_scenario.values():
        for place, refused in enumerate(calls):
            if refused.server and refused.args_digest and is_refused(refused):
                order = _made_good(evidence, refused, calls[place + 1 :])
                if order is not None:
                    yield order


def _made_good(evidence: Evidence, refused: Call, later: Sequence[Call]) -> Order | None:
    """The very same call again, if it went through this time, with what of the same server came in between."""
    between: list[Call] = []
    for call in later:
        if (call.server, call.tool, call.args_digest) == (refused.server, refused.tool, refused.args_digest):
            first = next((one for one in between if not _is_stated(evidence, refused, one)), None)
            return (refused, first, call) if call.served and first is not None else None
        # What was not there and then was made is no order of calls.
        if call.server == refused.server and call.tool != refused.tool and call.served:
            between += [] if refused.error_class in NOT_FOUND and not call.is_read else [call]
    return None


def _is_stated(evidence: Evidence, refused: Call, first: Call) -> bool:
    """Whether the one tool's description names the other, or that one's says that it comes first."""
    tool, other = evidence.described(refused), evidence.described(first)
    if tool is None or other is None:
        return True
    return other.name in tool.description or _ORDER.search(other.description) is not None


RULE = Rule(
    "unstated-order",
    Dimension.PARAMETER_INFERENCE,
    AGENTS,
    needs_manifests=True,
    rationale="An order of calls that no description states is learnt by being refused, by every caller anew.",
    judge=_judge,
    example="`list_issues` is refused, `open_workspace` is called, and the very same `list_issues` goes through.",
    floor=Severity.MINOR,
    weight="Minor at least: every caller is refused once.",
)
