from dataclasses import replace
from typing import Any

import pytest

from critic_lines import tool
from mcp_assay.core.model import Tool
from mcp_assay.critic.rules import names


@pytest.mark.parametrize(
    "path", ["id", "issue_id", "issueIds[]", "filter.projectKey", "pull_number", "page_id", "path", "url", "repo"]
)
def test_names_that_point_at_something(path: str) -> None:
    assert names.is_identifier(path)


@pytest.mark.parametrize(
    "path", ["query", "title", "body", "page", "page_number", "limit", "cursor", "map[3]", "", "日本"]
)
def test_names_that_describe_or_limit_it(path: str) -> None:
    assert not names.is_identifier(path)


@pytest.mark.parametrize(
    ("path", "limit", "position", "cursor"),
    [
        ("limit", True, False, False),
        ("per_page", True, False, False),
        ("pageSize", True, False, False),
        ("max_results", True, False, False),
        ("first", True, False, False),
        ("offset", False, True, False),
        ("page", False, True, False),
        ("page_number", False, True, False),
        ("startAt", False, True, False),
        ("page_token", False, True, True),
        ("nextCursor", False, True, True),
        ("starting_after", False, True, False),
        ("since_id", False, True, False),
        ("updated_since", False, False, False),
        ("created_before", False, False, False),
        ("start_date", False, False, False),
        ("result", False, False, False),
        ("first_name", False, False, False),
        ("page_id", False, False, False),
    ],
)
def test_how_much_and_from_where(path: str, limit: bool, position: bool, cursor: bool) -> None:
    assert (names.is_limit(path), names.is_position(path), names.is_cursor(path)) == (limit, position, cursor)


def test_nouns_are_singular_and_without_verbs_and_generic_words() -> None:
    assert names.nouns("get_issue", "issue_id") == names.nouns("batchGetIssues", "ids") == {"issue"}
    assert names.nouns("list_branches", "boxes", "queries") == {"branch", "box", "query"}


@pytest.mark.parametrize(
    ("schema", "types"),
    [
        ({"type": "string"}, {"string"}),
        ({"type": ["string", "null", 7]}, {"string", "null"}),
        ({"anyOf": [{"type": "integer"}, {"oneOf": [{"type": "array"}, "odd"]}]}, {"integer", "array"}),
        ({"type": {"odd": 1}, "anyOf": "odd"}, set()),
    ],
)
def test_the_types_that_a_schema_names(schema: dict[str, Any], types: set[str]) -> None:
    assert names.types(schema) == types


def test_a_schema_nested_without_end_is_read_to_a_bounded_depth() -> None:
    schema: dict[str, Any] = {"type": "string"}
    schema["anyOf"] = [schema]
    assert names.types(schema) == {"string"}


@pytest.mark.parametrize("odd", [None, [], "x", {"a": "no schema"}])
def test_odd_properties_are_read_as_far_as_they_go(odd: object) -> None:
    read = names.parameters(Tool("t", input_schema={"properties": odd, "required": odd}))
    assert read == ({"a": {}} if isinstance(odd, dict) else {})


def test_only_names_are_required() -> None:
    assert names.required(tool("t", required=["a"])) == {"a"}
    assert names.required(Tool("t", input_schema={"required": ["a", 1]})) == {"a"}


def test_a_maximum_that_is_not_stated_is_endless() -> None:
    assert names.maximum({"maximum": 50}) == 50
    assert names.maximum({}) == names.maximum({"maximum": "50"}) == float("inf")
    assert names.minimum({"minimum": 1}) == 1
    assert names.minimum({}) == float("-inf")


@pytest.mark.parametrize(("path", "opaque"), [("id", True), ("issueId", True), ("commit_sha", True), ("path", False)])
def test_signs_that_nobody_knows_by_heart(path: str, opaque: bool) -> None:
    assert names.is_opaque(path) is opaque
    assert not names.is_opaque("page_number")


@pytest.mark.parametrize(("path", "address"), [("html_url", True), ("filePath", True), ("query", True), ("id", False)])
def test_values_that_may_hold_others(path: str, address: bool) -> None:
    assert names.is_address(path) is address


def test_all_but_required_identifiers_may_narrow_a_result_down() -> None:
    parameters: dict[str, Any] = {"project_id": {}, "path": {}, "query": {}, "limit": {}, "verbose": {}}
    assert names.narrowing(tool("t", required=["project_id", "query"], **parameters)) == [
        "path",
        "query",
        "limit",
        "verbose",
    ]
    assert names.narrowing(tool("t", required=["project_id"], project_id={})) == []


def test_a_position_that_speaks_of_time_is_a_filter() -> None:
    dated = tool("t", since={"format": "date"}, until={"description": "Up to this day."}, after={}, cursor={}, q={})
    assert names.positions(dated) == ["after", "cursor"]


def test_optional_identifiers_of_what_is_asked_for_do_not_narrow_it() -> None:
    assert names.narrowing(tool("get_issue", issue_id={}, issue_ids={})) == []
    assert names.narrowing(tool("get_item", sku={}, skus={})) == []
    assert names.narrowing(tool("list_issues", project_id={})) == ["project_id"]


def test_what_says_which_record_is_meant() -> None:
    assert names.says_which(None, "issue_id")
    assert names.says_which(None, "workspace")
    assert not names.says_which(None, "topic")
    assert names.says_which(tool("read", required=["topic"], topic={}), "topic")
    assert not names.says_which(tool("read", required=["topic", "style"], topic={}, style={}), "topic")


def test_tools_are_about_the_same_by_their_nouns_or_how_these_begin() -> None:
    assert names.is_about("list_issues", "get_issue")
    assert names.is_about("list_docs", "get_document")
    assert not names.is_about("list_issues", "get_user")
    assert not names.is_about("list", "get_issue")


def test_members_are_found_at_any_depth_and_behind_references() -> None:
    item: dict[str, Any] = {"properties": {"id": {}, "owner": {"properties": {"login": {}}}}}
    schema = {"properties": {"issues": {"items": {"$ref": "#/$defs/Issue"}}, "total": {}}, "$defs": {"Issue": item}}
    page = replace(tool("list_issues"), output_schema=schema)
    assert names.members(page) == {"issues", "total", "id", "owner", "login"}
    assert names.members(page, of_items=True) == {"id", "owner", "login"}
    assert names.members(tool("list_issues")) == frozenset()
    assert names.is_supplied("owner_login", [page]) is False
    assert names.is_supplied("login", [page])
    assert names.is_supplied("team_id", [tool("list_teams")])


def test_a_schema_that_holds_itself_ends() -> None:
    tree = {"properties": {"name": {}, "children": {"items": {"$ref": "#"}}}}
    assert names.members(replace(tool("tree"), output_schema=tree)) == {"name", "children"}
