"""Defects of what comes back."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from copy import deepcopy
from random import Random
from typing import Any

import jsonschema
from benchmarks.friction.made import Made
from benchmarks.friction.mutators.base import (
    NONE,
    Ids,
    Mutator,
    answered,
    calls_of,
    changing,
    edited,
    kinds,
    one_of,
    refused,
    with_causes,
    without_parameters,
)
from benchmarks.friction.surface import Kind, Surface

__all__ = ["MUTATORS"]

_READS = (Kind.LIST, Kind.GET, Kind.SEARCH, Kind.SUMMARY)
_MANY = 10  # so many records with their surplus are too much for anybody
_SOME = 4  # and these for some
_LONGEST = 40  # characters of a text that is cut


# --- json_in_text -----------------------------------------------------------------------------------------------------


def _text_only(found: Mapping[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(found)}]}


def _unstructure(surface: Surface, name: str) -> Surface:
    return edited(surface, name, output_schema=None, render=_text_only)


# --- cursor_removed ---------------------------------------------------------------------------------------------------


def _uncursor(surface: Surface, name: str) -> Surface:
    """One page, of a fixed size, and the number of all."""
    tool = surface.tools[name]
    output = deepcopy(dict(tool.output_schema or {}))
    output["properties"].pop(tool.role.cursor)
    output["required"] = [member for member in output["required"] if member != tool.role.cursor]

    def cut(found: dict[str, Any]) -> dict[str, Any]:
        return {member: value for member, value in found.items() if member != tool.role.cursor}

    return edited(
        surface,
        name,
        input_schema=without_parameters(tool, [tool.role.cursor_param, tool.role.limit]),
        output_schema=output,
        run=changing(tool, cut),
        description=tool.description.replace(" a page at a time", "").replace(", a page of results at a time", ""),
    )


def _cut_short(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    items = surface.tools[name].role.items
    calls = [each for each in calls_of(surface.name, name, made) if each.ok]
    return frozenset(each.id for each in calls if each.data.get("total", 0) > len(each.data.get(items, ())))


# --- schema_not_kept --------------------------------------------------------------------------------------------------


def _break_promise(surface: Surface, name: str) -> Surface:
    """A required number comes as text, or a required member under another name."""
    tool = surface.tools[name]
    members = (tool.output_schema or {}).get("properties", {})
    number = next((each for each, schema in members.items() if schema.get("type") in ("integer", "number")), "")
    first = next(iter(members))

    def as_text(found: dict[str, Any]) -> dict[str, Any]:
        return {**found, number: str(found[number])}

    def renamed(found: dict[str, Any]) -> dict[str, Any]:
        return {f"{member}_v2" if member == first else member: value for member, value in found.items()}

    change = one_of(surface, (as_text, renamed)) if number and tool.role.kind != Kind.SUMMARY else renamed
    return edited(surface, name, run=changing(tool, change))


def _not_as_promised(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    promised = jsonschema.Draft202012Validator(surface.tools[name].output_schema or {})
    calls = [each for each in calls_of(surface.name, name, made) if each.ok]
    return frozenset(each.id for each in calls if not promised.is_valid(each.data))


# --- errors -----------------------------------------------------------------------------------------------------------


def _succeed(surface: Surface, name: str) -> Surface:
    """What is refused comes back as if it had worked."""

    def fail(why: str) -> dict[str, Any]:
        found: dict[str, Any] = one_of(
            surface,
            ({"error": why}, {"ok": False, "error": {"message": why}}, {"status": "error", "message": why}),
        )
        return {"content": [{"type": "text", "text": json.dumps(found)}], "structuredContent": found}

    return edited(surface, name, output_schema=None, fail=fail)


def _said_error(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    return frozenset(each.id for each in calls_of(surface.name, name, made) if each.ok and each.reads_as_failure)


def _silence(surface: Surface, name: str) -> Surface:
    said = one_of(
        surface, ("Something went wrong.", "Error", "Internal error", "Request failed", "An unexpected error occurred.")
    )
    return edited(surface, name, fail=lambda _why: {"content": [{"type": "text", "text": said}], "isError": True})


# --- sizes ------------------------------------------------------------------------------------------------------------


def _history(lines: int) -> str:
    line = "2026-03-0{n} 10:{n}4 field changed by automation rule; previous value kept for audit, see revision {n}. "
    return "".join(line.format(n=number % 10) for number in range(lines))


def _image(lines: int) -> str:
    return "data:image/png;base64," + b64encode(bytes((7 * n + n // 11) % 256 for n in range(lines * 70))).decode()


def _markup(lines: int) -> str:
    return (
        "<table>"
        + "".join(f"<tr class='row r{n}'><td>{n}</td><td>&nbsp;</td></tr>" * 2 for n in range(lines))
        + "</table>"
    )


def _swell(surface: Surface, name: str, lines: int) -> Surface:
    """Every record carries so many lines of what nobody asked for, and nothing tells the tool to leave it out."""
    tool = surface.tools[name]
    member, make = one_of(surface, (("audit_trail", _history), ("thumbnail", _image), ("rendered_html", _markup)))
    surplus = make(lines)

    def swollen(found: dict[str, Any]) -> dict[str, Any]:
        return {**found, tool.role.items: [{**item, member: surplus} for item in found[tool.role.items]]}

    output = deepcopy(dict(tool.output_schema or {}))
    output["properties"][tool.role.items]["items"]["properties"][member] = {"type": "string"}
    return edited(surface, name, output_schema=output, run=changing(tool, swollen))


def _oversize(surface: Surface, name: str) -> Surface:
    return _swell(surface, name, 900)


def _bloat(surface: Surface, name: str) -> Surface:
    return _swell(surface, name, 28)


def _many(surface: Surface, name: str, made: Sequence[Made]) -> Ids | None:
    """The calls in which the surplus is that of ten records and more."""
    items = surface.tools[name].role.items
    sizes = {each.id: len(each.data.get(items, ())) for each in calls_of(surface.name, name, made) if each.ok}
    many = frozenset(call for call, size in sizes.items() if size >= _MANY)
    return many or (None if any(size >= _SOME for size in sizes.values()) else NONE)


# --- list_without_ids -------------------------------------------------------------------------------------------------


def _listed_and_got(surface: Surface) -> list[str]:
    return [
        name for name in kinds(Kind.LIST, having="id")(surface) if surface.of(Kind.GET, surface.tools[name].role.entity)
    ]


def _unidentify(surface: Surface, name: str) -> Surface:
    tool = surface.tools[name]
    output = deepcopy(dict(tool.output_schema or {}))
    item = output["properties"][tool.role.items]["items"]
    item["properties"].pop(tool.role.id)
    item["required"] = [member for member in item.get("required", ()) if member != tool.role.id]

    def unnamed(found: dict[str, Any]) -> dict[str, Any]:
        for each in found[tool.role.items]:
            each.pop(tool.role.id, None)
        return found

    return edited(surface, name, output_schema=output, run=changing(tool, unnamed))


def _in_vain(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    """The list, and what was asked in vain for want of an identifier."""
    get = surface.of(Kind.GET, surface.tools[name].role.entity)
    lists = {each.id for each in calls_of(surface.name, name, made) if each.ok}
    gets = calls_of(surface.name, get.name if get else "", made)
    vain = [each for each in gets if each.refused and lists & set(each.because)]
    return with_causes(vain, lists)


# --- text_cut ---------------------------------------------------------------------------------------------------------


def _with_long_text(surface: Surface) -> list[str]:
    return [name for name in kinds(Kind.GET)(surface) if _long_text(surface, name)]


def _long_text(surface: Surface, name: str) -> str:
    """The member with the longest texts, if they are long enough to be cut."""
    tool = surface.tools[name]
    members = (tool.output_schema or {})["properties"][tool.role.items]["items"]["properties"]
    tables = (table for table in surface.world(Random(0)).values() if isinstance(table, list))
    records = [each for table in tables for each in table if isinstance(each, dict) and set(members) <= set(each)]
    texts = [member for member, schema in members.items() if schema.get("type") == "string" and member != tool.role.id]
    sizes = {member: max(len(each[member]) for each in records) for member in texts}
    longest = max(sizes, key=lambda member: sizes[member], default="")
    return longest if sizes.get(longest, 0) > _LONGEST else ""


def _cut_text(surface: Surface, name: str) -> Surface:
    """A long text comes as its beginning, and nothing gives the rest."""
    tool, member = surface.tools[name], _long_text(surface, name)

    def cut(found: dict[str, Any]) -> dict[str, Any]:
        for each in found[tool.role.items]:
            if len(each[member]) > _LONGEST:
                each[member] = each[member][:_LONGEST] + "…"
        return found

    return edited(surface, name, run=changing(tool, cut))


def _was_cut(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    items, member = surface.tools[name].role.items, _long_text(surface, name)
    calls = [each for each in calls_of(surface.name, name, made) if each.ok]
    return frozenset(each.id for each in calls if any(_is_cut(item[member]) for item in each.data.get(items, ())))


def _is_cut(text: str) -> bool:
    return len(text) > _LONGEST and text.endswith("…")


MUTATORS = (
    Mutator("json_in_text", "response_shape", kinds(*_READS), _unstructure, answered),
    Mutator("cursor_removed", "response_shape", kinds(Kind.LIST, having="cursor"), _uncursor, _cut_short),
    Mutator("schema_not_kept", "response_shape", kinds(*_READS), _break_promise, _not_as_promised),
    Mutator("error_in_success", "response_shape", kinds(Kind.GET), _succeed, _said_error),
    Mutator("error_without_cause", "response_shape", kinds(Kind.GET), _silence, refused),
    Mutator("oversize", "response_shape", kinds(Kind.GET), _oversize, answered),
    Mutator("bloated_items", "response_shape", kinds(Kind.LIST), _bloat, _many),
    Mutator("list_without_ids", "response_shape", _listed_and_got, _unidentify, _in_vain),
    Mutator("text_cut", "response_shape", _with_long_text, _cut_text, _was_cut, held_back=True),
)
