from collections.abc import Mapping
from typing import Any

import pytest

from mcp_assay.core.arguments import TooDeepError, arguments


def shown(args: Mapping[str, Any], schema: Any = None) -> list[tuple[str, Any, bool]]:
    return [(found.shown, found.value, found.given) for found in arguments(args, schema or {})]


def test_every_value_is_walked_in_document_order() -> None:
    args = {"a": 1, "b": ["x", {"c": None}], "d": {}}
    schema: dict[str, Any] = {"properties": {"a": {}, "b": {"items": {"properties": {"c": {}}}}, "d": {}}}
    assert shown(args, schema) == [("a", 1, True), ("b[]", "x", True), ("b[].c", None, True)]


def test_defaults_stand_for_what_is_absent_or_null() -> None:
    schema: dict[str, Any] = {
        "properties": {"a": {"default": "x"}, "b": {"default": " "}, "c": {"default": {"d": 1}}, "e": {"default": 2}}
    }
    assert shown({"e": None}, schema) == [
        ("e", None, True),
        ("a", "x", False),
        ("c.map[1]", "d", False),
        ("c.map[1]", 1, False),
        ("e", 2, False),
    ]


def test_keys_that_are_data_are_arguments_without_a_noun_and_are_not_shown() -> None:
    args = {"m": {"/etc/x": "v"}}
    found = list(arguments(args, {"properties": {"m": {"type": "object"}}}))
    assert [(one.shown, one.value, one.is_text) for one in found] == [
        ("m.map[1]", "/etc/x", False),
        ("m.map[1]", "v", True),
    ]
    assert found[0].noun.word == ""


def test_a_parameter_without_a_schema_is_shown_only_if_it_looks_like_a_name() -> None:
    assert [path for path, *_ in shown({"repo": 1})] == ["repo", "repo"]
    assert [path for path, *_ in shown({"a b": 1})] == ["map[1]", "map[1]"]


def test_arguments_of_one_object_share_its_parent_and_list_items_are_told_apart() -> None:
    args = {"o": [{"a": 1, "b": 2}, {"a": 3}]}
    schema: dict[str, Any] = {"properties": {"o": {"items": {"properties": {"a": {}, "b": {}}}}}}
    parents = [found.parent for found in arguments(args, schema)]
    assert parents[0] == parents[1] != parents[2]


def test_depth_and_number_are_bounded() -> None:
    deep: Any = 1
    for _ in range(70):
        deep = {"a": deep}
    with pytest.raises(TooDeepError):
        list(arguments(deep, {}))
    with pytest.raises(TooDeepError):
        list(arguments({"a": [0] * 20_001}, {}))
