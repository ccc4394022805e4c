from typing import Any

import pytest

from critic_lines import evidence, found, line

RULE = "redundant_calls/unnamed-creation"
TITLE = {"type": "string", "digest": "t", "source": "scenario"}


def made(tool: str = "create_issue", *, identified: bool | None = False, **more: Any) -> dict[str, Any]:
    return line("S1-001", tool, **{"verdict": "mutating", "result": {"identified": identified}, **more})


def looked(tool: str = "list_issues", *, items: int | None = 3, **more: Any) -> dict[str, Any]:
    return line("S1-002", tool, result={"items": items}, **more)


def judged(*entries: dict[str, Any], driver: str = "claude-code") -> list[tuple[str, ...]]:
    return [draft.evidence_ids for draft in found(RULE, evidence(*entries, driver=driver))]


def test_what_was_created_and_had_to_be_looked_for_is_found() -> None:
    [draft] = found(RULE, evidence(made(), looked()))
    assert (draft.mcp, draft.evidence_ids, draft.cost.calls) == ("tracker", ("S1-001", "S1-002"), 1)
    assert "`create_issue` does not say what it created" in draft.summary


def test_a_search_will_do_and_so_will_a_call_of_another_server_in_between() -> None:
    assert judged(made(), line("S1-0015", "get_page", mcp="docs"), looked("search_issues"))


def test_all_tries_and_pages_of_the_list_were_needed() -> None:
    busy = line("S1-002", "list_issues", outcome="error", args_digest="a", result={"error_class": "rate_limited"})
    page = {"result": {"items": 20}}
    cursor = {"cursor": {"type": "string", "digest": "c", "source": "S1-003", "at": "next", "via": "same"}}
    looks = [
        busy,
        line("S1-003", "list_issues", args_digest="a", **page),
        line("S1-004", "list_issues", args=cursor, **page),
    ]
    assert judged(made(), *looks, line("S1-005", "list_issues", **page)) == [("S1-001", "S1-002", "S1-003", "S1-004")]


@pytest.mark.parametrize(
    "entries",
    [
        (made(identified=True), looked()),
        (made(identified=None), looked()),
        (made("update_issue"), looked()),
        (made("write_range"), looked("list_ranges")),
        (
            made(),
            looked(args={"near": {"type": "string", "digest": "n", "source": "S1-001", "at": "x", "via": "same"}}),
        ),
        (made(outcome="error"), looked()),
        (made(args={"issue_id": TITLE}), looked()),
        (made(), looked(items=None)),
        (made(), looked("list_labels")),
        (made(), looked(mcp="docs")),
        (made(), line("S1-0015", "get_user"), looked()),
        (made(),),
        (looked(), made()),
    ],
)
def test_near_misses_lacked_no_name(entries: tuple[dict[str, Any], ...]) -> None:
    assert not judged(*entries)


@pytest.mark.parametrize("driver", ["script", "explore"])
def test_a_script_lists_because_its_author_wrote_it_so(driver: str) -> None:
    assert not judged(made(), looked(), driver=driver)
