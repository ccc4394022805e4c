from dataclasses import replace
from typing import Any

import pytest

from critic_lines import evidence, found, line, refused, taken, tool, unexplained
from mcp_assay.core.model import Severity, Tool

RULE = "response_shape/list-without-identifiers"
GET = tool("get_issue", required=["issue_id"], issue_id={"type": "string"})


def lister(*members: str) -> Tool:
    item: dict[str, Any] = {"properties": {name: {} for name in members}}
    return replace(tool("list_issues"), output_schema={"properties": {"issues": {"items": item}}})


def vain(argument: dict[str, Any] | None = None, **more: Any) -> list[dict[str, Any]]:
    argument = argument or taken("S1-001", "issues[].title")
    page = line("S1-001", "list_issues", result={"items": 3})
    return [page, refused("S1-002", **{"error_class": "unspecified", "args": {"issue_id": argument}, **more})]


def judged(entries: list[dict[str, Any]], *members: str, driver: str = "claude-code") -> list[tuple[str, ...]]:
    seen = evidence(*entries, tools=[lister(*(members or ("title", "state"))), GET], driver=driver)
    return [draft.evidence_ids for draft in found(RULE, seen)]


def test_a_title_tried_in_vain_where_the_list_has_no_id_is_found() -> None:
    [draft] = found(RULE, evidence(*vain(), tools=[lister("title", "state"), GET]))
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.MINOR, "tracker", ("S1-001", "S1-002"))
    assert draft.summary == "The items of `list_issues` lack what `get_issue` takes to name one of them"


def test_a_value_made_up_after_the_list_counts_as_well() -> None:
    assert judged(vain(unexplained())) == [("S1-001", "S1-002")]


@pytest.mark.parametrize("members", [("issue_id", "title"), ("id", "title"), ("issueNumber", "title"), ()])
def test_a_list_that_names_its_items_or_may_do_so_is_not_blamed(members: tuple[str, ...]) -> None:
    assert not found(RULE, evidence(*vain(), tools=[lister(*members), GET]))


def test_another_kinds_identifier_names_no_item() -> None:
    assert judged(vain(), "title", "project_id")


@pytest.mark.parametrize(
    "near",
    [
        [*vain(), line("S1-003")],
        [vain()[0], line("S1-002", args={"issue_id": taken("S1-001", "issues[].title")})],
        vain(taken("S1-001", "total")),
        vain(mcp="docs"),
        vain(error_class="unavailable"),
        vain(args={"note": taken("S1-001", "issues[].title")}),
        vain()[1:],
    ],
)
def test_near_misses_show_nothing(near: list[dict[str, Any]]) -> None:
    assert not judged(near)


def test_our_explorer_hands_on_what_it_finds() -> None:
    assert not judged(vain(), driver="explore")
