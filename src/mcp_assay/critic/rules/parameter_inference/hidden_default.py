"""A list leaves something out unless it is told otherwise, which nothing says."""

import re
from collections.abc import Iterator, Mapping

from mcp_assay.core.model import Dimension
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names
from mcp_assay.critic.rules.base import AGENTS, Cost, Draft, Rule, grouped, ids, listed, named

__all__ = ["RULE"]

_SPEAKS = re.compile(r"\b(?:default|unless|otherwise|without it|left out|omitted)", re.IGNORECASE)

Again = tuple[Call, Call, tuple[Call, ...], list[str]]
"""A list, the longer one with a parameter more, what was asked for in between, and that parameter."""


def _judge(evidence: Evidence) -> Iterator[Draft]:
    keyed = (((again[0].server, again[0].tool), again) for again in _again(evidence))
    for (server, tool), found in grouped(keyed).items():
        cost = Cost.of(more for _, more, _, _ in found)
        yield Draft(
            rule=RULE.id,
            severity=RULE.severity(cost),
            dimension=RULE.dimension,
            mcp=server,
            summary=f"{named(tool)} returned more with {listed(name for *_, added in found for name in added)}:"
            " what it leaves out by default is not said",
            evidence_ids=ids(call for less, more, between, _ in found for call in (less, *between, more)),
            recommendation="State the default in the schema, and in the description what it leaves out.",
            cost=cost,
        )


def _again(evidence: Evidence) -> Iterator[Again]:
    lists = (call for call in evidence.mcp_calls if call.served and call.is_read and call.result.total is not None)
    for calls in grouped(((call.scenario, call.server, call.tool), call) for call in lists).values():
        for place, more in enumerate(calls):
            for less in reversed(calls[:place]):
                added = _added(less, more)
                if added and _grew(less, more) and not any(_is_stated(evidence, more, name) for name in added):
                    yield less, more, tuple(_between(evidence, less, more)), added
                    break


def _grew(less: Call, more: Call) -> bool:
    return (less.result.total or 0) < (more.result.total or 0)


def _added(less: Call, more: Call) -> list[str]:
    """The parameters that only the second call had, if it had all of the first one's; paging aside."""
    before, after = _asked(less), _asked(more)
    return sorted(after.keys() - before.keys()) if before.items() <= after.items() else []


def _asked(call: Call) -> Mapping[str, str]:
    paging = (names.is_limit, names.is_position)
    return {given.path: given.digest for given in call.args if not any(is_one(given.path) for is_one in paging)}


def _between(evidence: Evidence, less: Call, more: Call) -> Iterator[Call]:
    """What else was asked about the same things, such as how many there are."""
    for call in evidence.by_scenario[less.scenario]:
        is_other = call.server == less.server and call.is_read and call.tool != less.tool
        if is_other and less.index < call.index < more.index and _asked(call) == _asked(less):
            yield from [call] if names.is_about(call.tool, less.tool) else []


def _is_stated(evidence: Evidence, call: Call, name: str) -> bool:
    tool = evidence.described(call)
    if tool is None:
        return True
    return "default" in names.parameters(tool).get(name, {}) or _SPEAKS.search(names.described(tool, name)) is not None


RULE = Rule(
    "hidden-default",
    Dimension.PARAMETER_INFERENCE,
    AGENTS,
    needs_manifests=True,
    rationale="A list that leaves out what nobody excluded looks whole, and is taken for it.",
    judge=_judge,
    example='`list_issues` says `"total": 12`; with `include_closed`, whose description names no default, it says 30.',
)
