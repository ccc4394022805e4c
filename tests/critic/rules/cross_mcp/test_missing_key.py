from typing import Any

import pytest

from critic_lines import evidence, found, line, taken

RULE = "cross_mcp/missing-key"


def looked_up(
    lookup: dict[str, Any] | None = None, name: dict[str, Any] | None = None, path: str = "assignee", **more: Any
) -> list[dict[str, Any]]:
    asked = {"name": name or taken("S1-001", "deals[].owner")}
    key = {path: taken("S1-002", "people[].login", digest="k")}
    return [
        line("S1-001", "list_deals", mcp="docs"),
        line("S1-002", "find_user", **{"args": asked, "result": {"items": 1}, **(lookup or {})}),
        line("S1-003", "list_issues", **{"args": key, **more}),
    ]


def judged(entries: list[dict[str, Any]], driver: str = "claude-code") -> list[tuple[str, ...]]:
    return [draft.evidence_ids for draft in found(RULE, evidence(*entries, driver=driver))]


def test_a_name_that_had_to_be_looked_up_for_its_key_is_found() -> None:
    [draft] = found(RULE, evidence(*looked_up()))
    assert (draft.mcp, draft.evidence_ids, draft.cost.calls) == ("cross-mcp", ("S1-001", "S1-002", "S1-003"), 1)


def test_the_same_key_for_the_next_page_is_told_once() -> None:
    again = line("S1-004", "list_issues", args={"assignee": taken("S1-002", "people[].login", digest="k")})
    assert judged([*looked_up(), again]) == [("S1-001", "S1-002", "S1-003")]


@pytest.mark.parametrize(
    "near",
    [
        looked_up(path="user_id"),  # no other server could have given this one's own id
        [
            *looked_up()[:2],
            line("S1-003", "get_user", args={"login": taken("S1-002", "people[].login")}),
        ],  # the person was wanted, not its key
        looked_up({"mcp": "docs"}),
        looked_up({"result": {"items": 20}}),
        looked_up({"verdict": "mutating"}),
        looked_up(name={"type": "string", "digest": "d", "source": "scenario"}),
        looked_up(name=taken("S1-001", "deals[].owner", "trimmed")),
        looked_up(outcome="error"),
        looked_up(mcp="docs"),
    ],
)
def test_near_misses_lacked_no_key(near: list[dict[str, Any]]) -> None:
    assert not judged(near)


@pytest.mark.parametrize("driver", ["script", "explore"])
def test_what_a_script_or_our_explorer_looks_up_shows_nothing(driver: str) -> None:
    assert not judged(looked_up(), driver)
