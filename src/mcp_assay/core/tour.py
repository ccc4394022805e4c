"""A tour of one server: each tool that may be called, once, in an order in which results can feed what comes later."""

from dataclasses import dataclass

from mcp_assay.core import inert
from mcp_assay.core.draft import step
from mcp_assay.core.entities import lists, verb
from mcp_assay.core.model import Manifest, Rules, Safety, Scenario, Tool
from mcp_assay.core.parameters import parameters
from mcp_assay.core.phrases import counted
from mcp_assay.core.surface import Surface, surfaces
from mcp_assay.core.words import word_set

__all__ = ["Tour", "tour"]

_DESTROYING = word_set("delete remove destroy drop purge erase wipe clear trash truncate cancel revoke reset")
_CREATING = word_set("create add new insert")


@dataclass(frozen=True, slots=True)
class Tour:
    """``scenario`` is None if there is nothing to call.

    ``not_drivable`` are (tool, why) of tools that may be called but have a parameter that nothing supplies;
    ``left_out`` are tools for which the call budget has no room.
    """

    scenario: Scenario | None
    not_drivable: tuple[tuple[str, str], ...] = ()
    left_out: tuple[str, ...] = ()


def tour(manifest: Manifest, safety: Safety, rules: Rules, most: int | None = None) -> Tour:
    """The tour of one server, of at most ``most`` calls. The scenario has no number yet: its id is ``S1``.

    Reading tools are called under any disposition but skip; others only if the server is sandboxed and their arguments
    can be covered by a test resource. A tool that would be refused is in no list.
    """
    surface = surfaces({manifest.server: manifest}, {manifest.server: safety}, rules).get(manifest.server)
    if surface is None:
        return Tour(None)
    permitted = [tool for tool in manifest.tools if surface.permits(tool)]
    chains = {tool.name: surface.supply.chain(tool) for tool in permitted}
    stuck = tuple((name, chain.why) for name, chain in chains.items() if chain.missing is not None)
    able = _ordered([tool for tool in permitted if chains[tool.name].missing is None], surface)
    taken = able[:most]
    left_out = tuple(tool.name for tool in able[len(taken) :])
    return Tour(_scenario(manifest.server, taken) if taken else None, stuck, left_out)


def _scenario(server: str, tools: list[Tool]) -> Scenario:
    about = f"Tour of {inert.line(server, 60)}: {counted(len(tools), 'tool')}, each called once."
    return Scenario("S1", "user", about, (server,), tuple(step(server, tool) for tool in tools))


def _ordered(tools: list[Tool], surface: Surface) -> list[Tool]:
    """Lists before what they feed, reads before changes, and what destroys at the very end."""
    placed: dict[str, Tool] = {}
    for tool in sorted(tools, key=lambda tool: _turn(tool, surface)):
        for needed in (*surface.supply.chain(tool).before, tool):
            placed.setdefault(needed.name, needed)
    return list(placed.values())


def _turn(tool: Tool, surface: Surface) -> tuple[int, int]:
    """A sort key; equal ones keep the manifest's order."""
    if surface.is_read(tool):
        asks = any(parameter.required for parameter in parameters(tool))
        # What asks for nothing tells what there is, so that a search can look for something that is there.
        group = (2 if asks else 0) + (0 if lists(tool, surface.server) else 1)
        return (group, len(surface.supply.chain(tool).before))
    done = verb(tool, surface.server)
    return (6 if done in _DESTROYING else 4 if done in _CREATING else 5, 0)
