from typing import Any

import pytest

from critic_lines import evidence, found, line
from mcp_assay.core.model import Severity

RULE = "response_shape/error-in-success"
DATA = {"error_in_success": True}
TEXT = {"error_in_success": True, "structured": False, "text_is_json": False}


@pytest.mark.parametrize("driver", ["script", "explore", "claude-code", "import", "something new"])
def test_a_failure_in_data_is_major_whoever_called(driver: str) -> None:
    [draft] = found(RULE, evidence(line("S1-001", result=DATA), driver=driver))
    assert (draft.severity, draft.evidence_ids) == (Severity.MAJOR, ("S1-001",))


@pytest.mark.parametrize("result", [TEXT, {**TEXT, "structured": True, "wraps": True}])
def test_a_text_that_begins_like_an_error_is_minor_wrapped_or_not(result: dict[str, Any]) -> None:
    [draft] = found(RULE, evidence(line("S1-001", result=result)))
    assert draft.severity is Severity.MINOR


def test_a_change_that_was_not_made_and_is_taken_as_made_is_critical() -> None:
    [draft] = found(RULE, evidence(line("S1-001", "create_issue", result=DATA, verdict="mutating")))
    assert draft.severity is Severity.CRITICAL
    [draft] = found(RULE, evidence(line("S1-001", "create_issue", result=TEXT, verdict="mutating")))
    assert draft.severity is Severity.MINOR


def test_data_needs_no_text_to_say_it() -> None:
    [draft] = found(RULE, evidence(line("S1-001", result={**TEXT, "structured": True})))
    assert draft.severity is Severity.MAJOR


def test_json_in_text_says_it_as_plainly_as_data() -> None:
    [draft] = found(RULE, evidence(line("S1-001", result={**TEXT, "text_is_json": True})))
    assert draft.severity is Severity.MAJOR


@pytest.mark.parametrize("near", [{"error_in_success": False}, {"error_in_success": None}])
def test_what_reports_no_failure_or_was_not_looked_into_is_fine(near: dict[str, Any]) -> None:
    assert not found(RULE, evidence(line("S1-001", result=near)))


def test_a_failed_call_is_what_it_should_be() -> None:
    assert not found(RULE, evidence(line("S1-001", result=DATA, outcome="error")))


@pytest.mark.parametrize("name", ["read_file", "get_message"])
def test_what_somebody_wrote_may_begin_like_an_error_and_data_may_not(name: str) -> None:
    assert not found(RULE, evidence(line("S1-001", name, result=TEXT)))
    assert found(RULE, evidence(line("S1-001", name, result=DATA)))


def test_a_job_that_failed_is_no_call_that_failed() -> None:
    record = {"error_in_success": True, "identified": True}
    assert not found("response_shape/error-in-success", evidence(line("S1-001", "get_build", result=record)))
    assert found("response_shape/error-in-success", evidence(line("S1-001", "get_issue", result=record)))
    nameless = {**record, "identified": False}
    assert found("response_shape/error-in-success", evidence(line("S1-001", "get_build", result=nameless)))
