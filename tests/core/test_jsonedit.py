"""A value set or taken out of a JSON text, and the rest as it was."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.jsonedit import drop, put

KEPT = '{\n    "z" : [1,2],\n    "enabledPlugins": {"a@b": true},\n\n    "hooks": {}\n}\n'


def test_a_new_member_goes_last_and_is_indented_as_the_others() -> None:
    assert put('{\n\t"a": 1\n}\n', ["b", "c"], True) == '{\n\t"a": 1,\n\t"b": {\n\t\t"c": true\n\t}\n}\n'


def test_what_is_not_changed_keeps_its_form() -> None:
    assert put(KEPT, ["enabledPlugins", "c@d"], True) == KEPT.replace('{"a@b": true}', '{"a@b": true,"c@d": true}')


def test_a_value_is_replaced_in_place() -> None:
    assert put(KEPT, ["z"], 3) == KEPT.replace("[1,2]", "3")


@pytest.mark.parametrize("text", ["", "  \n", "{}", "{ }\n"])
def test_an_empty_file_becomes_an_object(text: str) -> None:
    assert json.loads(put(text, ["a", "b"], 1)) == {"a": {"b": 1}}


def test_a_null_on_the_way_is_replaced_by_an_object() -> None:
    assert json.loads(put('{"a": null}', ["a", "b"], 1)) == {"a": {"b": 1}}


def test_line_ends_are_the_files_own() -> None:
    assert put('{\r\n  "a": 1\r\n}', ["b"], {"c": 1}).count("\r\n") == put('{\r\n  "a": 1\r\n}', ["b"], {"c": 1}).count(
        "\n"
    )


def test_an_object_that_held_nothing_else_goes_too() -> None:
    assert drop('{\n  "a": 1,\n  "b": {"c": {"d": 1}}\n}\n', ["b", "c", "d"]) == '{\n  "a": 1\n}\n'


def test_the_first_of_several_goes_with_its_comma() -> None:
    assert drop('{"a": 1, "b": 2}', ["a"]) == '{"b": 2}'


def test_what_is_not_there_is_not_taken_out() -> None:
    assert drop(KEPT, ["enabledPlugins", "x"]) == KEPT
    assert drop("", ["a"]) == ""


_values: Any = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), _values, max_size=4), st.sampled_from([None, 2, "\t"]), _values)
def test_put_and_drop_are_undone_by_each_other(value: dict[str, Any], indent: Any, given: Any) -> None:
    value.pop("new", None)
    text = json.dumps(value, indent=indent)
    changed = put(text, ["new", "inner"], given)
    assert json.loads(changed) == {**value, "new": {"inner": given}}
    assert json.loads(drop(changed, ["new", "inner"])) == value
