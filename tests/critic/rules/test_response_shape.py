from typing import Any

import pytest

from critic_lines import evidence, found, line, outside, tool
from mcp_assay.core.model import Severity

JSON_TEXT = {"structured": False, "text_is_json": True}
LIST = {"items": 10, "total": None, "at_limit": None, "next_cursor": False}
INTEGER = {"type": "integer"}

# --- json-in-text ------------------------------------------------------------------------------------------------


def test_json_in_text_is_one_finding_for_a_server_and_names_its_tools() -> None:
    calls = [line("S1-001", "list_issues", result=JSON_TEXT), line("S1-002", "get_issue", result=JSON_TEXT)]
    [draft] = found("response_shape/json-in-text", evidence(*calls))
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.MINOR, "tracker", ("S1-001", "S1-002"))
    assert "`list_issues`, `get_issue`" in draft.summary
    assert str(draft.cost) == "2 calls, 2.0 kB, 0.4 s"


def test_json_in_text_seen_once_is_a_suggestion() -> None:
    [draft] = found("response_shape/json-in-text", evidence(line("S1-001", result=JSON_TEXT)))
    assert draft.severity is Severity.SUGGESTION


def test_json_in_text_of_two_servers_is_two_findings() -> None:
    calls = [line("S1-001", result=JSON_TEXT), line("S1-002", mcp="docs", result=JSON_TEXT)]
    assert {draft.mcp for draft in found("response_shape/json-in-text", evidence(*calls))} == {"tracker", "docs"}


@pytest.mark.parametrize(
    "near",
    [
        line("S1-001", result={**JSON_TEXT, "structured": True}),
        line("S1-001", result={**JSON_TEXT, "text_is_json": False}),
        line("S1-001", result={**JSON_TEXT, "structured": None}),
        line("S1-001", result=JSON_TEXT, outcome="error"),
        outside("S1-001", result=JSON_TEXT),
    ],
)
def test_json_in_text_needs_unstructured_json_from_a_successful_mcp_call(near: dict[str, Any]) -> None:
    assert not found("response_shape/json-in-text", evidence(near))


def test_json_in_text_is_not_said_of_a_tool_that_declares_its_output() -> None:
    call = line("S1-001", result=JSON_TEXT)
    assert not found("response_shape/json-in-text", evidence(call, tools=[tool("get_issue", output=True)]))
    assert found("response_shape/json-in-text", evidence(call, tools=[tool("get_issue")]))


# --- error-in-success and schema-not-kept ------------------------------------------------------------------------

FLAWS = [("error-in-success", {"error_in_success": True}), ("schema-not-kept", {"schema_valid": False})]


@pytest.mark.parametrize(("rule", "flaw"), FLAWS)
@pytest.mark.parametrize("driver", ["script", "explore", "claude-code", "import", "something new"])
def test_what_a_server_returned_is_judged_whoever_called(rule: str, flaw: dict[str, Any], driver: str) -> None:
    [draft] = found(f"response_shape/{rule}", evidence(line("S1-001", result=flaw), driver=driver))
    assert (draft.severity, draft.evidence_ids) == (Severity.MAJOR, ("S1-001",))


@pytest.mark.parametrize(("rule", "flaw"), FLAWS)
def test_a_failed_call_has_neither_flaw(rule: str, flaw: dict[str, Any]) -> None:
    assert not found(f"response_shape/{rule}", evidence(line("S1-001", result=flaw, outcome="error")))


@pytest.mark.parametrize(
    ("rule", "unknown"), [("error-in-success", {"error_in_success": None}), ("schema-not-kept", {"schema_valid": None})]
)
def test_what_was_not_judged_by_the_gate_is_no_flaw(rule: str, unknown: dict[str, Any]) -> None:
    assert not found(f"response_shape/{rule}", evidence(line("S1-001", result=unknown)))


# --- more-data-than-cursor ---------------------------------------------------------------------------------------


def cut_short(result: dict[str, Any], *, args: dict[str, Any] | None = None, **parameters: Any) -> list[Severity]:
    call = line("S1-001", "list_issues", args=args, result={**LIST, **result})
    tools = [tool("list_issues", **parameters)]
    return [draft.severity for draft in found("response_shape/more-data-than-cursor", evidence(call, tools=tools))]


def test_a_list_with_a_rest_that_nothing_leads_to_is_major() -> None:
    assert cut_short({"total": 40}, query={"type": "string"}) == [Severity.MAJOR]


def test_a_rest_that_a_larger_limit_would_show_is_minor() -> None:
    assert cut_short({"total": 40}, limit=INTEGER) == [Severity.MINOR]
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
        {"total": 40, "next_cursor": True},
        {"total": 40, "next_cursor": None},
        {"total": 10},
        {"total": 10, "at_limit": True},
        {"at_limit": False},
        {"total": 40, "items": None},
    ],
)
def test_a_complete_list_or_one_with_a_way_on_is_fine(result: dict[str, Any]) -> None:
    assert cut_short(result) == []


def test_the_last_of_several_pages_is_no_dead_end() -> None:
    later = {"cursor": {"type": "string", "source": "none"}}
    assert cut_short({"total": 40}, args=later, cursor={"type": "string"}) == []
    assert cut_short({"at_limit": True}, cursor={"type": "string"}) == []


def test_without_the_manifest_nothing_is_said_about_paging() -> None:
    call = line("S1-001", "list_issues", result={**LIST, "total": 40})
    assert not found("response_shape/more-data-than-cursor", evidence(call))
    assert not found("response_shape/more-data-than-cursor", evidence(call, tools=[tool("another")]))
