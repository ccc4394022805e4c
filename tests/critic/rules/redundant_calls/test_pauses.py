import pytest

from critic_lines import evidence, line
from mcp_assay.critic.calls import Call
from mcp_assay.critic.rules.redundant_calls.pauses import may_watch, pause, watches


def calls(*entries: dict[str, object]) -> tuple[Call, ...]:
    return evidence(*entries).calls


@pytest.mark.parametrize(
    ("name", "sure", "perhaps"),
    [
        ("get_job_status", True, True),
        ("getTask", False, True),
        ("list_builds", False, True),
        ("get_issue", False, False),
    ],
)
def test_what_a_tools_name_says_about_watching(name: str, sure: bool, perhaps: bool) -> None:
    [call] = calls(line("S1-001", name))
    assert (watches(call), may_watch(call)) == (sure, perhaps)


def test_a_pause_runs_from_the_end_of_one_call_to_the_start_of_the_next() -> None:
    assert pause(*calls(line("S1-001", duration_ms=1_500), line("S1-002", second=4))) == 2.5


def test_a_pause_that_cannot_be_told_is_endless() -> None:
    assert pause(*calls({**line("S1-001"), "ts": "?"}, line("S1-002"))) == float("inf")
