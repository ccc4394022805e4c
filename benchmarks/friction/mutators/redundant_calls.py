"""Defects that make callers call more often than they would have to."""

from collections import Counter
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any

from benchmarks.friction.made import Made
from benchmarks.friction.mutators.base import (
    NONE,
    Ids,
    Mutator,
    calls_of,
    changing,
    edited,
    kinds,
    one_of,
    with_causes,
    without_parameters,
)
from benchmarks.friction.surface import Kind, Surface, World

__all__ = ["MUTATORS"]

_FEW = 3  # so often is more than a caller's choice


# --- no_batch ---------------------------------------------------------------------------------------------------------


def _unbatch(surface: Surface, name: str) -> Surface:
    tool = surface.tools[name]
    schema = without_parameters(tool, [tool.role.batch])
    schema["required"] = [tool.role.id_param]
    role = replace(tool.role, batch="")
    return edited(surface, name, input_schema=schema, role=role, description=f"Returns one {role.entity}, whole.")


def _one_by_one(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    """The calls that took one identifier each out of the same result, and the call that gave it."""
    each = [one for one in calls_of(surface.name, name, made) if one.ok and one.why == "each"]
    sources = Counter(one.because[0] for one in each)
    return with_causes((one for one in each if sources[one.because[0]] >= _FEW), set(sources))


# --- no_wait ----------------------------------------------------------------------------------------------------------


def _hurry(surface: Surface, name: str) -> Surface:
    tool = surface.tools[name]
    return edited(
        surface,
        name,
        input_schema=without_parameters(tool, [tool.role.wait]),
        role=replace(tool.role, wait=""),
        description=f"Returns the state of a {tool.role.entity} as it is now.",
    )


def _polled(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    looks = [each for each in calls_of(surface.name, name, made) if each.ok]
    return frozenset(each.id for each in looks) if len(looks) > _FEW else NONE


# --- no_lookup --------------------------------------------------------------------------------------------------------


def _unkey(surface: Surface, name: str) -> Surface:
    tool = surface.tools[name]
    gone = without_parameters(tool, tool.role.lookups)
    return edited(surface, name, input_schema=gone, role=replace(tool.role, lookups={}))


def _leafed_through(surface: Surface, name: str, made: Sequence[Made]) -> Ids | None:
    """The pages of a list that was read for one record.

    Two pages some would not mind; and who reads to the end and does nothing more may have wanted all of it.
    """
    pages = [each for each in calls_of(surface.name, name, made) if each.ok and each.why in ("find", "find-page")]
    if len(pages) < _FEW:
        return None if len(pages) == _FEW - 1 else NONE
    goes_on = pages[-1].data.get(surface.tools[name].role.cursor) or any(pages[-1].id in each.because for each in made)
    return frozenset(each.id for each in pages) if goes_on else None


# --- create_returns_nothing -------------------------------------------------------------------------------------------


def _mute(surface: Surface, name: str) -> Surface:
    tool = surface.tools[name]
    said: tuple[str, Any] = one_of(surface, (("ok", True), ("result", "created"), ("success", True)))

    def run(world: World, args: Mapping[str, Any]) -> Mapping[str, Any]:
        tool.run(world, args)
        return dict([said])

    schema = {"type": "object", "properties": {said[0]: {}}, "required": [said[0]]}
    return edited(surface, name, run=run, output_schema=schema, description=f"Creates a {tool.role.entity}.")


def _looked_for(surface: Surface, _name: str, made: Sequence[Made]) -> Ids:
    """What was created, and the calls that had to find out what it is called."""
    looks = [each for each in made if each.why == "created" and each.server == surface.name]
    return with_causes(looks)


# --- duplicate_tools --------------------------------------------------------------------------------------------------


def _twin(surface: Surface, name: str) -> Surface:
    """The same tool once more, under another name, in other words."""
    tool = surface.tools[name]
    verb, _, rest = name.partition("_")
    other = f"{ {'list': 'query', 'search': 'find'}.get(verb, 'show') }_{rest}"
    said = one_of(surface, ("Gives access to {} data.", "Retrieves {}s.", "The {}s of this workspace."))
    twin = replace(tool, name=other, description=said.format(tool.role.entity))
    return replace(surface, tools={**surface.tools, other: twin})


def _asked_twice(surface: Surface, _name: str, made: Sequence[Made]) -> Ids:
    """Calls of both twins with the same arguments."""
    pairs = [each for each in made if each.server == surface.name and each.why == "twin" and each.ok]
    return with_causes(pairs)


# --- split_details ----------------------------------------------------------------------------------------------------


def _with_details(surface: Surface) -> list[str]:
    return [name for name in kinds(Kind.GET)(surface) if len(_details(surface, name)) > 1]


def _details(surface: Surface, name: str) -> list[str]:
    """The members that only the get shows."""
    role = surface.tools[name].role
    lister = surface.of(Kind.LIST, role.entity)
    shown = _members(surface, lister.name) if lister else ()
    return [member for member in _members(surface, name) if member not in shown]


def _members(surface: Surface, name: str) -> list[str]:
    tool = surface.tools[name]
    return list((tool.output_schema or {})["properties"][tool.role.items]["items"]["properties"])


def _split(surface: Surface, name: str) -> Surface:
    """Each of the members that only the get shows has a tool of its own."""
    tool, details = surface.tools[name], _details(surface, name)

    def only(kept: Sequence[str]) -> dict[str, Any]:
        output = deepcopy(dict(tool.output_schema or {}))
        item = output["properties"][tool.role.items]["items"]
        item["properties"] = {member: item["properties"][member] for member in kept}
        item["required"] = list(kept)

        def cut(found: dict[str, Any]) -> dict[str, Any]:
            return {tool.role.items: [{member: each[member] for member in kept} for each in found[tool.role.items]]}

        return {"output_schema": output, "run": changing(tool, cut)}

    short = [member for member in _members(surface, name) if member not in details]
    changed = edited(surface, name, **only(short), description=f"Returns the base data of a {tool.role.entity}.")
    parts = {
        f"get_{tool.role.entity}_{member}": replace(
            tool,
            name=f"get_{tool.role.entity}_{member}",
            description=f"Returns the {member.replace('_', ' ')} of a {tool.role.entity}.",
            role=replace(tool.role, kind=Kind.PART),
            **only([tool.role.id, member]),
        )
        for member in details
    }
    return replace(changed, tools={**changed.tools, **parts})


def _in_parts(surface: Surface, _name: str, made: Sequence[Made]) -> Ids:
    """The calls that put the same records together."""
    parts = [each for each in made if each.server == surface.name and each.why == "part" and each.ok]
    return with_causes(parts)


MUTATORS = (
    Mutator("no_batch", "redundant_calls", kinds(Kind.GET, having="batch"), _unbatch, _one_by_one),
    Mutator("no_wait", "redundant_calls", kinds(Kind.STATUS, having="wait"), _hurry, _polled),
    Mutator("no_lookup", "redundant_calls", kinds(Kind.LIST, having="lookups"), _unkey, _leafed_through),
    Mutator("create_returns_nothing", "redundant_calls", kinds(Kind.CREATE, having="id"), _mute, _looked_for),
    Mutator("duplicate_tools", "redundant_calls", kinds(Kind.LIST, Kind.SEARCH), _twin, _asked_twice),
    Mutator("split_details", "redundant_calls", _with_details, _split, _in_parts, held_back=True),
)
