"""What the justification of a step outside MCP says: which MCP tools were considered, and whether it gives a reason."""

import re
from collections.abc import Iterator

from mcp_assay.core import naming
from mcp_assay.core.words import tokens
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.names import vocabulary

__all__ = ["considered", "is_generic", "labels"]

_LABEL = re.compile(r"mcp__[A-Za-z0-9_-]*[A-Za-z0-9-]")
_WORD = re.compile(r"[^\W_]+")
# "or explicitly state "no attached MCP covers this step""
_NOT_COVERED = "no attached mcp covers this step"


# "Generic rationalizations ("faster locally", "easier") are not acceptable and will be flagged by the critic."
_EXCUSES = vocabulary(
    "best better cheaper convenience convenient conveniently direct directly ease easier easiest easily easy efficiency"
    " efficient efficiently fast faster fastest fine good habit handier handy local locally nicer preference preferred"
    " quick quicker quickest quickly shorter simple simpler simplest simplicity simply speed straightforward"
)
_FILLERS = vocabulary(
    "a all also am an and are as at be because been but by call can chose chosen choose considered could did do does"
    " doing done for get had has have here i in instead is it its just mcp me more most much my of on or our over"
    " prefer rather reason reasons rejected since so step than that the then there this to too tool tools us use used"
    " using very want wanted was way we went were which will with work works would"
)


def labels(call: Call) -> list[str]:
    """The ``mcp__server__tool`` names in a justification, each once."""
    found = dict.fromkeys(_LABEL.findall(call.justification))
    return [label for label in found if "__" in label.removeprefix("mcp__")]


def considered(evidence: Evidence, call: Call) -> Iterator[tuple[str, str]]:
    """(server, folded tool) for each name in the justification that leads to an attached server."""
    for label in labels(call):
        found = naming.split(label, evidence.attached)
        if found is not None:
            yield found


def is_generic(call: Call) -> bool:
    """Whether nothing is left of a justification without tool names, words that fill, and stock excuses.

    So is an empty one. That no attached MCP covers the step is a reason; any word that we do not know may be one.
    """
    text = " ".join(call.justification.split()).lower()
    if _NOT_COVERED in text:
        return False
    known = _EXCUSES | _FILLERS | frozenset(tokens(call.tool)) | {call.tool.lower()}
    return known.issuperset(_WORD.findall(_LABEL.sub(" ", text)))
