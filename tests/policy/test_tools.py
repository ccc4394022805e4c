import copy
import json

import pytest

from mcp_assay.policy import schema, tools

BUDGET = {"usedCU": 0, "capacityCU": 10, "reservePct": 20}
CALLS = {
    "route_agent_seat": {"role": "scout", "budget": BUDGET},
    "evaluate_agent_response": {"response": "ANCHOR: t", "contract": {"anchor": "t"}},
    "dedup_and_lint_dossier": {"urls": ["https://e.example/"], "markdown": ""},
}


def test_three_tools_say_what_they_take_give_and_promise():
    assert [tool.name for tool in tools.TOOLS] == list(CALLS)
    for tool in tools.TOOLS:
        assert tool.title
        assert tool.description
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False
        assert tool.annotations["readOnlyHint"] is True
        json.dumps(tool[:-1], allow_nan=False)


@pytest.mark.parametrize("name", CALLS)
def test_results_are_json_follow_the_output_schema_and_leave_the_arguments_alone(name):
    arguments = copy.deepcopy(CALLS[name])
    result = tools.call_tool(name, arguments)
    assert arguments == CALLS[name]
    assert json.loads(json.dumps(result, allow_nan=False)) == result == tools.call_tool(name, arguments)
    (tool,) = [tool for tool in tools.TOOLS if tool.name == name]
    assert schema.problems(tool.output_schema, result) == []


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("arguments", [None, [], "x", 1, True, {}, {"unknown": 1}])
def test_arguments_that_break_the_schema_are_refused_with_every_problem(name, arguments):
    with pytest.raises(tools.InvalidArguments) as refused:
        tools.call_tool(name, arguments)
    assert refused.value.problems


def test_all_problems_are_told_at_once():
    with pytest.raises(tools.InvalidArguments) as refused:
        tools.call_tool("route_agent_seat", {"role": "x", "mode": "y", "budget": {"usedCU": True}, "tier": "cheap"})
    places = [problem.split(":")[0] for problem in refused.value.problems]
    assert places == ["role", "mode", "budget.usedCU", "budget.capacityCU", "budget.reservePct", "tier"]


def test_an_unknown_tool_is_told_with_those_that_exist():
    with pytest.raises(tools.UnknownTool, match=r"no tool nope; there are route_agent_seat, "):
        tools.call_tool("nope", {})


def test_a_tool_with_an_unsupported_schema_cannot_be_registered():
    odd = tools.TOOLS[0]._replace(input_schema={"anyOf": []})
    with pytest.raises(ValueError, match=r"route_agent_seat input\.anyOf: unknown schema keyword"):
        tools._register(odd)


def test_bottomless_arguments_are_refused():
    deep: list[list] = []
    for _ in range(5_000):
        deep = [deep]
    contract = {"anchor": "t", "schema": {"const": deep}}
    for arguments in ({"response": "ANCHOR: t", "contract": contract}, {"response": deep, "contract": contract}):
        result = None
        try:
            result = tools.call_tool("evaluate_agent_response", arguments)
        except tools.InvalidArguments:
            continue
        assert result["ok"] is False
