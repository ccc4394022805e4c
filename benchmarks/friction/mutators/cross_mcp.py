"""Defects of how servers fit together, each planted at one side of a pair."""

import importlib
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from benchmarks.friction.made import Made
from benchmarks.friction.mutators.base import NONE, Ids, Mutator, calls_of, changing, edited, kinds, one_of, with_causes
from benchmarks.friction.surface import Kind, Surface, ToolError, World

__all__ = ["MUTATORS"]

_MARKS = {"login": "@{}", "project": "proj:{}", "commit": "sha1:{}", "email": "mailto:{}"}
_NOUNS = {"login": "LOGIN", "project": "KEY", "commit": "HASH", "email": "ADDRESS"}

Form = Callable[[Surface, str, str], str]
"""From what a value is, and the value, to what is given in its stead."""


# --- the side that gives ----------------------------------------------------------------------------------------------


def _giving(surface: Surface) -> list[str]:
    """The lists that have what other servers know, but for directories of people."""
    lists = kinds(Kind.LIST, having="shared")(surface)
    return [name for name in lists if "name" not in surface.tools[name].role.lookups]


def _giving_logins(surface: Surface) -> list[str]:
    return [name for name in _giving(surface) if "login" in surface.tools[name].role.shared.values()]


def _reformed(form: Form) -> Callable[[Surface, str], Surface]:
    """Every shared member of the list in another form."""

    def apply(surface: Surface, name: str) -> Surface:
        tool = surface.tools[name]
        shared = tool.role.shared

        def changed(found: dict[str, Any]) -> dict[str, Any]:
            rows = [
                {at: form(surface, shared[at], value) if at in shared else value for at, value in row.items()}
                for row in found[tool.role.items]
            ]
            return {**found, tool.role.items: rows}

        return edited(surface, name, run=changing(tool, changed))

    return apply


def _otherwise(surface: Surface, what: str, value: str) -> str:
    """As a link, or with a mark."""
    link = f"https://directory.example.org/{what}s/{value}"
    return one_of(surface, (link, _MARKS[what].format(value), f"{what}/{value}" if what != "login" else f"@{value}"))


def _named(_surface: Surface, what: str, value: str) -> str:
    """People by their names only."""
    return " ".join(part.capitalize() for part in value.split(".")) if what == "login" else value


def _encoded(_surface: Surface, what: str, value: str) -> str:
    """What takes two steps to read: a header, and a text in base64."""
    return f"urn:{what};base64," + b64encode(f"{what}={value}".encode()).decode()


def _handoff(surface: Surface, name: str, made: Sequence[Made], *between: str) -> Ids:
    """Where a value came from, what lay between (each has one of these reasons), and the calls that took it."""
    own = {each.id for each in calls_of(surface.name, name, made) if each.ok}
    steps = [each for each in made if each.why in between and _rests_on(each, own, made)]
    takers = [
        each
        for each in made
        if each.ok and each.server not in ("", surface.name) and each not in steps and _rests_on(each, own, made)
    ]
    if not takers or (between and not steps):
        return NONE
    chain = [*steps, *takers]
    return with_causes(chain, own | {each.id for each in chain})


def _rests_on(each: Made, own: set[str], made: Sequence[Made]) -> bool:
    """Whether a call was made because of one of these, directly or through others."""
    by_id = {other.id: other for other in made}
    because = list(each.because)
    while because:
        source = because.pop()
        if source in own:
            return True
        because += by_id[source].because
    return False


def _changed(surface: Surface, name: str, made: Sequence[Made]) -> Ids | None:
    """Where the value came from, and the calls that took it in their own form.

    Where the one that takes had shown it in that form before, it may have come from there.
    """
    found = _handoff(surface, name, made)
    taker = next((each for each in made if each.id in found and each.server != surface.name), None)
    if taker is None:
        return NONE
    before = [each.text for each in made[: made.index(taker)] if each.server == taker.server]
    taken = [value for value in taker.args.values() if isinstance(value, str)]
    return None if any(value in text for value in taken for text in before) else found


