"""A tool refuses its arguments, and a corrected call goes through."""

from collections.abc import Iterator
from dataclasses import replace

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import AGENTS, Cause, Cost, Draft, Rule, grouped, listed, named
from mcp_assay.critic.rules.parameter_inference.forms import changes
from mcp_assay.critic.rules.parameter_inference.refusals import is_slip
from mcp_assay.critic.rules.parameter_inference.retries import Retry, retries

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    corrected = (((retry.passed.server, retry.passed.tool), retry) for retry in _corrections(evidence))
    for (server, tool), found in grouped(corrected).items():
        refused = [call for retry in found for call in retry.refused]
        changed = [path for retry in found for path in retry.changed]
        times = "once" if len(refused) == 1 else f"{len(refused)} times"
        cost = Cost.of(refused)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{named(tool)} refused its arguments {times} before a corrected call went through",
            evidence_ids=tuple(call.id for retry in found for call in (*retry.refused, retry.passed)),
            recommendation="State the accepted form in the schema and the description"
            + (f"; what the caller changed: {listed(changed)}." if changed else "."),
            cost=cost,
            causes=frozenset[Cause]().union(*(retry.causes for retry in found)),
        )


def _corrections(evidence: Evidence) -> Iterator[Retry]:
    """The retries that corrected what the schema did not openly say, and what no change of form tells already."""
    formed = {change.cause for change in changes(evidence)}
    for retry in retries(evidence):
        unsaid = tuple(call for call in retry.refused if not is_slip(evidence, call, retry.changed_from(call)))
        if unsaid and not retry.causes <= formed:
            yield replace(retry, refused=unsaid)


RULE = Rule(
    "retry-after-validation",
    Dimension.PARAMETER_INFERENCE,
    AGENTS,
    needs_manifests=False,
    rationale="An agent that had to be refused first could not tell from the surface what the tool accepts.",
    judge=_judge,
    example=(
        '`create_issue` refuses "tomorrow" and takes "2026-01-02". A call that lacked what the schema openly'
        " requires, or passed what its enum does not list, is the caller's slip."
    ),
    floor=Severity.MINOR,
    weight="Minor at least: a refusal costs a turn and its reading.",
)
