"""A mutator plants one defect of a named kind, and says which calls of a trajectory show it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, TypeVar
from zlib import crc32

from benchmarks.friction.made import Made
from benchmarks.friction.surface import Surface, Tool

__all__ = [
    "NONE",
    "Ids",
    "Mutator",
    "answered",
    "calls_of",
    "changing",
    "edited",
    "kinds",
    "one_of",
    "refused",
    "with_causes",
    "with_parameter",
    "without_parameters",
]

Ids = frozenset[str]
NONE: Ids = frozenset()
T = TypeVar("T")


@dataclass(frozen=True)
class Mutator:
    """``targets`` are the tools at which a surface can have the defect; ``apply`` returns it with the defect there.

    ``expected`` takes the clean surface, the tool's clean name and what the agent made, and returns the ids of the
    calls that show the defect: those made in vain or in addition because of it, and the call that made them necessary;
    none if it did not come up, and None where fair reviewers would differ whether it did. ``mcp`` is whose the finding
    must be, if not the mutated server's: ``cross-mcp``, or "" for nobody. ``held_back`` kinds are reported and have no
    target.
    """

    kind: str
    dimension: str
    targets: Callable[[Surface], Sequence[str]]
    apply: Callable[[Surface, str], Surface]
    expected: Callable[[Surface, str, Sequence[Made]], Ids | None]
    held_back: bool = False
    mcp: str | None = None


def kinds(*wanted: str, having: str = "") -> Callable[[Surface], list[str]]:
    """The tools of these kinds; ``having`` names what of their role must not be empty."""

    def found(surface: Surface) -> list[str]:
        tools = (tool for tool in surface.tools.values() if tool.role.kind in wanted)
        return [tool.name for tool in tools if not having or getattr(tool.role, having)]

    return found


def one_of(surface: Surface, options: Sequence[T]) -> T:
    """The same one for a server every time: what is planted looks different from server to server."""
    return options[crc32(surface.name.encode()) % len(options)]


def edited(surface: Surface, name: str, **changes: Any) -> Surface:
    return surface.with_tool(name, replace(surface.tools[name], **changes))


def without_parameters(tool: Tool, names: Iterable[str]) -> dict[str, Any]:
    """The input schema without some of its parameters."""
    schema, gone = deepcopy(dict(tool.input_schema)), set(names)
    schema["properties"] = {name: part for name, part in schema["properties"].items() if name not in gone}
    if "required" in schema:
        schema["required"] = [name for name in schema["required"] if name not in gone]
    return schema


def with_parameter(tool: Tool, name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """The input schema with one parameter declared so."""
    changed = deepcopy(dict(tool.input_schema))
    changed["properties"][name] = dict(schema)
    return changed


def changing(tool: Tool, change: Callable[[dict[str, Any]], Mapping[str, Any]]) -> Callable[..., Mapping[str, Any]]:
    """The tool's ``run`` with its result changed; the world's own data stays as it is."""
    return lambda world, args: change(deepcopy(dict(tool.run(world, args))))


def calls_of(server: str, tools: str | Iterable[str], made: Sequence[Made]) -> list[Made]:
    names = {tools} if isinstance(tools, str) else set(tools)
    return [each for each in made if each.server == server and each.tool in names]


def with_causes(calls: Iterable[Made], among: AbstractSet[str] | None = None) -> Ids:
    """The calls, and those that made them necessary, as far as these are among some."""
    found = set()
    for each in calls:
        found |= {each.id, *(each.because if among is None else among & set(each.because))}
    return frozenset(found)


def answered(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    """The calls of a tool that were answered without an error."""
    return frozenset(each.id for each in calls_of(surface.name, name, made) if each.ok)


def refused(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    """The calls of a tool that were answered with an error."""
    return frozenset(each.id for each in calls_of(surface.name, name, made) if each.refused)
