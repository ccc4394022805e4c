from typing import Any

import pytest

from critic_lines import evidence, found, line, outside, taken, tool
from mcp_assay.core.model import Severity, Tool

RULE = "redundant_calls/page-for-one-item"
PROJECT = {"type": "string"}
LIST = tool("list_issues", required=["project"], project=PROJECT)
PAGE = {"items": 50, "bytes": 40_000}


def picked(*uses: dict[str, Any], **page: Any) -> list[dict[str, Any]]:
    first = line("S1-001", "list_issues", **{"result": PAGE, **page})
    return [first, *(uses or [use("S1-002")])]


def use(ident: str, digest: str = "d", at: str = "items[].id", path: str = "issue_id", **more: Any) -> dict[str, Any]:
    return line(ident, args={path: taken("S1-001", at, digest=digest)}, **more)


def judged(entries: list[dict[str, Any]], *tools: Tool, driver: str = "claude-code") -> list[Severity]:
    return [draft.severity for draft in found(RULE, evidence(*entries, tools=tools or [LIST], driver=driver))]


def test_one_item_used_of_a_long_list_that_takes_no_filter_is_a_suggestion() -> None:
    [draft] = found(RULE, evidence(*picked(), tools=[LIST]))
    assert (draft.severity, draft.evidence_ids) == (Severity.SUGGESTION, ("S1-001",))
    assert draft.summary == "Of 50 items from `list_issues` one was wanted, and nothing offers to ask for it"
    assert draft.cost.bytes == 40_000


def test_several_uses_of_the_one_item_are_one_use_and_so_are_several_of_its_fields() -> None:
    other_field = use("S1-003", "r", "items[].repo", "repo")
    assert judged(picked(use("S1-002"), other_field, use("S1-004", path="id", mcp="docs")))


def test_a_list_is_long_from_twenty_items_and_ten_kilobytes_on() -> None:
    assert judged(picked(result={"items": 20, "bytes": 10_000}))


@pytest.mark.parametrize(
    "near",
    [
        picked()[:1],
        picked(use("S1-002"), use("S1-003", "e")),
        picked(use("S1-002", at="owner.id")),
        picked(use("S1-002", path="text")),
        picked(use("S1-002", "")),
        picked(result={**PAGE, "items": 19}),
        picked(result={**PAGE, "bytes": 9_999}),
        picked(outcome="error"),
        picked(verdict="mutating"),
        picked({**use("S2-001")}),
        [outside("S1-001", result=PAGE), use("S1-002")],
    ],
)
def test_near_misses_are_no_waste(near: list[dict[str, Any]]) -> None:
    assert not judged(near)


@pytest.mark.parametrize(
    "tools",
    [
        [tool("list_issues", required=["project"], project=PROJECT, state={})],
        [tool("list_issues", required=["query"], query={})],
        [tool("list_issues", project=PROJECT)],
        [tool("list_issues", required=["project"], project=PROJECT, limit={})],
        [LIST, tool("search_issues", query={})],
        [tool("get_issue")],
    ],
)
def test_a_server_that_offers_or_may_offer_less_is_not_blamed(tools: list[Tool]) -> None:
    assert not judged(picked(), *tools)


@pytest.mark.parametrize("driver", ["script", "explore", "something new"])
def test_what_a_script_or_our_explorer_picks_shows_nothing(driver: str) -> None:
    assert not judged(picked(), driver=driver)


PAGED = tool("list_issues", state={}, cursor={}, limit={})


def leafed(pages: int = 3, *then: dict[str, Any], more: bool = True, **first: Any) -> list[dict[str, Any]]:
    """Pages of ten small items, and what was done with them."""
    read = [line(f"S1-00{n}", "list_issues", result={"items": 10, "next_cursor": more}) for n in range(1, pages + 1)]
    for number, entry in enumerate(read[1:], 1):
        entry["assay"]["args"] = {"cursor": taken(f"S1-00{number}", "next", digest=f"c{number}")}
    read[0]["assay"].update(first)
    return [*read, *then]


def one(source: str = "S1-003", digest: str = "d", path: str = "issue_id") -> dict[str, Any]:
    return line("S1-008", args={path: taken(source, "items[].id", digest=digest)})


def test_pages_leafed_through_for_one_item_are_found() -> None:
    [draft] = found(RULE, evidence(*leafed(3, one()), tools=[PAGED]))
    assert draft.evidence_ids == ("S1-001", "S1-002", "S1-003")
    assert draft.summary == "Of 30 items from `list_issues` one was wanted, and nothing offers to ask for it"


def test_leafing_that_ended_before_the_list_did_found_what_it_was_for() -> None:
    assert judged(leafed(3), PAGED)
    assert not judged(leafed(3, more=False), PAGED)


@pytest.mark.parametrize(
    "near",
    [
        leafed(2, one("S1-002")),
        leafed(3, one(), line("S1-009", args={"issue_id": taken("S1-002", "items[].id", digest="e")})),
        leafed(3, one(path="issue_ids[]")),
        leafed(3, one(), outside("S1-009", args={"map[1]": taken("S1-002", "items[].id", "embedded")})),
        leafed(3, one(), args={"state": {"type": "string", "source": "schema"}}),
    ],
)
def test_pages_of_which_more_was_wanted_are_no_waste(near: list[dict[str, Any]]) -> None:
    assert not judged(near, PAGED)


def test_a_search_beside_the_list_would_have_found_it() -> None:
    assert not judged(leafed(3, one()), PAGED, tool("search_issues"))
    assert not judged(leafed(3, one()), PAGED, tool("search"))
    assert not judged(leafed(3, one()), tool("list_issues", q={}, cursor={}))
    assert judged(leafed(3, one()), PAGED, tool("search_wiki_pages"))
