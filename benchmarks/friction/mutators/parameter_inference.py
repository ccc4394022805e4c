"""Defects of what a caller can tell from the surface."""

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any
from zlib import crc32

from benchmarks.friction.calling import DATES
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
    with_parameter,
)
from benchmarks.friction.parts import obj
from benchmarks.friction.surface import Kind, Role, Surface, Tool, ToolError, World

__all__ = ["MUTATORS"]

Args = Mapping[str, Any]
_STRICT = (Kind.LIST, Kind.GET, Kind.CREATE, Kind.SUMMARY)
_LAPSES = 4  # calls until what has to be open is to be opened again


def _put_right(surface: Surface, name: str, made: Sequence[Made]) -> Ids | None:
    """The refusals, and the calls that were put right after them; who was refused again proves nothing."""
    retries = [each for each in calls_of(surface.name, name, made) if each.why == "retry"]
    if not retries:
        return NONE
    if not any(each.ok for each in retries):
        return None
    own = [each for each in made if each.server == surface.name and each.why != "slip"]
    return with_causes(retries, {each.id for each in own if each.refused or each.why == "first"})


# --- enum_in_prose ----------------------------------------------------------------------------------------------------


def _has_enum(surface: Surface) -> list[str]:
    return [name for name in kinds(*_STRICT, having="enums")(surface) if _enum(surface.tools[name])]


def _enum(tool: Tool) -> str:
    """The first parameter that takes one of a few words."""
    found = (name for name in tool.role.enums if "enum" in tool.input_schema["properties"].get(name, {}))
    return next(found, "")


def _encode(surface: Surface, name: str) -> Surface:
    """The words of an enumeration become codes that stand nowhere."""
    tool = surface.tools[name]
    param = _enum(tool)
    words = tool.input_schema["properties"][param]["enum"]
    form: Callable[[int, str], str] = one_of(
        surface,
        (lambda n, word: f"{word[:3].upper()}{n}", lambda _n, word: word.upper(), lambda n, word: f"{word[:3]}_{n}"),
    )
    codes = {form(place, word): word for place, word in enumerate(words)}

    def run(world: World, args: Args) -> Mapping[str, Any]:
        if param in args and args[param] not in codes:
            listed = ", ".join(f"'{code}'" for code in codes)
            raise ToolError(f"{param}: {args[param]!r} is no code; codes are {listed}.")
        return tool.run(world, {**args, **({param: codes[args[param]]} if param in args else {})})

    schema = {"type": "string", "description": f"The {param}'s code."}
    return edited(surface, name, input_schema=with_parameter(tool, param, schema), run=run)


# --- required_not_marked ----------------------------------------------------------------------------------------------


def _require(surface: Surface, name: str) -> Surface:
    tool = surface.tools[name]
    param, value = one_of(surface, (("tenant", "main"), ("locale", "en-GB"), ("environment", "production")))
    said = one_of(surface, ("{} is required, such as '{}'.", "'{}' is missing; for example '{}'."))

    def run(world: World, args: Args) -> Mapping[str, Any]:
        if param not in args:
            raise ToolError(said.format(param, value))
        return tool.run(world, {key: each for key, each in args.items() if key != param})

    schema = {"type": "string", "description": f"The {param} that is meant."}
    return edited(surface, name, input_schema=with_parameter(tool, param, schema), run=run)


# --- param_named_data -------------------------------------------------------------------------------------------------


def _wrap(surface: Surface, name: str) -> Surface:
    """All that the tool takes goes into one object, whose members have names that stand nowhere."""
    tool = surface.tools[name]
    param = one_of(surface, ("data", "payload", "body", "input"))
    names = {f"{tool.role.entity}_{key}": key for key in tool.input_schema["properties"]}

    def run(world: World, args: Args) -> Mapping[str, Any]:
        unknown = [key for key in args[param] if key not in names]
        if unknown:
            listed = ", ".join(f"'{key}'" for key in names)
            raise ToolError(f"{param}: '{unknown[0]}' is not known; members are {listed}.")
        return tool.run(world, {names[key]: value for key, value in args[param].items()})

    schema = obj({param: {"type": "object", "description": f"The {param}."}}, [param])
    return edited(surface, name, input_schema=schema, run=run)


# --- call_order -------------------------------------------------------------------------------------------------------


