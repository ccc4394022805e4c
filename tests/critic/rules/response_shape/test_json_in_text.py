from typing import Any

import pytest

from critic_lines import evidence, found, line, outside, tool
from mcp_assay.core.model import Severity

JSON_TEXT = {"structured": False, "text_is_json": True}


def test_json_in_text_is_one_finding_for_a_server_and_names_its_tools() -> None:
    calls = [line("S1-001", "list_issues", result=JSON_TEXT), line("S1-002", "get_issue", result=JSON_TEXT)]
    [draft] = found("response_shape/json-in-text", evidence(*calls))
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.SUGGESTION, "tracker", ("S1-001", "S1-002"))
    assert "`list_issues`, `get_issue`" in draft.summary
    assert str(draft.cost) == "2 calls, 2.0 kB, 0.4 s"


@pytest.mark.parametrize(("count", "severity"), [(2, Severity.SUGGESTION), (3, Severity.MINOR), (10, Severity.MINOR)])
def test_json_in_text_is_minor_when_repeated_and_never_major(count: int, severity: Severity) -> None:
    calls = [line(f"S1-{n:03}", result=JSON_TEXT) for n in range(count)]
    [draft] = found("response_shape/json-in-text", evidence(*calls))
    assert draft.severity is severity


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


def test_json_in_the_only_member_of_structured_content_is_still_json_in_text() -> None:
    wrapped = line("S1-001", result={"structured": True, "wraps": True, "text_is_json": True})
    assert found("response_shape/json-in-text", evidence(wrapped, tools=[tool("get_issue", output=True)]))
    plain = line("S1-001", result={"structured": True, "wraps": True, "text_is_json": False})
    assert not found("response_shape/json-in-text", evidence(plain))


@pytest.mark.parametrize("name", ["read_text_file", "fetch", "get_file_contents"])
@pytest.mark.parametrize("result", [JSON_TEXT, {"wraps": True, "text_is_json": True}])
def test_a_document_that_is_json_was_written_so(name: str, result: dict[str, Any]) -> None:
    assert not found("response_shape/json-in-text", evidence(line("S1-001", name, result=result)))


def test_a_record_that_names_itself_is_no_document() -> None:
    call = line("S1-001", "read_text_file", result={**JSON_TEXT, "echoes": True})
    assert found("response_shape/json-in-text", evidence(call))


def test_an_empty_list_shows_no_form() -> None:
    empty = {**JSON_TEXT, "items": 0}
    assert not found("response_shape/json-in-text", evidence(line("S1-001", result={**empty, "bytes": 64})))
    assert found("response_shape/json-in-text", evidence(line("S1-001", result={**empty, "bytes": 65})))
