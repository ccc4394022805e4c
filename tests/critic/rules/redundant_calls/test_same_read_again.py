from typing import Any

import pytest

from critic_lines import blocked, evidence, found, line, outside
from mcp_assay.core.model import Severity


def again(ident: str, second: int, name: str = "get_issue", **more: Any) -> dict[str, Any]:
    return line(ident, name, second=second, **{"args_digest": "a", "result_digest": "r", **more})


def repeated(*entries: dict[str, Any], driver: str = "claude-code") -> list[tuple[str, ...]]:
    """What is found once there was a third read, a second after the last one: two are anybody's."""
    at = entries[-1]["ts"][17:19]
    third = again("S1-009", int(at) + 1 if at.isdigit() else 1)
    seen = evidence(*entries, third, driver=driver)
    return [draft.evidence_ids for draft in found("redundant_calls/same-read-again", seen)]


def test_the_same_read_with_the_same_result_is_found() -> None:
    other = line("S1-002", "list_issues", second=2)
    assert repeated(again("S1-001", 0), other, again("S1-003", 4)) == [("S1-001", "S1-003", "S1-009")]


def test_only_the_repetitions_are_counted_as_cost_and_three_of_them_are_minor() -> None:
    calls = [again(f"S1-{n:03}", n) for n in range(1, 5)]
    [draft] = found("redundant_calls/same-read-again", evidence(*calls))
    assert (draft.severity, draft.cost.calls) == (Severity.MINOR, 3)
    [draft] = found("redundant_calls/same-read-again", evidence(*calls[:3]))
    assert (draft.severity, draft.cost.calls) == (Severity.SUGGESTION, 2)
    assert not found("redundant_calls/same-read-again", evidence(*calls[:2]))


def test_a_blocked_call_in_between_changed_nothing() -> None:
    assert repeated(again("S1-001", 0), blocked("S1-002"), again("S1-003", 1))


@pytest.mark.parametrize("driver", ["script", "explore", "something new"])
def test_repetitions_of_a_script_or_of_ours_are_no_friction(driver: str) -> None:
    assert not repeated(again("S1-001", 0), again("S1-002", 1), driver=driver)


@pytest.mark.parametrize(
    "later",
    [
        again("S1-003", 2, args_digest="b"),
        again("S1-003", 2, result_digest="s"),
        again("S1-003", 2, verdict="undetermined"),
        again("S1-003", 2, outcome="error"),
        again("S1-003", 2, mcp="docs"),
        again("S1-003", 2, name="list_issues"),
        again("S1-003", 2, args_digest=None),
        again("S2-001", 2),
        again("S1-003", 11),
        {**again("S1-003", 2), "ts": "yesterday"},
    ],
)
def test_one_fact_away_it_is_not_the_same_read_again(later: dict[str, Any]) -> None:
    assert not repeated(again("S1-001", 0), later)


@pytest.mark.parametrize(
    "between",
    [
        line("S1-002", "create_issue", second=1, verdict="mutating"),
        line("S1-002", "sync", second=1, verdict="undetermined"),
        outside("S1-002", second=1),
        line("S1-002", "list_issues", second=1, outcome="lost"),
    ],
)
def test_a_change_or_a_wait_in_between_explains_the_second_read(between: dict[str, Any]) -> None:
    assert not repeated(again("S1-001", 0), between, again("S1-003", 2))


@pytest.mark.parametrize("unknown", ["args_digest", "result_digest"])
def test_two_reads_of_which_something_is_unknown_are_not_known_to_be_the_same(unknown: str) -> None:
    assert not repeated(again("S1-001", 0, **{unknown: None}), again("S1-002", 1, **{unknown: None}))


def test_ten_seconds_are_a_wait() -> None:
    assert not repeated(again("S1-001", 0, duration_ms=1_000), again("S1-002", 11))
    assert repeated(again("S1-001", 0, duration_ms=1_001), again("S1-002", 11))


def test_the_time_that_a_call_itself_took_is_no_pause() -> None:
    assert repeated(again("S1-001", 0, duration_ms=9_000), again("S1-002", 12))


def test_a_mutating_call_to_another_server_explains_nothing() -> None:
    between = line("S1-002", "create_page", mcp="docs", second=1, verdict="mutating")
    assert repeated(again("S1-001", 0), between, again("S1-003", 2))


def test_a_tool_that_watches_may_be_asked_again() -> None:
    assert not repeated(again("S1-001", 0, "get_job_status"), again("S1-002", 1, "get_job_status"))
