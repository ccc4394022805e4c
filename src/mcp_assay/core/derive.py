"""Edge cases that the attached tools can meaningfully exercise, as scenarios with steps; and why there are no others.

"Propose only what the attached surface can meaningfully exercise — no hypotheticals." So a tool is considered only if
its calls would be permitted and every parameter that it requires can be supplied. Everything follows from the
manifests, the dispositions and the user's scenarios alone: the same list comes out every time.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_assay.core import handoff, inert
from mcp_assay.core.draft import NOTHING, Draft, Gap, Kind, name, step, steps
from mcp_assay.core.entities import searches, seeks
from mcp_assay.core.model import Manifest, Rules, Safety, Scenario, Tool, sha256
from mcp_assay.core.pages import pages
from mcp_assay.core.phrases import counted
from mcp_assay.core.query import query
from mcp_assay.core.surface import Surface, surfaces

__all__ = ["Derived", "Gap", "Kind", "Proposal", "list_digest", "propose"]


@dataclass(frozen=True, slots=True)
class Proposal:
    """``weak`` says why a handoff's signal is weak; the user must actively accept such a scenario."""

    kind: Kind
    scenario: Scenario
    weak: str | None = None


@dataclass(frozen=True, slots=True)
class Derived:
    """``gaps`` say for each attached server and kind without a proposal why there is none."""

    proposals: tuple[Proposal, ...]
    gaps: tuple[Gap, ...]

    @property
    def scenarios(self) -> tuple[Scenario, ...]:
        return tuple(proposal.scenario for proposal in self.proposals)


def propose(
    manifests: Mapping[str, Manifest],
    dispositions: Mapping[str, Safety],
    user: Sequence[Scenario],
    rules: Rules,
    room: int,
) -> Derived:
    """At most ``room`` derived scenarios, with ids that continue the user's. Total: any manifest gives an answer."""
    usable = surfaces(manifests, dispositions, rules)
    gaps = [_skipped(server, kind) for server in manifests if server not in usable for kind in Kind]
    single = {server: list(_single(surface, gaps)) for server, surface in usable.items()}
    across = list(handoff.propose(list(usable.values()), user, gaps))
    kept, left = _within(room, _in_turn(single, across))
    # "if the cap is already met by user scenarios, propose zero derived scenarios"
    gaps += [Gap(server, draft.kind, "the list has no room for it") for draft in left for server in draft.servers]
    return Derived(tuple(_proposal(draft, len(user) + place) for place, draft in enumerate(kept, 1)), tuple(gaps))


def list_digest(scenarios: Iterable[Scenario]) -> str:
    """``sha256:<hex>`` of a derived list: what it would call with which arguments, and how it is described. No ids."""
    return sha256(
        [
            {
                "description": scenario.description,
                "targets_mcps": list(scenario.targets_mcps),
                "steps": [
                    {"tool": step.tool, "args": dict(step.args), "save": dict(step.save)} for step in scenario.steps
                ],
            }
            for scenario in scenarios
        ]
    )


def _skipped(server: str, kind: Kind) -> Gap:
    return Gap(server, kind, "its disposition is 'skip', or it has none")


def _proposal(draft: Draft, place: int) -> Proposal:
    # "Derived scenarios are labeled source: "derived"."
    scenario = Scenario(f"S{place}", "derived", draft.description, draft.servers, draft.steps)
    return Proposal(draft.kind, scenario, draft.weak)


def _in_turn(single: Mapping[str, list[Draft]], across: list[Draft]) -> Iterator[Draft]:
    """One for each server, then the handoffs, then the others: where room is short, nobody is left out."""
    yield from (drafts[0] for drafts in single.values() if drafts)
    yield from across
    yield from (draft for drafts in single.values() for draft in drafts[1:])


def _within(room: int, drafts: Iterator[Draft]) -> tuple[list[Draft], list[Draft]]:
    every = list(drafts)
    return every[: max(room, 0)], every[max(room, 0) :]


