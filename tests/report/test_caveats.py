import re
from typing import Any

import pytest

import report_case
from mcp_assay.core.session import State
from mcp_assay.report.caveats import Caveat, collect
from mcp_assay.report.coverage import Coverage

UNRESTRICTED = (
    "Process isolation: `none` (a server's process was not restricted: it could read and change what you can, this "
    "evaluation included, reach the network, and leave processes behind)."
)
SANDBOXED = "Sandboxed: `a`, match `literal`; this restricts a call's arguments, not the server's process."


def blank(**fields: Any) -> State:
    return State("e", "2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z", **fields)


def texts(kind: str, state: State, coverage: tuple[Coverage, ...] = (), active: str | None = None) -> list[str]:
    return [caveat.text for caveat in collect(state, coverage, active) if caveat.kind == kind]


def test_an_evaluation_of_nothing_has_none() -> None:
    assert collect(blank(), (), None) == ()


def test_what_the_critic_noted_in_its_summary_is_repeated() -> None:
    state = blank(
        critic_summary="Fine.\nManifest unreadable: a — died\n* Manifest unreadable: b — slow \n"
        "Rules not judged: x/y (no manifests).\n1 transcript line not judged: no id.\n"
        "Said: Manifest unreadable: c — d\n"
    )
    assert texts("manifest-unreadable", state) == ["Manifest unreadable: a — died", "Manifest unreadable: b — slow"]
    assert texts("not-judged", state) == [
        "Rules not judged: x/y (no manifests).",
        "1 transcript line not judged: no id.",
    ]


@pytest.mark.parametrize(
    ("raw", "start"), [(["### a"], "Dropped: 1 heading "), (["### a", "### b"], "Dropped: 2 headings ")]
)
def test_dropped_headings_are_counted_and_kept_as_they_came(raw: list[str], start: str) -> None:
    (caveat,) = collect(blank(critic_findings_dropped_raw=raw), (), None)
    assert caveat.text.startswith(start)
    assert caveat.raw == tuple(raw)


def test_what_changed_within_the_run_is_told_by_field_and_nothing_foreign_is_alive() -> None:
    told = ["vanished: `a`", "`b` changed: description: `x` → `y`\n### z"]
    state = blank(attached_mcps=[{"name": "notes", "tools": ["b"], "assay": {"drift": told}}])
    head, *said = texts("drift", state)
    assert head.startswith("`notes`: some of its tools were not those of the interview")
    assert said == ["`notes`: vanished: `a`.", "`notes`: `b` changed: description: `x` → `y`\\n### z."]


def test_every_unmapped_name_is_said_once_in_the_specified_sentence() -> None:
    sentence = "critic attributed findings to 'X' which is not an attached MCP; routed to Unattributed"
    assert texts("unmapped", blank(unmapped_mcp_names=["X", "y\nz", "X"])) == [sentence, sentence.replace("X", "y\\nz")]


def test_a_dangling_citation_names_finding_id_and_reason() -> None:
    state = blank(
        critic_findings=[{"id": "F3", "summary": "Slow"}],
        dangling_citations=[
            {"finding_id": "F3", "cited_id": "S4-12", "reason": "id not found in transcript"},
            {"finding_id": "F9", "cited_id": "S1-001,S1-002", "reason": "why"},
        ],
    )
    assert texts("dangling", state) == [
        "F3 (“Slow”) cites `S4-12`: id not found in transcript",
        "F9 cites `S1-001,S1-002`: why",
    ]


@pytest.mark.parametrize(
    ("abort_reason", "reason", "said"),
    [
        ("call_budget", None, "call budget exceeded"),
        ("wallclock", "session wallclock exceeded", "session wallclock exceeded"),
        ("wallclock", "not started", "session wallclock exceeded; not started"),
        (None, "interrupted", "interrupted"),
        (None, None, "no reason was recorded"),
    ],
)
def test_an_aborted_scenario_says_why(abort_reason: str | None, reason: str | None, said: str) -> None:
    run = report_case.ran("S1", calls=0, status="aborted", abort_reason=abort_reason, reached=False, reason=reason)
    state = blank(scenarios=[{"id": "S1", "description": "Do it"}], execution=[run])
    assert texts("aborted", state) == [f"S1 (“Do it”) was aborted: {said}."]
    assert texts("not-reached", state) == []


def test_a_safety_abort_says_that_the_call_was_refused() -> None:
    state = blank(execution=[report_case.ran("S1", calls=0, status="aborted", abort_reason="safety_abort")])
    assert texts("aborted", state) == ["S1 was aborted: a call beyond what was permitted was attempted, and refused."]


