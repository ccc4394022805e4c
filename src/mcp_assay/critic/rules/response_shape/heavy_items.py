"""A list whose every item carries far more than a list is asked for, and no parameter leaves it out."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Tool
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import ANY, Draft, Rule
from mcp_assay.critic.rules.response_shape.per_server import draft, showing, tools

__all__ = ["RULE"]

MANY = 10
"""Items from which on their weight counts: fewer may be what was wanted whole."""
HEAVY = 1_200
"""Bytes of one item, about 300 tokens: a line of a list takes a fifth of that, a whole record several times as much."""

_CHOOSING = names.vocabulary(
    "attribute brief column compact compress concise detail detailed exclude expand expansion field format full include"
    " level minimal mode omit only preview property projection select short summary terse verbose verbosity view"
)


def _judge(evidence: Evidence) -> Iterator[Draft]:
    def shows(call: Call) -> bool:
        tool = evidence.described(call)
        is_list = call.served and call.is_read and (call.result.items or 0) >= MANY
        return is_list and _weight(call) >= HEAVY and tool is not None and not _is_chosen(call, tool)

    for calls in showing(evidence, shows):
        heaviest = max(map(_weight, calls))
        yield draft(
            RULE,
            calls,
            f"Each item of {tools(calls)} weighs about {heaviest:,} bytes, and no parameter leaves anything out",
            "Return with a list what tells its items apart, and the rest by a parameter or with a single item.",
        )


def _weight(call: Call) -> int:
    """Bytes of one item. Structured content comes with the same again as text, of which a host passes on one."""
    size = call.result.bytes // 2 if call.result.structured else call.result.bytes
    return size // max(1, call.result.items or 0)


def _is_chosen(call: Call, tool: Tool) -> bool:
    """Whether the caller named each item it wants, or could have said what it wants of them."""
    named = any("[]" in argument.path and names.is_identifier(argument.path) for argument in call.args)
    return named or any(not _CHOOSING.isdisjoint(names.words(name)) for name in names.parameters(tool))


RULE = Rule(
    "heavy-items",
    Dimension.RESPONSE_SHAPE,
    ANY,
    needs_manifests=True,
    rationale="A list of whole records where a line each was wanted crowds out all else that was said.",
    judge=_judge,
    example="20 issues with all their comments, 2,500 bytes each, from a tool without a `fields` parameter.",
)
