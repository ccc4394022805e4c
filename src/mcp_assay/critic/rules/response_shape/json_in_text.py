"""JSON comes back inside a text block, and nowhere as data."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import ANY, Draft, Rule
from mcp_assay.critic.rules.response_shape.per_server import draft, hands_on_documents, showing, tools

__all__ = ["RULE"]

_BARE = 64
"""Bytes of a reply whose text is `[]`: of what form the items would have been that says nothing."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    def shows(call: Call) -> bool:
        return (
            call.ok
            and call.result.text_is_json is True
            and not (call.result.items == 0 and call.result.bytes <= _BARE)
            and (call.result.echoes is True or not hands_on_documents(call))  # a document seldom names itself
            and _only_as_text(evidence, call)
        )

    for calls in showing(evidence, shows):
        yield draft(
            RULE,
            calls,
            f"JSON comes back as plain text from {tools(calls)}, so clients must parse strings",
            "Return the object as structuredContent, described by an outputSchema, beside the text.",
        )


def _only_as_text(evidence: Evidence, call: Call) -> bool:
    """Whether there is no structured content, or one whose only member is that text again: {"content": "<json>"}."""
    tool = evidence.described(call)
    undeclared = tool is None or tool.output_schema is None
    return (call.result.structured is False and undeclared) or call.result.wraps is True


RULE = Rule(
    "json-in-text",
    Dimension.RESPONSE_SHAPE,
    ANY,
    needs_manifests=False,
    rationale="A JSON object inside a text block has no declared form, so every client guesses and parses.",
    judge=_judge,
    example=(
        '`{"content": [{"type": "text", "text": "{\\"total\\": 23, …}"}]}`, or the same once more in structured'
        " content of one member. A tool that hands on documents (`read_file`, `fetch`) is not judged."
    ),
    ceiling=Severity.MINOR,
    weight="Minor at most: all of the data arrives.",
)
