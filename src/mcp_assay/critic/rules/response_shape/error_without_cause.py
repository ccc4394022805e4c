"""A call fails and its error does not say why."""

from collections.abc import Iterator

from mcp_assay.core.errclass import UNSPECIFIED
from mcp_assay.core.model import Dimension, Outcome, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import ANY, Draft, Rule
from mcp_assay.critic.rules.response_shape.per_server import draft, showing, tools

__all__ = ["RULE"]

_UNTOLD = frozenset({UNSPECIFIED, "internal"})
"""Any other class is a cause, if a rough one."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    def shows(call: Call) -> bool:
        return call.outcome == Outcome.ERROR and call.result.cause is False and call.error_class in _UNTOLD

    for calls in showing(evidence, shows):
        yield draft(
            RULE,
            calls,
            f"An error that names no cause came from {tools(calls)}, so a caller cannot put right what was wrong",
            "Say in the error what failed and what the caller can do about it.",
        )


RULE = Rule(
    "error-without-cause",
    Dimension.RESPONSE_SHAPE,
    ANY,
    needs_manifests=False,
    rationale="An agent mends a call by what its error says; where that is nothing it can only repeat or give up.",
    judge=_judge,
    example='"Error executing tool get_issue", and not a word more.',
    floor=Severity.MINOR,
    weight="Minor at least: the call was in vain, and taught nothing.",
)
