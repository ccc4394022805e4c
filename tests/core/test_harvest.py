"""Values from earlier results, by what they identify."""

import json

import pytest
from hypothesis import given

from core_schemas import JSON
from manifests import tool
from mcp_assay.core.harvest import Harvest, converted
from mcp_assay.core.model import Tool
from mcp_assay.core.parameters import member, parameters

ISSUES = {
    "total": 2,
    "issues": [
        {"number": 7, "title": "One", "user": {"login": "ann", "id": 3}, "labels": [{"id": 99, "name": "bug"}]},
        {"number": 8, "title": "Two"},
    ],
}


def structured(data):
    return {"structuredContent": data, "content": [{"type": "text", "text": json.dumps(data)}]}


def text(*lines):
    return {"content": [{"type": "text", "text": "\n".join(lines)}]}


def found(consumer, *results, server="x"):
    """The first value for the consumer's first parameter, after (tool name, result) pairs."""
    harvest = Harvest(server)
    for name, result in results:
        harvest.take(tool(name), result)
    return next(harvest.candidates(parameters(consumer)[0], consumer), None)


@pytest.mark.parametrize(
    ("consumer", "producer", "data", "value"),
    [
        (tool("get_issue", "issue_number:integer"), "list_issues", ISSUES, 7),
        (tool("get_issue", "number:integer"), "list_issues", ISSUES, 7),
        (tool("get_issue", "id"), "list_issues", [{"id": "I_1"}], "I_1"),
        (tool("get_issue", "issueId"), "list_issues", {"data": [{"id": "I_1"}]}, "I_1"),
        (tool("get_issue", "number:integer"), "search_issues", {"issues": [{"key": "#12"}]}, 12),
        (tool("get_issue", "issue_key"), "list_issues", ISSUES, "7"),
        (tool("get_user", "user_id:integer"), "list_issues", ISSUES, 3),
        (tool("get_label", "name"), "list_issues", ISSUES, "bug"),
        (tool("get_file", "path"), "search_files", {"files": [{"path": "a/b"}]}, "a/b"),
        (tool("describe_table", "table_name"), "list_tables", ["orders"], "orders"),
        (tool("describe_table", "table"), "list_tables", [{"id": 1, "name": "orders"}], "orders"),
        (tool("open_nodes", "names:array", names={"type": "array", "items": {"type": "string"}}), "search_nodes",
         {"entities": [{"name": "alice"}]}, ["alice"]),
        (tool("get_x", "owner"), "list_repos", [{"owner": {"login": "acme"}}], "acme"),
    ],
)  # fmt: skip
def test_identifiers_are_found_by_what_they_identify(consumer, producer, data, value):
    assert (
        found(
            consumer,
            (
                producer,
                structured(data)
                if isinstance(data, dict)
                else {"content": [{"type": "text", "text": json.dumps(data)}]},
            ),
        )
        == value
    )


@pytest.mark.parametrize(
    ("consumer", "data"),
    [
        (tool("get_project", "id"), ISSUES),
        (tool("get_project", "project_id"), ISSUES),
        (tool("get_issue", "milestone:integer"), ISSUES),
        (tool("find", "query"), ISSUES),
        (tool("get_issue", "number:integer"), {"issues": [{"number": "none"}]}),
        (
            tool("get_issue", "id"),
            {"issues": [{"id": True}, {"id": ""}, {"id": "a\nb"}, {"id": "x" * 999}, {"id": None}]},
        ),
    ],
)
def test_what_identifies_something_else_is_left_alone(consumer, data):
    assert found(consumer, ("list_issues", structured(data))) is None


@pytest.mark.parametrize(
    ("consumer", "lines", "value"),
    [
        (tool("list_directory", "path"), ["Allowed directories:", "/srv/notes"], "/srv/notes"),
        (tool("get_issue", "number:integer"), ["- Number: #12"], 12),
        (tool("show_commit", "revision"), ["Commit: 0a1b2c3"], "0a1b2c3"),
        (tool("get_file", "name"), ["[FILE] notes.txt"], "notes.txt"),
    ],
)
def test_plain_text_is_read_line_by_line(consumer, lines, value):
    assert (
        found(consumer, ("list_allowed_directories" if "path" in str(consumer) else "list_issues", text(*lines)))
        == value
    )


def test_a_folder_is_no_file_to_read_but_a_place_to_search():
    folders = ("list_directories", text("/srv/notes"))
    assert found(tool("read_file", "path"), folders) is None
    assert found(tool("search_files", "path"), folders) == "/srv/notes"


def test_of_equals_the_latest_result_wins():
    earlier, later = ({"issues": [{"number": number}]} for number in (1, 2))
    results = [("list_issues", structured(earlier)), ("list_issues", structured(later))]
    assert found(tool("get_issue", "number:integer"), *results) == 2


@pytest.mark.parametrize(
    ("value", "kind", "forms"),
    [
        ("12", "integer", [12]), ("#12", "integer", [12]), (12, "string", ["12"]), (1.5, "string", []),
        ("x", "integer", []), (True, "boolean", []), (None, "string", []), ([1], "array", []), ("x", "", ["x"]),
    ],
)  # fmt: skip
def test_conversion(value, kind, forms):
    assert list(converted(value, member("p", {"type": kind} if kind else {}, {}))) == forms


@given(JSON)
def test_any_result_can_be_taken(result):
    harvest = Harvest("x")
    harvest.take(Tool("list_items"), {"structuredContent": result, "content": result})
    harvest.take(Tool("list_items"), result)
    for parameter in parameters(tool("get_item", "id", "item_type", "path")):
        for value in harvest.candidates(parameter, tool("get_item")):
            assert isinstance(value, str)
