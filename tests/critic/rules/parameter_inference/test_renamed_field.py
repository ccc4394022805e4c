from dataclasses import replace
from typing import Any

import pytest

from critic_lines import evidence, found, line, taken, tool
from mcp_assay.core.model import Severity, Tool

RULE = "parameter_inference/renamed-field"
GET = tool("get_issue", required=["issue_id"], issue_id={"type": "string"})


def lister(*members: str) -> Tool:
    item: dict[str, Any] = {"properties": {name: {} for name in members}}
    return replace(tool("list_issues"), output_schema={"properties": {"issues": {"items": item}}})


def used(member: str = "ref", via: str = "same", at: str = "issues[].{}", **more: Any) -> list[dict[str, Any]]:
    argument = taken("S1-001", at.format(member), via)
    return [line("S1-001", "list_issues"), line("S1-002", **{"args": {"issue_id": argument}, **more})]


def judged(entries: list[dict[str, Any]], *tools: Tool, driver: str = "claude-code") -> list[tuple[str, ...]]:
    seen = evidence(*entries, tools=tools or [lister("ref", "title"), GET], driver=driver)
    return [draft.evidence_ids for draft in found(RULE, seen)]


def test_an_identifier_with_two_names_is_a_suggestion() -> None:
    again = line("S1-003", args={"issue_id": taken("S1-001", "issues[].ref", digest="e")})
    [draft] = found(RULE, evidence(*used(), again, tools=[lister("ref", "title"), GET]))
    assert (draft.severity, draft.evidence_ids) == (Severity.SUGGESTION, ("S1-001", "S1-002", "S1-003"))
    assert draft.summary == "`issue_id` of `get_issue` is what `list_issues` calls `ref`, and neither says so"


@pytest.mark.parametrize("member", ["id", "issue_id", "issueId"])
def test_names_with_a_word_in_common_are_one_name(member: str) -> None:
    assert not judged(used(member), lister(member), GET)


@pytest.mark.parametrize(
    "near",
    [
        used(via="trimmed"),
        used(at="{}"),
        used(at="issues[].map[3]"),
        used(outcome="error"),
        used(mcp="docs"),
        used(args={"note": taken("S1-001", "issues[].ref")}),
        [used()[0], line("S1-002", "get_user", args={"issue_id": taken("S1-001", "issues[].ref")})],
    ],
)
def test_near_misses_are_no_renaming(near: list[dict[str, Any]]) -> None:
    assert not judged(near)


def test_a_description_that_names_the_other_or_a_list_that_has_both_is_fine() -> None:
    said = tool("get_issue", about="Takes a ref of list_issues.", required=["issue_id"], issue_id={})
    assert not judged(used(), lister("ref"), said)
    assert not judged(used(), lister("ref", "issue_id"), GET)
    assert not judged(used(), lister(), GET)


def test_our_explorer_hands_on_what_it_finds() -> None:
    assert not judged(used(), driver="explore")
    assert judged(used(), driver="script")
