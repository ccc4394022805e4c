"""What was created had to be looked for, because the call that created it did not say what it is called."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from mcp_assay.core.model import Dimension
from mcp_assay.core.words import word_set
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, Cost, Draft, Rule, grouped, ids, listed
from mcp_assay.critic.rules.listings import is_further

__all__ = ["RULE"]

_CREATING = word_set(
    "add append attach book clone copy create draft duplicate enqueue file import insert issue launch make new open"
    " order place post publish record register report request reserve save schedule send start submit trigger upload"
)
_AFTERWARDS = word_set("add create insert new register upload")
"""Verbs, at the start of a tool's name; at its end many of them are what it is about."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    for server, found in grouped((made.server, (made, look)) for made, look in _looked_for(evidence)).items():
        looks = [look for _, look in found]
        cost = Cost.of(looks)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{listed(made.tool for made, _ in found)} does not say what it created, which was then looked for"
            f" with {listed(look.tool for look in looks)}",
            evidence_ids=ids(call for pair in found for call in pair),
            recommendation="Return what was created, or at least its identifier.",
            cost=cost,
        )


def _looked_for(evidence: Evidence) -> Iterator[tuple[Call, Call]]:
    """Each creation whose result names nothing, with each of the calls that looked for such a thing next."""
    for calls in evidence.by_scenario.values():
        for made in calls:
            if _is_nameless(made):
                yield from ((made, look) for look in _looks(calls, made))


def _looks(calls: Sequence[Call], made: Call) -> list[Call]:
    """The next calls of the server if they list such things: all tries and all pages of one list."""
    own = [call for call in calls if call.index > made.index and call.server == made.server]
    if any(argument.source == made.id for call in own[:1] for argument in call.args):
        return []  # it did say something
    looks = list(takewhile(lambda call: call is own[0] or (call.tool == own[0].tool and _goes_on(call, own[0])), own))
    return looks if any(_may_find(look, made) for look in looks) else []


def _goes_on(call: Call, first: Call) -> bool:
    return is_further(call) or (not first.served and call.args_digest == first.args_digest)


def _is_nameless(call: Call) -> bool:
    writes = bool(call.server) and not call.is_read and call.served
    return writes and call.result.identified is False and _creates(call)


def _creates(call: Call) -> bool:
    """By its verb. Who names the thing by an identifier of its own knows what it is called."""
    named = any(
        names.is_opaque(argument.path) and names.nouns(argument.path) <= names.nouns(call.tool)
        for argument in call.args
    )
    words = names.words(call.tool) or ("",)
    return (words[0] in _CREATING or words[-1] in _AFTERWARDS) and not named


def _may_find(look: Call, made: Call) -> bool:
    is_list = look.served and look.is_read and look.result.items is not None
    return is_list and names.is_about(look.tool, made.tool)


RULE = Rule(
    "unnamed-creation",
    Dimension.REDUNDANT_CALLS,
    AGENTS,
    needs_manifests=False,
    rationale="Who creates something needs its identifier next; without it a list has to be read to find it.",
    judge=_judge,
    example='`create_issue` returns `{"ok": true}`, and `list_issues` is read to learn the new issue\'s id.',
)
