from dataclasses import replace
from typing import Any

import pytest

from critic_lines import evidence, found, line, tool
from mcp_assay.core.model import Severity

LIST = {"items": 10, "total": None, "at_limit": None, "next_cursor": False}
INTEGER = {"type": "integer"}


def cut_short(result: dict[str, Any], *, args: dict[str, Any] | None = None, **parameters: Any) -> list[Severity]:
    call = line("S1-001", "list_issues", args=args, result={**LIST, **result})
    tools = [tool("list_issues", **parameters)]
    return [draft.severity for draft in found("response_shape/more-data-than-cursor", evidence(call, tools=tools))]


def test_a_list_with_a_rest_that_nothing_leads_to_is_major() -> None:
    assert cut_short({"total": 40}, query={"type": "string"}) == [Severity.MAJOR]


def test_a_rest_that_a_larger_limit_would_show_is_no_dead_end() -> None:
    assert cut_short({"total": 40}, limit=INTEGER) == []
    assert cut_short({"total": 40}, limit={**INTEGER, "maximum": 11}) == []
    assert cut_short({"total": 40}, limit={**INTEGER, "maximum": 10}) == [Severity.MAJOR]


def test_a_full_page_is_minor_where_the_limit_cannot_be_raised() -> None:
    assert cut_short({"at_limit": True}, per_page={**INTEGER, "maximum": 10}) == [Severity.MINOR]
    assert cut_short({"at_limit": True}, per_page=INTEGER) == []


def test_a_cursor_parameter_without_a_cursor_leads_nowhere() -> None:
    assert cut_short({"total": 40}, cursor={"type": "string"}) == [Severity.MAJOR]


@pytest.mark.parametrize("position", ["offset", "page", "skip", "startAt", "page_number", "since"])
def test_a_caller_that_can_say_from_where_can_go_on(position: str) -> None:
    assert cut_short({"total": 40}, **{position: INTEGER}) == []


@pytest.mark.parametrize(
    "result",
    [
        {"total": 40, "next_cursor": None},
        {"total": 10},
        {"total": 10, "at_limit": True},
        {"at_limit": False},
        {"total": 40, "items": None},
    ],
)
def test_a_complete_list_or_one_with_a_way_on_is_fine(result: dict[str, Any]) -> None:
    assert cut_short(result) == []


def test_a_cursor_that_no_parameter_takes_leads_nowhere() -> None:
    assert cut_short({"total": 40, "next_cursor": True}) == [Severity.MAJOR]
    assert cut_short({"next_cursor": True}) == [Severity.MINOR]
    assert cut_short({"total": 40, "next_cursor": True}, cursor={"type": "string"}) == []
    assert cut_short({"items": None, "next_cursor": True}) == []


def test_a_filter_by_time_is_no_way_on() -> None:
    since = {"type": "string", "description": "Only issues of this day or later, YYYY-MM-DD."}
    assert cut_short({"total": 40}, updated_since=since) == [Severity.MAJOR]
    assert cut_short({"total": 40}, since=since) == [Severity.MAJOR]


def test_a_cursor_that_the_output_schema_names_otherwise_is_a_way_on() -> None:
    call = line("S1-001", "list_issues", result={**LIST, "total": 40})
    leads = {"properties": {"issues": {}, "next_from": {"type": "string"}}}
    tools = [replace(tool("list_issues", cursor={"type": "string"}), output_schema=leads)]
    assert not found("response_shape/more-data-than-cursor", evidence(call, tools=tools))


def test_the_last_of_several_pages_is_no_dead_end() -> None:
    later = {"cursor": {"type": "string", "source": "none"}}
    assert cut_short({"total": 40}, args=later, cursor={"type": "string"}) == []
    assert cut_short({"at_limit": True}, cursor={"type": "string"}) == []


def test_a_failed_call_listed_nothing() -> None:
    call = line("S1-001", "list_issues", outcome="error", result={**LIST, "total": 40})
    assert not found("response_shape/more-data-than-cursor", evidence(call, tools=[tool("list_issues")]))


def test_without_the_manifest_nothing_is_said_about_paging() -> None:
    call = line("S1-001", "list_issues", result={**LIST, "total": 40})
    assert not found("response_shape/more-data-than-cursor", evidence(call))
    assert not found("response_shape/more-data-than-cursor", evidence(call, tools=[tool("another")]))
