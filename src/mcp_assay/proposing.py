"""Phase 3's list: the user's scenarios, or tours in their stead, and the edge cases that the manifests suggest."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from mcp_assay import interview
from mcp_assay.core.derive import Derived, list_digest, propose
from mcp_assay.core.model import Disposition, Manifest, Safety, Scenario
from mcp_assay.core.phrases import listed
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import MAX_SCENARIOS
from mcp_assay.core.tour import tour
from mcp_assay.errors import UserError
from mcp_assay.interview import Intake
from mcp_assay.interviewer import Proposal, approved

__all__ = ["Propose"]


class Propose:
    """What to put before the approval gate, given the answers so far."""

    def __init__(
        self,
        plan: Plan,
        safety: Mapping[str, Safety],
        manifests: Mapping[str, Manifest],
        *,
        calls: int,
        is_person: bool,
    ) -> None:
        """``calls`` is the call budget of a scenario: a tour has no more."""
        self._plan, self._safety, self._manifests, self._is_person = plan, safety, manifests, is_person
        self._calls = calls

    def users(self, file: Path | None) -> Intake:
        """The user's own scenarios; a plan without any that asks for tours gets one per server. Raises UserError."""
        has_own = file or self._plan.scenarios or self._plan.scenarios_file
        if self._plan.tour and not has_own:
            return self._tours()
        return interview.scenarios(self._plan, file, self._manifests)

    def with_derived(self, users: Sequence[Scenario]) -> Proposal:
        """The user's list with what could be derived behind it, at most 8 in all.

        A person is always shown proposals; a plan gets them only if it says ``derive``.
        """
        if not self._is_person and self._plan.derive is None:
            return Proposal(tuple(users))
        # "if the cap is already met by user scenarios, propose zero derived scenarios."
        room = MAX_SCENARIOS - len(users)
        derived = propose(self._manifests, self._safety, users, self._plan.rules, room)
        together = [*users, *(proposal.scenario for proposal in derived.proposals)]
        numbered = [replace(scenario, id=f"S{number}") for number, scenario in enumerate(together, 1)]
        weak = {
            scenario.id: proposal.weak
            for scenario, proposal in zip(numbered[len(users) :], derived.proposals, strict=True)
            if proposal.weak
        }
        return Proposal(tuple(numbered), weak, tuple(self._gaps(derived)))

    def _gaps(self, derived: Derived) -> Iterator[str]:
        """Why nothing of a kind was derived for a server; that a skipped one gets nothing goes without saying."""
        for gap in derived.gaps:
            safety = self._safety.get(gap.server)
            if safety is not None and safety.disposition is not Disposition.SKIP:
                yield f"{gap.server}: {gap.kind}: {gap.why}"

    def is_pinned(self, proposal: Proposal) -> bool:
        """Whether a plan approves these derived scenarios; a person is asked instead."""
        derived = [scenario for scenario in proposal.scenarios if scenario.source == "derived"]
        return self._is_person or approved(derived, self._plan.derive) is not None

    @staticmethod
    def digest(derived: Sequence[Scenario]) -> str:
        return list_digest(derived)

    def _tours(self) -> Intake:
        tours = {
            name: tour(manifest, self._safety[name], self._plan.rules, self._calls)
            for name, manifest in self._manifests.items()
            if self._safety[name].disposition is not Disposition.SKIP
        }
        found = [made.scenario for made in tours.values() if made.scenario is not None]
        if not found:
            raise UserError("no attached MCP offers a tool that could be called: nothing to evaluate")
        numbered = [replace(scenario, id=f"S{number}") for number, scenario in enumerate(found[:MAX_SCENARIOS], 1)]
        notes = [f"No room for a tour of {scenario.targets_mcps[0]}." for scenario in found[MAX_SCENARIOS:]]
        notes += [f"{name}: no call left for {listed(made.left_out)}." for name, made in tours.items() if made.left_out]
        notes += [note for name, made in tours.items() for note in _stuck(name, made.not_drivable)]
        stuck = {name: dict(made.not_drivable) for name, made in tours.items() if made.not_drivable}
        return Intake(tuple(numbered), self._plan.source or "", self._plan.sha256, tuple(notes), stuck)


def _stuck(server: str, not_drivable: Iterable[tuple[str, str]]) -> Iterator[str]:
    """One note for each reason, not for each tool: a large server's tools often want the same thing."""
    tools: dict[str, list[str]] = {}
    for tool, why in not_drivable:
        tools.setdefault(why, []).append(tool)
    for why, names in tools.items():
        yield f"{server}: {listed(names)} cannot be called: {why}."
