"""A long list is fetched and one of its items is used, where nothing offers to ask for less."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, Cost, Draft, Rule, grouped, ids, listed

__all__ = ["RULE"]

LONG, LARGE = 20, 10_000
"""Items and bytes of a result that is more than a glance."""

_SEARCHING = names.vocabulary("filter find lookup match query resolve search")

Use = tuple[Call, Argument, Call]
"""The call that listed an item, the argument that named something from it, and the call that passed the argument."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    for server, found in grouped((page.server, (page, user)) for page, user in _pages(evidence)).items():
        pages = [page for page, _ in found]
        items = sum(page.result.items or 0 for page in pages)
        yield Draft(
            rule=RULE.id,
            severity=Severity.SUGGESTION,
            dimension=RULE.dimension,
            mcp=server,
            summary=f"Of {items} items from {listed(page.tool for page in pages)} later calls used"
            f" {'one' if len(pages) == 1 else 'one for each call'}, and nothing offers to ask for less",
            evidence_ids=ids(call for pair in found for call in pair),
            recommendation="Accept a filter, or offer a search that returns the few items that are wanted.",
            cost=Cost.of(pages),
        )


def _pages(evidence: Evidence) -> Iterator[tuple[Call, Call]]:
    """Each long result of which only one item was used, with the first call that used it."""
    for uses in grouped((use[0].id, use) for use in _uses(evidence)).values():
        page, _, first = uses[0]
        by_place = grouped((argument.at, argument.digest) for _, argument, _ in uses)
        only_one = all(len(set(digests)) == 1 for digests in by_place.values())
        pointed = any(names.is_identifier(argument.path) for _, argument, _ in uses)
        if only_one and pointed and _takes_no_filter(evidence, page):
            yield page, first


def _uses(evidence: Evidence) -> Iterator[Use]:
    for call in evidence.calls:
        for argument, origin in evidence.sourced(call):
            if _is_long(origin) and origin.scenario == call.scenario and "[]" in argument.at and argument.digest:
                yield origin, argument, call


def _is_long(call: Call) -> bool:
    is_list = bool(call.server) and call.ok and call.is_read
    return is_list and (call.result.items or 0) >= LONG and call.result.bytes >= LARGE


def _takes_no_filter(evidence: Evidence, call: Call) -> bool:
    """Whether the manifest shows that neither this tool nor a sibling narrows down what comes back."""
    tool = evidence.described(call)
    if tool is None or names.narrowing(tool):
        return False
    siblings = (evidence.manifests or {})[call.server].tools
    return all(_SEARCHING.isdisjoint(names.words(sibling.name)) for sibling in siblings)


RULE = Rule(
    "page-for-one-item",
    Dimension.REDUNDANT_CALLS,
    AGENTS,
    needs_manifests=True,
    rationale="A list that cannot be narrowed down is read whole, and paid for whole, each time one item is wanted.",
    judge=_judge,
)
