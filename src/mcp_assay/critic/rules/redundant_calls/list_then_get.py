"""The items of one result are read one by one, where nothing offers to read several."""

from collections.abc import Iterator

from mcp_assay.core.classify import classify
from mcp_assay.core.model import Dimension, Rules, Tool, Verdict
from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import FEW, NOT_OURS, Cost, Draft, Rule, grouped, listed, named

__all__ = ["RULE"]

Step = tuple[Call, Call, Argument]
"""The call that listed an item, the call that read it, and the argument that named it."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    walks = grouped(((call.server, call.tool), (origin, call, argument)) for origin, call, argument in _walks(evidence))
    for (server, tool), steps in walks.items():
        cost = Cost.of(call for _, call, _ in steps)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{named(tool)} was called {cost.calls} times, once for each item that"
            f" {listed(origin.tool for origin, _, _ in steps)} had listed",
            evidence_ids=tuple(dict.fromkeys(call.id for origin, get, _ in steps for call in (origin, get))),
            recommendation=f"Accept a list for {listed(argument.path for _, _, argument in steps)},"
            " or return the needed fields with the list.",
            cost=cost,
        )


def _walks(evidence: Evidence) -> Iterator[Step]:
    """The steps of every walk over at least FEW different items of one result."""
    fetches = (
        ((call.scenario, call.server, call.tool, argument.path, origin.id), (origin, call, argument))
        for call in evidence.mcp_calls
        if call.ok and call.is_read
        for argument, origin in evidence.sourced(call)
        if origin.server == call.server and origin.ok and _is_item(evidence.described(call), argument)
    )
    for walk in grouped(fetches).values():
        by_item = grouped((step[2].digest, step) for step in walk)
        if len(by_item) >= FEW and _one_by_one_only(evidence, *walk[0][1:]):
            yield from (first for first, *_ in by_item.values())


def _is_item(tool: Tool | None, argument: Argument) -> bool:
    """Whether the value names one of several items, and was passed alone rather than in a list."""
    return (
        "[]" in argument.at
        and "[]" not in argument.path
        and bool(argument.digest)
        and names.says_which(tool, argument.path)
    )


def _one_by_one_only(evidence: Evidence, call: Call, argument: Argument) -> bool:
    """Whether the manifest shows that neither this tool nor a sibling that reads takes several such ids at once."""
    tool = evidence.described(call)
    schema = names.parameters(tool).get(argument.path) if tool is not None else None
    if tool is None or schema is None or "array" in names.types(schema) or not names.types(schema):
        return False
    siblings = (evidence.manifests or {})[call.server].tools
    return not any(_batch(sibling, tool, argument.path, call.server) for sibling in siblings)


def _batch(sibling: Tool, tool: Tool, path: str, server: str) -> bool:
    if classify(sibling, server, Rules.EXTENDED).verdict is Verdict.MUTATING:
        return False
    lists = [name for name, schema in names.parameters(sibling).items() if "array" in names.types(schema)]
    return any(_same_kind(names.nouns(tool.name, path), names.nouns(sibling.name, name)) for name in lists)


def _same_kind(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two names may be about the same thing; where one of them does not say, they may."""
    return not one or not other or not one.isdisjoint(other)


RULE = Rule(
    "list-then-get",
    Dimension.REDUNDANT_CALLS,
    NOT_OURS,
    needs_manifests=True,
    rationale="Without a batch read, one list costs a call for each item: the ids came one by one from one result.",
    judge=_judge,
    example=(
        "One `search_issues`, then `get_issue` for three or more of the issues it listed, and no parameter or"
        " sibling tool that takes several."
    ),
)
