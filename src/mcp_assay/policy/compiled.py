"""A schema made into one quick test at registration: yes or no, without the places and the words.

Nearly every request is valid, and then nobody asks why. ``schema.problems`` stays the one that explains; a test holds
the two to the same verdict for every schema and value.
"""

from collections.abc import Callable, Mapping
from typing import Any

from mcp_assay.policy import schema as subset
from mcp_assay.policy.values import IS, is_number, key_of

__all__ = ["compiled"]

Test = Callable[[Any], bool]


def compiled(schema: Any) -> Test:
    """The test that a value fits a faultless schema. It may raise RecursionError for a value nested too deeply."""
    if isinstance(schema, bool):
        return lambda _: schema
    tests = [_test(keyword, argument, schema) for keyword, argument in schema.items() if keyword in subset.JUDGING]
    if len(tests) == 1:
        return tests[0]
    return lambda value: all(test(value) for test in tests)


def _test(keyword: str, argument: Any, schema: Mapping[str, Any]) -> Test:
    if keyword in _MAKERS:
        return _MAKERS[keyword](argument, schema)
    check = subset.JUDGING[keyword]

    def judged(value: Any) -> bool:
        found: list[str] = []
        check(argument, value, "", dict(schema), found)
        return not found

    return judged


def _type(argument: Any, _: Mapping[str, Any]) -> Test:
    if isinstance(argument, str):
        return IS[argument]
    kinds = [IS[name] for name in argument]
    return lambda value: any(kind(value) for kind in kinds)


def _enum(argument: Any, _: Mapping[str, Any]) -> Test:
    choices = {key_of(choice) for choice in argument}
    return lambda value: key_of(value) in choices


def _properties(argument: Any, _: Mapping[str, Any]) -> Test:
    members = [(name, compiled(schema)) for name, schema in argument.items()]
    return lambda value: (
        not isinstance(value, dict) or all(test(value[name]) for name, test in members if name in value)
    )


def _required(argument: Any, _: Mapping[str, Any]) -> Test:
    return lambda value: not isinstance(value, dict) or all(name in value for name in argument)


def _additional(argument: Any, schema: Mapping[str, Any]) -> Test:
    known, rest = schema.get("properties", {}).keys(), compiled(argument)
    return lambda value: not isinstance(value, dict) or all(name in known or rest(value[name]) for name in value)


def _items(argument: Any, _: Mapping[str, Any]) -> Test:
    test = compiled(argument)
    return lambda value: not isinstance(value, list) or all(map(test, value))


def _minimum(argument: Any, _: Mapping[str, Any]) -> Test:
    return lambda value: not is_number(value) or value >= argument


def _maximum(argument: Any, _: Mapping[str, Any]) -> Test:
    return lambda value: not is_number(value) or value <= argument


_MAKERS: dict[str, Callable[[Any, Mapping[str, Any]], Test]] = {
    "type": _type,
    "enum": _enum,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "minimum": _minimum,
    "maximum": _maximum,
}