@pytest.mark.parametrize(
    ("assay", "said"),
    [
        ({"reached": False, "reason": "the server died."}, ["S1 did not reach its goal: the server died."]),
        ({"reached": False, "failed": ["a", "b"], "reason": "a"}, ["S1 did not reach its goal: a; b."]),
        ({"reached": False}, ["S1 did not reach its goal: no reason was recorded."]),
        ({"reached": True}, []),
        ({"reached": None}, []),
        (None, []),
    ],
)
def test_a_goal_not_reached_says_why(assay: dict[str, Any] | None, said: list[str]) -> None:
    run = {**report_case.ran("S1", calls=1), "assay": assay}
    assert texts("not-reached", blank(execution=[run])) == said


@pytest.mark.parametrize(
    ("reached", "reason", "said"),
    [
        (None, "explored 2 calls", ["S1: explored 2 calls."]),
        (None, None, []),
        (True, "explored 2 calls", []),
        (False, "x", []),
    ],
)
def test_a_goal_that_the_driver_could_not_judge_is_told(
    reached: bool | None, reason: str | None, said: list[str]
) -> None:
    run = report_case.ran("S1", calls=2, reached=reached, reason=reason)
    assert texts("goal-not-judged", blank(execution=[run])) == said


def test_servers_without_tools_are_not_enumerable_and_a_short_list_is_limited() -> None:
    state = blank(
        attached_mcps=[
            report_case.server("a", [], limitation="it timed out."),
            report_case.server("b", []),
            report_case.server("c", ["x"], limitation="the list was cut", notes=["n"], host_note="h"),
        ]
    )
    assert texts("not-enumerable", state) == ["Tools not enumerable: `a` (it timed out), `b`."]
    assert texts("limitation", state) == ["`c`: the list was cut."]
    assert texts("note", state) == ["`c`: n"]
    assert texts("host-note", state) == ["`c`: h"]


@pytest.mark.parametrize(
    ("evidence", "critique", "said"),
    [
        ("gate", "rules", r"Evidence: `gate` \(.+\)\. Critique: `rules` \(.+\)\."),
        ("hooks", "file", r"Evidence: `hooks` \(.+\)\. Critique: `file` \(.+\)\."),
        ("imported", "model", r"Evidence: `imported` \(.+\)\. Critique: `model`\."),
        (None, None, r"Evidence: not stated\. Critique: not stated\."),
    ],
)
def test_the_evidence_and_the_critique_are_always_stated(evidence: str | None, critique: str | None, said: str) -> None:
    state = blank(attached_mcps=[report_case.server("a", ["x"])], assay={"evidence": evidence, "critique": critique})
    (text,) = texts("evidence", state)
    assert re.fullmatch(said, text)


@pytest.mark.parametrize(
    ("disposition", "said"),
    [
        ("sandboxed", f"{SANDBOXED} {UNRESTRICTED}"),
        ("read_only", UNRESTRICTED),
    ],
)
def test_what_sandboxed_means_is_said_where_it_was_used(disposition: str, said: str) -> None:
    state = blank(
        attached_mcps=[report_case.server("a", ["x"])],
        safety_dispositions=[{"mcp_name": "a", "disposition": disposition}],
        assay={"match": "literal", "isolation": "none"},
    )
    assert texts("isolation", state) == [said]


@pytest.mark.parametrize(
    ("granted", "transports", "said"),
    [
        ([], {}, "None of them had the network."),
        (["a"], {}, "With the network: `a`."),
        (["a", "c"], {"c": "http"}, "With the network: `a`. Remote, so not isolated: `c`."),
        ([], {"b": "sse"}, "None of them had the network. Remote, so not isolated: `b`."),
    ],
)
def test_of_isolated_servers_is_said_which_had_the_network(
    granted: list[str], transports: dict[str, str], said: str
) -> None:
    servers = [report_case.server(name, ["x"]) for name in "abc"]
    for server in servers:
        server["assay"] = {"transport": transports.get(server["name"], "stdio")}
    given = [{"mcp_name": name, "disposition": "read_only", "assay": {"network": name in granted}} for name in "abc"]
    state = blank(attached_mcps=servers, safety_dispositions=given, assay={"isolation": "bwrap"})
    (text,) = texts("isolation", state)
    assert text.startswith("Process isolation: `bwrap` (a server's process saw no home folder and no evaluation")
    assert text.endswith(f". {said}")


def test_a_server_held_by_another_match_than_the_rest_is_said_so() -> None:
    state = blank(
        attached_mcps=[report_case.server(name, ["x"]) for name in "abc"],
        safety_dispositions=[
            {"mcp_name": "a", "disposition": "sandboxed", "assay": {"match": "literal"}},
            {"mcp_name": "b", "disposition": "sandboxed", "assay": {"match": "strict"}},
            {"mcp_name": "c", "disposition": "sandboxed"},
        ],
        assay={"match": "strict", "isolation": "none"},
    )
    (text,) = texts("isolation", state)
    assert text.startswith(f"{SANDBOXED} Sandboxed: `b`, `c`, match `strict`; ")


