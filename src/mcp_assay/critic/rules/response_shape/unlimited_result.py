"""A result is too long to be read, and no parameter would have made it shorter."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic import rubric
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rubric import tokens_read
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import ANY, Draft, Rule
from mcp_assay.critic.rules.response_shape.per_server import draft, showing, tools

__all__ = ["RULE"]

LONG = rubric.MINOR_TOKENS


def _judge(evidence: Evidence) -> Iterator[Draft]:
    def shows(call: Call) -> bool:
        tool = evidence.described(call)
        is_text = set(call.result.content) <= {"text"}  # an image or a file's bytes do not count as tokens
        return call.ok and _length(call) > LONG and is_text and tool is not None and not names.narrowing(tool)

    for calls in showing(evidence, shows):
        longest = max(map(_length, calls))
        yield draft(
            RULE,
            calls,
            f"About {longest:,} tokens came back at once from {tools(calls)}, and no parameter would have limited them",
            "Accept a limit and a way to go on, or return a summary with ids to ask further by.",
        )


def _length(call: Call) -> int:
    """Tokens that nothing would have spared; of several records that were asked for by name, those of one."""
    several = any("[]" in argument.path and names.is_identifier(argument.path) for argument in call.args)
    return tokens_read(call) // (max(1, call.result.items or 0) if several else 1)


RULE = Rule(
    "unlimited-result",
    Dimension.RESPONSE_SHAPE,
    ANY,
    needs_manifests=True,
    rationale="A result beyond what a host lets through is cut off; one below it crowds out all else that was said.",
    judge=_judge,
    example="About 12,000 tokens from a tool whose only parameters say which record is wanted.",
    floor=Severity.MINOR,
    weight="Minor at least: hosts warn of such a result.",
)
