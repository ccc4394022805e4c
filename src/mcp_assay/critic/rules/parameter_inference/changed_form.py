"""A value that one tool returns has to be rewritten before another tool of the same server takes it."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import NOT_OURS, Cost, Draft, Rule, grouped, ids, listed, named
from mcp_assay.critic.rules.parameter_inference.forms import FORMS, changes

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    own = (change for change in changes(evidence) if change.origin.server == change.call.server)
    keyed = (((each.call.server, each.call.tool, each.argument.path, each.argument.via), each) for each in own)
    for (server, tool, path, via), found in grouped(keyed).items():
        cost = Cost.of(call for each in found for call in (*each.refused, each.call))
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{named(path)} of {named(tool)} needs a value from {listed(each.origin.tool for each in found)}"
            f" {FORMS[via]}",
            evidence_ids=ids(call for each in found for call in (each.origin, *each.refused, each.call)),
            recommendation="Return the value in the form that the parameter takes, or accept it in the form returned.",
            cost=cost,
            causes=frozenset(each.cause for each in found),
        )


RULE = Rule(
    "changed-form",
    Dimension.PARAMETER_INFERENCE,
    NOT_OURS,
    needs_manifests=False,
    rationale="A server whose outputs do not fit its own inputs makes every caller convert.",
    judge=_judge,
    example='`search_issues` returns "#1106", `get_issue` takes 1106.',
    floor=Severity.MINOR,
    weight="Minor at least: every caller must convert, and may guess wrong.",
)
