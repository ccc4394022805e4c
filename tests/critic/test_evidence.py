from typing import Any

import pytest

from critic_lines import Line, blocked, evidence, line, outside, taken, tool
from mcp_assay.core.model import Manifest
from mcp_assay.core.session import State
from mcp_assay.critic.evidence import Driver, Evidence


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


# --- from a state ------------------------------------------------------------------------------------------------


def test_a_state_says_who_is_attached_and_who_drove_each_scenario() -> None:
    state = State("one", "", "", attached_mcps=[{"name": "tracker"}], scenarios=[{"id": "S1"}, {"id": "S2"}])
    state.assay = {"driver": "script"}
    state.execution = [{"scenario_id": "S1", "assay": {"driver": "explore"}}, {"scenario_id": "S2", "assay": {}}]
    seen = Evidence.of(state, [line("S1-001")], None)
    assert (seen.attached, seen.scenarios, seen.driver) == (["tracker"], state.scenarios, "script")
    assert [seen.driver_name(scenario) for scenario in ("S1", "S2", "S9")] == ["explore", "script", "script"]
    assert [call.server for call in seen.calls] == ["tracker"]


def test_a_goal_was_missed_where_a_scenario_ran_to_its_end_without_it() -> None:
    def ran(scenario: str, status: str, *, reached: bool | None) -> Line:
        return {"scenario_id": scenario, "status": status, "assay": {"reached": reached}}

    state = State("one", "", "")
    state.execution = [
        ran("S1", "complete", reached=False),
        ran("S2", "complete", reached=True),
        ran("S3", "complete", reached=None),
        ran("S4", "aborted", reached=False),
        {"scenario_id": "S5", "status": "complete"},
    ]
    assert Evidence.of(state, [], None).missed == {"S1"}
    assert evidence(line("S1-001"), missed=["S1"]).made_by(frozenset()).missed == {"S1"}


@pytest.mark.parametrize("odd", [None, 7, {}, {"driver": 7}, {"driver": None}, []])
def test_what_a_foreign_state_says_oddly_or_not_at_all_is_unknown(odd: Any) -> None:
    state = State("one", "", "", attached_mcps=[{"name": "tracker"}, {"name": 7}, {}])
    state.assay = odd if isinstance(odd, dict) else {}
    state.execution = [{"scenario_id": "S1", "assay": odd}, {"assay": {"driver": "script"}}, {"scenario_id": []}]
    seen = Evidence.of(state, [], None)
    assert (seen.attached, seen.driver, seen.driver_name("S1")) == (["tracker"], "", "")


def test_of_the_calls_only_those_of_the_named_drivers_are_left() -> None:
    entries = [line("S1-001"), line("S2-001"), {}, line("S3-001")]
    seen = evidence(*entries, driver="claude-code", drivers={"S2": "explore", "S3": "script"})
    left = seen.made_by(frozenset({Driver.AGENT, Driver.SCRIPT}))
    assert [call.id for call in left.calls] == ["S1-001", "S3-001"]
    assert left.attached == seen.attached
    assert seen.made_by(frozenset(Driver)) is seen
    assert seen.made_by(frozenset()).calls == ()


def test_a_second_line_with_an_id_does_not_come_to_count_because_the_first_one_is_left_out() -> None:
    entries = [line("S1-001", "first"), {**line("S1-001", "second"), "scenario_id": "S2"}]
    seen = evidence(*entries, driver="claude-code", drivers={"S1": "script"})
    assert seen.made_by(frozenset({Driver.AGENT})).calls == ()


# --- calls -------------------------------------------------------------------------------------------------------


def test_a_line_that_is_no_call_is_counted_and_not_judged() -> None:
    seen = Evidence([{}, {"id": "S1-001", "tool": "mcp__unknown__get"}], attached=("tracker",))
    assert (seen.calls, seen.unreadable) == ((), 2)


def test_of_two_lines_with_one_id_the_first_counts() -> None:
    seen = evidence(line("S1-001", "first"), line("S1-001", "second"))
    assert ([call.tool for call in seen.calls], seen.unreadable) == (["first"], 1)


def test_synthetic_lines_and_other_tools_are_no_mcp_calls() -> None:
    seen = evidence(blocked("S1-001"), outside("S1-002"), line("S1-003"))
    assert [call.synthetic for call in seen.calls] == [True, False, False]
    assert [call.id for call in seen.mcp_calls] == ["S1-003"]


def test_calls_are_gathered_by_scenario_in_order() -> None:
    seen = evidence(line("S2-001"), line("S1-001"), line("S2-002"))
    assert {name: [call.id for call in calls] for name, calls in seen.by_scenario.items()} == {
        "S2": ["S2-001", "S2-002"],
        "S1": ["S1-001"],
    }


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
    assert Evidence([], manifests=manifests).promised("docs", "issues.get") is None


def test_a_raw_name_goes_before_another_tools_folded_one() -> None:
    manifests = {"tracker": Manifest("tracker", (tool("a.b", x={}), tool("a_b", y={}), tool("a.b", z={})))}
    seen = Evidence([], manifests=manifests)
    assert (seen.promised("tracker", "a_b"), seen.promised("tracker", "a.b")) == (tool("a_b", y={}), tool("a.b", x={}))
