from typing import Any

import pytest

from critic_lines import bare, evidence, found, line, outside, refused, tool
from mcp_assay.core.model import Severity

RULE = "glue_code/code-over-results"
WHY = "considered mcp__tracker__list_issues, which has no filter by state"


def page(ident: str, **more: Any) -> dict[str, Any]:
    return line(ident, "list_issues", result={"items": 20}, **more)


def further(ident: str, source: str) -> dict[str, Any]:
    return page(
        ident, args={"cursor": {"type": "string", "digest": ident, "source": source, "at": "next", "via": "same"}}
    )


def program(source: str = "S1-001", also: tuple[str, ...] = (), values: int = 9) -> dict[str, Any]:
    embedded = {"type": "string", "digest": "p", "source": source, "at": "items[].id", "via": "embedded"}
    return {"map[1]": {**embedded, "values": values, "also": list(also)}}


def judged(*entries: dict[str, Any], driver: str = "claude-code") -> list[tuple[str, tuple[str, ...]]]:
    seen = evidence(*entries, driver=driver, tools=[tool("list_issues"), tool("get_issue")])
    return [(draft.mcp, draft.evidence_ids) for draft in found(RULE, seen)]


def test_a_program_over_a_result_is_found_with_what_it_worked_on() -> None:
    seen = evidence(page("S1-001"), line("S1-002"), outside("S1-003", why=WHY, args=program()))
    [draft] = found(RULE, seen)
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.MINOR, "tracker", ("S1-001", "S1-003"))
    assert draft.summary == "`Bash` had to work over what `list_issues` (`tracker`) returned"


def test_all_pages_of_a_list_count_also_those_of_which_no_value_is_seen() -> None:
    pages = [page("S1-001"), further("S1-002", "S1-001"), further("S1-003", "S1-002")]
    cited = ("S1-001", "S1-002", "S1-003", "S1-004")
    assert judged(*pages, outside("S1-004", why=WHY, args=program(also=("S1-003",)))) == [("tracker", cited)]
    assert judged(*pages, outside("S1-004", why=WHY)) == [("tracker", cited)]
    assert judged(page("S1-000"), *pages, outside("S1-004", why=WHY)) == [("tracker", cited)]


def test_values_tell_whose_results_they_are_where_no_tool_is_named() -> None:
    step = outside("S1-002", why="the MCP returns no sum", args=program())
    assert judged(page("S1-001"), step) == [("tracker", ("S1-001", "S1-002"))]
    assert not judged(page("S1-001"), outside("S1-002", why="the MCP returns no sum", args=program(values=2)))


def test_a_program_full_of_values_is_within_a_servers_remit_whatever_is_said() -> None:
    why = "no attached MCP covers this step: the amounts are added up"
    assert judged(page("S1-001"), outside("S1-002", why=why, args=program(values=10)))
    assert not judged(page("S1-001"), outside("S1-002", why=why, args=program(values=9)))
    assert not judged(page("S1-001"), outside("S1-002", "Write", why=why, args=program(values=50)))


def test_the_callers_own_words_are_enough_in_a_bare_transcript() -> None:
    assert judged(bare(page("S1-001")), bare(outside("S1-002", why=WHY)), driver="")


@pytest.mark.parametrize(
    "near",
    [
        [outside("S1-002", why=WHY)],
        [page("S1-001", mcp="docs"), outside("S1-002", why=WHY)],
        [line("S1-001"), outside("S1-002", why=WHY)],
        [refused("S1-001", "list_issues"), outside("S1-002", why=WHY)],  # a fallback
        [page("S1-001"), outside("S1-002", why=WHY, outcome="error")],
        [page("S1-001"), outside("S1-002", why="faster locally", args=program())],
        [page("S1-001"), outside("S1-002", why="no attached MCP covers this step: a chart", args=program())],
        # a wait
        [page("S1-001", args_digest="a"), outside("S1-002", why=WHY), page("S1-003", args_digest="a")],
        # what the next call takes is told by another rule
        [
            page("S1-001"),
            outside("S1-002", why=WHY, args=program()),
            line(
                "S1-003",
                args={"id": {"type": "string", "digest": "n", "source": "S1-002", "at": "text", "via": "same"}},
            ),
        ],
    ],
)
def test_near_misses_are_no_work_over_results(near: list[dict[str, Any]]) -> None:
    assert not judged(*near)
