"""Whole runs of the real command against real servers that change, die, hang or have their time run out."""

import re
import signal
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from mcp_assay.core.session import State
from stage import TOOLS, Ran, Stage, interrupted, lives, scenario, step, text_of, wait_for

READ = step("mcp__notes__list_notes", args={"query": "plum"})
SLEEP = step("Bash", args={"command": "echo $$ > pid; sleep 600"}, justification="no attached MCP covers this step")
HANGS = {"read_note": {"trick": "hang"}}
HANG = step("mcp__notes__read_note", args={"path": "a"})
SHORT = "0.02"  # minutes


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def execution(stage: Stage, *keys: str) -> list[tuple[Any, ...]]:
    return [tuple(entry[key] for key in keys) for entry in stage.state()["execution"]]


def outcomes(stage: Stage) -> list[tuple[str, str, str]]:
    return [(line["id"], line["tool"].removeprefix("mcp__notes__"), line["assay"]["outcome"]) for line in stage.lines()]


# --- the whole story -------------------------------------------------------------------------------------------------


def test_a_run_leaves_behind_what_the_specification_says(stage: Stage) -> None:
    plan = stage.plan(
        scenario("Read and write.", READ, step("mcp__notes__write_note", args={"path": "/sand/a", "text": "x"})),
        scenario("Write elsewhere.", step("mcp__notes__write_note", args={"path": "/etc/a"}), READ),
        dispositions={"notes": {"disposition": "sandboxed", "test_resources": ["path: /sand/**"]}},
    )
    assert stage.eval(plan=plan).code == 0
    state = stage.state()
    assert list(state) == [field.name for field in fields(State)]
    assert state["status"] == "complete"
    assert state["session_started"] <= state["session_ended"] <= state["last_updated"]
    assert execution(stage, "scenario_id", "status", "call_count", "abort_reason") == [
        ("S1", "complete", 2, None),
        ("S2", "aborted", 0, "safety_abort"),
    ]
    lines = stage.lines()
    assert [line["id"] for line in lines] == ["S1-001", "S1-002", "S2-001"]
    spec = {"id", "scenario_id", "ts", "tool", "is_mcp", "args_summary", "result_shape", "justification", "assay"}
    assert [set(line) - spec for line in lines] == [set(), set(), {"blocked_tool"}]
    assert [line["is_mcp"] for line in lines] == [True, True, False]
    assert lines[2]["blocked_tool"] == "mcp__notes__write_note"
    assert re.findall(r"^#+ .*$", stage.read("report.md"), re.MULTILINE) == [
        "# MCP Evaluation: one",
        "## Headline",
        "## Per-MCP Findings",
        "### notes",
        "## Cross-MCP Friction",
        "## Caveats",
        "## Artifacts",
    ]


def test_every_citation_of_the_rules_holds(stage: Stage) -> None:
    server = stage.server(replies={"list_notes": {"result": text_of("Error: could not read the notes")}})
    stage.eval(server=server)
    ids = {line["id"] for line in stage.lines()}
    found = stage.state()["critic_findings"]
    assert found
    assert all(set(finding["evidence_ids"]) <= ids for finding in found)
    assert stage.state()["dangling_citations"] == []


# --- servers that do not keep still ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("then", "reason"),
    [
        ([*TOOLS[:1], {**TOOLS[1], "description": "Shows one note and forgets it."}], "manifest-changed"),
        (TOOLS[:1], "the MCP no longer offers this tool"),
    ],
)
def test_a_tool_that_changed_after_the_interview_is_refused(
    stage: Stage, then: list[dict[str, Any]], reason: str
) -> None:
    server = stage.server(then=then, replies={"list_notes": {"trick": "change", "result": text_of("fine")}})
    plan = stage.plan(scenario("Look, then read.", READ, step("mcp__notes__read_note", args={"path": "a"})))
    stage.eval(server=server, plan=plan)
    first, second = stage.lines()
    assert first["assay"]["outcome"] == "ok"
    assert (second["tool"], second["blocked_tool"]) == ("__blocked__", "mcp__notes__read_note")
    assert reason in second["justification"]


