"""What all rules about results share: one server is one cause, and a document's contents are not the server's words."""

from collections.abc import Callable, Iterator

from mcp_assay.core.model import Severity
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import Cost, Draft, Rule, grouped, ids, listed

__all__ = ["draft", "hands_on_documents", "hands_on_writings", "showing", "tools"]

_DOCUMENTS = names.vocabulary(
    "artifact attachment blob body cat content document download echo fetch file html log raw resource scrape snippet"
    " text uri url web webpage"
)
_WRITINGS = _DOCUMENTS | names.vocabulary("comment email mail memo message note page post reply thread")
_ABOUT = names.vocabulary("aggregate count find info list metadata search stat sum total tree")


def showing(evidence: Evidence, shows: Callable[[Call], bool]) -> Iterator[list[Call]]:
    """The calls that show the thing, server by server."""
    yield from grouped((call.server, call) for call in evidence.mcp_calls if shows(call)).values()


def draft(
    rule: Rule,
    calls: list[Call],
    summary: str,
    recommendation: str,
    *,
    at_least: Severity = Severity.SUGGESTION,
    at_most: Severity = Severity.CRITICAL,
) -> Draft:
    """A finding about the one server of these calls, as grave as the rule has it and within these bounds."""
    cost = Cost.of(calls)
    return Draft(
        rule=rule.id,
        severity=rule.severity(cost, at_least=at_least, at_most=at_most),
        dimension=rule.dimension,
        mcp=calls[0].server,
        summary=summary,
        evidence_ids=ids(calls),
        recommendation=recommendation,
        cost=cost,
    )


def tools(calls: list[Call]) -> str:
    return listed(call.tool for call in calls)


def hands_on_documents(call: Call) -> bool:
    """Whether the tool's name says that it hands on a file or the like. That its text is JSON is how it was written."""
    return _is_about(call, _DOCUMENTS)


def hands_on_writings(call: Call) -> bool:
    """Whether it hands on what somebody wrote, such as a message. That this begins with "Error:" is no report."""
    return _is_about(call, _WRITINGS)


def _is_about(call: Call, things: frozenset[str]) -> bool:
    words = set(names.words(call.tool))
    return not words.isdisjoint(things) and words.isdisjoint(_ABOUT)
