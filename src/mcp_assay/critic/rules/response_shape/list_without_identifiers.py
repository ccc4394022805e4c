"""The items of a list lack the identifier by which the same server gives one of them."""

from collections.abc import Iterator, Sequence

from mcp_assay.core.model import Dimension, Severity, Tool
from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, Cost, Draft, Rule, grouped, ids, listed
from mcp_assay.critic.rules.parameter_inference.refusals import is_refused

__all__ = ["RULE"]

_PLAIN = frozenset((word,) for word in names.vocabulary("guid id identifier key number slug uid uri url uuid"))

Vain = tuple[Call, Call]
"""A list, and a call in vain that had to name one of its items."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    for server, found in grouped((given.server, (given, call)) for given, call in _vain(evidence)).items():
        calls = [call for _, call in found]
        cost = Cost.of(calls)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"The items of {listed(given.tool for given, _ in found)} lack what"
            f" {listed(call.tool for call in calls)} takes to name one of them",
            evidence_ids=ids(call for pair in found for call in pair),
            recommendation="Return with each item the identifier that the other tool takes.",
            cost=cost,
            causes=frozenset((call.id, "refused") for call in calls),
        )


def _vain(evidence: Evidence) -> Iterator[Vain]:
    for calls in evidence.by_scenario.values():
        got = {(call.server, call.tool) for call in calls if call.served}
        for call in calls:
            if call.server and is_refused(call) and (call.server, call.tool) not in got:
                for argument in call.args:
                    given = _nameless_list(evidence, calls, call, argument)
                    if given is not None:
                        yield given, call
                        break


def _nameless_list(evidence: Evidence, calls: Sequence[Call], call: Call, argument: Argument) -> Call | None:
    """The list whose item had to be named, if it declares nothing that this argument could be."""
    if not names.says_which(evidence.described(call), argument.path):
        return None
    origin = evidence.source(call, argument)
    if origin is None and not _names_such(call.tool, argument.path):
        return None
    if origin is None:  # made up, or what the scenario calls it, after a list of the same things
        before = [one for one in calls if one.index < call.index and one.server == call.server and one.served]
        lists = [one for one in before if one.result.items and names.is_about(one.tool, call.tool)]
        # The one that was asked for something, rather than a glance.
        origin = max(lists, key=lambda one: (_asked(one), one.index), default=None)
    elif origin is not None and "[]" not in argument.at:
        return None
    if origin is None or origin.server != call.server or not origin.served:
        return None
    tool = evidence.described(origin)
    return origin if tool is not None and _lacks(tool, argument.path) else None


def _names_such(tool: str, path: str) -> bool:
    """Whether an identifier is of what the tool is about, by its name, rather than of something else."""
    return not names.nouns(path) or names.is_about(path, tool)


def _asked(call: Call) -> int:
    return sum(not names.is_limit(argument.path) for argument in call.args)


def _lacks(lister: Tool, path: str) -> bool:
    """Whether the members that a list declares leave out any identifier of what it lists, by this or another name."""
    members = names.members(lister, of_items=True)
    own, kind = names.words(path.rpartition(".")[2]), names.nouns(path, lister.name)
    named = (name for name in members if names.is_identifier(name) and not kind.isdisjoint(names.nouns(name)))
    return bool(members) and not any(named) and not any(names.words(name) in (own, *_PLAIN) for name in members)


RULE = Rule(
    "list-without-identifiers",
    Dimension.RESPONSE_SHAPE,
    AGENTS,
    needs_manifests=True,
    rationale="What a list does not name cannot be asked for: a caller tries titles and names in vain.",
    judge=_judge,
    example="`list_issues` declares titles and states only; `get_issue(issue_id)` is tried with a title, in vain.",
    floor=Severity.MINOR,
    weight="Minor at least: what was listed cannot be had.",
)