def test_a_server_that_dies_ends_its_scenario_and_not_the_run(stage: Stage) -> None:
    server = stage.server(replies={"read_note": {"trick": "die"}})
    plan = stage.plan(
        scenario("Read.", READ, HANG, READ), scenario("Read again.", READ), scenario("Do without.", SLEEP)
    )
    ran = stage.eval("--wallclock-budget", SHORT, server=server, plan=plan)
    assert ran.code == 0
    assert outcomes(stage)[:3] == [
        ("S1-001", "list_notes", "ok"),
        ("S1-002", "read_note", "lost"),
        ("S2-001", "list_notes", "lost"),
    ]
    # "When the scenario's goal is reached or cannot be reached, write status: "complete""
    assert execution(stage, "status", "call_count", "abort_reason")[:2] == [
        ("complete", 2, None),
        ("complete", 1, None),
    ]
    report = stage.read("report.md")
    assert "did not reach its goal: step 2 lost its server" in report
    assert "calls sent 3, completed 1" in report


def test_a_server_that_hangs_is_cut_off_when_the_time_is_over(stage: Stage) -> None:
    plan = stage.plan(scenario("Hang.", READ, HANG, READ), scenario("Never."), scenario("Nor this.", READ))
    began = time.monotonic()
    ran = stage.eval("--wallclock-budget", SHORT, server=stage.server(replies=HANGS), plan=plan)
    assert time.monotonic() - began < 10
    assert ran.code == 0
    assert outcomes(stage) == [
        ("S1-001", "list_notes", "ok"),
        ("S1-002", "read_note", "timeout"),
        ("S1-003", "__wallclock_abort__", "aborted"),
    ]
    cut = stage.lines()[1]
    assert (cut["result_shape"], cut["assay"]["effect"]) == ("error:timeout", "none")
    abort = stage.lines()[2]
    assert (abort["result_shape"], abort["justification"]) == ("error:wallclock", "session wallclock exceeded")
    entries = execution(stage, "status", "abort_reason", "call_count")
    assert entries == [("aborted", "wallclock", 2), ("aborted", "wallclock", 0), ("aborted", "wallclock", 0)]
    # "started and ended both set to the trip timestamp", which is when the scenario in flight ended.
    [tripped] = {entry["ended"] for entry in stage.state()["execution"]}
    assert {entry["started"] for entry in stage.state()["execution"][1:]} == {tripped}
    assert not any(map(lives, stage.started()))
    assert "**Scenarios run:** 3 (3 aborted)" in stage.read("report.md")


def test_the_time_of_a_step_that_is_no_mcp_call_runs_out_too(stage: Stage) -> None:
    pid = stage.root / "pid"
    sleep = {**SLEEP, "args": {"command": f"echo $$ > {pid}; sleep 600"}}
    stage.eval("--wallclock-budget", SHORT, plan=stage.plan(scenario("Sleep.", READ, sleep), allow=["Bash"]))
    assert outcomes(stage) == [
        ("S1-001", "list_notes", "ok"),
        ("S1-002", "Bash", "timeout"),
        ("S1-003", "__wallclock_abort__", "aborted"),
    ]
    assert not lives(int(pid.read_text()))


def test_call_n_plus_one_is_not_sent(stage: Stage) -> None:
    plan = stage.plan(scenario("Read twice.", READ, READ), scenario("Read once.", READ))
    assert stage.eval("--call-budget", "1", plan=plan).code == 0
    assert outcomes(stage) == [
        ("S1-001", "list_notes", "ok"),
        ("S1-002", "__budget_abort__", "aborted"),
        ("S2-001", "list_notes", "ok"),
    ]
    assert execution(stage, "status", "abort_reason", "call_count") == [
        ("aborted", "call_budget", 1),
        ("complete", None, 1),
    ]


