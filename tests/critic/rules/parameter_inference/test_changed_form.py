from typing import Any

import pytest

from critic_lines import evidence, found, line, outside, refused, taken, tool
from mcp_assay.core.model import Severity

RULE = "parameter_inference/changed-form"


def handed_on(path: str, argument: dict[str, Any], **more: Any) -> list[dict[str, Any]]:
    return [line("S1-001", "list_issues"), line("S1-002", args={path: argument}, **more)]


@pytest.mark.parametrize("via", ["number", "substring", "url-tail", "trimmed", "case", "date"])
def test_an_identifier_that_had_to_change_its_form_is_found(via: str) -> None:
    [draft] = found(RULE, evidence(*handed_on("issue_id", taken("S1-001", via=via))))
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.MINOR, "tracker", ("S1-001", "S1-002"))
    assert draft.summary.startswith("`issue_id` of `get_issue` needs a value from `list_issues` ")


def test_the_same_parameter_changed_twice_is_one_finding() -> None:
    more = line("S1-003", args={"issue_id": taken("S1-001", via="number", digest="e")})
    [draft] = found(RULE, evidence(*handed_on("issue_id", taken("S1-001", via="number")), more))
    assert draft.evidence_ids == ("S1-001", "S1-002", "S1-003")


def test_the_same_value_passed_again_in_the_form_that_was_found_is_told_once() -> None:
    again = line("S1-003", args={"issue_id": taken("S1-001", via="number")})
    [draft] = found(RULE, evidence(*handed_on("issue_id", taken("S1-001", via="number")), again))
    assert draft.evidence_ids == ("S1-001", "S1-002")


def test_the_calls_that_were_refused_the_value_as_it_came_are_cited() -> None:
    first, last = handed_on("issue_id", taken("S1-001", via="trimmed"))
    vain = refused("S1-0015", "get_issue", "unspecified", args={"issue_id": taken("S1-001")})
    [draft] = found(RULE, evidence(first, vain, last))
    assert (draft.evidence_ids, draft.cost.calls) == (("S1-001", "S1-0015", "S1-002"), 2)


def test_the_retry_that_changed_the_form_is_told_here_alone() -> None:
    first, last = handed_on("since", taken("S1-001", via="date"))
    vain = refused("S1-0015", "get_issue", args={"since": taken("S1-001", digest="e")})
    assert found(RULE, evidence(first, vain, last))
    assert not found("parameter_inference/retry-after-validation", evidence(first, vain, last))


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
