"""A server refuses a value as another server gave it, and takes it in another form."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import CROSS_MCP, NOT_OURS, Cost, Draft, Rule, grouped, ids, named
from mcp_assay.critic.rules.parameter_inference.forms import changes

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    refused = (change for change in changes(evidence) if change.refused and change.origin.server != change.call.server)
    keyed = (((each.origin.server, each.call.server, each.call.tool, each.argument.path), each) for each in refused)
    for (giver, taker, tool, path), found in grouped(keyed).items():
        cost = Cost.of(call for each in found for call in (*each.refused, each.call))
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=CROSS_MCP,
            summary=f"{named(tool)} ({named(taker)}) refused {named(path)} as {named(found[0].origin.tool)}"
            f" ({named(giver)}) gives it, and took it in another form",
            evidence_ids=ids(call for each in found for call in (each.origin, *each.refused, each.call)),
            recommendation="Let one of the two servers return or accept the form that the other one uses.",
            cost=cost,
            causes=frozenset(each.cause for each in found),
        )


RULE = Rule(
    "refused-form",
    Dimension.CROSS_MCP,
    NOT_OURS,
    needs_manifests=False,
    rationale="Two servers that name one thing differently make a caller try until one of the forms is taken.",
    judge=_judge,
    example='`docs` does not find "#12", which is how `tracker` names it, and finds 12.',
    floor=Severity.MINOR,
    weight="Minor at least: every caller is refused once.",
)
