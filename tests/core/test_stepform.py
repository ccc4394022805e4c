from typing import Any

import pytest

from mcp_assay.core.model import Step
from mcp_assay.core.problems import Problems
from mcp_assay.core.stepform import Place, read_steps
from mcp_assay.errors import InputError


def read(value: object) -> tuple[Step, ...]:
    problems = Problems("s.yaml")
    steps = read_steps(value, Place(problems, len, ("steps",), "entry 1"))
    problems.stop_if_any()
    return steps


def test_steps_with_everything() -> None:
    value: list[dict[str, Any]] = [
        {
            "tool": "mcp__notes__list",
            "args": {"limit": 2},
            "save": {"first": "$.items[0].id"},
            "expect": {"is_error": False, "equals": {"$.total": 3}, "schema": {"type": "object"}},
        },
        {"tool": "Bash", "args": {"command": "echo ${first}"}, "justification": "no attached MCP covers this step"},
    ]
    assert read(value) == (
        Step("mcp__notes__list", {"limit": 2}, {"first": "$.items[0].id"}, value[0]["expect"]),
        Step("Bash", {"command": "echo ${first}"}, justification="no attached MCP covers this step"),
    )


def test_no_steps_and_empty_parts_are_fine() -> None:
    assert read(None) == read([]) == ()
    assert read([{"tool": "mcp__a__b", "args": None, "save": None, "expect": None}]) == (Step("mcp__a__b"),)


@pytest.mark.parametrize(
    ("step", "word"),
    [
        ("x", "must be an object with a tool"),
        ({}, "tool must be the name of a tool"),
        ({"tool": " "}, "tool must be the name of a tool"),
        ({"tool": 5}, "tool must be the name of a tool"),
        ({"tool": "mcp__a__b", "arguments": {}}, "unknown key 'arguments'"),
        ({"tool": "mcp__a__b", "args": [1]}, "args must be an object"),
        ({"tool": "mcp__a__b", "args": {"since": object()}}, "quote it"),
        ({"tool": "mcp__a__b", "args": {"x": [float("inf")]}}, "quote it"),
        ({"tool": "mcp__a__b", "args": {"x": ["${nope}"]}}, "${nope} is not saved by an earlier step"),
        ({"tool": "mcp__a__b", "args": {"x": "${own}"}, "save": {"own": "$"}}, "${own} is not saved"),
        ({"tool": "mcp__a__b", "save": {"a-b": "$"}}, "'a-b' is not a name"),
        ({"tool": "mcp__a__b", "save": {"a": "items"}}, "must be a JSON path"),
        ({"tool": "mcp__a__b", "save": {"a": 5}}, "must be a JSON path"),
        ({"tool": "mcp__a__b", "expect": {"is_error": "no"}}, "must be true or false"),
        ({"tool": "mcp__a__b", "expect": {"equal": {}}}, "did you mean 'equals'?"),
        ({"tool": "mcp__a__b", "expect": {"equals": []}}, "equals must map JSON paths"),
        ({"tool": "mcp__a__b", "expect": {"equals": {"total": 1}}}, "equals must map JSON paths"),
        ({"tool": "mcp__a__b", "expect": {"equals": {"$": object()}}}, "quote it"),
        ({"tool": "mcp__a__b", "expect": {"schema": 5}}, "must be a JSON Schema object"),
        ({"tool": "Bash"}, "needs a justification"),
        ({"tool": "Bash", "justification": " "}, "needs a justification"),
        ({"tool": "Bash", "justification": 5}, "justification must be a string"),
    ],
)
def test_a_bad_step_is_named(step: Any, word: str) -> None:
    with pytest.raises(InputError) as caught:
        read([{"tool": "mcp__a__b"}, step])
    assert "entry 1, step 2: " in str(caught.value)
    assert word in str(caught.value)


def test_all_problems_of_all_steps_are_told_at_once() -> None:
    with pytest.raises(InputError, match="3 problems"):
        read([{"tool": 1}, {"tool": "Bash"}, {"tool": "mcp__a__b", "x": 1}])
