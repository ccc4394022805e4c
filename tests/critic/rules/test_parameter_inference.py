from typing import Any

import pytest

from critic_lines import evidence, found, line, outside, refused, taken, tool
from mcp_assay.core.model import Severity

TITLE = {"title": {"type": "string", "digest": "t"}}
STATE = {"state": {"type": "string", "digest": "s"}}

# --- retry-after-validation --------------------------------------------------------------------------------------


def retried(*entries: dict[str, Any], driver: str = "claude-code") -> list[tuple[str, ...]]:
    drafts = found("parameter_inference/retry-after-validation", evidence(*entries, driver=driver))
    return [draft.evidence_ids for draft in drafts]


def test_a_corrected_call_after_a_validation_error_is_found_with_what_was_changed() -> None:
    calls = [refused("S1-001", args={**TITLE, **STATE}), line("S1-002", args=TITLE)]
    [draft] = found("parameter_inference/retry-after-validation", evidence(*calls))
    assert (draft.severity, draft.evidence_ids, draft.cost.calls) == (Severity.MINOR, ("S1-001", "S1-002"), 1)
    assert "what the caller changed: `state`" in draft.recommendation


def test_three_refusals_are_major_and_other_tools_may_come_in_between() -> None:
    calls = [refused("S1-001"), refused("S1-002"), line("S1-003", "list_issues"), refused("S1-004"), line("S1-005")]
    [draft] = found("parameter_inference/retry-after-validation", evidence(*calls))
    assert (draft.severity, draft.evidence_ids) == (Severity.MAJOR, ("S1-001", "S1-002", "S1-004", "S1-005"))


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


# --- changed-form ------------------------------------------------------------------------------------------------

RULE = "parameter_inference/changed-form"


def handed_on(path: str, argument: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    return [line("S1-001", "list_issues"), line("S1-002", args={path: argument}, **more)]


@pytest.mark.parametrize("via", ["number", "substring", "url-tail", "case", "date"])
def test_an_identifier_that_had_to_change_its_form_is_found(via: str) -> None:
    [draft] = found(RULE, evidence(*handed_on("issue_id", taken("S1-001", via=via))))
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.MINOR, "tracker", ("S1-001", "S1-002"))
    assert draft.summary.startswith("`issue_id` of `get_issue` needs a value from `list_issues` ")


def test_the_same_parameter_changed_twice_is_one_finding() -> None:
    more = line("S1-003", args={"issue_id": taken("S1-001", via="number")})
    [draft] = found(RULE, evidence(*handed_on("issue_id", taken("S1-001", via="number")), more))
    assert draft.evidence_ids == ("S1-001", "S1-002", "S1-003")


@pytest.mark.parametrize(("driver", "judged"), [("script", True), ("import", True), ("explore", False)])
def test_our_own_explorer_converts_by_itself(driver: str, judged: bool) -> None:
    assert bool(found(RULE, evidence(*handed_on("id", taken("S1-001", via="case")), driver=driver))) is judged


@pytest.mark.parametrize(
    "near",
    [
        handed_on("issue_id", taken("S1-001", via="same")),
        handed_on("issue_id", taken("S1-009", via="case")),
        handed_on("issue_id", taken("S1-002", via="case")),
        handed_on("issue_id", {**taken("S1-001", via="case"), "entropy": "low"}),
        handed_on("issue_id", taken("S1-001", via="case"), mcp="docs"),
        handed_on("issue_id", taken("S1-001", via="case"), outcome="error"),
        handed_on("query", taken("S1-001", via="substring")),
        handed_on("page", taken("S1-001", via="number")),
        [line("S1-001", outcome="error"), *handed_on("issue_id", taken("S1-001", via="case"))[1:]],
        [outside("S1-001"), line("S1-002", args={"issue_id": taken("S1-001", via="case")})],
    ],
)
def test_near_misses_are_no_change_of_form(near: list[dict[str, Any]]) -> None:
    assert not found(RULE, evidence(*near))


@pytest.mark.parametrize(
    ("schema", "judged"),
    [
        ({"type": "integer"}, True),
        ({"type": "string"}, True),
        ({"type": ["integer", "string"]}, False),
        ({"anyOf": [{"type": "number"}, {"type": "string"}]}, False),
        ({}, False),
    ],
)
def test_a_number_that_would_have_been_taken_either_way_is_the_callers_choice(
    schema: dict[str, Any], judged: bool
) -> None:
    calls = handed_on("issue_id", taken("S1-001", via="number"))
    assert bool(found(RULE, evidence(*calls, tools=[tool("get_issue", issue_id=schema)]))) is judged
