from typing import Any

import pytest

from critic_lines import blocked, evidence, found, line, outside, taken, tool
from mcp_assay.core.model import Severity, Tool
from mcp_assay.critic.run import judge

RULE = "redundant_calls/polling"
STATUS = tool("get_job", id={"type": "string"})


def poll(count: int = 4, every: int = 2, name: str = "get_job", **more: Any) -> list[dict[str, Any]]:
    return [line(f"S1-{n:03}", name, second=n * every, **{"args_digest": "a", **more}) for n in range(1, count + 1)]


def judged(entries: list[dict[str, Any]], *tools: Tool, driver: str = "claude-code") -> list[Severity]:
    return [draft.severity for draft in found(RULE, evidence(*entries, tools=tools or [STATUS], driver=driver))]


def test_a_status_asked_four_times_with_waits_is_found() -> None:
    [draft] = found(RULE, evidence(*poll(), tools=[STATUS]))
    assert (draft.severity, draft.mcp, len(draft.evidence_ids)) == (Severity.MINOR, "tracker", 4)
    assert draft.summary == "`get_job` was asked 4 times with the same arguments for something that went on"


@pytest.mark.parametrize(("count", "severity"), [(3, []), (9, [Severity.MINOR]), (10, [Severity.MAJOR])])
def test_ten_looks_are_major_and_three_are_patience(count: int, severity: list[Severity]) -> None:
    assert judged(poll(count)) == severity


def job(looks: int = 3, began: str = "mutating", *between: dict[str, Any]) -> list[dict[str, Any]]:
    """A call that begins something, and looks at it without any wait."""
    asked = {"export_id": taken("S1-000", "export_id")}
    look = {"args": asked, "args_digest": "a", "mcp": "tracker"}
    return [
        line("S1-000", "start_export", verdict=began),
        *between,
        *(line(f"S1-{n:03}", "get_export", **look) for n in range(1, looks + 1)),
    ]


def test_three_looks_at_what_a_call_began_are_polling_whatever_it_is_called() -> None:
    tools = [tool("start_export"), tool("get_export", export_id={})]
    [draft] = found(RULE, evidence(*job(), tools=tools))
    assert draft.evidence_ids == ("S1-001", "S1-002", "S1-003")
    assert not judged(job(2), *tools)
    assert not judged(job(3, "read"), *tools)
    assert not judged(job(), *tools[:1], tool("get_export", export_id={}, wait_seconds={}))
    changed = [*job()[:2], line("S1-0015", "update_export", verdict="mutating"), *job()[2:]]
    assert not judged(changed, *tools)


def test_a_step_outside_mcp_may_be_the_wait() -> None:
    quick = [entry for n, call in enumerate(poll(every=0)) for entry in (call, outside(f"S1-{n + 100}"))]
    assert judged(quick) == [Severity.MINOR]
    assert not judged([entry for n, call in enumerate(poll(every=0)) for entry in (call, blocked(f"S1-{n + 100}"))])


def test_a_second_from_an_answer_to_the_next_question_is_a_wait() -> None:
    assert judged(poll(duration_ms=1_000))
    assert not judged(poll(duration_ms=1_001))


def test_a_tools_own_name_offers_nothing() -> None:
    assert judged(poll(name="watch_job"), tool("watch_job"))


@pytest.mark.parametrize(
    "near",
    [
        poll(every=1),
        poll(every=0),
        poll(name="get_issue"),
        poll(verdict="mutating"),
        poll(outcome="error"),
        poll(args_digest=None),
        poll(mcp="docs"),
        [*poll(3), line("S1-004", "get_job", second=8, args_digest="b")],
        [*poll(3), line("S2-001", "get_job", second=8, args_digest="a")],
        [{**entry, "ts": "?"} for entry in poll()],
    ],
)
def test_near_misses_are_no_polling(near: list[dict[str, Any]]) -> None:
    assert not judged(near, STATUS, tool("get_issue"))


@pytest.mark.parametrize(
    "tools",
    [
        [tool("get_job", id={}, waitSeconds={})],
        [tool("get_job", id={}, timeout={})],
        [STATUS, tool("wait_for_job")],
        [STATUS, tool("subscribeToJobs")],
        [tool("list_jobs")],
    ],
)
def test_a_server_that_offers_or_may_offer_to_wait_is_not_blamed(tools: list[Tool]) -> None:
    assert not judged(poll(), *tools)


@pytest.mark.parametrize("driver", ["script", "explore", "something new"])
def test_only_an_agent_polls(driver: str) -> None:
    assert not judged(poll(), driver=driver)


def test_polling_is_told_once_and_not_as_reading_again_too() -> None:
    same = evidence(*poll(name="get_task", result_digest="r"), tools=[tool("get_task")])
    assert found("redundant_calls/same-read-again", same)
    assert [draft.rule for draft in judge(same)] == ["polling"]
