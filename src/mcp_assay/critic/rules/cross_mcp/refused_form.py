"""A server refuses a value as another server gave it, and takes it in another form."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Outcome, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import CROSS_MCP, NOT_OURS, Cost, Draft, Rule, grouped, ids, named
from mcp_assay.critic.rules.parameter_inference.forms import Change, changes

__all__ = ["RULE"]

_REFUSALS = frozenset({"400", "404", "422", "http:400", "http:404", "http:422", "not_found", "validation"})

Refusal = tuple[Call, Change]
"""The call that was refused, and the change of form after which another one passed."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    keyed = (
        ((each.origin.server, each.call.server, each.call.tool, each.argument.path), (refused, each))
        for refused, each in _refusals(evidence)
    )
    for (giver, taker, tool, path), found in grouped(keyed).items():
        yield Draft(
            rule=RULE.id,
            severity=Severity.MINOR,
            dimension=RULE.dimension,
            mcp=CROSS_MCP,
            summary=f"{named(tool)} ({named(taker)}) refused {named(path)} as {named(found[0][1].origin.tool)}"
            f" ({named(giver)}) gives it, and took it in another form",
            evidence_ids=ids(call for refused, each in found for call in (each.origin, refused, each.call)),
            recommendation="Let one of the two servers return or accept the form that the other one uses.",
            cost=Cost.of(call for refused, each in found for call in (refused, each.call)),
            causes=frozenset(each.cause for _, each in found),
        )


def _refusals(evidence: Evidence) -> Iterator[Refusal]:
    series = grouped(((call.scenario, call.server, call.tool), call) for call in evidence.mcp_calls)
    for change in changes(evidence):
        call = change.call
        if change.origin.server != call.server:
            before = (one for one in series[call.scenario, call.server, call.tool] if one.index < call.index)
            refused = next((one for one in before if _had_it_as_given(one, change)), None)
            if refused is not None:
                yield refused, change


def _had_it_as_given(call: Call, change: Change) -> bool:
    """Whether a refused call passed what stood at the same place of the same result, as it stood there."""
    if call.outcome != Outcome.ERROR or call.error_class not in _REFUSALS:
        return False
    here = next((argument for argument in call.args if argument.path == change.argument.path), None)
    there = (change.origin.id, change.argument.at, "same")
    return here is not None and (here.source, here.at, here.via) == there


RULE = Rule(
    "refused-form",
    Dimension.CROSS_MCP,
    NOT_OURS,
    needs_manifests=False,
    rationale="Two servers that name one thing differently make a caller try until one of the forms is taken.",
    judge=_judge,
)
