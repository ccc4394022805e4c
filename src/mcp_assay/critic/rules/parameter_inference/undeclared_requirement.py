"""A parameter that the schema calls optional turns out to be required."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import ANY, Cause, Cost, Draft, Rule, grouped, ids, listed
from mcp_assay.critic.rules.parameter_inference.refusals import is_needed, top
from mcp_assay.critic.rules.parameter_inference.retries import Retry, retries

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    learnt = ((retry.passed.server, retry) for retry in retries(evidence) if _was_undeclared(evidence, retry))
    for server, found in grouped(learnt).items():
        cost = Cost.of(retry.refused[-1] for retry in found)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{listed(retry.passed.tool for retry in found)} was refused without"
            f" {listed(name for retry in found for name in retry.added)}, which the schema does not require, and passed"
            " with it",
            evidence_ids=ids(call for each in found for call in (*each.refused, each.passed)),
            recommendation="List the parameter as required, or say in the schema when it is needed.",
            cost=cost,
            causes=frozenset[Cause]().union(*(each.causes for each in found)),
        )


def _was_undeclared(evidence: Evidence, retry: Retry) -> bool:
    """Whether the refused call had all that the schema requires and lacked nothing but what was then added."""
    tool, given = evidence.described(retry.passed), {top(argument.path) for argument in retry.refused[-1].args}
    if tool is None or not retry.added:
        return False
    declared = names.parameters(tool).keys()
    bare = names.required(tool) <= given <= declared and set(retry.added) <= declared - given
    return bare and not any(is_needed(tool, name) for name in retry.added)


RULE = Rule(
    "undeclared-requirement",
    Dimension.PARAMETER_INFERENCE,
    ANY,
    needs_manifests=True,
    rationale="A requirement that the schema does not state is learnt by being refused, by every caller anew.",
    judge=_judge,
    example=(
        "`get_issue(id)` is refused, `get_issue(id, repo)` passes with the same `id`, and the schema requires"
        " `id` only."
    ),
    floor=Severity.MINOR,
    weight="Minor at least: every caller is refused once.",
)
