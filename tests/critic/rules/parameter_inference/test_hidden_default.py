from typing import Any

import pytest

from critic_lines import evidence, found, line, tool
from mcp_assay.core.model import Tool

RULE = "parameter_inference/hidden-default"
ALL: dict[str, Any] = {"type": "boolean", "description": "Whether to see more."}
STATE = {"type": "string", "digest": "s", "source": "schema"}
FLAG = {"type": "boolean", "digest": "f", "source": "none", "entropy": "low"}


def listed(ident: str, total: int | None, *, more: bool = False, **rest: Any) -> dict[str, Any]:
    args = {"state": STATE, **({"all": FLAG} if more else {})}
    return line(ident, "list_issues", **{"args": args, "result": {"items": 10, "total": total}, **rest})


def judged(*entries: dict[str, Any], tools: list[Tool] | None = None, driver: str = "claude-code") -> list[Any]:
    tools = tools or [tool("list_issues", state={}, all=ALL), tool("count_issues", state={})]
    return [draft.evidence_ids for draft in found(RULE, evidence(*entries, tools=tools, driver=driver))]


LESS, MORE = listed("S1-001", 12), listed("S1-003", 30, more=True)


def test_a_list_that_grows_by_a_parameter_whose_default_is_not_said_is_found() -> None:
    count = line("S1-002", "count_issues", args={"state": STATE})
    assert judged(LESS, count, MORE) == [("S1-001", "S1-002", "S1-003")]
    assert judged(LESS, MORE) == [("S1-001", "S1-003")]


def test_paging_is_no_parameter_more() -> None:
    paged = listed("S1-003", 30, args={"state": STATE, "limit": {"type": "integer", "value": 50, "source": "none"}})
    assert not judged(LESS, paged)


@pytest.mark.parametrize(
    "later",
    [
        listed("S1-003", 12, more=True),
        listed("S1-003", 5, more=True),
        listed("S1-003", None, more=True),
        listed("S1-003", 30, more=True, outcome="error"),
        listed("S1-003", 30, args={"all": FLAG}),
        listed("S1-003", 30, args={"state": {**STATE, "digest": "t"}, "all": FLAG}),
        listed("S1-003", 30, more=True, mcp="docs"),
        listed("S2-001", 30, more=True),
    ],
)
def test_near_misses_hid_nothing(later: dict[str, Any]) -> None:
    assert not judged(LESS, later)


@pytest.mark.parametrize(
    "tools",
    [
        [tool("list_issues", state={}, all={**ALL, "default": False})],
        [tool("list_issues", state={}, all={"description": "Closed ones too; by default only open ones."})],
        [tool("list_issues", about="Open issues unless all is set.", state={}, all=ALL)],
        [tool("other")],
    ],
)
def test_a_default_that_is_stated_or_unknown_is_the_callers_matter(tools: list[Tool]) -> None:
    assert not judged(LESS, MORE, tools=tools)


@pytest.mark.parametrize("driver", ["script", "explore"])
def test_a_script_asks_as_it_was_written(driver: str) -> None:
    assert not judged(LESS, MORE, driver=driver)
