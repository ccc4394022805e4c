"""Scripted steps: names into calls, saved values into arguments, results into data."""

import pytest

from mcp_assay.core.model import Manifest, Step, Tool, ToolCall
from mcp_assay.core.steps import MissingValueError, data_of, filled, to_call

SURFACE = {"my.srv": Manifest("my.srv", (Tool("do.it"), Tool("plain")))}


def test_a_folded_label_becomes_the_raw_names_of_server_and_tool():
    step = Step("mcp__my_srv__do_it", {"x": "${n}"})
    assert to_call(step, {"n": 3}, SURFACE) == ToolCall("my.srv", "do.it", {"x": 3})


def test_what_is_unknown_is_left_for_the_gate_to_refuse():
    assert to_call(Step("mcp__my_srv__nope"), {}, SURFACE) == ToolCall("my.srv", "nope", {})
    assert to_call(Step("mcp__other__nope"), {}, SURFACE).mcp is None


def test_a_non_mcp_step_keeps_its_justification():
    step = Step("Bash", {"command": "ls"}, justification="because")
    assert to_call(step, {}, SURFACE) == ToolCall(None, "Bash", {"command": "ls"}, "because")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("${a}", [1, 2]),
        ("x${a}y", "x[1, 2]y"),
        ("${s}-${s}", "t-t"),
        ({"k": ["${s}", 3, None]}, {"k": ["t", 3, None]}),
        ("$a {a} $${", "$a {a} $${"),
        (True, True),
    ],
)
def test_saved_values_keep_their_type_alone_and_become_text_inside_text(value, expected):
    assert filled(value, {"a": [1, 2], "s": "t"}) == expected


def test_a_value_that_was_never_saved_is_named():
    with pytest.raises(MissingValueError, match="gone"):
        filled(["${gone}"], {})


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (None, None),
        ({}, None),
        ({"structuredContent": {"a": 1}, "content": [{"type": "text", "text": "no"}]}, {"a": 1}),
        ({"content": [{"type": "text", "text": '{"a": 1}'}]}, {"a": 1}),
        ({"content": [{"type": "image"}, {"type": "text", "text": "plain"}]}, "plain"),
        ({"content": "odd"}, None),
        ({"content": [{"type": "text", "text": "[" * 100_000}]}, "[" * 100_000),
    ],
)
def test_the_data_of_a_result_is_its_structure_its_json_or_its_text(result, expected):
    assert data_of(result) == expected