def test_notes_outside_calls_active_time_and_digest() -> None:
    state = blank(
        attached_mcps=[report_case.server("a", ["x"])],
        assay={"notes": ["n"], "host_notes": ["h"], "outside_calls": [{}, {}], "transcript_sha256": "ab"},
    )
    assert texts("note", state) == ["n"]
    assert texts("host-note", state) == ["h"]
    assert texts("outside-calls", state) == ["2 calls outside any scenario: refused, and kept in `state.json`."]
    assert texts("active-time", state) == []
    assert texts("active-time", state, active="1m 0s") == [
        "Active time: 1m 0s; the duration above counts the pauses too."
    ]
    assert texts("digest", state) == ["Transcript digest: `ab`."]


def test_coverage_is_told_for_every_server() -> None:
    state = blank(attached_mcps=[report_case.server("a", ["x"])])
    seen = Coverage("a", ("x", "y"), ("x",), calls=3, completed=2, errors=1, blocked=4, not_drivable=("y",))
    tools, calls = "tools offered 2, called 1", "calls sent 3, completed 2 (1 with an error), blocked 4"
    assert texts("coverage", state, (seen, Coverage("b"))) == [
        f"Coverage of `a`: {tools}; {calls}; not drivable: `y`.",
        "Coverage of `b`: tools offered 0, called 0; calls sent 0, completed 0, blocked 0.",
    ]


def test_caveats_are_values() -> None:
    assert Caveat("note", "x") == Caveat("note", "x", ())


@pytest.mark.parametrize(("driver", "told"), [("host", 1), ("script", 0)])
def test_what_an_agent_said_of_its_goals_is_told_as_that(driver: str, told: int) -> None:
    entry = {"scenario_id": "S1", "status": "complete", "assay": {"driver": driver, "reached": True}}
    state = blank(attached_mcps=[report_case.server("a", ["x"])], execution=[entry])
    assert [text.endswith("is what the agent said.") for text in texts("driver", state)] == [True] * told


@pytest.mark.parametrize(
    ("driver", "assay", "said"),
    [
        ("host", {"allow": ["Bash", "Read"]}, {"shell": "cannot be excluded."}),
        ("host", {"allow": ["Read"]}, {}),
        ("host", {}, {}),
        ("host", {"canary": "refused"}, {"canary": "the call that it had to refuse."}),
        ("script", {"allow": ["Bash"], "canary": "refused"}, {}),
    ],
)
def test_how_an_agent_could_have_come_around_the_gate_is_told(
    driver: str, assay: dict[str, Any], said: dict[str, str]
) -> None:
    entry = {"scenario_id": "S1", "status": "complete", "assay": {"driver": driver, "reached": True}}
    state = blank(attached_mcps=[report_case.server("a", ["x"])], execution=[entry], assay=assay)
    found = {kind: text for kind in ("shell", "canary") for text in texts(kind, state)}
    assert found.keys() == said.keys()
    assert all(found[kind].endswith(end) for kind, end in said.items())


def test_what_the_rules_noted_stays_beside_a_models_summary() -> None:
    state = blank(critic_summary="Fine.", assay={"rules_summary": "Well.\nManifest unreadable: a — gone"})
    assert texts("manifest-unreadable", state) == ["Manifest unreadable: a — gone"]
    state.critic_summary = "Manifest unreadable: a — gone"
    assert len(texts("manifest-unreadable", state)) == 1


def test_where_a_hosts_record_and_the_transcript_differ_is_told() -> None:
    said = {"ended": "success", "unreported": ["S1-002"], "unseen": ["Bash", "mcp__a__`x"]}
    entry = {**report_case.ran("S1", calls=1), "assay": {"host": said, "driver": "claude-code"}}
    state = blank(attached_mcps=[report_case.server("a", ["x"])], execution=[entry])
    (made,) = texts("not-reported", state)
    assert made == "S1: made but not reported: the host's record does not mention `S1-002`."
    (unseen,) = texts("not-made", state)
    assert unseen.startswith("S1: reported but not made: the gate saw no call for `Bash`, ")
    entry["assay"]["host"] = {"ended": "success", "unreported": [], "unseen": []}
    assert texts("not-reported", state) + texts("not-made", state) == []


def test_a_line_says_where_the_table_of_the_surface_is_if_it_holds_anything() -> None:
    tables = [{"server": name, "counts": counts} for name, counts in [("a`b", {"large": 1}), ("c", {})]]
    state = blank(attached_mcps=report_case.state().attached_mcps)
    [said] = [caveat.text for caveat in collect(state, (), None, tables) if caveat.kind == "surface"]
    assert said.startswith("Surface of ``a`b``: ")
    assert said.endswith("it is in `report.json`, `surface`.")
    assert not [caveat for caveat in collect(state, (), None, tables[1:]) if caveat.kind == "surface"]