# --- one server --------------------------------------------------------------------------------------------------


def _single(surface: Surface, gaps: list[Gap]) -> Iterator[Draft]:
    for kind, candidates in ((Kind.PAGINATION, _paging), (Kind.EMPTY_RESULT, _empty)):
        found = list(candidates(surface))
        usable = [candidate for candidate in found if isinstance(candidate, _Candidate)]
        if usable:
            yield min(usable, key=lambda candidate: candidate.rank).draft
        else:
            gaps.append(Gap(surface.server, kind, _why_none(surface, kind, found)))


@dataclass(frozen=True, slots=True)
class _Candidate:
    rank: tuple[int, ...]
    draft: Draft


def _paging(surface: Surface) -> Iterator["_Candidate | str"]:
    """Every tool with paging parameters: a scenario that walks past the first page, or why it cannot be one."""
    for place, tool in enumerate(surface.tools):
        found = pages(tool)
        if found is None:
            continue
        chain = surface.supply.chain(tool, found.second()) if surface.is_read(tool) else None
        if chain is None or chain.missing is not None:
            yield _unusable(surface, tool, chain.why if chain else "")
            continue
        label = name(surface.server, tool)
        about = f"Walk past the first page of {label}: {inert.line(found.how(), 120)}."
        first = step(surface.server, tool, found.first(), found.save())
        second = step(surface.server, tool, found.second())
        rank = (found.rank, 0 if seeks(tool, surface.server, Rules.EXTENDED) else 1, len(chain.before), place)
        before = steps(surface.server, *chain.before)
        yield _Candidate(rank, Draft(Kind.PAGINATION, (surface.server,), about, (*before, first, second)))


def _empty(surface: Surface) -> Iterator["_Candidate | str"]:
    """Every tool that looks like search or list: a query that nothing matches, or why there cannot be one."""
    for place, tool in enumerate(surface.tools):
        if not seeks(tool, surface.server, surface.rules):
            continue
        asked = query(tool, surface.server)
        if isinstance(asked, str):
            yield f"{name(surface.server, tool)}: {asked}"
            continue
        args: dict[str, Any] = {asked.name: NOTHING}
        chain = surface.supply.chain(tool, args) if surface.is_read(tool) else None
        if chain is None or chain.missing is not None:
            yield _unusable(surface, tool, chain.why if chain else "")
            continue
        label = name(surface.server, tool)
        about = (
            f"Ask {label} for {NOTHING}, which nothing matches: an empty result should say plainly that it is empty."
        )
        rank = (0 if searches(tool, surface.server) else 1, 0 if asked.required else 1, len(chain.before), place)
        before = steps(surface.server, *chain.before)
        draft = Draft(Kind.EMPTY_RESULT, (surface.server,), about, (*before, step(surface.server, tool, args)))
        yield _Candidate(rank, draft)


def _unusable(surface: Surface, tool: Tool, why: str) -> str:
    if why:
        return f"{name(surface.server, tool)}: {why}"
    found = surface.verdict(tool)
    return f"{name(surface.server, tool)} would be no read ({found.verdict}: {found.rule})"


_NONE_LIKE_IT = {
    Kind.PAGINATION: "no tool has a limit, cursor, offset, page or per_page parameter",
    Kind.EMPTY_RESULT: "no tool looks like search or list",
}


def _why_none(surface: Surface, kind: Kind, found: Sequence["_Candidate | str"]) -> str:
    """The reason in words; of several tools' the first, which stands for them."""
    if not surface.tools:
        return "it offers no tools"
    reasons = [reason for reason in found if isinstance(reason, str)]
    if not reasons:
        return _NONE_LIKE_IT[kind]
    others = counted(len(reasons) - 1, "other tool")
    return reasons[0] if len(reasons) == 1 else f"{reasons[0]}; {others} cannot be used either"
