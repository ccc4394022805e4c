"""Calls that a server refused for what they were, and whether its schema had said so."""

import re
from collections.abc import Collection

from mcp_assay.core.declared import Declared
from mcp_assay.core.model import Outcome, Tool
from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import names

__all__ = ["NOT_FOUND", "changed", "digests", "is_needed", "is_refused", "is_slip", "top"]

NOT_FOUND = frozenset({"404", "http:404", "not_found"})
_NOT_ITS_FAULT = re.compile(
    r"aborted|blocked|cancelled|conflict|forbidden|internal|lost|method_not_found|network|rate_limited|timeout"
    r"|unauthorized|unavailable|unprintable|(?:http:)?(?:40[13789]|429|5\d\d)"
)
"""Failures that no other arguments would have spared."""

_FORM = re.compile(
    r"\b(?:HH:MM|YYYY|DD[/.-]MM|MM[/.-]DD|ISO[ -]?\d{3,4}|RFC ?\d+|IANA|E\.164|UUID|base64|epoch|unix)"
    r"|\b(?:e\.g\.|for example|for instance|such as|example:)",
    re.IGNORECASE,
)
_NEEDED = re.compile(r"\b(?:requir\w*|mandatory|must|needed|necessary|needs)\b", re.IGNORECASE)
_BOUNDS = names.vocabulary(
    "exclusiveMaximum exclusiveMinimum maxItems maxLength maximum minItems minLength minimum multipleOf"
)
_QUOTED = re.compile(r"""(['"`])[\w./:-]{1,40}\1""")

_TYPES = {"integer": {"integer", "number"}, "number": {"integer", "number"}}


def is_refused(call: Call) -> bool:
    """Whether a call failed for what it was, and the error says so. One that names no cause is a finding of its own."""
    is_its_fault = bool(call.error_class) and not _NOT_ITS_FAULT.fullmatch(call.error_class)
    return call.outcome == Outcome.ERROR and is_its_fault and call.result.cause is not False


def is_slip(evidence: Evidence, refused: Call, changed: Collection[str]) -> bool:
    """Whether the schema openly says what was wrong: what is required, which values, types and bounds are taken.

    A parameter whose form it states (a notation, an example, values between quotes) can be got wrong all the same.
    """
    tool = evidence.described(refused)
    if tool is None:
        return False
    given = [argument for argument in refused.args if argument.path in changed]
    added = set(changed) - {argument.path for argument in refused.args}
    stated = any(is_needed(tool, top(path)) for path in added)
    return stated or _is_misshapen(tool, refused) or any(_is_against(tool, argument) for argument in given)


def is_needed(tool: Tool, name: str) -> bool:
    """Whether a description says that the parameter must be given, be it only in some cases."""
    about = [sentence for sentence in re.split(r"[.;\n]", tool.description) if name in sentence]
    own = str(names.parameters(tool).get(name, {}).get("description", ""))
    return any(_NEEDED.search(text) for text in (own, *about))


def changed(one: Call, other: Call) -> list[str]:
    """The argument paths that differ between two calls."""
    before, after = digests(one), digests(other)
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


def digests(call: Call) -> dict[str, str]:
    """What stands for each argument's value."""
    return {argument.path: argument.digest or str(argument.value) for argument in call.args}


def top(path: str) -> str:
    """The parameter that an argument path lies in: ``filter`` of ``filter.ids[]``."""
    return path.partition(".")[0].partition("[")[0]


def _is_misshapen(tool: Tool, refused: Call) -> bool:
    """Whether an object, at any depth, lacked a member that is required, or had one where others are declared."""
    given: dict[str, set[str]] = {"": set()}
    for argument in refused.args:
        parts = argument.path.split(".")
        for depth, part in enumerate(parts):
            given.setdefault(".".join(parts[:depth]), set()).add(part.removesuffix("[]"))
    places = ((_place(tool, path) if path else Declared.of(tool.input_schema), held) for path, held in given.items())
    return any(place is not None and _is_unlike(place, held) for place, held in places)


def _is_unlike(place: Declared, held: Collection[str]) -> bool:
    undeclared = any(name.startswith("map[") for name in held)
    return (bool(place.names()) and undeclared) or not place.required() <= set(held)


def _is_against(tool: Tool, argument: Argument) -> bool:
    declared = _place(tool, argument.path)
    if declared is None:
        return False
    unlisted = bool(declared.choices()) and not argument.listed
    types = declared.types()
    untyped = bool(types and argument.type and types.isdisjoint(_TYPES.get(argument.type, {argument.type})))
    # Of a value that is not shown it cannot be told whether it kept the bounds; that there are any is stated.
    bounded = _is_out_of_bounds(tool, argument) if argument.value is not None else declared.has(*_BOUNDS)
    return unlisted or untyped or bounded or _states_form(declared)


def _place(tool: Tool, path: str) -> Declared | None:
    """What is declared where an argument lies: at ``sort[].order`` the member of the list's items."""
    here: Declared | None = Declared.of(tool.input_schema)
    for part in path.split("."):
        here = here.member(part.rstrip("[]")) if here is not None else None
        for _ in range(part.count("[]") if here is not None else 0):
            here = here.element(0) if here is not None else None
    return here


def _states_form(declared: Declared) -> bool:
    text = " ".join(declared.descriptions())
    return declared.has("pattern", "format") or _FORM.search(text) is not None or len(_QUOTED.findall(text)) > 1


def _is_out_of_bounds(tool: Tool, argument: Argument) -> bool:
    schema = names.parameters(tool).get(argument.path, {})
    return not names.minimum(schema) <= (argument.value or 0) <= names.maximum(schema)
