"""Calls that a better tool, or a better answer, would have spared."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mcp_assay.core.classify import classify
from mcp_assay.core.model import Dimension, Outcome, Rules, Severity, Tool, Verdict
from mcp_assay.critic.evidence import Argument, Call, Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, NOT_OURS, Cost, Draft, Rule, grouped, listed, named

__all__ = ["RULES"]

# --- list-then-get -----------------------------------------------------------------------------------------------

FEW, MANY = 3, 10
"""Reads of single items from one list: fewer than FEW is a caller's choice; MANY is where it starts to hurt."""

Step = tuple[Call, Call, Argument]
"""The call that listed an item, the call that read it, and the argument that named it."""


def _list_then_get(evidence: Evidence) -> Iterator[Draft]:
    walks = grouped(((call.server, call.tool), (origin, call, argument)) for origin, call, argument in _walks(evidence))
    for (server, tool), steps in walks.items():
        longest = max(Counter((origin.id, argument.path) for origin, _, argument in steps).values())
        cost = Cost.of(call for _, call, _ in steps)
        yield Draft(
            rule=LIST_THEN_GET,
            severity=Severity.MAJOR if longest >= MANY else Severity.MINOR,
            dimension=Dimension.REDUNDANT_CALLS,
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
        if origin.server == call.server and origin.ok and _is_item(argument)
    )
    for walk in grouped(fetches).values():
        by_item = grouped((step[2].digest, step) for step in walk)
        if len(by_item) >= FEW and _one_by_one_only(evidence, *walk[0][1:]):
            yield from (first for first, *_ in by_item.values())


def _is_item(argument: Argument) -> bool:
    """Whether the value names one of several items, and was passed alone rather than in a list."""
    return (
        "[]" in argument.at
        and "[]" not in argument.path
        and bool(argument.digest)
        and names.is_identifier(argument.path)
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


# --- same-read-again ---------------------------------------------------------------------------------------------

WAITING_SECONDS = 10.0
_WAITING_WORDS = frozenset({"health", "job", "ping", "poll", "progress", "status", "wait", "watch"})
_INTERRUPTED = frozenset({Outcome.UNKNOWN, Outcome.PENDING, Outcome.LOST})


def _same_read_again(evidence: Evidence) -> Iterator[Draft]:
    for (server, tool), pairs in grouped(_repeats(evidence)).items():
        repeats = [later for _, later in pairs]
        yield Draft(
            rule=SAME_READ_AGAIN,
            severity=Severity.MINOR if len(repeats) >= FEW else Severity.SUGGESTION,
            dimension=Dimension.REDUNDANT_CALLS,
            mcp=server,
            summary=f"{named(tool)} was read again with the same arguments and gave the same result",
            evidence_ids=tuple(dict.fromkeys(call.id for pair in pairs for call in pair)),
            recommendation="See what the first result left out or buried, so that one read is enough.",
            cost=Cost.of(repeats),
        )


def _repeats(evidence: Evidence) -> Iterator[tuple[tuple[str, str], tuple[Call, Call]]]:
    reads = (
        ((call.scenario, call.server, call.tool, call.args_digest, call.result_digest), call)
        for call in evidence.mcp_calls
        if call.ok and call.is_read and call.args_digest and call.result_digest
    )
    by_scenario = grouped((call.scenario, call) for call in evidence.calls)
    for same in grouped(reads).values():
        for earlier, later in pairwise(same):
            between = _between(by_scenario[earlier.scenario], earlier, later)
            if not _may_have_changed(between, later.server) and not _waited(earlier, between, later):
                yield (later.server, later.tool), (earlier, later)


def _between(calls: Sequence[Call], earlier: Call, later: Call) -> list[Call]:
    return [call for call in calls if earlier.index < call.index < later.index and not call.synthetic]


def _may_have_changed(between: Sequence[Call], server: str) -> bool:
    return any(call.server == server and not call.is_read for call in between)


def _waited(earlier: Call, between: Sequence[Call], later: Call) -> bool:
    """Whether the second read may be a poll: a tool that watches, a pause, or a step outside MCP, which may be one."""
    if not _WAITING_WORDS.isdisjoint(names.words(later.tool)):
        return True
    if any(not call.server or call.outcome in _INTERRUPTED for call in between):
        return True
    return any(_pause(one, next_one) >= WAITING_SECONDS for one, next_one in pairwise([earlier, *between, later]))


def _pause(one: Call, next_one: Call) -> float:
    """Seconds from the end of a call to the start of the next; endless where the lines do not say."""
    if one.started is None or next_one.started is None:
        return float("inf")
    return next_one.started - one.started - one.duration_ms / 1000


LIST_THEN_GET = "list-then-get"
SAME_READ_AGAIN = "same-read-again"

RULES = (
    Rule(
        LIST_THEN_GET,
        Dimension.REDUNDANT_CALLS,
        NOT_OURS,
        needs_manifests=True,
        rationale="Without a batch read, one list costs a call for each item: the ids came one by one from one result.",
        judge=_list_then_get,
    ),
    Rule(
        SAME_READ_AGAIN,
        Dimension.REDUNDANT_CALLS,
        AGENTS,
        needs_manifests=False,
        rationale="An agent that reads the same thing again did not find, or could not keep, what it needed.",
        judge=_same_read_again,
    ),
)
