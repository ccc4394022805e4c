"""A failure is returned as a success."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import ANY, Draft, Rule
from mcp_assay.critic.rules.response_shape.per_server import draft, hands_on_writings, showing, tools

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    def shows(call: Call) -> bool:
        return call.ok and call.result.error_in_success is True and (_is_data(call) or not hands_on_writings(call))

    for calls in showing(evidence, shows):
        # In data a failure has a field of its own; in prose it is only that the text begins like one.
        told = any(_is_data(call) or call.result.text_is_json for call in calls)
        yield draft(
            RULE,
            Severity.MAJOR if told else Severity.MINOR,
            calls,
            f"A failure is reported as a success by {tools(calls)}",
            "Set isError on a result that reports a failure; a client that trusts the flag goes on with an error text.",
        )


def _is_data(call: Call) -> bool:
    """Whether the server itself put the failure into structured content, rather than only its text again."""
    return call.result.structured is True and call.result.wraps is not True


RULE = Rule(
    "error-in-success",
    Dimension.RESPONSE_SHAPE,
    ANY,
    needs_manifests=False,
    rationale="A failure without isError looks like data, and an agent builds on it.",
    judge=_judge,
)
