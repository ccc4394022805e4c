from typing import Any

import pytest

from mcp_assay.core.declared import UNDECLARED, Declared
from mcp_assay.core.shapes import json_type, shape

ISSUE: dict[str, Any] = {"properties": {key: {} for key in ("id", "state", "title")}}


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (None, "null"),
        (True, "boolean"),
        (1, "integer"),
        (1.0, "number"),
        (float("nan"), "number"),
        ("", "string"),
        ([], "array"),
        ({}, "object"),
        (b"", "other"),
    ],
)
def test_json_types(value: object, word: str) -> None:
    assert json_type(value) == word


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        (None, {}, "null"),
        (False, {}, "bool"),
        (7, {}, "int"),
        (7.5, {}, "number"),
        ("secret", {}, "string[6]"),
        ([], {}, "array[0]"),
        (["a", "b"], {}, "array[2] of string"),
        ([1, "a"], {}, "array[2] of mixed"),
        ([[1], [2]], {}, "array[2] of array"),
        ({}, {}, "map[0]"),
        ({"a": 1, "b": 2, "c": 3}, {}, "map[3]"),
        ([{"a": 1}] * 12, {}, "array[12] of map[1]"),
        ([{"a": 1}, {"a": 1, "b": 2}], {}, "array[2] of map[1-2]"),
        ({"title": 1, "id": 2}, ISSUE, "object{id,title}"),
        ({"title": 1, "x": 2, "y": 3}, ISSUE, "object{title,+2}"),
        ([{"id": 1, "state": "", "title": ""}] * 47, {"items": ISSUE}, "array[47] of {id,state,title}"),
        ([{"id": 1}, {"x": 1}, {"y": 1}], {"items": ISSUE}, "array[3] of {id,+2}"),
        ({"rm -rf": 1}, {"properties": {"rm -rf": {}}}, "object{key?}"),
        (
            {"result": [{"id": 1}]},
            {"properties": {"result": {"items": ISSUE}}},
            "object{result: array[1] of {id}}",
        ),
        ({"id": [], "title": []}, ISSUE, "object{id,title}"),
        (
            dict.fromkeys("abcdefgh", 1),
            {"properties": {letter: {} for letter in "abcdefgh"}},
            "object{a,b,c,d,e,f,+2}",
        ),
    ],
)
def test_shapes(value: object, schema: dict[str, Any], expected: str) -> None:
    assert shape(value, Declared.of(schema)) == expected


def test_enums_defaults_and_descriptions_of_a_schema_are_never_shown() -> None:
    schema = {
        "description": "canary",
        "properties": {"mode": {"enum": ["canary"], "default": "canary", "const": "canary", "title": "canary"}},
    }
    assert shape({"mode": "canary"}, Declared.of(schema)) == "object{mode}"


def test_a_million_items_are_counted_and_a_thousand_looked_at() -> None:
    assert shape([*([1] * 1_000), *(["late"] * 999_000)], UNDECLARED) == "array[1000000] of int"
