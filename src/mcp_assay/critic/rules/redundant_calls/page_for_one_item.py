"""A long list is fetched and one of its items is used, where nothing offers to ask for less."""

from collections.abc import Iterator

from mcp_assay.core.model import Dimension, Tool
from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, FEW, Cost, Draft, Rule, grouped, ids, listed
from mcp_assay.critic.rules.listings import listings

__all__ = ["RULE"]

LONG, LARGE = 20, 10_000
"""Items and bytes of a list that is more than a glance; so are FEW pages of it, whatever they weigh."""

_SEARCHING = names.vocabulary("filter find lookup match query resolve search")
_WORDS = names.vocabulary("filter keyword match phrase q query search text where")
"""What a list takes to be searched by. Whoever leafs through pages had no use for its other filters."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    for server, found in grouped((pages[0].server, pages) for pages in _leafed_through(evidence)).items():
        read = [page for pages in found for page in pages]
        items = sum(page.result.items or 0 for page in read)
        cost = Cost.of(read)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"Of {items} items from {listed(page.tool for page in read)}"
            f" {'one was' if len(found) == 1 else 'one for each list was'} wanted, and nothing offers to ask for it",
            evidence_ids=ids(read),
            recommendation="Accept a filter, or offer a search that returns the few items that are wanted.",
            cost=cost,
        )


def _leafed_through(evidence: Evidence) -> Iterator[list[Call]]:
    """The pages of each long list, not filtered, of which later calls used one item and no other."""
    for pages in listings(evidence):
        if _is_long(pages) and _is_one(evidence, pages) and _offers_no_less(evidence, pages):
            yield pages


def _is_long(pages: list[Call]) -> bool:
    items, size = sum(page.result.items or 0 for page in pages), sum(page.result.bytes for page in pages)
    return len(pages) >= FEW or (items >= LONG and size >= LARGE)


def _is_one(evidence: Evidence, pages: list[Call]) -> bool:
    """Whether one item was used; or none, where leafing ended before the list did, as it does when that is found."""
    uses = [use for use in _uses(evidence, pages) if not names.is_position(use[1].path)]
    if any(call.is_outside for call, _ in uses):
        return False
    by_place = grouped((argument.at, argument.digest) for _, argument in uses)
    only_one = all(len(set(digests)) == 1 for digests in by_place.values())
    several = any("[]" in argument.path for _, argument in uses)
    pointed = any(names.says_which(evidence.described(call), argument.path) for call, argument in uses)
    broken_off = len(pages) >= FEW and pages[-1].result.next_cursor is True
    return only_one and not several and (pointed or (broken_off and not uses))


def _uses(evidence: Evidence, pages: list[Call]) -> Iterator[tuple[Call, Argument]]:
    for call in evidence.by_scenario[pages[0].scenario]:
        for argument, origin in evidence.worked_on(call):
            if origin in pages and (call.is_outside or ("[]" in argument.at and argument.digest)):
                yield call, argument


def _offers_no_less(evidence: Evidence, pages: list[Call]) -> bool:
    """Whether the manifest shows that neither this tool nor a sibling could have found one thing by what it is.

    One page could also have been made shorter; whoever leafs through several has nothing to make them so by.
    """
    tool = evidence.described(pages[0])
    if tool is None:
        return False
    if len(pages) >= FEW:
        asked = any(not names.is_limit(argument.path) for argument in pages[0].args)
        less = asked or any(not _WORDS.isdisjoint(names.words(name)) for name in names.parameters(tool))
    else:
        less = bool(names.narrowing(tool))
    siblings = (evidence.manifests or {})[pages[0].server].tools
    return not less and not any(_searches(sibling, tool) for sibling in siblings)


def _searches(sibling: Tool, lister: Tool) -> bool:
    """Whether another tool's name says that it finds such things, or anything."""
    about = not names.nouns(sibling.name) - _SEARCHING or names.is_about(sibling.name, lister.name)
    return about and not _SEARCHING.isdisjoint(names.words(sibling.name))


RULE = Rule(
    "page-for-one-item",
    Dimension.REDUNDANT_CALLS,
    AGENTS,
    needs_manifests=True,
    rationale="A list that cannot be narrowed down is read whole, and paid for whole, each time one item is wanted.",
    judge=_judge,
    example=(
        "50 issues in 40 kB, of which the later calls used one, from a tool that takes no filter and has no"
        " sibling that searches."
    ),
)
