"""The ``explore`` driver: derived scenarios and tours by their steps, and prose by what its words match.

It knows nothing of a scenario's goal. Steps it can carry out, and says which it could not; for prose it makes the calls
that the words suggest, and leaves it to a reader whether the goal was reached.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import jsonpath

from mcp_assay.core import inert
from mcp_assay.core.entities import lists, verb
from mcp_assay.core.harvest import converted
from mcp_assay.core.model import Manifest, Reply, Scenario, Step, Tool, ToolCall
from mcp_assay.core.pages import NEXT_PAGE
from mcp_assay.core.parameters import parameters
from mcp_assay.core.phrases import counted
from mcp_assay.core.safety import Allow, Policy, decide
from mcp_assay.core.spoken import spoken
from mcp_assay.core.steps import MissingValueError, data_of, to_call
from mcp_assay.core.surface import Surface, surfaces
from mcp_assay.core.words import tokens
from mcp_assay.drivers import lexical
from mcp_assay.drivers.base import Call, Ended
from mcp_assay.drivers.trip import Trip

__all__ = ["Explore"]

_BEST = 5  # matching tools that are tried
_MOST = 10  # calls for a text, with those that must come before
_TOLD = 4  # troubles that a reason tells
_HANDOFF = 2  # servers


class Explore:
    """``policy`` is what the gate decides by: a call that would be refused is never attempted."""

    name = "explore"

    def __init__(self, manifests: Mapping[str, Manifest], policy: Policy) -> None:
        self._manifests, self._policy = manifests, policy
        self._surfaces = surfaces(manifests, policy.safety, policy.rules)

    async def run(self, scenario: Scenario, call: Call) -> Ended:
        """Attempt the scenario. ``reached`` is True only if it has steps and every one ran without an error."""
        trip = Trip(self._surfaces, self._permitted, call)
        if scenario.steps:
            return await self._walk(scenario, trip)
        return await self._follow(scenario, trip)

    def _permitted(self, call: ToolCall) -> bool:
        try:
            return isinstance(decide(call, self._policy), Allow)
        except (OSError, ValueError, TypeError, RecursionError):
            return False  # a fault while deciding means no, here as in the gate

    # --- steps ---------------------------------------------------------------------------------------------------

    async def _walk(self, scenario: Scenario, trip: Trip) -> Ended:
        """Every step in order; one that cannot be carried out is told, and the next one tried."""
        saved: dict[str, tuple[str, Any]] = {}
        # No value of one server is passed to another, "except in a handoff step that the user approved".
        is_handoff = scenario.source == "derived" and len(scenario.targets_mcps) >= _HANDOFF
        for number, step in enumerate(scenario.steps, 1):
            await self._step(f"step {number}", step, saved, trip, is_handoff=is_handoff)
            if trip.over:
                break
        if not trip.troubles:
            return Ended(reached=True)
        return Ended(reached=False, reason=f"{trip.calls} of {counted(len(scenario.steps), 'step')} ran; {_told(trip)}")

    async def _step(
        self, where: str, step: Step, saved: dict[str, tuple[str, Any]], trip: Trip, *, is_handoff: bool
    ) -> None:
        server = to_call(Step(step.tool), {}, self._manifests).mcp
        surface = self._surfaces.get(server or "")
        if surface is None:
            trip.troubles.append(f"{where} is no tool of an MCP that may be called")
            return
        visible = {name: value for name, (owner, value) in saved.items() if is_handoff or owner == surface.server}
        try:
            asked = to_call(step, visible, self._manifests)
        except MissingValueError as missing:
            trip.troubles.append(f"{where} {_without(str(missing))}")
            return
        tool = self._manifests[surface.server].get(asked.tool)
        if tool is None:
            trip.troubles.append(f"{where} is no tool that its server offers")
            return
        reply = await trip.take(
            f"{where} ({inert.line(tool.name, 60)})", surface.server, tool, _typed(asked.args, tool)
        )
        if reply is not None:
            saved.update({name: (surface.server, value) for name, value in _saved(step, reply)})

    # --- prose ---------------------------------------------------------------------------------------------------

    async def _follow(self, scenario: Scenario, trip: Trip) -> Ended:
        """The tools that the text's words match, lists first, each after what it needs."""
        route = self._route(scenario)
        if not route:
            return Ended(reached=False, reason="no attached tool matches this text")
        waiting = [
            (surface, tool, spoken(scenario.description, tool, surface.server)) for surface, tool in route[:_MOST]
        ]
        while waiting and not trip.over:
            # What a result has just supplied may be the turn of a tool that was passed over before.
            ready = next((way for way in waiting if not trip.lacks(way[0].server, way[1], way[2])), waiting[0])
            waiting.remove(ready)
            surface, tool, given = ready
            await trip.take(inert.line(tool.name, 60), surface.server, tool, given)
        if not trip.calls:
            return Ended(reached=False, reason=_told(trip))
        judged = f"explored {counted(trip.calls, 'call')}; whether the goal is reached is for a reader to judge"
        return Ended(reached=None, reason=f"{judged}; {_told(trip)}" if trip.troubles else judged)

    def _route(self, scenario: Scenario) -> list[tuple[Surface, Tool]]:
        targets = scenario.targets_mcps or tuple(self._surfaces)
        chosen = [self._surfaces[server] for server in targets if server in self._surfaces]
        said = frozenset(tokens(scenario.description))
        known = [
            (surface.server, tool) for surface in chosen for tool in surface.tools if _may_try(surface, tool, said)
        ]
        best = [(self._surfaces[server], tool) for server, tool in lexical.rank(scenario.description, known)[:_BEST]]
        route: dict[tuple[str, str], tuple[Surface, Tool]] = {}
        for surface, tool in sorted(best, key=lambda found: not lists(found[1], found[0].server)):
            chain = surface.supply.chain(tool, spoken(scenario.description, tool, surface.server))
            for needed in (*chain.before, tool):
                route.setdefault((surface.server, needed.name), (surface, needed))
        return list(route.values())


def _may_try(surface: Surface, tool: Tool, said: frozenset[str]) -> bool:
    """A text has to name the deed before anything but a read is done for it."""
    return surface.is_read(tool) or (verb(tool, surface.server) in said and surface.permits(tool))


def _without(name: str) -> str:
    if name == NEXT_PAGE:
        return "needs a next page, and the page before points to none"
    return f"needs ${{{name}}}, which no earlier step of this server saved"


def _typed(args: Mapping[str, Any], tool: Tool) -> dict[str, Any]:
    """The arguments in the types that the schema wants, where a saved value came in another."""
    known = {parameter.name: parameter for parameter in parameters(tool)}
    return {
        name: next(converted(value, known[name]), value) if name in known else value for name, value in args.items()
    }


def _saved(step: Step, reply: Reply) -> Iterator[tuple[str, Any]]:
    """What the step saves: the first value at each path that is one. A next page of null is none."""
    data = data_of(reply.result)
    for name, path in step.save.items():
        found = jsonpath.findall(path, data) if isinstance(data, dict | list) else []
        value = next((value for value in found if _is_value(value)), None)
        if value is not None:
            yield name, value


def _is_value(value: object) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int | float) or (isinstance(value, str) and bool(value.strip()))


def _told(trip: Trip) -> str:
    told, more = trip.troubles[:_TOLD], len(trip.troubles) - _TOLD
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "")
