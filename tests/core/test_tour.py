"""Tours: each permitted tool once, lists before what they feed."""

import pytest

from manifests import READ_ONLY, sandboxed, tool
from mcp_assay.core.model import Disposition, Manifest, Rules, Safety
from mcp_assay.core.tour import tour

TOOLS = (
    tool("delete_issue", "project*", "number*:integer"),
    tool("create_issue", "project*", "title*"),
    tool("update_issue", "project*", "number*:integer"),
    tool("get_issue", "number*:integer"),
    tool("get_status"),
    tool("list_issues"),
    tool("frobnicate"),
    tool("get_widget", "wibble*"),
)


def taken(decided, tools=TOOLS, most=None):
    found = tour(Manifest("a", tools), decided, Rules.EXTENDED, most)
    return [step.tool.removeprefix("mcp__a__") for step in found.scenario.steps], found


def test_read_only_takes_each_reading_tool_once_lists_first():
    names, found = taken(READ_ONLY)
    assert names == ["list_issues", "get_status", "get_issue"]
    assert found.not_drivable == (("get_widget", "nothing here supplies `wibble`"),)
    assert (found.scenario.source, found.scenario.targets_mcps) == ("user", ("a",))
    assert all(not step.args for step in found.scenario.steps)


def test_what_asks_for_nothing_comes_before_a_search():
    names, _ = taken(READ_ONLY, (tool("search_nodes", "query*"), tool("read_graph")))
    assert names == ["read_graph", "search_nodes"]


def test_sandboxed_takes_what_a_test_resource_covers_and_what_destroys_comes_last():
    names, _ = taken(sandboxed("project: play"))
    assert names[3:] == ["create_issue", "update_issue", "delete_issue"]


def test_sandboxed_without_a_fitting_resource_takes_no_mutating_tool():
    assert taken(sandboxed("bucket: b"))[0] == ["list_issues", "get_status", "get_issue"]


@pytest.mark.parametrize("decided", [Safety(Disposition.SKIP), READ_ONLY])
def test_nothing_to_call_is_no_tour(decided):
    assert tour(Manifest("a", (tool("frobnicate"),)), decided, Rules.EXTENDED).scenario is None


def test_what_the_budget_has_no_room_for_is_named():
    names, found = taken(READ_ONLY, most=2)
    assert names == ["list_issues", "get_status"]
    assert found.left_out == ("get_issue",)
