import json
from typing import Any

import pytest

from mcp_assay.core.declared import UNDECLARED, Declared, alike, arguments, clipped, leaves, shown

ISSUE = {"type": "object", "properties": {"id": {"type": "integer"}, "user": {"$ref": "#/$defs/user"}}}
USER = {"properties": {"login": {"type": "string"}, "boss": {"$ref": "#/$defs/user"}}}


def paths(value: object, schema: object) -> list[str]:
    return [leaf.path for leaf in leaves(value, Declared.of(schema))]


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        ({"properties": {"a": {}, "b": True}}, ["a", "b"]),
        ({"$ref": "#/$defs/x", "$defs": {"x": {"properties": {"a": {}}}}}, ["a"]),
        ({"$ref": "#/definitions/a~1b", "definitions": {"a/b": {"properties": {"a": {}}}}}, ["a"]),
        ({"oneOf": [{"properties": {"a": {}}}], "$ref": "#/oneOf/0"}, ["a"]),
        ({"allOf": [{"properties": {"a": {}}}], "anyOf": [{"properties": {"b": {}}}]}, ["a", "b"]),
        ({"oneOf": [{"properties": {"a": {}}}, {"properties": {"a": {}, "c": {}}}]}, ["a", "c"]),
        ({"properties": {"a": {}}, "allOf": [{"$ref": "#"}]}, ["a"]),
        ({"$ref": "https://example.test/remote.json#/properties"}, []),
        ({"$ref": "#/nowhere/at/all"}, []),
        ({"$ref": "#/allOf/x", "allOf": [{}]}, []),
        ({"$ref": "#anchor"}, []),
        ({"$ref": 3, "allOf": 4, "properties": 5, "items": 6}, []),
        (None, []),
        ([], []),
    ],
)
def test_names_come_from_properties_wherever_a_schema_puts_them(schema: object, names: list[str]) -> None:
    assert Declared.of(schema).names() == names


@pytest.mark.parametrize(
    ("key", "printed"),
    [
        ("state", "state"),
        ("per_page", "per_page"),
        ("a.b-C_9", "a.b-C_9"),
        ("k" * 40, "k" * 40),
        ("k" * 41, "key?"),
        ("", "key?"),
        ("two words", "key?"),
        ("caf\u00e9", "key?"),
        ("line\n", "key?"),
        ("`rm`", "key?"),
        ("\ud800", "key?"),
    ],
)
def test_a_declared_key_is_shown_only_if_it_looks_like_an_identifier(key: str, printed: str) -> None:
    assert shown(key) == printed


@pytest.mark.parametrize(
    ("value", "schema", "expected"),
    [
        ({"id": 1, "user": {"login": "x"}}, {**ISSUE, "$defs": {"user": USER}}, ["id", "user.login"]),
        ({"user": {"boss": {"boss": {"login": 1}}}}, {**ISSUE, "$defs": {"user": USER}}, ["user.boss.boss.login"]),
        ([{"id": 1}, {"id": 2}], {"items": ISSUE}, ["[].id", "[].id"]),
        ({"q": 1, "s": 2, "id": 3}, ISSUE, ["map[2]", "map[2]", "id"]),
        ({"a": {"b": [1]}}, {}, ["map[1].map[1][]"]),
        ({"x": {"id": 1}}, {"additionalProperties": ISSUE}, ["map[1].id"]),
        ([[1, 2], {"id": 3}], {"prefixItems": [{}, ISSUE]}, ["[][]", "[][]", "[].id"]),
        ([{"id": 1}, {"id": 2}], {"items": [ISSUE]}, ["[].id", "[].map[1]"]),
        ({"id": [], "user": {}}, {"properties": {"id": {}, "user": {}}}, ["id", "user"]),
        (5, {}, [""]),
    ],
)
def test_paths_hold_declared_keys_and_count_the_others(value: object, schema: object, expected: list[str]) -> None:
    assert paths(value, schema) == expected


def test_a_prefix_that_ends_in_a_blank_takes_no_dot() -> None:
    assert [leaf.path for leaf in leaves({"a": 1}, UNDECLARED, prefix="text:json ")] == ["text:json map[1]"]


@pytest.mark.parametrize(
    ("value", "schema", "defaulted"),
    [
        (10, {"default": 10}, [True]),
        (True, {"default": 1}, [False]),
        ([1, 2], {"default": [1, 2]}, [True, True]),
        ({"n": 1, "m": 2}, {"properties": {"n": {"default": 1}, "m": {"default": 1}}}, [True, False]),
    ],
)
def test_a_leaf_knows_whether_it_equals_the_default(value: object, schema: object, defaulted: list[bool]) -> None:
    assert [leaf.defaulted for leaf in leaves(value, Declared.of(schema))] == defaulted


def test_const_enum_and_examples_are_choices_of_the_schema() -> None:
    schema = {"const": 1, "allOf": [{"enum": ["a"]}, {"examples": ["b"]}, {"enum": "no list"}]}
    assert Declared.of(schema).choices() == [1, "a", "b"]


def test_a_schema_of_thousands_of_branches_and_a_cycle_is_cut_short() -> None:
    schema: dict[str, Any] = {"anyOf": [{"properties": {f"k{number}": {}}} for number in range(5_000)]}
    schema["allOf"] = [schema]
    assert 0 < len(Declared.of(schema).names()) <= 64


def test_a_walk_ends_in_depth_and_in_breadth() -> None:
    deep: Any = 1
    for _ in range(20_000):
        deep = [deep]
    (leaf,) = leaves(deep, UNDECLARED)
    assert isinstance(leaf.value, list)
    assert len(list(leaves([0] * 1_000_000, UNDECLARED))) < 20_001


def test_an_argument_too_large_to_take_apart_is_one_leaf_and_hides_no_other() -> None:
    found = list(arguments({"a": [1] * 30_000, "b": [2, 3]}, {"properties": {"a": {}, "b": {}}}))
    assert [(leaf.path, leaf.value) for leaf in found] == [("a", [1] * 30_000), ("b[]", 2), ("b[]", 3)]


def test_alike_tells_types_apart_and_never_raises() -> None:
    deep: Any = 1
    for _ in range(20_000):
        deep = [deep]
    assert alike({"a": 1, "b": 2}, {"b": 2, "a": 1})
    assert not alike(True, 1)
    assert not alike(deep, deep)


def test_clipped_keeps_120_characters() -> None:
    assert clipped("a" * 120) == "a" * 120
    assert len(clipped("a" * 121)) == 120
    assert json.dumps(clipped("a" * 121)).endswith('\\u2026"')


def test_a_schema_that_was_looked_at_before_is_not_walked_again_and_is_never_mistaken_for_another():
    schemas: list[dict[str, Any]] = [{"properties": {f"key{number}": {}}} for number in range(1_000)]
    assert Declared.of(schemas[0]) is Declared.of(schemas[0])
    for number, schema in enumerate(schemas):
        assert Declared.of(schema).names() == [f"key{number}"]
    for number in range(1_000):  # each gone before the next is made, perhaps at the same address
        assert Declared.of({"properties": {f"gone{number}": {}}}).names() == [f"gone{number}"]


def test_a_view_keeps_nothing_of_what_is_not_declared():
    schema: dict[str, Any] = {"properties": {"a": {}}}
    list(arguments({f"data{number}": number for number in range(100)} | {"a": 1}, schema))
    assert list(Declared.of(schema)._members) == ["a"]
