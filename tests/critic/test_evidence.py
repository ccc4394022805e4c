from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from critic_lines import Line, blocked, evidence, line, outside, taken, tool
from mcp_assay.core.model import Manifest
from mcp_assay.critic.evidence import Call, Driver, Evidence


def only(entry: Line, *attached: str) -> Call:
    [call] = Evidence([entry], attached=attached or ("tracker",)).calls
    return call


@pytest.mark.parametrize(
    ("name", "driver"),
    [
        ("script", Driver.SCRIPT),
        ("explore", Driver.EXPLORE),
        ("claude-code", Driver.AGENT),
        ("import", Driver.AGENT),
        ("", Driver.OTHER),
        ("something new", Driver.OTHER),
    ],
)
def test_a_driver_is_known_by_name_or_not_at_all(name: str, driver: Driver) -> None:
    assert Driver.of(name) is driver


def test_a_line_of_the_gate_is_read_whole() -> None:
    call = only(line("S1-001", args={"id": taken("S1-000", "[].id", "case")}, second=61))
    assert (call.scenario, call.server, call.tool, call.ok, call.is_read) == ("S1", "tracker", "get_issue", True, True)
    assert (call.args[0].source, call.args[0].at, call.args[0].via) == ("S1-000", "[].id", "case")
    assert (call.result.bytes, call.result.structured, call.duration_ms) == (1000, True, 200)


def test_a_line_of_the_bare_specification_is_read_by_its_names_and_shapes() -> None:
    bare = {"id": "S1-1", "tool": "mcp__cloud_iac_server__get_plan", "is_mcp": True}
    call = only({**bare, "result_shape": "error:403"}, "cloud", "cloud.iac server")
    assert (call.server, call.tool, call.scenario) == ("cloud.iac server", "get_plan", "S1")
    assert (call.outcome, call.error_class, call.completed) == ("error", "403", True)
    assert only({**bare, "result_shape": "array[2]"}, "cloud.iac server").ok
    assert not only({**bare, "result_shape": None}, "cloud.iac server").completed


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
def test_a_line_that_cannot_be_cited_or_attributed_is_counted_and_not_judged(entry: Any) -> None:
    seen = Evidence([entry], attached=("tracker",))
    assert (seen.calls, seen.unreadable) == ((), 1)


def test_of_two_lines_with_one_id_the_first_counts() -> None:
    seen = evidence(line("S1-001", "first"), line("S1-001", "second"))
    assert ([call.tool for call in seen.calls], seen.unreadable) == (["first"], 1)


def test_synthetic_lines_and_other_tools_are_no_mcp_calls() -> None:
    seen = evidence(blocked("S1-001"), outside("S1-002"), line("S1-003"))
    assert [call.synthetic for call in seen.calls] == [True, False, False]
    assert [call.id for call in seen.mcp_calls] == ["S1-003"]


@pytest.mark.parametrize(
    ("argument", "known"),
    [
        (taken("S1-001"), True),
        (taken("S1-002"), False),
        (taken("S1-003"), False),
        (taken("scenario"), False),
        ({**taken("S1-001"), "entropy": "low"}, False),
    ],
)
def test_a_value_comes_only_from_an_earlier_line_that_exists(argument: Line, known: bool) -> None:
    seen = evidence(line("S1-001"), line("S1-002", args={"id": argument}))
    assert [origin.id for _, origin in seen.sourced(seen.calls[1])] == (["S1-001"] if known else [])


def test_a_tool_is_found_in_the_manifest_by_its_raw_or_its_folded_name() -> None:
    manifests = {"tracker": Manifest("tracker", (tool("issues.get"),))}
    for name in ("issues.get", "issues_get"):
        seen = Evidence([line("S1-001", name)], attached=("tracker",), manifests=manifests)
        assert seen.described(seen.calls[0]) == tool("issues.get")


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
    call = only(line("S1-001", duration_ms=odd, result={"bytes": odd, "items": odd}))
    assert call.duration_ms >= 0
    assert call.result.items is None or call.result.items is odd