def test_a_server_that_never_answers_initialize_is_given_up_without_the_others(stage: Stage) -> None:
    silent = f"quiet={sys.executable} -c 'import sys; sys.stdin.close(); sys.stdout.close()'"
    plan = stage.plan(dispositions={"notes": "read_only", "quiet": "read_only"})
    ran = stage.eval("--server", silent, "--allow-unreached", plan=plan)
    assert ran.code == 0
    assert "before initialize finished" in stage.read("report.md")


# --- interruptions ---------------------------------------------------------------------------------------------------


def interrupt(stage: Stage, number: int, *words: str) -> Ran:
    plan = stage.plan(scenario("Hang.", READ, HANG))
    process = stage.start(*stage.eval_words(*words, server=stage.server(replies=HANGS), plan=plan))
    wait_for(stage.folder() / "transcript.jsonl", text='"S1-002"')
    return interrupted(process, number)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_is_saved_and_tells_how_to_look_at_it(stage: Stage, number: int) -> None:
    ran = interrupt(stage, number)
    assert (ran.code, ran.out) == (130, "")
    assert f"interrupted; what was done is in {stage.folder()}" in ran.err
    assert "--name one --resume" in ran.err
    assert "Traceback" not in ran.err
    assert not any(map(lives, stage.started()))
    assert stage.state()["status"] == "executing"
    assert execution(stage, "scenario_id", "status", "call_count") == [("S1", "running", 2)]
    assert [line["id"] for line in stage.lines()] == ["S1-001", "S1-002"]
    look = stage.run("status", "one", "--json").json
    assert (look["status"], look["signed"]) == ("executing", True)
    assert stage.eval().code == 2


def test_with_json_an_interruption_is_one_object(stage: Stage) -> None:
    ran = interrupt(stage, signal.SIGINT, "--json")
    assert (ran.code, ran.json["exit_code"], ran.json["kind"], ran.err) == (130, 130, "Interrupted", "")
    assert "--name one --resume" in ran.json["error"]


def test_what_goes_on_keeps_its_budgets_and_says_so(stage: Stage) -> None:
    server, plan = stage.server(), stage.plan()
    begun = stage.run(*stage.eval_words("--until", "scenarios", "--call-budget", "7", server=server, plan=plan))
    assert begun.code == 0
    same = stage.run(
        *stage.eval_words("--resume", "--until", "scenarios", "--call-budget", "7", server=server, plan=plan)
    )
    assert "budgets" not in same.err
    other = stage.run(*stage.eval_words("--resume", "--call-budget", "9", server=server, plan=plan))
    assert other.code == 0
    assert "it goes on with the budgets that it began with, 7 calls and 15 minutes" in other.err
    assert stage.state()["config"]["call_budget_per_scenario"] == 7


def test_a_run_can_be_interrupted_while_its_servers_start(stage: Stage) -> None:
    silent = [
        sys.executable,
        "-c",
        f"import os,time; open({str(stage.mark())!r}, 'w').write(str(os.getpid())); time.sleep(600)",
    ]
    process = stage.start(*stage.eval_words(server=silent))
    wait_for(stage.mark())
    assert interrupted(process).code == 130
    assert not any(map(lives, stage.started()))
    assert stage.state()["status"] == "discovering"


def test_an_evaluation_that_runs_belongs_to_its_process(stage: Stage) -> None:
    plan = stage.plan(scenario("Hang.", HANG))
    process = stage.start(*stage.eval_words(server=stage.server(replies=HANGS), plan=plan))
    wait_for(stage.folder() / "transcript.jsonl")
    for command in (["critique", "one"], stage.eval_words()):
        ran = stage.run(*command)
        assert ran.code == 2
        assert "is in use by another mcp-assay process" in ran.err
    assert stage.run("status", "one").code == 0
    assert interrupted(process).code == 130
