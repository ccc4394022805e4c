from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from critic_lines import Line, bare, blocked, line, outside, taken, unexplained
from mcp_assay.critic.calls import Call, call_of


def only(entry: Line, *attached: str) -> Call:
    call = call_of(0, entry, attached or ("tracker",))
    assert call is not None
    return call


def test_a_line_of_the_gate_is_read_whole() -> None:
    call = only(line("S1-001", args={"id": taken("S1-000", "[].id", "case")}, result={"cause": False}, second=61))
    assert (call.scenario, call.server, call.tool, call.ok, call.is_read) == ("S1", "tracker", "get_issue", True, True)
    assert (call.args[0].source, call.args[0].at, call.args[0].via) == ("S1-000", "[].id", "case")
    assert (call.result.bytes, call.result.tokens, call.result.structured, call.duration_ms) == (1000, 250, True, 200)
    assert (call.result.content, call.result.wraps, call.result.cause, call.bare) == (("text",), False, False, False)


def test_a_line_of_the_bare_specification_is_read_by_its_names_and_shapes() -> None:
    plain = {"id": "S1-1", "tool": "mcp__cloud_iac_server__get_plan", "is_mcp": True}
    call = only({**plain, "result_shape": "error:403"}, "cloud", "cloud.iac server")
    assert (call.server, call.tool, call.scenario) == ("cloud.iac server", "get_plan", "S1")
    assert (call.outcome, call.error_class, call.completed, call.bare) == ("error", "403", True, True)
    fine = only({**plain, "result_shape": "array[2]"}, "cloud.iac server")
    assert (fine.ok, fine.error_class, fine.duration_ms, fine.result.bytes) == (True, "", 0, 0)
    assert not only({**plain, "result_shape": None}, "cloud.iac server").completed


def test_a_line_that_names_the_server_and_not_the_tool_is_read_by_its_label() -> None:
    call = only(line("S1-001", tool="get_issue") | {"assay": {"mcp": "tracker", "tool": None}})
    assert (call.server, call.tool) == ("tracker", "get_issue")


def test_none_is_a_count_and_less_than_none_is_not() -> None:
    assert only(line("S1-001", result={"items": 0})).result.items == 0
    assert only(line("S1-001", result={"items": -1})).result.items is None


def test_a_step_outside_mcp_is_known_with_its_justification() -> None:
    step = only(bare(outside("S1-001", why="considered nothing")))
    assert (step.is_outside, step.server, step.tool, step.justification) == (True, "", "Bash", "considered nothing")
    assert not only(blocked("S1-001")).is_outside
    assert not only(line("S1-001")).is_outside


@pytest.mark.parametrize(
    "entry",
    [
        {},
        "no object",
        {"id": "S1-001"},
        {"id": "S1-", "tool": "Bash"},
        {"id": "S1-001, S1-002", "tool": "Bash"},
        {"id": "S\u0661-\u0660\u0661", "tool": "Bash"},
        {"id": 7, "tool": "Bash"},
        {"id": "S1-001", "tool": "mcp__unknown__get"},
        {"id": "S1-001", "tool": "mcp__unknown__get", "assay": {"mcp": "unknown", "tool": "get"}},
    ],
)
def test_a_line_that_cannot_be_cited_or_attributed_is_no_call(entry: Any) -> None:
    assert call_of(0, entry, ("tracker",)) is None


@pytest.mark.parametrize(
    ("argument", "source", "from_nowhere"),
    [
        (taken("S1-001"), "S1-001", False),
        ({**taken("S1-001"), "entropy": "low"}, "", False),
        (unexplained(), "", True),
        ({**unexplained(), "entropy": "low"}, "", False),
        ({**unexplained(), "source": "scenario"}, "", False),
        ({}, "", False),
        (7, "", False),
    ],
)
def test_a_source_is_a_call_or_known_to_be_none(argument: Any, source: str, from_nowhere: bool) -> None:
    [read] = only(line("S1-002", args={"id": argument})).args
    assert (read.source, read.unexplained) == (source, from_nowhere)


@pytest.mark.parametrize("ts", ["", "yesterday", "2026-13-01"])
def test_a_time_that_cannot_be_told_is_unknown(ts: str) -> None:
    assert only({**line("S1-001"), "ts": ts}).started is None


@pytest.mark.parametrize("ts", ["1970-01-01T00:00:07Z", "1970-01-01T01:00:07+01:00", "1970-01-01T00:00:07"])
def test_a_time_is_in_utc_unless_it_says_otherwise(ts: str) -> None:
    assert only({**line("S1-001"), "ts": ts}).started == 7


@pytest.mark.parametrize("ts", ["0001-01-01T00:00:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
def test_the_ends_of_time_are_times(ts: str) -> None:
    assert only({**line("S1-001"), "ts": ts}).started is not None


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.integers()))
def test_sizes_that_are_no_sizes_count_as_unknown(odd: object) -> None:
    call = only(line("S1-001", duration_ms=odd, result={"bytes": odd, "items": odd, "content": odd}))
    assert call.duration_ms >= 0
    assert call.result.items is None or call.result.items is odd
    assert all(isinstance(kind, str) for kind in call.result.content)
