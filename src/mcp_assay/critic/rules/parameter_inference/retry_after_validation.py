"""A tool refuses its arguments, and a corrected call goes through."""

from collections.abc import Iterator
from dataclasses import replace

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, Cause, Cost, Draft, Rule, grouped, listed, named
from mcp_assay.critic.rules.parameter_inference.retries import Retry, retries, top

__all__ = ["RULE"]

OFTEN = 3


def _judge(evidence: Evidence) -> Iterator[Draft]:
    corrected = (((retry.passed.server, retry.passed.tool), retry) for retry in _corrections(evidence))
    for (server, tool), found in grouped(corrected).items():
        refused = [call for retry in found for call in retry.refused]
        changed = [path for retry in found for path in retry.changed]
        times = "once" if len(refused) == 1 else f"{len(refused)} times"
        yield Draft(
            rule=RULE.id,
            severity=Severity.MAJOR if len(refused) >= OFTEN else Severity.MINOR,
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{named(tool)} refused its arguments {times} before a corrected call went through",
            evidence_ids=tuple(call.id for retry in found for call in (*retry.refused, retry.passed)),
            recommendation="State the accepted form in the schema and the description"
            + (f"; what the caller changed: {listed(changed)}." if changed else "."),
            cost=Cost.of(refused),
            causes=frozenset[Cause]().union(*(retry.causes for retry in found)),
        )


def _corrections(evidence: Evidence) -> Iterator[Retry]:
    """The retries that corrected something, rather than merely complete it by what the schema openly requires."""
    for retry in retries(evidence):
        whole = tuple(call for call in retry.refused if _gave_what_is_required(evidence, call))
        if whole:
            yield replace(retry, refused=whole)


def _gave_what_is_required(evidence: Evidence, call: Call) -> bool:
    tool = evidence.described(call)
    return tool is None or names.required(tool) <= {top(argument.path) for argument in call.args}


RULE = Rule(
    "retry-after-validation",
    Dimension.PARAMETER_INFERENCE,
    AGENTS,
    needs_manifests=False,
    rationale="An agent that had to be refused first could not tell from the surface what the tool accepts.",
    judge=_judge,
)
