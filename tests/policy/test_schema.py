from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from mcp_assay.policy import schema
from policy_schemas import SCHEMAS, VALUES

TRUTH: list[tuple[dict[str, Any], Any, bool]] = [
    ({"type": "integer"}, 1.0, True),
    ({"type": "integer"}, True, False),
    ({"type": ["string", "null"]}, None, True),
    ({"type": ["string", "null"]}, 0, False),
    ({"enum": [1, 0]}, True, False),
    ({"enum": [True]}, 1, False),
    ({"enum": [1]}, 1.0, True),
    ({"enum": ["1"]}, 1, False),
    ({"enum": [{"a": [1]}]}, {"a": [1.0]}, True),
    ({"enum": []}, None, False),
    ({"const": False}, 0, False),
    ({"const": [False]}, [0], False),
    ({"const": None}, None, True),
    ({"uniqueItems": True}, [1, True], True),
    ({"uniqueItems": True}, [[1], [True]], True),
    ({"uniqueItems": True}, [1, 1.0], False),
    ({"uniqueItems": True}, [{"a": 1}, {"a": 1.0}], False),
    ({"uniqueItems": False}, [1, 1], True),
    ({"minLength": 2}, "😀", False),
    ({"maxLength": 1}, "😀", True),
    ({"minLength": 2.0}, "ab", True),
    ({"pattern": "^a$"}, "a\n", False),
    ({"pattern": "b"}, "abc", True),
    ({"multipleOf": 0.01}, 4.02, True),
    ({"multipleOf": 0.01}, 1e308, True),
    ({"multipleOf": 2}, 3.0, False),
    ({"minimum": 1}, 1, True),
    ({"minimum": 1}, 0.999, False),
    ({"maximum": 1}, 1.001, False),
    ({"exclusiveMinimum": 1}, 1.0, False),
    ({"exclusiveMaximum": 1}, 1, False),
    ({"minimum": 1}, True, True),
    ({"minimum": 1}, "0", True),
    ({"minItems": 1}, [], False),
    ({"maxItems": 1}, [1, 2], False),
    ({"minProperties": 1}, {}, False),
    ({"maxProperties": 0}, {"a": 1}, False),
    ({"required": ["a"]}, {}, False),
    ({"required": ["a"]}, [], True),
    ({"properties": {"a": False}}, {"a": 1}, False),
    ({"properties": {"a": False}}, {}, True),
    ({"properties": {"type": {"const": 1}}}, {"type": 2}, False),
    ({"additionalProperties": False}, {"a": 1}, False),
    ({"additionalProperties": False, "properties": {"a": True}}, {"a": 1}, True),
    ({"additionalProperties": {"type": "null"}, "properties": {"a": True}}, {"a": 1, "b": 2}, False),
    ({"items": {"type": "string"}}, ["a", 1], False),
    ({"items": False}, [], True),
    ({"title": "t", "description": "d", "default": 1, "examples": [2]}, "anything", True),
]


@pytest.mark.parametrize(("asked", "value", "valid"), TRUTH)
def test_values_are_judged_as_json_schema_says(asked, value, valid):
    assert schema.faults(asked, "s") == []
    assert (schema.problems(asked, value) == []) is valid


def test_the_table_tries_every_keyword():
    assert {keyword for asked, _, _ in TRUTH for keyword in asked} == schema.KEYWORDS


@pytest.mark.parametrize(
    ("asked", "place"),
    [
        ({"format": "email"}, "s.format"),
        ({"$ref": "#/x"}, "s.$ref"),
        ({"properties": {"a": {"oneOf": []}}}, "s.properties.a.oneOf"),
        ({"items": {"additionalProperties": {"not": {}}}}, "s.items.additionalProperties.not"),
        ({"minlength": 1}, "s.minlength"),
    ],
)
def test_a_keyword_outside_the_subset_is_refused_at_every_depth(asked, place):
    (fault,) = schema.faults(asked, "s")
    assert fault.startswith(f"{place}: unknown schema keyword; supported are additionalProperties, const,")


@pytest.mark.parametrize(
    "asked",
    [
        {"type": "text"},
        {"type": []},
        {"type": ["string", "string"]},
        {"type": {}},
        {"enum": "a"},
        {"properties": []},
        {"properties": {"a": 1}},
        {"required": "a"},
        {"required": ["a", "a"]},
        {"required": [1]},
        {"additionalProperties": 1},
        {"items": [True]},
        {"minItems": -1},
        {"maxItems": 1.5},
        {"minLength": True},
        {"uniqueItems": 1},
        {"pattern": "("},
        {"pattern": 1},
        {"minimum": "1"},
        {"multipleOf": 0},
        {"maximum": float("inf")},
        [],
        None,
    ],
)
def test_a_keyword_with_a_senseless_value_is_refused(asked):
    assert len(schema.faults(asked, "s")) == 1


def test_a_property_may_be_named_like_any_keyword():
    names = {name: {"type": "string"} for name in ("pattern", "oneOf", "$ref", "properties")}
    assert schema.faults({"type": "object", "properties": names}, "s") == []


def test_every_problem_is_told_with_its_place():
    asked = {
        "type": "object",
        "properties": {"a": {"items": {"type": "string"}}, "b": {"minimum": 1}},
        "required": ["c"],
        "additionalProperties": False,
    }
    assert schema.problems(asked, {"a": ["x", 1, 2], "b": 0, "d": 1}) == [
        "a[1]: must be of type string",
        "a[2]: must be of type string",
        "b: must be at least 1",
        "c: missing",
        "d: unknown key; allowed are a, b",
    ]
    assert schema.problems(asked, 1, "arguments") == ["arguments: must be of type object"]
    assert schema.problems({"items": False}, [0]) == ["[0]: nothing is allowed here"]


def nested(depth, wrap):
    value = wrap(None)
    for _ in range(depth):
        value = wrap(value)
    return value


def test_bottomless_nesting_is_a_problem_and_not_a_crash():
    deep = nested(5_000, lambda inner: {"items": inner or {}})
    assert schema.faults(deep, "s") == ["s: nested too deeply"]
    assert schema.problems({"const": 1}, nested(5_000, lambda inner: [inner])) == ["value: nested too deeply"]


@given(SCHEMAS, VALUES)
def test_the_subset_agrees_with_the_reference_implementation(asked, value):
    assert schema.faults(asked, "s") == []
    assert (schema.problems({"items": asked}, [value]) == []) is Draft202012Validator({"items": asked}).is_valid(
        [value]
    )
