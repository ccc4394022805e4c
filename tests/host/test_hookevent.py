import pytest

from hook_events import ok, use
from mcp_assay.core.model import Manifest, Method, Outcome, Tool, ToolCall
from mcp_assay.host.hookevent import Use, reply, uses

SERVERS = {
    "my.srv": Manifest("my.srv", (Tool("get.item"), Tool("same_name"), Tool("same.name"))),
    "my": Manifest("my", (Tool("srv__x"),)),
    "a__b": Manifest("a__b", (Tool("c"),)),
}


@pytest.mark.parametrize(
    ("tool", "server", "mcp", "name"),
    [
        ("mcp__my_srv__get_item", "my.srv", "my.srv", "get.item"),
        ("mcp__my_srv__get_item", None, "my.srv", "get.item"),
        ("mcp__my_srv__same_name", "my.srv", "my.srv", "mcp__my_srv__same_name"),  # which of two? neither
        ("mcp__my_srv__new", "my.srv", "my.srv", "new"),
        ("mcp__my__srv__x", "my", "my", "srv__x"),
        ("mcp__a__b__c", "a__b", "a__b", "c"),
        ("mcp__a__b__c", None, "a__b", "c"),
        ("mcp__a__b__c", "a", "a", "b__c"),
        ("mcp__who__x", None, "who", "x"),
        ("Bash", None, None, "Bash"),
        ("Bash", "my.srv", "my.srv", "Bash"),
    ],
)
def test_a_tool_is_its_servers_own(tool, server, mcp, name):
    assert Use.of(use("t1", tool, {"x": 1}, server)).call(SERVERS) == ToolCall(mcp, name, {"x": 1}, join="t1")


def test_a_resource_is_its_servers_if_the_host_says_which():
    read = use("t1", "ReadMcpResourceTool", {"server": "my", "uri": "u:1", "more": 1})
    method = Method.READ_RESOURCE
    assert Use.of(read).call(SERVERS) == ToolCall("my", "resources/read", {"uri": "u:1"}, join="t1", method=method)
    for args in ({"server": "my"}, {"uri": "u:1"}, {"server": 1, "uri": "u:1"}):
        assert Use.of(use("t1", "ReadMcpResourceTool", args)).call(SERVERS).mcp is None


@pytest.mark.parametrize(
    ("response", "server", "result"),
    [
        ([{"type": "text", "text": "x"}], "a", {"content": [{"type": "text", "text": "x"}]}),
        ([], "a", {"content": []}),
        ('{"n":[1]}', "a", {"content": [], "structuredContent": {"n": [1]}}),
        ("plain", "a", {"content": [{"type": "text", "text": "plain"}]}),
        ('{"n":1}', None, {"content": [{"type": "text", "text": '{"n":1}'}]}),
        ({"stdout": "x"}, None, {"content": [], "structuredContent": {"stdout": "x"}}),
        ([1, 2], None, {"content": [{"type": "text", "text": "[1, 2]"}]}),
        (None, None, {"content": [{"type": "text", "text": "null"}]}),
    ],
)
def test_what_came_back_has_the_form_of_a_result(response, server, result):
    event = use("t1", "tool", {}, server, duration_ms=4.6) | {"tool_response": response}
    found = reply(Use.of(event), event)
    assert (found.outcome, found.result, found.duration_ms) == (Outcome.OK, result, 4)
    assert found.size > 0


@pytest.mark.parametrize("duration", [None, "5", -1, True, float("inf")])
def test_a_duration_that_is_none_is_nothing(duration):
    event = use("t1", "Bash", duration_ms=duration) | {"error": "bad"}
    found = reply(Use.of(event), event)
    assert found.outcome is Outcome.ERROR
    assert found.duration_ms in (0, 1)


def test_a_batch_is_the_uses_it_consisted_of():
    event = {"cwd": "/w", "agent_type": "x", "tool_calls": [ok(use("t1", "Bash")), "?", use("t2", "Read")]}
    found = uses(event)
    assert [(one.id, one.agent) for one in found] == [("t1", "x"), ("t2", "x")]
    with pytest.raises(ValueError, match="without its calls"):
        uses({"tool_calls": {}})
