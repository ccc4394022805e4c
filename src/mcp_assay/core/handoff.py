"""Handoffs from one MCP to another: only where a shared word in two tools' names is backed by a second signal.

"Pure substring overlap in tool names (e.g., two unrelated list_users tools) is never sufficient on its own."
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations

from mcp_assay.core import inert
from mcp_assay.core.draft import Draft, Gap, Kind, name, step, steps
from mcp_assay.core.entities import GENERIC, IDENTIFIERS, lists, nouns, subject
from mcp_assay.core.model import Scenario, Tool
from mcp_assay.core.parameters import Parameter, parameters
from mcp_assay.core.query import query
from mcp_assay.core.sample import samples
from mcp_assay.core.surface import Surface

__all__ = ["CARRIED", "propose"]

CARRIED = "carried"
"""The name under which the first server's value is saved for the second."""

_TELLING = ("title", "name", "summary", "subject")


@dataclass(frozen=True, slots=True)
class _Signal:
    """What backs the overlap: (a) a parameter that names the entity, or (b) the user, who named both MCPs."""

    entity: str
    parameter: Parameter
    by_name: bool

    @property
    def rank(self) -> tuple[int, int]:
        spoken = subject(self.parameter.name)
        return (0 if self.by_name else 1, 1 if spoken.identifier in IDENTIFIERS[:9] else 0)


def propose(surfaces: Sequence[Surface], user: Sequence[Scenario], gaps: list[Gap]) -> Iterator[Draft]:
    """The best handoff of each two servers, in their order. Whoever has none gets a gap that says why."""
    served: set[str] = set()
    why: dict[str, str] = {}
    for pair in combinations(surfaces, 2):
        mentioned = all(_mentioned(surface.server, user) for surface in pair)
        ways = [way for giver, taker in permutations(pair) for way in _between(giver, taker, mentioned=mentioned)]
        found = [way for way in ways if isinstance(way, _Way)]
        if found:
            best = min(found, key=lambda way: way.rank).draft
            served.update(best.servers)
            yield best
        for reason in (way for way in ways[:1] if isinstance(way, str)):
            why |= {surface.server: reason for surface in pair if surface.server not in why}
    left = [surface.server for surface in surfaces if surface.server not in served]
    gaps += [Gap(server, Kind.HANDOFF, why.get(server) or _no_overlap(len(surfaces))) for server in left]


def _no_overlap(number: int) -> str:
    if number < 2:  # noqa: PLR2004 - a handoff needs two
        return "no other MCP is attached that may be called"
    return "its tools' names share no entity with those of another MCP"


def _mentioned(server: str, user: Sequence[Scenario]) -> bool:
    """Whether the user's scenarios mention an MCP by name, in their text or as a target."""
    # "(b) Explicit user reference. The user's own scenarios already mention both MCPs by name."
    word = re.compile(rf"(?<!\w){re.escape(server)}(?!\w)", re.IGNORECASE)
    return any(server in scenario.targets_mcps or word.search(scenario.description) for scenario in user)


@dataclass(frozen=True, slots=True)
class _Way:
    rank: tuple[int, ...]
    draft: Draft


def _between(giver: Surface, taker: Surface, *, mentioned: bool) -> Iterator[_Way | str]:
    """Every handoff of something that the giver lists to a tool of the taker, or why it is not proposed."""
    listed = _listed(giver)
    for place, tool in enumerate(taker.tools):
        for entity in sorted(nouns(tool, taker.server) & listed.keys()):
            signal = _signal(tool, taker.server, entity, mentioned=mentioned)
            if signal is None:
                why = "no parameter names it, and the scenarios do not mention both MCPs"
            else:
                why = _refused(taker, tool, signal)
            if signal is None or why:
                shared = f"shares \u201c{inert.line(entity, 40)}\u201d with {inert.line(giver.server, 40)}"
                yield f"{name(taker.server, tool)} {shared}, but {why}"
            else:
                yield _Way((*signal.rank, place), _draft(giver, listed[entity], taker, tool, signal))


def _listed(giver: Surface) -> dict[str, Tool]:
    """For each entity the first reading tool that lists it and can be driven."""
    found: dict[str, Tool] = {}
    for tool in giver.reads:
        if lists(tool, giver.server) and giver.supply.chain(tool).missing is None:
            for entity in nouns(tool, giver.server):
                found.setdefault(entity, tool)
    return found


def _signal(tool: Tool, server: str, entity: str, *, mentioned: bool) -> _Signal | None:
    able = [parameter for parameter in parameters(tool) if parameter.takes_text or parameter.takes_number]
    # "One tool has a parameter whose name contains the shared entity noun from the other MCP's tool name — not a
    # generic identifier." ``id`` and ``url`` speak of no entity at all.
    named = [parameter for parameter in able if entity in subject(parameter.name).entity and entity not in GENERIC]
    if named:
        return min((_Signal(entity, parameter, by_name=True) for parameter in named), key=lambda signal: signal.rank)
    asked = query(tool, server) if mentioned else ""
    told = [parameter for parameter in able if parameter.is_free and parameter.name.lower() in _TELLING]
    taken = told if isinstance(asked, str) else [asked]
    return _Signal(entity, taken[0], by_name=False) if mentioned and taken else None


def _refused(taker: Surface, tool: Tool, signal: _Signal) -> str:
    """Why a handoff to this tool is not proposed; empty if nothing speaks against it."""
    given = {signal.parameter.name: next(samples(signal.parameter), "x")}
    if not taker.permits(tool, given):
        return f"a call of it would not be permitted ({taker.verdict(tool).verdict})"
    chain = taker.supply.chain(tool, given)
    return "" if chain.missing is None else chain.why


def _draft(giver: Surface, source: Tool, taker: Surface, tool: Tool, signal: _Signal) -> Draft:
    into = inert.line(signal.parameter.name, 60)
    entity = inert.line(signal.entity, 40)
    before = steps(giver.server, *giver.supply.chain(source).before)
    given = {signal.parameter.name: f"${{{CARRIED}}}"}
    ahead = steps(taker.server, *taker.supply.chain(tool, given).before)
    listing = step(giver.server, source, save={CARRIED: _path(signal)})
    about = f"Take one {entity} from {name(giver.server, source)} to {name(taker.server, tool)}, as its {into}."
    backed = f"the parameter {into}" if signal.by_name else "that your scenarios mention both MCPs"
    weak = f"both tools' names say \u201c{entity}\u201d, backed only by {backed}; whether they mean the same is a guess"
    taken = step(taker.server, tool, given)
    return Draft(Kind.HANDOFF, (giver.server, taker.server), about, (*before, listing, *ahead, taken), weak)


def _path(signal: _Signal) -> str:
    """Where the value is looked for in the listing: under the parameter's own name, or under that of what it wants."""
    spoken = subject(signal.parameter.name)
    wanted = [spoken.identifier] if spoken.identifier and signal.by_name else []
    if wanted == ["id"]:
        wanted = ["id", "key", "number"]
    own = signal.parameter.name if re.fullmatch(r"[A-Za-z0-9_]{1,60}", signal.parameter.name) else ""
    names = [form for form in (own if signal.by_name else "", *wanted, *_TELLING) if form]
    return "$..[" + ",".join(f"'{form}'" for form in dict.fromkeys(names)) + "]"
