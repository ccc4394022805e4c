"""A result is too long to be read, and no parameter would have made it shorter."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import ANY, Draft, Rule
from mcp_assay.critic.rules.response_shape.per_server import draft, showing, tools

__all__ = ["RULE"]

LONG, CUT = 10_000, 25_000
"""Tokens, roughly, at which hosts begin to warn, and at which they cut a result off."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    def shows(call: Call) -> bool:
        tool = evidence.described(call)
        is_text = set(call.result.content) <= {"text"}  # an image or a file's bytes do not count as tokens
        return call.ok and _tokens(call) > LONG and is_text and tool is not None and not names.narrowing(tool)

    for calls in showing(evidence, shows):
        longest = max(map(_tokens, calls))
        yield draft(
            RULE,
            Severity.MAJOR if longest > CUT else Severity.MINOR,
            calls,
            f"About {longest:,} tokens came back at once from {tools(calls)}, and no parameter would have limited them",
            "Accept a limit and a way to go on, or return a summary with ids to ask further by.",
        )


def _tokens(call: Call) -> int:
    """What a client reads: structured content comes with the same again as text, of which a host passes on one."""
    return call.result.tokens // 2 if call.result.structured else call.result.tokens


RULE = Rule(
    "unlimited-result",
    Dimension.RESPONSE_SHAPE,
    ANY,
    needs_manifests=True,
    rationale="A result beyond what a host lets through is cut off; one below it crowds out all else that was said.",
    judge=_judge,
)
