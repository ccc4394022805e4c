from typing import Any

import pytest

from critic_lines import evidence, found, line, refused, tool
from mcp_assay.core.model import Severity

TITLE = {"title": {"type": "string", "digest": "t"}}
STATE = {"state": {"type": "string", "digest": "s"}}


def retried(*entries: dict[str, Any], driver: str = "claude-code") -> list[tuple[str, ...]]:
    drafts = found("parameter_inference/retry-after-validation", evidence(*entries, driver=driver))
    return [draft.evidence_ids for draft in drafts]


def test_a_corrected_call_after_a_validation_error_is_found_with_what_was_changed() -> None:
    calls = [refused("S1-001", args={**TITLE, **STATE}), line("S1-002", args=TITLE)]
    [draft] = found("parameter_inference/retry-after-validation", evidence(*calls))
    assert (draft.severity, draft.evidence_ids, draft.cost.calls) == (Severity.MINOR, ("S1-001", "S1-002"), 1)
    assert "what the caller changed: `state`" in draft.recommendation
    assert draft.summary == "`get_issue` refused its arguments once before a corrected call went through"


def test_three_refusals_are_one_finding_and_other_tools_may_come_in_between() -> None:
    calls = [refused("S1-001"), refused("S1-002"), line("S1-003", "list_issues"), refused("S1-004"), line("S1-005")]
    [draft] = found("parameter_inference/retry-after-validation", evidence(*calls))
    assert (draft.severity, draft.evidence_ids) == (Severity.MINOR, ("S1-001", "S1-002", "S1-004", "S1-005"))
    assert "refused its arguments 3 times" in draft.summary


@pytest.mark.parametrize(("count", "severity"), [(9, Severity.MINOR), (10, Severity.MAJOR)])
def test_ten_refusals_are_major(count: int, severity: Severity) -> None:
    calls = [*(refused(f"S1-{n:03}") for n in range(count)), line("S1-100")]
    [draft] = found("parameter_inference/retry-after-validation", evidence(*calls))
    assert draft.severity is severity


def test_a_refusal_is_made_good_once() -> None:
    assert retried(refused("S1-001"), line("S1-002"), line("S1-003")) == [("S1-001", "S1-002")]


def test_a_class_that_only_the_result_shape_names_counts() -> None:
    failed = {**refused("S1-001", error_class=""), "result_shape": "error:validation"}
    assert retried(failed, line("S1-002"))


@pytest.mark.parametrize("driver", ["script", "explore"])
def test_a_script_that_corrects_itself_was_written_so(driver: str) -> None:
    assert not retried(refused("S1-001"), line("S1-002"), driver=driver)


@pytest.mark.parametrize(
    ("first", "then"),
    [
        (refused("S1-001", error_class="not_found"), line("S1-002")),
        (refused("S1-001"), refused("S1-002")),
        (refused("S1-001"), line("S1-002", "list_issues")),
        (refused("S1-001"), line("S1-002", mcp="docs")),
        (refused("S1-001"), line("S2-001")),
        (refused("S1-001"), line("S1-002", args_digest="a-S1-001")),
        (line("S1-001"), line("S1-002")),
        (line("S1-001"), refused("S1-002")),
    ],
)
def test_one_fact_away_it_is_no_correction(first: dict[str, Any], then: dict[str, Any]) -> None:
    assert not retried(first, then)


def test_leaving_out_what_the_schema_openly_requires_is_the_callers_slip() -> None:
    calls = [refused("S1-001", args=TITLE), line("S1-002", args={**TITLE, **STATE})]
    rule = "parameter_inference/retry-after-validation"
    assert not found(rule, evidence(*calls, tools=[tool("get_issue", required=["title", "state"])]))
    assert found(rule, evidence(*calls, tools=[tool("get_issue", required=["title"])]))
