"""Defects that leave to code what a tool should do, and callers who are not honest about it."""

import csv
import io
from calendar import timegm
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from time import strptime
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
from benchmarks.friction.surface import Kind, Surface, Tool, ToolError, World

__all__ = ["MUTATORS"]


def _steps(made: Sequence[Made], why: str, because: set[str] | None = None) -> list[Made]:
    """The steps outside MCP that were made for that reason, because of one of these calls if any are given."""
    steps = [each for each in made if not each.server and each.why == why]
    return steps if because is None else [step for step in steps if because & set(step.because)]


def _with_sources(surface: Surface, made: Sequence[Made], steps: Sequence[Made]) -> Ids:
    """The steps, and the calls of the server whose results they worked on."""
    return with_causes(steps, {each.id for each in made if each.server == surface.name})


def _ids(surface: Surface, name: str, made: Sequence[Made]) -> set[str]:
    return {each.id for each in calls_of(surface.name, name, made)}


# --- no_filter --------------------------------------------------------------------------------------------------------


def _unfilter(surface: Surface, name: str) -> Surface:
    """One of the filters is gone."""
    tool = surface.tools[name]
    gone = next(iter(tool.role.filters))
    left = {param: member for param, member in tool.role.filters.items() if param != gone}
    return edited(surface, name, input_schema=without_parameters(tool, [gone]), role=replace(tool.role, filters=left))


def _filtered(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    return _with_sources(surface, made, _steps(made, "filter", _ids(surface, name, made)))


# --- no_summary -------------------------------------------------------------------------------------------------------


def _sums(surface: Surface) -> list[str]:
    tools = [surface.tools[name] for name in kinds(Kind.SUMMARY)(surface)]
    return [tool.name for tool in tools if "total" in (tool.output_schema or {})["properties"]]


def _unsummarized(surface: Surface, name: str) -> Surface:
    return surface.without(name)


def _computed(surface: Surface, _name: str, made: Sequence[Made]) -> Ids:
    return _with_sources(surface, made, _steps(made, "compute"))


# --- epoch_dates ------------------------------------------------------------------------------------------------------


def _dated(surface: Surface) -> list[str]:
    lists = [surface.tools[name] for name in kinds(Kind.LIST)(surface)]
    return [tool.name for tool in lists if _date_members(tool) and tool.role.dates]


def _date_members(tool: Tool) -> list[str]:
    item = (tool.output_schema or {}).get("properties", {}).get(tool.role.items, {}).get("items", {})
    return [name for name, schema in item.get("properties", {}).items() if schema.get("format") == "date"]


def _in_seconds(surface: Surface, name: str) -> Surface:
    tool = surface.tools[name]
    members = _date_members(tool)
    output = deepcopy(dict(tool.output_schema or {}))
    for member in members:
        output["properties"][tool.role.items]["items"]["properties"][member] = {"type": "integer"}

    def changed(found: dict[str, Any]) -> dict[str, Any]:
        for item in found[tool.role.items]:
            item.update({member: timegm(strptime(item[member], "%Y-%m-%d")) for member in members})
        return found

    return edited(surface, name, output_schema=output, run=changing(tool, changed))


def _handed_over(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    """The whole handoff: the result with the date, the step that converts it, the call that takes it."""
    steps = _steps(made, "convert", _ids(surface, name, made))
    done = {step.id for step in steps}
    takers = {each.id for each in made if each.server and each.ok and done & set(each.because)}
    return _with_sources(surface, made, steps) | takers if takers else NONE


# --- csv_in_text ------------------------------------------------------------------------------------------------------


def _tabulate(surface: Surface, name: str) -> Surface:
    """A list comes as comma-separated values, with what else is to be said in a last line."""
    tool = surface.tools[name]

    def table(found: Mapping[str, Any]) -> dict[str, Any]:
        records, out = found[tool.role.items], io.StringIO()
        rows = csv.DictWriter(out, list(records[0]) if records else ["none"], lineterminator="\n")
        rows.writeheader()
        rows.writerows(records)
        rest = "; ".join(f"{member}: {value}" for member, value in found.items() if member != tool.role.items and value)
        return {"content": [{"type": "text", "text": f"{out.getvalue()}# {rest}"}]}

    return edited(surface, name, output_schema=None, render=table)


def _parsed(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    return _with_sources(surface, made, _steps(made, "parse", _ids(surface, name, made)))


# --- broken_tool ------------------------------------------------------------------------------------------------------


def _breakable(surface: Surface) -> list[str]:
    searches = kinds(Kind.SEARCH)(surface)
    return [*_sums(surface), *(name for name in searches if surface.of(Kind.LIST, surface.tools[name].role.entity))]


def _break(surface: Surface, name: str) -> Surface:
    said = one_of(
        surface,
        (
            "503: the index is unavailable; the request was not processed.",
            "The backend is unavailable: no answer in 5 s.",
        ),
    )

    def run(_world: World, _args: Mapping[str, Any]) -> Mapping[str, Any]:
        raise ToolError(said)

    return edited(surface, name, run=run)


def _worked_around(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    """The refusals, and the steps that did the work in their stead."""
    failed = {each.id for each in calls_of(surface.name, name, made) if each.refused}
    steps = [step.id for step in _steps(made, "compute", failed)]
    return frozenset([*failed, *steps]) if steps else NONE


# --- the caller's own -------------------------------------------------------------------------------------------------


def _nowhere(_: Surface) -> list[str]:
    return []


def _unchanged(surface: Surface, _: str) -> Surface:
    return surface


def _all_steps(_surface: Surface, _name: str, made: Sequence[Made]) -> Ids:
    return frozenset(each.id for each in made if not each.server and each.reply is not None)


MUTATORS = (
    Mutator("no_filter", "glue_code", kinds(Kind.LIST, having="filters"), _unfilter, _filtered),
    Mutator("no_summary", "glue_code", _sums, _unsummarized, _computed),
    Mutator("epoch_dates", "glue_code", _dated, _in_seconds, _handed_over),
    Mutator("csv_in_text", "glue_code", kinds(Kind.LIST), _tabulate, _parsed),
    Mutator("broken_tool", "glue_code", _breakable, _break, _worked_around),
    Mutator("generic_justification", "glue_code", _nowhere, _unchanged, _all_steps, mcp=""),
    Mutator("unknown_tool_considered", "glue_code", _nowhere, _unchanged, _all_steps, mcp=""),
)
