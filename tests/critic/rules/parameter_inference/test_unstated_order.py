from typing import Any

import pytest

from critic_lines import evidence, found, line, refused, tool
from mcp_assay.core.model import Severity, Tool

RULE = "parameter_inference/unstated-order"
TOOLS = [tool("list_issues"), tool("open_workspace", about="Opens a workspace."), tool("search_issues")]
SAME = {"args_digest": "a"}


def order(
    first: dict[str, Any] | None = None,
    opened: dict[str, Any] | None = None,
    again: dict[str, Any] | None = None,
) -> list[dict[str, Any]]:
    return [
        first or refused("S1-001", "list_issues", "unspecified", **SAME),
        opened or line("S1-002", "open_workspace"),
        again or line("S1-003", "list_issues", **SAME),
    ]


def judged(entries: list[dict[str, Any]], *tools: Tool, driver: str = "claude-code") -> list[tuple[str, ...]]:
    seen = evidence(*entries, tools=tools or TOOLS, driver=driver)
    return [draft.evidence_ids for draft in found(RULE, seen)]


def test_the_same_call_that_passes_after_another_one_is_found() -> None:
    [draft] = found(RULE, evidence(*order(), tools=TOOLS))
    assert (draft.severity, draft.mcp) == (Severity.MINOR, "tracker")
    assert draft.evidence_ids == ("S1-001", "S1-002", "S1-003")
    assert "`list_issues` was refused until `open_workspace` had been called" in draft.summary


def test_an_order_that_lapses_is_one_finding() -> None:
    again = [
        refused("S1-004", "list_issues", "unspecified", **SAME),
        line("S1-005", "open_workspace"),
        line("S1-006", "list_issues", **SAME),
    ]
    assert judged([*order(), *again]) == [("S1-001", "S1-002", "S1-003", "S1-004", "S1-005", "S1-006")]


@pytest.mark.parametrize(
    "near",
    [
        order(again=line("S1-003", "list_issues", args_digest="b")),
        order(again=refused("S1-003", "list_issues", "unspecified", **SAME)),
        order(opened=line("S1-002", "open_workspace", mcp="docs")),
        order(opened=refused("S1-002", "open_workspace")),
        order(opened=line("S1-002", "list_issues")),
        order(first=refused("S1-001", "list_issues", "rate_limited", **SAME)),
        order(first=refused("S1-001", "list_issues", "http:503", **SAME)),
        order(first=line("S1-001", "list_issues", outcome="timeout", **SAME)),
        # what was not there and was then made
        order(
            first=refused("S1-001", "list_issues", "not_found", **SAME),
            opened=line("S1-002", "open_workspace", verdict="mutating"),
        ),
    ],
)
def test_near_misses_are_no_order_of_calls(near: list[dict[str, Any]]) -> None:
    assert not judged(near)


def test_an_error_that_names_no_cause_is_a_finding_of_its_own() -> None:
    first = line(
        "S1-001", "list_issues", outcome="error", result={"error_class": "unspecified", "cause": False}, **SAME
    )
    assert not judged(order(first=first))


@pytest.mark.parametrize(
    "tools",
    [
        [tool("list_issues", about="Needs open_workspace."), tool("open_workspace")],
        [tool("list_issues"), tool("open_workspace", about="Call this before anything else.")],
        [tool("list_issues")],
    ],
)
def test_a_stated_or_unknown_order_is_the_callers_matter(tools: list[Tool]) -> None:
    assert not judged(order(), *tools)


@pytest.mark.parametrize("driver", ["script", "explore"])
def test_a_scripts_order_is_its_authors(driver: str) -> None:
    assert not judged(order(), driver=driver)
