"""Which rule may judge which calls, and why it may not judge the rest."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mcp_assay.core import inert
from mcp_assay.core.phrases import listed
from mcp_assay.critic.evidence import Driver, Evidence
from mcp_assay.critic.rules.base import Rule, grouped

__all__ = ["Obstacle", "cases", "obstacle", "reservations"]

_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Why a rule cannot judge the calls of these scenarios; without scenarios: any call."""

    why: str
    scenarios: tuple[str, ...] = ()

    def __str__(self) -> str:
        """``driver script``, or ``in S1, S2: driver script``."""
        return f"in {listed(self.scenarios, _MOST_NAMED)}: {self.why}" if self.scenarios else self.why


def cases(rules: Sequence[Rule], evidence: Evidence) -> Iterator[tuple[Rule, Evidence]]:
    """Each rule that can judge anything, with that part of the evidence which it may see."""
    views = {drivers: evidence.made_by(drivers) for drivers in {rule.drivers for rule in rules}}
    for rule in rules:
        found = obstacle(rule, evidence)
        if found is None or found.scenarios:
            yield rule, views[rule.drivers]


def reservations(rules: Sequence[Rule], evidence: Evidence) -> Iterator[str]:
    """A line for each obstacle, with all rules that it keeps from judging."""
    kept_out = ((obstacle(rule, evidence), f"{rule.dimension}/{rule.id}") for rule in rules)
    for found, names in grouped(kept_out).items():
        if found is not None:
            yield f"Rules not judged: {', '.join(names)} ({found})."


def obstacle(rule: Rule, evidence: Evidence) -> Obstacle | None:
    """What keeps a rule from judging everything, the most general first; None if nothing does."""
    # Where nothing was called, the session's own driver still says what could have been judged.
    scenarios = tuple(evidence.by_scenario) or ("",)
    barred = tuple(name for name in scenarios if Driver.of(evidence.driver_name(name)) not in rule.drivers)
    if len(barred) == len(scenarios):
        return Obstacle(_drivers(evidence, barred))
    if rule.needs_manifests and evidence.manifests is None:
        return Obstacle("no manifests")
    if rule.needs_facts and evidence.calls and all(call.bare for call in evidence.calls):
        return Obstacle("the transcript has the specification's fields only")
    return Obstacle(_drivers(evidence, barred), tuple(map(_shown, barred))) if barred else None


def _drivers(evidence: Evidence, scenarios: Sequence[str]) -> str:
    names = dict.fromkeys(_shown(evidence.driver_name(name)) or "unknown" for name in scenarios)
    return f"{'driver' if len(names) == 1 else 'drivers'} {listed(list(names), _MOST_NAMED)}"


def _shown(name: str) -> str:
    return inert.line(name, 40).strip()
