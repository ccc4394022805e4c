"""A value changes its form between two servers."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import CROSS_MCP, NOT_OURS, Cost, Draft, Rule, grouped, ids, listed, named
from mcp_assay.critic.rules.parameter_inference.forms import FORMS, changes

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    handoffs = (change for change in changes(evidence) if change.origin.server != change.call.server)
    keyed = (
        ((each.origin.server, each.call.server, each.call.tool, each.argument.path, each.argument.via), each)
        for each in handoffs
    )
    for (giver, taker, tool, path, via), found in grouped(keyed).items():
        cost = Cost.of(each.call for each in found)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=CROSS_MCP,
            summary=f"{named(path)} of {named(tool)} ({named(taker)}) needs a value from"
            f" {listed(each.origin.tool for each in found)} ({named(giver)}) {FORMS[via]}",
            # "cross-mcp findings: non-neutral cited ids must collectively span ≥2 different MCPs": giver and taker
            evidence_ids=ids(call for each in found for call in (each.origin, each.call)),
            recommendation="Let one of the two servers return or accept the form that the other one uses.",
            cost=cost,
            causes=frozenset(each.cause for each in found),
        )


RULE = Rule(
    "changed-form",
    Dimension.CROSS_MCP,
    NOT_OURS,
    needs_manifests=False,
    rationale="A handoff in which the caller converts the value between two servers breaks where it guesses wrong.",
    judge=_judge,
    example="`tracker` returns the URL of a repository, `docs` takes its name.",
    floor=Severity.MINOR,
    weight="Minor at least: every caller must convert, and may guess wrong.",
)
