"""A result does not fit the output schema that the server declared."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import ANY, Draft, Rule
from mcp_assay.critic.rules.response_shape.per_server import draft, showing, tools

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    def shows(call: Call) -> bool:
        # An error that poses as a success fits no schema either, and that is its own finding.
        return call.ok and call.result.schema_valid is False and call.result.error_in_success is not True

    for calls in showing(evidence, shows):
        yield draft(
            RULE,
            calls,
            f"Results do not fit the outputSchema that the server declared for {tools(calls)}",
            "Return structuredContent that fits the declared outputSchema, or correct the schema.",
        )


RULE = Rule(
    "schema-not-kept",
    Dimension.RESPONSE_SHAPE,
    ANY,
    needs_manifests=False,
    rationale='The protocol has it: "Servers MUST provide structured results that conform to this schema."',
    judge=_judge,
    example="`structuredContent` without a member that the declared `outputSchema` requires.",
    floor=Severity.MAJOR,
    weight="Major at least: a client that validates refuses the whole result.",
)
