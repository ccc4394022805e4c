from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import report_case
from mcp_assay.core.model import Manifest, Severity, Tool
from mcp_assay.core.session import State
from mcp_assay.errors import StoreError
from mcp_assay.report import machine, markdown
from mcp_assay.report.view import NOTHING, Skipped, View, build


def blank(**fields: Any) -> State:
    return State("e", "2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z", **fields)


def finding(number: int, severity: str, mcp: str) -> dict[str, Any]:
    return {
        "id": f"F{number}",
        "severity": severity,
        "dimension": "glue_code",
        "summary": f"summary {number}",
        "mcp_name": mcp,
        "evidence_ids": ["S1-001"],
        "recommendation": "",
    }


def ids(items: Any) -> list[str]:
    return [item.finding.id for item in items]


def test_counts_by_severity_make_the_headline() -> None:
    view = build(report_case.state(), report_case.ENTRIES)
    assert list(view.counts.items()) == [
        (Severity.CRITICAL, 1),
        (Severity.MAJOR, 3),
        (Severity.MINOR, 1),
        (Severity.SUGGESTION, 0),
    ]
    assert view.headline == "1 Critical, 3 Major, 1 Minor, 0 Suggestion findings"


def test_the_scenarios_are_counted_from_the_execution() -> None:
    view = build(report_case.state(), report_case.ENTRIES)
    assert (view.scenarios, view.aborted, view.entries) == (4, 2, 10)


@pytest.mark.parametrize(
    ("started", "ended", "duration"),
    [
        ("2025-01-01T00:00:00Z", "2025-01-01T00:12:34Z", "12m 34s"),
        ("2025-01-01T00:00:00.900000Z", "2025-01-01T00:00:01.800000Z", "0m 0s"),
        ("2025-01-01T00:00:00+00:00", "2025-01-01T01:15:03.999Z", "75m 3s"),
        ("2025-01-01T00:00:00Z", "2025-01-02T01:00:00", "1500m 0s"),
        ("2025-01-01T00:00:00Z", "2024-12-31T00:00:00Z", "0m 0s"),
        ("2025-01-01T00:00:00Z", None, "incomplete"),
        (None, "2025-01-01T00:00:00Z", "incomplete"),
        ("yesterday", "2025-01-01T00:00:00Z", "incomplete"),
    ],
)
def test_the_duration_is_in_minutes_without_bound(started: str | None, ended: str | None, duration: str) -> None:
    assert build(blank(session_started=started, session_ended=ended), []).duration == duration


@pytest.mark.parametrize(("active", "said"), [(30.0, True), (119.5, False), (None, False)])
def test_the_active_time_is_a_caveat_only_after_a_pause(active: float | None, said: bool) -> None:
    state = report_case.state()
    state.session_started, state.session_ended = "2025-01-01T00:00:00Z", "2025-01-01T00:02:00Z"
    state.assay["active_seconds"] = active
    assert any(caveat.kind == "active-time" for caveat in build(state, []).caveats) is said


def test_findings_are_sorted_by_severity_then_by_number() -> None:
    kinds = ["Minor", "Critical", "Minor", "Suggestion", "Major", "Critical", "Minor", "Minor", "Minor", "Critical"]
    found = [finding(number, severity, "a") for number, severity in enumerate(kinds, 1)]
    view = build(blank(attached_mcps=[report_case.server("a", [])], critic_findings=found), [])
    assert ids(view.servers[0].findings) == ["F2", "F6", "F10", "F5", "F1", "F3", "F7", "F8", "F9", "F4"]


def test_every_finding_is_shown_in_exactly_one_place() -> None:
    names = ["a", "cross-mcp", "unattributed", "nobody", "b"]
    found = [finding(number, "Major", name) for number, name in enumerate(names, 1)]
    servers = [report_case.server(name, []) for name in ("a", "b", "cross-mcp", "unattributed")]
    view = build(blank(attached_mcps=servers, critic_findings=found), [])
    assert [ids(server.findings) for server in view.servers] == [["F1"], ["F5"], [], []]
    assert ids(view.cross_mcp) == ["F2"]
    assert ids(view.unattributed) == ["F3", "F4"]
    assert sorted(ids(view.findings)) == ["F1", "F2", "F3", "F4", "F5"]


