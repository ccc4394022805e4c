"""What a rule is, what it hands back, and the few words that all rules share."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from mcp_assay.core import inert
from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic import rubric
from mcp_assay.critic.calls import Call
from mcp_assay.critic.evidence import Driver, Evidence
from mcp_assay.critic.rubric import Cost

__all__ = [
    "AGENTS",
    "ANY",
    "CROSS_MCP",
    "FEW",
    "NOBODY",
    "NOT_OURS",
    "Cause",
    "Cost",
    "Draft",
    "Rule",
    "grouped",
    "ids",
    "listed",
    "named",
]

Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)

CROSS_MCP = "cross-mcp"
NOBODY = ""
"""No server's finding: it is about whoever made the calls."""

FEW = 3
"""How often something must happen before it is more than a caller's choice."""

ANY = frozenset(Driver)
"""Judged whoever called: the server alone made it so, or the words judged are those of whoever wrote them."""
NOT_OURS = frozenset({Driver.SCRIPT, Driver.AGENT})
"""Not the explorer: how it chains values is our own doing."""
AGENTS = frozenset({Driver.AGENT})
"""Where a call made twice or corrected says something: a script repeats because its author wrote it so."""

_NAME_LIMIT = 60
_NAMES_SHOWN = 3

Cause = tuple[str, ...]
"""What one finding is about: an argument of a call that had to be put right, or a whole call."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A finding before it is written down. ``mcp`` is a raw attached name, ``cross-mcp``, or NOBODY.

    ``evidence_ids`` come the most telling first; a rule gives at least one, and only ids that the transcript has.
    A finding whose ``causes`` are all among those of a weightier one is not told apart from it (see ``merge``).
    ``missed`` are the scenarios whose goal was not reached because of it; ``servers`` those of which a finding that
    was made from several speaks (see ``widespread``).
    """

    rule: str
    severity: Severity
    dimension: Dimension
    mcp: str
    summary: str
    evidence_ids: tuple[str, ...]
    recommendation: str
    cost: Cost
    causes: frozenset[Cause] = frozenset()
    missed: tuple[str, ...] = ()
    servers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """``drivers`` are those whose calls this rule may judge, so that our own clumsiness is no server's friction.

    ``needs_facts``: it rests on what only our own ``assay`` objects tell, so it cannot judge a bare transcript.
    ``rationale`` is one sentence, ``example`` a case or two. ``floor`` and ``ceiling`` hold what the cost may decide;
    where they are not the usual ones, or a draft has its own, ``weight`` says why.
    """

    id: str
    dimension: Dimension
    drivers: frozenset[Driver]
    needs_manifests: bool
    rationale: str
    judge: Callable[[Evidence], Iterable[Draft]]
    needs_facts: bool = True
    example: str = ""
    floor: Severity = Severity.SUGGESTION
    ceiling: Severity = Severity.MAJOR
    weight: str = ""

    def severity(
        self, cost: Cost, *, at_least: Severity = Severity.SUGGESTION, at_most: Severity = Severity.CRITICAL
    ) -> Severity:
        """What a draft of this cost is by the rubric, within the rule's bounds, and then within the draft's own."""
        found = rubric.severity(cost, floor=self.floor, ceiling=self.ceiling)
        return rubric.graver(at_least, rubric.milder(at_most, found))


def grouped(pairs: Iterable[tuple[Key, Item]]) -> dict[Key, list[Item]]:
    """The items under each key, both in order of first appearance."""
    groups: dict[Key, list[Item]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return groups


def named(name: str) -> str:
    """A server's, tool's or parameter's name inside a sentence: an inert code span."""
    return inert.code(name, _NAME_LIMIT)


def listed(names: Iterable[str]) -> str:
    """Names without repetition, the first few spelt out: ```a`, `b` and 3 more``."""
    unique = list(dict.fromkeys(names))
    shown, more = unique[:_NAMES_SHOWN], len(unique) - _NAMES_SHOWN
    return ", ".join(named(name) for name in shown) + (f" and {more} more" if more > 0 else "")


def ids(calls: Iterable[Call]) -> tuple[str, ...]:
    """The calls' ids, each once, in order."""
    return tuple(dict.fromkeys(call.id for call in calls))
