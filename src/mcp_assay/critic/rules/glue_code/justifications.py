"""What the justification of a step outside MCP says: which MCP tools were considered, and whether it gives a reason.

"It must (a) name the specific MCP tool … considered and rejected, or explicitly state "no attached MCP covers this
step"; (b) state in one sentence the reason for the non-MCP tool."
"""

import re
from collections.abc import Iterator

from mcp_assay.core import naming
from mcp_assay.core.words import tokens
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.names import vocabulary

__all__ = ["considered", "is_insufficient", "labels", "says_uncovered"]

_LABEL = re.compile(r"mcp__[A-Za-z0-9_-]*[A-Za-z0-9-]")
_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*[_.-]?[A-Za-z0-9]")
_THINGS = r"\b(?:mcps?|servers?|tools?)\b"
_NO = r"\b(?:no(?! need)|not|none|nothing|neither|cannot|\w+n't)\b"
_UNCOVERED = re.compile(
    rf"\b(?:no(?! need)|none of the|not any|neither|nothing)\s+(?:\w+\s+){{0,3}}?{_THINGS}"
    rf"|\b(?:not|isn't) (?:covered|offered|supported) by (?:any|an|the) (?:\w+ ){{0,2}}?{_THINGS}",
    re.IGNORECASE,
)
"""That nothing attached does it, in the specification's words or near them."""
_BEYOND = re.compile(
    rf"(?:{_NO}|\b(?:outside|unrelated|beyond)\b)[^.;:]{{0,60}}{_THINGS}|{_THINGS}[^.;:]{{0,60}}{_NO}", re.IGNORECASE
)
"""The same, or what the servers and tools do not do, in any words."""
_OF_MCP = re.compile(r"\bmcps?\b", re.IGNORECASE)


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
    " using very want wanted was way we went were which will with work works would shell bash terminal script scripting"
    " python code coding command commands line cli one liner handle handled handling run running via task process"
    " processing data needed need needs helper standard tooling result results"
)


def labels(call: Call) -> list[str]:
    """The ``mcp__server__tool`` names in a justification, each once."""
    found = dict.fromkeys(_LABEL.findall(call.justification))
    return [label for label in found if "__" in label.removeprefix("mcp__")]


def considered(evidence: Evidence, call: Call) -> Iterator[tuple[str, str]]:
    """(server, folded tool) for each name in the justification that leads to an attached server.

    A tool's bare name counts where only one attached server has such a tool.
    """
    found = [name for label in labels(call) if (name := naming.split(label, evidence.attached)) is not None]
    words = _NAME.findall(_LABEL.sub(" ", call.justification))
    bare = (_owner(evidence, name) for word in words for name in (word, word.rpartition(".")[2]))
    yield from dict.fromkeys([*found, *filter(None, bare)])


def _owner(evidence: Evidence, word: str) -> tuple[str, str] | None:
    """The tool that a word names by itself: a plain word, such as ``search``, might mean anything."""
    if len(tokens(word)) < 2:  # noqa: PLR2004 - a name of two words at least
        return None
    owners = [name for name in evidence.attached if evidence.promised(name, word)]
    return (owners[0], naming.fold(word)) if len(owners) == 1 else None


def says_uncovered(call: Call) -> bool:
    """Whether the justification states that no attached MCP does it: then the step is beyond every server's remit."""
    return _UNCOVERED.search(call.justification) is not None and not labels(call)


def is_insufficient(evidence: Evidence, call: Call) -> bool:
    """Whether a justification neither names a tool nor says that none does it, or gives no reason.

    A reason is what is left without tool names, words that fill, and stock excuses; any word that we do not know may be
    one. That no attached MCP covers the step is a reason in itself. What the MCP does, by that word, names it as well.
    """
    text = " ".join(call.justification.split())
    if _UNCOVERED.search(text) or _BEYOND.search(text):
        return False
    names_one = bool(labels(call)) or _OF_MCP.search(text) is not None or any(considered(evidence, call))
    known = _EXCUSES | _FILLERS | frozenset(tokens(call.tool)) | {call.tool.lower()}
    return not names_one or known.issuperset(_WORD.findall(_LABEL.sub(" ", text.lower())))