@pytest.mark.parametrize(
    ("scenarios", "handoffs"),
    [
        ([], False),
        ([{"id": "S1", "targets_mcps": ["a"]}, {"id": "S2", "targets_mcps": ["b"]}], False),
        ([{"id": "S1", "targets_mcps": ["a", "a"]}], False),
        ([{"id": "S1", "targets_mcps": ["a", "b"]}], True),
        ([{"id": "S1", "targets_mcps": [], "assay": {"inferred_targets": ["a", "b"]}}], True),
        ([{"id": "S1", "targets_mcps": ["a"], "assay": {"inferred_targets": ["a", "b"]}}], False),
    ],
)
def test_a_handoff_needs_a_scenario_aimed_at_two_servers(scenarios: list[dict[str, Any]], handoffs: bool) -> None:
    assert build(blank(scenarios=scenarios), []).handoffs is handoffs


def test_servers_left_out_are_told_with_the_reason() -> None:
    assert build(report_case.state(), []).skipped == (
        Skipped("mailer", filtered=False, note="It mails real people."),
        Skipped("legacy", filtered=True, note="disabled by .claude/settings.local.json"),
    )


def test_what_our_rules_know_of_a_finding_is_kept() -> None:
    item = next(item for item in build(report_case.state(), []).findings if item.finding.id == "F1")
    assert (item.rule, item.cost) == ("oversized-result", {"calls": 1, "tokens": 10300, "bytes": 41200, "ms": 80})


def test_a_pinned_manifest_tells_the_tools_that_the_state_does_not() -> None:
    manifest = Manifest("a", (Tool("x"), Tool("y")))
    view = build(blank(attached_mcps=[report_case.server("a", [])]), [], {"a": manifest})
    assert view.servers[0].coverage.offered == ("x", "y")


def test_nothing_attached_is_said_in_the_headline() -> None:
    assert build(blank(), []).headline == NOTHING


@pytest.mark.parametrize(
    "fields",
    [
        {"critic_findings": ["text"]},
        {"critic_findings": [{"id": "F1"}]},
        {"critic_findings": [finding(1, "Fatal", "a")]},
        {"critic_findings": [{**finding(1, "Major", "a"), "summary": 5}]},
        {"critic_findings": [{**finding(1, "Major", "a"), "id": "first"}]},
        {"attached_mcps": [{"tools": []}]},
        {"execution": [{}]},
        {"assay": {"active_seconds": float("inf")}, "attached_mcps": [report_case.server("a", [])]},
    ],
)
def test_a_state_of_another_form_is_an_error_that_names_the_evaluation(fields: dict[str, Any]) -> None:
    with pytest.raises(StoreError, match=r"^e: state\.json"):
        build(blank(**fields), [])


names = st.sampled_from(["name", "tools", "id", "mcp_name", "disposition", "status", "scenario_id", "assay", "reason"])
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(names, inner, max_size=4),
    max_leaves=6,
)
LISTS = ["attached_mcps", "filtered_mcps", "safety_dispositions", "scenarios", "execution", "critic_findings"]
junk = st.lists(st.dictionaries(names, json_values, max_size=6) | json_values, max_size=2)


@given(st.dictionaries(st.sampled_from([*LISTS, "unmapped_mcp_names", "critic_findings_dropped_raw"]), junk), junk)
def test_any_state_is_shown_or_refused(fields: dict[str, list[Any]], notes: list[Any]) -> None:
    state = report_case.state()
    for key, value in fields.items():
        getattr(state, key).extend(value)
    state.assay["notes"] = notes
    try:
        view = build(state, report_case.ENTRIES)
    except StoreError:
        return
    assert isinstance(view, View)
    assert markdown.render(view).endswith("\n")
    assert machine.render(view)["name"] == "nightly"
