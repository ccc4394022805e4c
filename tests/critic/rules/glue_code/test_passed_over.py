from typing import Any

import pytest

from critic_lines import bare, evidence, found, line, outside, tool
from mcp_assay.core.model import Severity

RULE = "glue_code/passed-over"
WHY = "considered mcp__tracker__search_issues, which has no regex"


def steps(count: int = 3, why: str = WHY, scenario: str = "S1") -> list[dict[str, Any]]:
    return [line("S1-001"), *(outside(f"{scenario}-{n:03}", why=why) for n in range(2, 2 + count))]


def test_a_tool_passed_over_three_times_for_a_reason_is_found_beside_a_call_of_its_server() -> None:
    [draft] = found(RULE, evidence(*steps()))
    assert (draft.severity, draft.mcp) == (Severity.MINOR, "tracker")
    assert draft.evidence_ids == ("S1-001", "S1-002", "S1-003", "S1-004")
    assert draft.summary == "`search_issues` was considered and passed over 3 times, each time for `Bash`"
    assert draft.cost.calls == 3


def test_the_callers_own_words_are_enough_in_a_bare_transcript() -> None:
    assert found(RULE, evidence(*map(bare, steps()), driver=""))


@pytest.mark.parametrize(
    "near",
    [
        steps(2),
        steps()[1:],
        [line("S1-001"), *({**line(f"S1-00{n}"), "justification": WHY} for n in (2, 3, 4))],
        [line("S1-001", mcp="docs"), *steps()[1:]],
        steps(scenario="S2"),
        steps(why="considered mcp__tracker__search_issues, this is faster"),
        steps(why="no attached MCP covers this step"),
        steps(why="considered mcp__github__search_issues, which has no regex"),
    ],
)
def test_near_misses_say_nothing_of_the_tool(near: list[dict[str, Any]]) -> None:
    assert not found(RULE, evidence(*near))


def test_a_tool_that_the_server_has_not_was_not_passed_over() -> None:
    assert not found(RULE, evidence(*steps(), tools=[tool("get_issue")]))
    assert found(RULE, evidence(*steps(), tools=[tool("search_issues")]))
