"""Who answers an evaluation's questions: a plan that was written before, or a person at a terminal.

Either way the answer *is* a plan: each question takes the plan so far and returns one that holds the answer. So an
interview ends with the plan that would have answered it, which is written beside the state for the next time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import combinations
from typing import Protocol

from mcp_assay.core.derive import list_digest
from mcp_assay.core.model import Manifest, Scenario, ServerConfig
from mcp_assay.core.plan import UNPINNED, Plan
from mcp_assay.core.scenarios import Approval
from mcp_assay.errors import UserError
from mcp_assay.interview import require_answers

__all__ = ["Existing", "Interviewer", "Proposal", "Written", "approved"]


class Existing(StrEnum):
    """What to do with an evaluation that is there already."""

    RESUME = "resume"
    RESTART = "restart"
    REPARSE = "reparse"
    RECRITIQUE = "recritique"
    LEAVE = "leave"


@dataclass(frozen=True, slots=True)
class Proposal:
    """The list at the approval gate. ``weak`` maps a scenario's id to why its signal is weak.

    ``gaps`` say what could not be derived, and why.
    """

    scenarios: tuple[Scenario, ...]
    weak: Mapping[str, str] = field(default_factory=dict)
    gaps: tuple[str, ...] = ()


class Interviewer(Protocol):
    """The questions, in the order in which they are asked. Each may raise UserError, or KeyboardInterrupt.

    ``is_person``: the answers are given now, so they are written down, and edge cases are always proposed.
    """

    @property
    def is_person(self) -> bool: ...

    @property
    def so_far(self) -> Plan | None:
        """The answers given inside a question that was interrupted, such as the first of two dispositions."""

    async def existing(self, question: str, choices: Sequence[tuple[Existing, str]], default: Existing) -> Existing:
        """An evaluation of this name is there: which of these, each said in a sentence?"""

    async def consent(self, plan: Plan, servers: Sequence[ServerConfig]) -> Plan:
        """Which of these servers may be started? One that may not is answered with ``skip``."""

    async def dispose(self, plan: Plan, servers: Sequence[ServerConfig], manifests: Mapping[str, Manifest]) -> Plan:
        """A disposition for each server, its test resources, and marks on the tools that cannot be told."""

    async def describe(self, plan: Plan, manifests: Mapping[str, Manifest]) -> Plan:
        """Which scenarios? Not asked if the plan has them or names their file."""

    async def unskip(self, plan: Plan, scenario: Scenario, skipped: Sequence[str]) -> Plan:
        """A scenario targets servers that are to be skipped: the plan as it is drops it, a changed one keeps it."""

    async def approve(self, plan: Plan, proposal: Proposal) -> tuple[Plan, tuple[Scenario, ...]]:
        """The literal approval of the list; returns what may run, its ids renumbered if any were dropped."""


class Written:
    """The answers of a plan alone: whatever it does not say is told at once, before anything starts."""

    is_person = False
    so_far = None

    def __init__(
        self,
        needed: frozenset[str],
        *,
        named: bool,
        trusted: bool = False,
        has_scenarios: bool = False,
        existing: Existing | None = None,
    ) -> None:
        """``existing`` is what the command line says about an evaluation that is there already, if it says anything."""
        self._needed, self._named, self._trusted, self._has_scenarios = needed, named, trusted, has_scenarios
        self._existing = existing

    async def existing(self, question: str, choices: Sequence[tuple[Existing, str]], default: Existing) -> Existing:
        offered = [choice for choice, _ in choices]
        if self._existing in offered:
            return self._existing
        if self._existing is Existing.RESUME and Existing.REPARSE in offered:
            return default
        flags = [f"--{choice}" for choice in (Existing.RESUME, Existing.RESTART) if choice in offered]
        raise UserError(f"{question}\nsay {' or '.join(flags)} (it renames the old folder), or choose another --name")

    async def consent(self, plan: Plan, servers: Sequence[ServerConfig]) -> Plan:
        require_answers(
            plan,
            servers,
            self._needed,
            named=self._named,
            trusted=self._trusted,
            has_scenarios=self._has_scenarios,
        )
        return plan

    async def dispose(self, plan: Plan, servers: Sequence[ServerConfig], manifests: Mapping[str, Manifest]) -> Plan:  # noqa: ARG002 - the protocol's signature
        return plan

    async def describe(self, plan: Plan, manifests: Mapping[str, Manifest]) -> Plan:  # noqa: ARG002 - the protocol's signature
        return plan

    async def unskip(self, plan: Plan, scenario: Scenario, skipped: Sequence[str]) -> Plan:  # noqa: ARG002 - the protocol's signature
        # "If the user does not answer with one of those two options …, default to dropping the scenario"
        return plan

    async def approve(self, plan: Plan, proposal: Proposal) -> tuple[Plan, tuple[Scenario, ...]]:
        derived = [scenario for scenario in proposal.scenarios if scenario.source == "derived"]
        if plan.approval is Approval.USER_ONLY:
            # "user-only — drop all derived scenarios and proceed with user scenarios only"
            return plan, tuple(scenario for scenario in proposal.scenarios if scenario.source != "derived")
        kept = approved(derived, plan.derive)
        if kept is None:
            raise UserError(
                f"{plan.source}: derive: the {len(derived)} derived scenarios are not the list that was approved; read "
                f"them with --until scenarios, then write derive: {list_digest(derived)}, or approval: user-only"
            )
        chosen = [item for item in proposal.scenarios if item.source != "derived" or item in kept]
        return plan, tuple(replace(item, id=f"S{number}") for number, item in enumerate(chosen, 1))


def approved(derived: Sequence[Scenario], answer: str | None) -> tuple[Scenario, ...] | None:
    """Those of the derived scenarios that a plan's ``derive`` approves, or None if it approves no such list.

    A digest may be that of a part of the list: what a person dropped at the gate is dropped the next time too.
    """
    if not derived or answer == UNPINNED:
        return tuple(derived)
    parts = (part for size in range(len(derived), 0, -1) for part in combinations(derived, size))
    return next((part for part in parts if list_digest(part) == answer), None)