def _order(surface: Surface, name: str) -> Surface:
    """The tool works only after another one was called, which neither of them says."""
    tool = surface.tools[name]
    opener, noun = one_of(
        surface, (("open_workspace", "workspace"), ("get_session", "session"), ("select_view", "view"))
    )
    said = one_of(surface, ("No {0} is open; call {1} first.", "No current {0}. {1} gives one."))

    def opens(world: World, args: Args) -> Mapping[str, Any]:
        world["_open"] = _LAPSES
        return {noun: args["name"], "ready": True}

    def run(world: World, args: Args) -> Mapping[str, Any]:
        if world.get("_open", 0) < 1:
            raise ToolError(said.format(noun, opener))
        world["_open"] -= 1
        return tool.run(world, args)

    schema = obj({"name": {"type": "string", "default": "main", "description": f"The {noun}'s name."}}, ["name"])
    output = obj({noun: {"type": "string"}, "ready": {"type": "boolean"}}, [noun, "ready"])
    told, role = f"Reads a {noun} and shows what it is called. Read-only.", Role("other", noun)
    first = Tool(opener, told, schema, output, opens, role, annotations={"readOnlyHint": True})
    changed = edited(surface, name, run=run)
    return replace(changed, tools={**changed.tools, opener: first})


# --- date_format ------------------------------------------------------------------------------------------------------


def _redate(surface: Surface, name: str) -> Surface:
    tool = surface.tools[name]
    form = one_of(surface, list(DATES))

    def read(param: str, value: str) -> str:
        parts = _parts(value, form)
        if parts is None:
            raise ToolError(f"{param}: {value!r} is not of the form {form}.")
        return "-".join(parts)

    def run(world: World, args: Args) -> Mapping[str, Any]:
        dates = {param: read(param, str(args[param])) for param in tool.role.dates if param in args}
        return tool.run(world, {**args, **dates})

    schema = deepcopy(dict(tool.input_schema))
    for param in tool.role.dates:
        schema["properties"][param] = {"type": "string", "description": f"The {param.replace('_', ' ')} date."}
    return edited(surface, name, input_schema=schema, run=run)


def _parts(value: str, form: str) -> tuple[str, str, str] | None:
    """Year, month and day of a date in that form."""
    at = [form.index(part) for part in ("YYYY", "MM", "DD")]
    year, month, day = (value[start : start + len(part)] for start, part in zip(at, ("YYYY", "MM", "DD"), strict=True))
    return (year, month, day) if DATES[form](year, month, day) == value and (year + month + day).isdigit() else None


def _redone(surface: Surface, name: str, made: Sequence[Made]) -> Ids | None:
    """What was put right, and the result of the same server that gave the date in the form that was refused."""
    found = _put_right(surface, name, made)
    retries = [each for each in made if each.id in (found or ()) and each.why == "retry"]
    gave = {each.id for each in made if each.server == surface.name and each.ok}
    return found and found | with_causes(retries, gave)


# --- own_id_form, renamed_identifier ----------------------------------------------------------------------------------


def _listed_and_got(surface: Surface) -> list[str]:
    gets = [surface.tools[name] for name in kinds(Kind.GET, having="id_param")(surface)]
    return [tool.name for tool in gets if surface.of(Kind.LIST, tool.role.entity)]


def _lister(surface: Surface, name: str) -> Tool:
    found = surface.of(Kind.LIST, surface.tools[name].role.entity)
    if found is None:
        raise ValueError(name)
    return found


def _link(surface: Surface, name: str) -> Surface:
    """The list gives its identifiers in a form that the get does not take."""
    lister = _lister(surface, name)
    role = lister.role
    forms = ("https://app.example.org/{0}s/{1}", "#{1}", "{0}:{1}")
    form = forms[2] if role.id == "path" else one_of(surface, forms)

    def linked(found: dict[str, Any]) -> dict[str, Any]:
        for item in found[role.items]:
            item[role.id] = form.format(role.entity, item[role.id])
        return found

    return edited(surface, lister.name, run=changing(lister, linked))


