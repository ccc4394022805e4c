"""Which servers and which defects there are."""

import importlib
from functools import cache

from benchmarks.friction.goals import Goal
from benchmarks.friction.mutators import MUTATORS
from benchmarks.friction.surface import Surface

__all__ = ["HELD_OUT", "SERVERS", "TUNING", "goals", "load", "surface"]

TUNING = ("tracker", "files", "calendar", "search", "crm", "ci", "wiki", "warehouse")
HELD_OUT = ("chat", "metrics", "billing", "maps")
SERVERS = (*TUNING, *HELD_OUT)


@cache
def surface(name: str, *planted: str) -> Surface:
    """A server's surface, clean or with what is planted: a kind of defect and a tool, and so on."""
    found: Surface = importlib.import_module(f"benchmarks.friction.servers.{name}").SURFACE
    for kind, tool in zip(planted[::2], planted[1::2], strict=True):
        found = MUTATORS[kind].apply(found, tool)
    return found


@cache
def goals() -> dict[str, Goal]:
    """All goals by name, those of single servers first."""
    modules = [importlib.import_module(f"benchmarks.friction.servers.{name}") for name in (*SERVERS, "cross")]
    found: dict[str, Goal] = {}
    for goal in (goal for module in modules for goal in module.GOALS):
        found[goal.name if goal.name not in found else f"{goal.name}, others"] = goal
    return found


def load() -> None:
    """Import every server."""
    goals()
