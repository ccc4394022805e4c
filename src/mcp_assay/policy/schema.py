"""A subset of JSON Schema with JSON Schema's own semantics; a keyword outside it is refused, never ignored.

``faults`` judges a schema when it is registered, at every depth; ``problems`` judges a value by a faultless schema.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mcp_assay.policy import patterns
from mcp_assay.policy.values import IS, is_integer, is_multiple, is_number, key_of

__all__ = ["JUDGING", "KEYWORDS", "faults", "place", "problems"]

_ANNOTATIONS = frozenset({"title", "description", "default", "examples"})


def place(where: str, key: object) -> str:
    """The path of a member (``budget.usedCU``) or of an item (``urls[0]``)."""
    if isinstance(key, int):
        return f"{where}[{key}]"
    return f"{where}.{key}" if where else str(key)


# --- what a keyword's own value must be -------------------------------------------------------------------------------

Faults = Iterator[str]


def _must_be(test: Callable[[Any], bool], what: str) -> Callable[[Any, str], Faults]:
    def check(argument: Any, where: str) -> Faults:
        if not test(argument):
            yield f"{where}: must be {what}"

    return check


def _type_faults(argument: Any, where: str) -> Faults:
    names = argument if isinstance(argument, list) else [argument]
    if not names or not _is_names(names) or not IS.keys() >= set(names):
        yield f"{where}: must be one or more of {', '.join(IS)}"


def _pattern_faults(argument: Any, where: str) -> Faults:
    why = patterns.fault(argument) if isinstance(argument, str) else "must be a string"
    if why is not None:
        yield f"{where}: {why}"


def _properties_faults(argument: Any, where: str) -> Faults:
    if not isinstance(argument, dict):
        yield f"{where}: must be an object of schemas"
        return
    for name, schema in argument.items():  # a property may be named like a keyword
        yield from _schema_faults(schema, place(where, name))


def _schema_faults(schema: Any, where: str) -> Faults:
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield f"{where}: must be a schema: an object, true or false"
        return
    for keyword, argument in schema.items():
        here = place(where, keyword)
        if keyword in _ANNOTATIONS:
            continue
        if keyword in _KEYWORDS:
            argument_faults, _ = _KEYWORDS[keyword]
            yield from argument_faults(argument, here)
        else:
            yield f"{here}: unknown schema keyword; supported are {', '.join(sorted(KEYWORDS))}"


def _is_names(argument: Any) -> bool:
    strings = isinstance(argument, list) and all(isinstance(name, str) for name in argument)
    return strings and len(set(argument)) == len(argument)


_LIST = _must_be(lambda argument: isinstance(argument, list), "a list")
_NAMES = _must_be(_is_names, "a list of different strings")
_COUNT = _must_be(lambda argument: is_integer(argument) and argument >= 0, "an integer of at least 0")
_NUMBER = _must_be(is_number, "a number")
_POSITIVE = _must_be(lambda argument: is_number(argument) and argument > 0, "a number above 0")
_BOOLEAN = _must_be(lambda argument: isinstance(argument, bool), "true or false")
_ANYTHING = _must_be(lambda _: True, "anything")


# --- what a keyword asks of a value -----------------------------------------------------------------------------------

# (the keyword's value, the judged value, its path, the whole schema, where problems are collected)
Check = Callable[[Any, Any, str, dict[str, Any], list[str]], None]


def _plain(kind: str, holds: Callable[[Any, Any], bool], what: str) -> Check:
    """A keyword that concerns values of one kind ("any" for all) and is told in one phrase with its own value."""
    concerns: Callable[[object], bool] = IS.get(kind, lambda _: True)

    def check(argument: Any, value: Any, where: str, schema: dict[str, Any], found: list[str]) -> None:  # noqa: ARG001
        if concerns(value) and not holds(value, argument):
            found.append(f"{where}: {what.format(json.dumps(argument, ensure_ascii=False))}")

    return check


def _type(argument: Any, value: Any, where: str, schema: dict[str, Any], found: list[str]) -> None:  # noqa: ARG001
    names = argument if isinstance(argument, list) else [argument]
    if not any(IS[name](value) for name in names):
        found.append(f"{where}: must be of type {' or '.join(names)}")


def _properties(argument: Any, value: Any, where: str, schema: dict[str, Any], found: list[str]) -> None:  # noqa: ARG001
    if isinstance(value, dict):
        for name, member in argument.items():
            if name in value:
                _judge(member, value[name], place(where, name), found)


def _additional(argument: Any, value: Any, where: str, schema: dict[str, Any], found: list[str]) -> None:
    if not isinstance(value, dict):
        return
    known = schema.get("properties", {})
    for name in value:
        if name in known:
            continue
        if argument is False:
            found.append(f"{place(where, name)}: unknown key; allowed are {', '.join(known) or 'none'}")
        else:
            _judge(argument, value[name], place(where, name), found)


def _required(argument: Any, value: Any, where: str, schema: dict[str, Any], found: list[str]) -> None:  # noqa: ARG001
    if isinstance(value, dict):
        found.extend(f"{place(where, name)}: missing" for name in argument if name not in value)


def _items(argument: Any, value: Any, where: str, schema: dict[str, Any], found: list[str]) -> None:  # noqa: ARG001
    if isinstance(value, list):
        for index, item in enumerate(value):
            _judge(argument, item, place(where, index), found)


def _in_enum(value: Any, argument: Any) -> bool:
    return key_of(value) in {key_of(choice) for choice in argument}


_KEYWORDS: dict[str, tuple[Callable[[Any, str], Faults], Check]] = {
    "type": (_type_faults, _type),
    "enum": (_LIST, _plain("any", _in_enum, "must be one of {}")),
    "const": (_ANYTHING, _plain("any", lambda value, wanted: key_of(value) == key_of(wanted), "must be {}")),
    "properties": (_properties_faults, _properties),
    "required": (_NAMES, _required),
    "additionalProperties": (_schema_faults, _additional),
    "minProperties": (_COUNT, _plain("object", lambda value, least: len(value) >= least, "needs at least {} members")),
    "maxProperties": (_COUNT, _plain("object", lambda value, most: len(value) <= most, "takes at most {} members")),
    "items": (_schema_faults, _items),
    "minItems": (_COUNT, _plain("array", lambda value, least: len(value) >= least, "needs at least {} items")),
    "maxItems": (_COUNT, _plain("array", lambda value, most: len(value) <= most, "takes at most {} items")),
    "uniqueItems": (
        _BOOLEAN,
        _plain(
            "array", lambda value, on: not on or len(set(map(key_of, value))) == len(value), "must not repeat an item"
        ),
    ),
    # "A string is valid if its length is the number of its characters as defined by RFC 8259": code points.
    "minLength": (_COUNT, _plain("string", lambda value, least: len(value) >= least, "needs at least {} characters")),
    "maxLength": (_COUNT, _plain("string", lambda value, most: len(value) <= most, "takes at most {} characters")),
    # "Regular expressions are not implicitly anchored."
    "pattern": (
        _pattern_faults,
        _plain(
            "string",
            lambda value, pattern: patterns.compiled(pattern).search(value) is not None,
            "must match the pattern {}",
        ),
    ),
    "minimum": (_NUMBER, _plain("number", lambda value, least: value >= least, "must be at least {}")),
    "maximum": (_NUMBER, _plain("number", lambda value, most: value <= most, "must be at most {}")),
    "exclusiveMinimum": (_NUMBER, _plain("number", lambda value, bound: value > bound, "must be above {}")),
    "exclusiveMaximum": (_NUMBER, _plain("number", lambda value, bound: value < bound, "must be below {}")),
    "multipleOf": (_POSITIVE, _plain("number", is_multiple, "must be a multiple of {}")),
}

JUDGING: Mapping[str, Check] = {keyword: check for keyword, (_, check) in _KEYWORDS.items()}
KEYWORDS = frozenset(_KEYWORDS) | _ANNOTATIONS


# --- the two questions ------------------------------------------------------------------------------------------------


def faults(schema: object, where: str) -> list[str]:
    """Everything for which the schema must be refused at registration, each with its place below ``where``."""
    try:
        return list(_schema_faults(schema, where))
    except RecursionError:
        return [f"{where}: nested too deeply"]


def problems(schema: Mapping[str, Any], value: object, root: str = "value") -> list[str]:
    """Everything that is wrong with the value, each with its place; empty means valid. The schema has no faults.

    ``root`` names the value itself; its members are named by their path alone.
    """
    found: list[str] = []
    try:
        _judge(schema, value, "", found)
    except RecursionError:
        return [f"{root}: nested too deeply"]
    return [root + problem if problem.startswith(":") else problem for problem in found]


def _judge(schema: Any, value: Any, where: str, found: list[str]) -> None:
    if schema is False:
        found.append(f"{where}: nothing is allowed here")
    if isinstance(schema, bool):
        return
    for keyword, argument in schema.items():
        if keyword not in _ANNOTATIONS:
            JUDGING[keyword](argument, value, where, schema, found)