def _converted(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    """The list that gave the other form, the refusals of it, and the calls that took the changed value."""
    lists = {each.id for each in calls_of(surface.name, _lister(surface, name).name, made)}
    gets = [each for each in calls_of(surface.name, name, made) if lists & set(each.because)]
    if not any(each.ok for each in gets):
        return NONE
    return with_causes((each for each in gets if each.ok or each.refused), lists)


def _rename(surface: Surface, name: str) -> Surface:
    """The list calls the identifier otherwise than the get."""
    lister = _lister(surface, name)
    role, other = lister.role, one_of(surface, ("ref", "handle", "code"))
    output = deepcopy(dict(lister.output_schema or {}))
    item = output["properties"][role.items]["items"]
    item["properties"] = {other if each == role.id else each: schema for each, schema in item["properties"].items()}
    item["required"] = list(item["properties"])
    item["properties"][other] = {"type": "string"}

    def renamed(found: dict[str, Any]) -> dict[str, Any]:
        rows = [{other if at == role.id else at: value for at, value in row.items()} for row in found[role.items]]
        return {**found, role.items: rows}

    return edited(
        surface, lister.name, output_schema=output, run=changing(lister, renamed), role=replace(role, id=other)
    )


def _fed(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    """The list and the gets that took what it calls otherwise."""
    lists = {each.id for each in calls_of(surface.name, _lister(surface, name).name, made)}
    gets = [each for each in calls_of(surface.name, name, made) if lists & set(each.because)]
    return with_causes(gets, lists)


# --- unsupplied_identifier --------------------------------------------------------------------------------------------

_UNSUPPLIED = (("team_id", "team"), ("board_id", "board"), ("account_key", "account"))


def _demand(surface: Surface, name: str) -> Surface:
    tool = surface.tools[name]
    param, noun = one_of(surface, _UNSUPPLIED)

    def run(_world: World, args: Args) -> Mapping[str, Any]:
        raise ToolError(f"{param}: there is no {noun} {args[param]!r}.")

    changed = with_parameter(tool, param, {"type": "string", "description": f"The {noun} that it belongs to."})
    changed["required"] = [*changed.get("required", ()), param]
    return edited(surface, name, input_schema=changed, run=run)


def _guessed(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    param, _ = one_of(surface, _UNSUPPLIED)
    return frozenset(each.id for each in calls_of(surface.name, name, made) if param in each.args and each.refused)


# --- undocumented_default ---------------------------------------------------------------------------------------------


def _hide(surface: Surface, name: str) -> Surface:
    """The list leaves out about half unless it is told otherwise, which it does not say."""
    tool = surface.tools[name]
    role, param = tool.role, one_of(surface, ("include_all", "include_inactive", "full"))

    def run(world: World, args: Args) -> Mapping[str, Any]:
        sent = {key: value for key, value in args.items() if key != param}
        if args.get(param):
            return tool.run(world, sent)
        whole = tool.run(world, {**sent, role.limit: 1000})
        seen = [item for item in whole[role.items] if crc32(str(item[role.id]).encode()) % 2]
        shown = seen[: args.get(role.limit, 20)]
        return {**whole, role.items: shown, "total": len(shown), role.cursor: None}

    schema = with_parameter(tool, param, {"type": "boolean", "description": "Whether to see more."})
    return edited(surface, name, input_schema=schema, run=run)


def _asked_again(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    """The list that showed less than there is, the figure that disagrees, and the list once more."""
    again = [each for each in calls_of(surface.name, name, made) if each.why == "all"]
    return with_causes(again)


# --- case_sensitive_search --------------------------------------------------------------------------------------------


def _searched_and_got(surface: Surface) -> list[str]:
    searches = [surface.tools[name] for name in kinds(Kind.SEARCH, having="over")(surface)]
    return [tool.name for tool in searches if surface.of(Kind.GET, tool.role.entity)]


def _mind_case(surface: Surface, name: str) -> Surface:
    """Words are held against the texts as they are written, which the search does not say."""
    tool = surface.tools[name]
    role, get = tool.role, surface.of(Kind.GET, tool.role.entity)
    if get is None:
        raise ValueError(name)

    def run(world: World, args: Args) -> Mapping[str, Any]:
        whole = tool.run(world, {**args, role.limit: 1000})
        kept = [item for item in whole[role.items] if is_there(world, item[role.id], args[role.id_param].split())]
        return {role.items: kept[: args.get(role.limit, 10)], "total": len(kept)}

    def is_there(world: World, identifier: str, words: Sequence[str]) -> bool:
        (record,) = get.run(world, {get.role.id_param: identifier})[get.role.items]
        return all(any(word in str(record[member]) for member in role.over) for word in words)

    return edited(surface, name, run=run)


def _respelt(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    """The search that found nothing, and the one with the other capital that found something."""
    again = [each for each in calls_of(surface.name, name, made) if each.why == "respelt" and each.ok]
    return with_causes(each for each in again if each.data.get(surface.tools[name].role.items))


MUTATORS = (
    Mutator("enum_in_prose", "parameter_inference", _has_enum, _encode, _put_right),
    Mutator("required_not_marked", "parameter_inference", kinds(*_STRICT), _require, _put_right),
    Mutator("param_named_data", "parameter_inference", kinds(Kind.CREATE), _wrap, _put_right),
    Mutator("call_order", "parameter_inference", kinds(Kind.LIST, Kind.GET), _order, _put_right),
    Mutator(
        "date_format",
        "parameter_inference",
        kinds(Kind.LIST, Kind.SUMMARY, Kind.CREATE, having="dates"),
        _redate,
        _redone,
    ),
    Mutator("own_id_form", "parameter_inference", _listed_and_got, _link, _converted),
    Mutator("unsupplied_identifier", "parameter_inference", kinds(Kind.LIST, Kind.SUMMARY), _demand, _guessed),
    Mutator("renamed_identifier", "parameter_inference", _listed_and_got, _rename, _fed),
    Mutator("undocumented_default", "parameter_inference", kinds(Kind.LIST, having="cursor"), _hide, _asked_again),
    Mutator("case_sensitive_search", "parameter_inference", _searched_and_got, _mind_case, _respelt, held_back=True),
)
