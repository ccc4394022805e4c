"""A step outside MCP whose justification is missing or a stock excuse."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import ANY, NOBODY, Cost, Draft, Rule, ids, listed
from mcp_assay.critic.rules.glue_code.justifications import is_insufficient

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    unfounded = [call for call in evidence.calls if call.is_outside and is_insufficient(evidence, call)]
    if unfounded:
        cost = Cost.of(unfounded)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            # The words are the caller's; to put them down to the server that was passed over would blame it for them.
            mcp=NOBODY,
            summary=f"The caller used {listed(call.tool for call in unfounded)} and gave no reason, or a stock excuse",
            evidence_ids=ids(unfounded),
            recommendation="Name the MCP tool that was considered and what it could not do; until then these steps say"
            " nothing about any server.",
            cost=cost,
        )


RULE = Rule(
    "generic-justification",
    Dimension.GLUE_CODE,
    ANY,
    needs_manifests=False,
    rationale='The specification has it: "Generic rationalizations ("faster locally", "easier") are not acceptable."',
    judge=_judge,
    needs_facts=False,
    example=(
        "\"faster locally\"; no justification at all. The finding is nobody's: the words are the caller's, not a"
        " server's."
    ),
    ceiling=Severity.MINOR,
    weight="Minor at most: the words are the caller's, and say nothing of a server.",
)