def _decoded(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    return _handoff(surface, name, made, "convert")


def _looked_up(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    return _handoff(surface, name, made, "lookup")


# --- the side that takes ----------------------------------------------------------------------------------------------


def _taking(surface: Surface) -> list[str]:
    return [name for name in kinds(Kind.LIST, having="shared")(surface) if _keys(surface, name)]


def _keys(surface: Surface, name: str) -> dict[str, str]:
    """The filters that take what other servers give, and what that is."""
    role = surface.tools[name].role
    return {param: role.shared[at] for param, at in role.filters.items() if at in role.shared}


def _choosy(surface: Surface, name: str) -> Surface:
    """Filters by what siblings know take it only in a form of their own, which stands nowhere."""
    tool, keys = surface.tools[name], _keys(surface, name)
    prefixes = one_of(
        surface, ({}, {"login": "user:", "project": "key:"}, {"login": "people/", "project": "projects/"})
    )
    form = {what: prefixes.get(what, f"{what}:") for what in keys.values()}

    def bare(param: str, value: str) -> str:
        prefix = form[keys[param]]
        if not value.startswith(prefix):
            raise ToolError(f"{param}: {value!r} has not the form '{prefix}{_NOUNS[keys[param]]}'.")
        return value.removeprefix(prefix)

    def run(world: World, args: Mapping[str, Any]) -> Mapping[str, Any]:
        return tool.run(world, {name: bare(name, value) if name in keys else value for name, value in args.items()})

    schema = dict(tool.input_schema)
    plain = {param: {"type": "string", "description": f"Only those of this {param}."} for param in keys}
    schema["properties"] = {**schema["properties"], **plain}
    return edited(surface, name, input_schema=schema, run=run)


def _refused(surface: Surface, name: str, made: Sequence[Made]) -> Ids:
    """Where the value came from, the refusals of it, and the call that took it in the other form."""
    sources = {each.id for each in made if each.ok and each.server not in ("", surface.name)}
    retries = [each for each in made if (each.server, each.tool, each.why) == (surface.name, name, "retry") and each.ok]
    slips = {each.id for each in made if each.why == "slip"}
    return with_causes(each for each in retries if sources & set(each.because)) - slips


# --- same_data_twice --------------------------------------------------------------------------------------------------


def _of_others(surface: Surface) -> list[str]:
    """The lists of all other servers, each as SERVER.TOOL."""
    catalog = importlib.import_module("benchmarks.friction.catalog")
    others = [catalog.surface(name) for name in catalog.SERVERS if name != surface.name]
    return [f"{other.name}.{name}" for other in others for name in _giving(other)]


def _copy(surface: Surface, name: str) -> Surface:
    """A server offers what a sibling of it has, too."""
    catalog = importlib.import_module("benchmarks.friction.catalog")
    where, _, original = name.partition(".")
    other: Surface = catalog.surface(where)
    tool = other.tools[original]

    def world(rng: Random) -> World:
        same = Random()
        same.setstate(rng.getstate())
        return {**surface.world(rng), "_sibling": other.world(same)}

    copied = f"{one_of(surface, ('find', 'query', 'show'))}_{original.partition('_')[2]}"
    twin = replace(
        tool,
        name=copied,
        description=f"Gives the {tool.role.entity}s that are connected to this server, a page at a time.",
        run=lambda each, args: tool.run(each["_sibling"], args),
    )
    return replace(surface, world=world, tools={**surface.tools, copied: twin})


def _asked_both(surface: Surface, _name: str, made: Sequence[Made]) -> Ids:
    pairs = [each for each in made if each.server == surface.name and each.why == "twin" and each.ok]
    return with_causes(pairs)


MUTATORS = (
    Mutator("sibling_id_form", "cross_mcp", _giving, _reformed(_otherwise), _changed, mcp="cross-mcp"),
    Mutator("sibling_refused", "cross_mcp", _taking, _choosy, _refused, mcp="cross-mcp"),
    Mutator("long_handoff", "cross_mcp", _giving, _reformed(_encoded), _decoded, mcp="cross-mcp"),
    Mutator("missing_key", "cross_mcp", _giving_logins, _reformed(_named), _looked_up, mcp="cross-mcp"),
    Mutator("same_data_twice", "cross_mcp", _of_others, _copy, _asked_both, mcp="cross-mcp"),
)
