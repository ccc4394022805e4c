"""A failure is returned as a success."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity, Verdict
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import ANY, Draft, Rule
from mcp_assay.critic.rules.redundant_calls.pauses import may_watch
from mcp_assay.critic.rules.response_shape.per_server import draft, hands_on_writings, showing, tools

__all__ = ["RULE"]


def _judge(evidence: Evidence) -> Iterator[Draft]:
    def shows(call: Call) -> bool:
        told = call.ok and call.result.error_in_success is True and not _tells_of_a_job(call)
        return told and (_is_data(call) or not hands_on_writings(call))

    for calls in showing(evidence, shows):
        # In data a failure has a field of its own; in prose it is only that the text begins like one.
        told = [call for call in calls if _is_data(call) or call.result.text_is_json]
        changed = any(call.verdict == Verdict.MUTATING for call in told)
        yield draft(
            RULE,
            calls,
            f"A failure is reported as a success by {tools(calls)}",
            "Set isError on a result that reports a failure; a client that trusts the flag goes on with an error text.",
            at_least=Severity.CRITICAL if changed else Severity.MAJOR if told else Severity.MINOR,
            at_most=Severity.CRITICAL if told else Severity.MINOR,
        )


def _tells_of_a_job(call: Call) -> bool:
    """Whether it may be a job that failed, and not the call: a record with an identifier, from a tool that watches."""
    return call.is_read and may_watch(call) and (call.result.identified is True or call.result.echoes is True)


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
    example=(
        '`{"error": "no such issue"}` without `isError`; a text that begins with "Error:". The prose of a tool'
        " that hands on what others wrote (`read_file`, `get_message`) is not judged."
    ),
    weight=(
        "In data Major at least, and Critical where it was a change, which the caller takes as made; in prose Minor,"
        " for the text may only read like an error."
    ),
)
