"""A person's session at a real terminal: every prompt, every wrong answer, Ctrl-C anywhere, and going on afterwards."""

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mcp_assay.core.session import Status
from mcp_assay.store import keys
from mcp_assay.store.evaldir import EvalDir
from person import Person
from stage import NOTE, QUERY, TOOLS, Stage, lives, scenario, step, wait_for

ORBIT = {"name": "orbit", "description": "Goes round once. Nothing else.", "inputSchema": QUERY}
WHIRL = {"name": "whirl", "inputSchema": NOTE}
CONSENT, START = "Start these 2 servers?", "Start {}?"
DISPOSITION = "For {} — should I treat this as read_only, sandboxed, or skip?"
RESOURCES = "Which test resources are approved? List them by identifier"
MARKS, SCENARIOS, WEAK = "no rule could tell:", "What scenarios should I exercise?", "Keep it on the list, or drop it?"
GATE = "Execution does not start until you type approve or user-only."
GATE_PROMPT = "approve, user-only or an edit:"
NO_APPROVAL = [
    "yes", "ok", "sure", "sounds good", "lgtm", "proceed", ":+1:", "Approve it", "approve it", "approve please",
    "approve.", '"approve"', "user only", "",
]  # fmt: skip

TO_CONSENT: list[tuple[str, str]] = []
TO_DISPOSITION = [*TO_CONSENT, (CONSENT, "all")]
TO_RESOURCES = [*TO_DISPOSITION, (DISPOSITION.format("notes"), "sandboxed")]
TO_MARKS = [*TO_RESOURCES, ("resource:", "path: plum"), ("resource:", ""), (DISPOSITION.format("far"), "read_only")]
TO_SCENARIOS = [*TO_MARKS, (MARKS, "read")]
TO_TOUR = [*TO_SCENARIOS, ("S1:", "")]
TO_WEAK = [*TO_SCENARIOS, ("S1:", "Look at the notes, here and far."), ("up to 7 more", "")]
TO_GATE = [*TO_WEAK, (WEAK, "keep")]
PROMPTS = {
    "consent": (TO_CONSENT, "all / choose / none:", "all / choose / none:"),
    "one server": ([(CONSENT, "choose"), (START.format("notes"), "yes")], "Start far?", "Start far?"),
    "first disposition": (TO_DISPOSITION, DISPOSITION.format("notes"), DISPOSITION.format("notes")),
    "resources": (TO_RESOURCES, "resource:", DISPOSITION.format("notes")),
    "second disposition": (TO_MARKS[:-1], DISPOSITION.format("far"), DISPOSITION.format("far")),
    "marks": (TO_MARKS, "read / mutating / each / leave:", "2 tools that may read or mutate"),
    "one tool": (
        [*TO_MARKS, (MARKS, "each"), ("read / mutating / leave:", "read")],
        "whirl",  # the table names it as well, but above the first tool's question
        "1 tool that may",
    ),
    "scenarios": (TO_SCENARIOS, "S1:", "S1:"),
    "tour": (TO_TOUR, "yes / no:", "S1:"),
    "weak signal": (TO_WEAK, "keep / drop:", WEAK),
    "approval": (TO_GATE, GATE_PROMPT, WEAK),
}
"""Where Ctrl-C is pressed: the answers that lead there, what is seen then, and where a resumed session goes on."""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """Two servers: ``notes``, with tools that no rule can tell, and ``far``."""
    stage = Stage(tmp_path)
    stage.config({"notes": stage.server(tools=[*TOOLS, ORBIT, WHIRL]), "far": stage.server("far")})
    return stage


def eval_words(*words: str | Path, name: str = "one") -> list[str | Path]:
    return [sys.executable, "-m", "mcp_assay", "eval", "--name", name, "--driver", "explore", *words]


def at_terminal(stage: Stage, *words: str | Path, name: str = "one", term: str = "xterm-256color") -> Person:
    return Person(eval_words(*words, name=name), environ=stage.environ, cwd=stage.project, term=term)


def plan_of(stage: Stage, name: str = "one") -> Path:
    return stage.folder(name) / "plan.yaml"


def ran(stage: Stage, name: str = "one") -> list[tuple[str, str, str]]:
    return [(item["id"], item["source"], item["description"]) for item in stage.state(name)["scenarios"]]


# --- a whole session -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("term", ["xterm-256color", "dumb"])
def test_a_whole_session_with_every_wrong_answer_ends_in_a_report_and_a_plan_that_repeats_it(
    stage: Stage, term: str
) -> None:
    with at_terminal(stage, term=term) as person:
        person.answers(
            (CONSENT, "y"),
            ("Please answer all, choose or none.", "choose"),
            (START.format("notes"), "sure"),
            ("Please answer yes or no.", "yes"),
            (START.format("far"), "y"),
        )
        shown = person.sees(DISPOSITION.format("notes"))
        for text in ("notes  (MCP 1 of 2)", ".mcp.json:1", "list_notes, read_note, write_note, orbit, whirl"):
            assert text in shown
        assert "this MCP appears to expose mutating tools — you likely want sandboxed or skip: write_note" in shown
        for wrong in ("", "readonly", "sandbox", "yes"):
            person.types(wrong)
            person.sees("Please answer read_only, sandboxed or skip.")
        person.types("sandboxed")
        person.answers((RESOURCES, ""), ("At least one is needed", "path: plum, repo: pear"), ("resource:", ""))
        person.sees("2 test resources:", "not what the server's process does")
        person.answers(
            (DISPOSITION.format("far"), "read_only"),
            (MARKS, "both"),
            ("Please answer read, mutating, each or leave.", "each"),
            ("Goes round once.", "read"),
            ("it says nothing about itself", "leave"),
        )
        person.sees(SCENARIOS, "S1:")
        person.pastes("Look at the notes, here and far.\nRead one.")
        person.types("")
        person.answers(("up to 6 more", ""), (WEAK, "approve"), ("Please answer keep or drop.", "keep"))
        person.sees(GATE)
        for wrong in NO_APPROVAL:
            person.sees(GATE_PROMPT)
            person.types(wrong)
            person.sees('or type exactly "approve" or "user-only"')
        person.answers((GATE_PROMPT, "drop S9"), ("nothing was changed: there is no S9", ""), (GATE, "drop S2"))
        shown = person.sees(GATE)
        assert "Read one." not in shown
        assert re.search(r"S1  user     Look at the notes, here and far\.\s+S2  derived", shown)
        person.types(" Approve ")
        person.sees("Evaluation complete: one")
        assert person.ends() in (0, 4)
    assert stage.state()["status"] == "complete"
    assert all(item["targets_mcps"] is not None for item in stage.state()["scenarios"])
    kept = {item["mcp_name"]: item for item in stage.state()["safety_dispositions"]}
    assert kept["notes"]["test_resources"] == ["path: plum", "repo: pear"]
    assert kept["notes"]["assay"]["marks"] == {"orbit": "read"}
    again = stage.run("eval", "--name", "two", "--plan", plan_of(stage))
    assert again.code in (0, 4), again.err
    assert ran(stage, "two") == ran(stage)


def test_user_only_runs_nothing_that_was_derived_and_questions_are_asked_on_stderr(stage: Stage) -> None:
    to_a_file = ["/bin/sh", "-c", 'exec "$@" > ../out', "sh", *eval_words()]
    with Person(to_a_file, environ=stage.environ, cwd=stage.project) as person:
        person.answers(*TO_GATE, (GATE, "USER-ONLY"))
        person.sees("Report written")
        person.ends()
    assert "Evaluation complete: one" in (stage.root / "out").read_text()
    assert [source for _, source, _ in ran(stage)] == ["user"]
    assert "approval: user-only" in plan_of(stage).read_text()


def test_refused_and_skipped_servers_are_not_called_and_one_that_was_refused_is_never_started(stage: Stage) -> None:
    with at_terminal(stage) as person:
        person.answers((CONSENT, "choose"), (START.format("notes"), "no"), (START.format("far"), "yes"))
        person.answers((DISPOSITION.format("far"), "read_only"), (SCENARIOS, "Look around."), ("up to 7", ""))
        person.answers((GATE, "user-only"))
        person.sees("Evaluation complete: one")
        person.ends()
    assert (stage.started("notes"), len(stage.started("far"))) == ([], 1)
    assert "- `notes` — disposition: `skip`. The user chose not to start it." in stage.read("report.md")


def test_no_scenario_and_no_tour_is_nothing_to_evaluate(stage: Stage) -> None:
    with at_terminal(stage) as person:
        person.answers(*TO_TOUR, ("Shall I take a tour instead", "no"))
        person.sees("nothing to evaluate")
        assert person.ends() == 2
    assert stage.state()["status"] == "scoping"


def test_a_tour_calls_the_permitted_tools_and_can_be_edited(stage: Stage) -> None:
    with at_terminal(stage) as person:
        person.answers(*TO_TOUR, ("Shall I take a tour instead", "yes"), (WEAK, "drop"))
        shown = person.sees(GATE)
        assert len(re.findall(r"S\d  user ", shown)) == 2
        person.answers((GATE_PROMPT, "drop S2"), (GATE, "user-only"))
        person.sees("Evaluation complete: one")
        person.ends()
    assert len(ran(stage)) == 1
    called = {line["tool"] for line in stage.lines() if line["is_mcp"]}
    assert "mcp__notes__list_notes" in called
    assert all(tool.startswith("mcp__notes__") for tool in called)


# --- a scenario that targets a skip MCP ------------------------------------------------------------------------------


def file_of(stage: Stage) -> Path:
    here = scenario("Look here.", step("mcp__notes__list_notes"), targets_mcps=["notes"])
    there = scenario("Look there.", step("mcp__far__list_notes"), targets_mcps=["far"])
    return stage.write("scenarios.json", [here, there])


SKIP_FAR = [
    (CONSENT, "choose"),
    (START.format("notes"), "yes"),
    (START.format("far"), "no"),
    (DISPOSITION.format("notes"), "read_only"),
    (MARKS, "leave"),
]


@pytest.mark.parametrize("answer", ["drop", "hm"])
def test_a_scenario_that_targets_a_skip_mcp_is_dropped_unless_the_very_next_answer_says_change(
    stage: Stage, answer: str
) -> None:
    with at_terminal(stage, "--scenarios", file_of(stage)) as person:
        person.answers(*SKIP_FAR, ("drop / change:", answer))
        person.sees("Dropped." if answer == "drop" else "That is neither drop nor change: it is dropped.")
        person.answers((GATE, "user-only"))
        person.sees("Evaluation complete: one")
        assert person.ends() == 0
    assert [text for _, _, text in ran(stage)] == ["Look here."]
    assert stage.started("far") == []


def test_a_changed_disposition_starts_the_server_and_keeps_the_scenario(stage: Stage) -> None:
    with at_terminal(stage, "--scenarios", file_of(stage)) as person:
        person.answers(*SKIP_FAR, ("drop / change:", "change"), ("it must be started", "yes"))
        person.answers((DISPOSITION.format("far"), "read_only"))
        person.answers((WEAK, "drop"), (GATE, "user-only"))
        person.sees("Evaluation complete: one")
        assert person.ends() == 0
    assert [text for _, _, text in ran(stage)] == ["Look here.", "Look there."]
    assert [line["tool"] for line in stage.lines()] == ["mcp__notes__list_notes", "mcp__far__list_notes"]


# --- Ctrl-C ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("answers", "prompt", "again"), PROMPTS.values(), ids=PROMPTS)
def test_ctrl_c_at_a_prompt_saves_what_was_answered_and_says_how_to_go_on(
    stage: Stage, answers: Sequence[tuple[str, str]], prompt: str, again: str
) -> None:
    with at_terminal(stage) as person:
        person.answers(*answers)
        person.sees(prompt)
        person.presses("c")
        person.sees("interrupted", "go on with: mcp-assay eval --name one --resume")
        assert person.ends() == 130
    assert "Traceback" not in person.shown
    assert stage.state()["status"] in ("discovering", "interviewing", "scoping")
    assert not any(lives(process) for name in ("notes", "far") for process in stage.started(name))
    with at_terminal(stage, "--resume") as person:
        shown = person.sees(again)
        assert not any(seen in shown for seen, _ in answers if "?" in seen and seen != again)
        person.presses("c")
        assert person.ends() == 130


def test_after_the_interruption_the_session_goes_on_where_it_stopped(stage: Stage) -> None:
    with at_terminal(stage) as person:
        person.answers(*TO_WEAK)
        person.sees("keep / drop:")
        person.presses("c")
        assert person.ends() == 130
    with at_terminal(stage) as person:
        shown = person.sees("already holds an evaluation; it is scoping", "[resume] / restart / leave:")
        assert "the old folder is renamed, never deleted" in shown
        person.types("what")
        person.answers(("Please answer resume, restart or leave.", ""), (WEAK, "drop"), (GATE, "user-only"))
        person.sees("Evaluation complete: one")
        person.ends()
    assert DISPOSITION.format("notes") not in person.shown
    assert stage.state()["status"] == "complete"


def test_ctrl_c_during_a_call_saves_what_was_done_and_resume_asks_nothing_again(stage: Stage) -> None:
    hang = {"list_notes": {"trick": "hang"}}
    stage.config({"notes": stage.server(replies=hang)})
    file = stage.write("scenarios.json", [scenario("Look.", step("mcp__notes__list_notes"))])
    with at_terminal(stage, "--scenarios", file) as person:
        person.answers((START.format("notes"), "yes"), (DISPOSITION.format("notes"), "read_only"), (GATE, "user-only"))
        person.sees("S1 (1/1) Look.")
        wait_for_line(stage)
        person.presses("c")
        person.sees(f"go on with: mcp-assay eval --name one --resume --scenarios {file}")
        assert person.ends() == 130
    assert stage.state()["status"] == "executing"
    assert [line["assay"]["outcome"] for line in stage.lines()] == ["cancelled"]
    assert not any(map(lives, stage.started()))


# --- an evaluation that is there -------------------------------------------------------------------------------------


@pytest.fixture
def finished(stage: Stage) -> Stage:
    plan = stage.plan()
    assert stage.eval(plan=plan).code == 0
    return stage


def test_a_finalized_evaluation_is_left_alone_unless_it_is_to_be_overwritten(finished: Stage) -> None:
    with at_terminal(finished) as person:
        person.sees("it is finalized", "restart / [leave]:")
        person.types("")
        person.sees("choose another --name")
        assert person.ends() == 2
    assert finished.state()["status"] == "complete"
    with at_terminal(finished) as person:
        person.answers(("it is finalized", "overwrite"), ("Please answer restart or leave.", "restart"))
        person.sees(CONSENT)
        person.presses("c")
        assert person.ends() == 130
    kept = sorted(path.name for path in finished.folder().parent.glob("mcp-eval-*"))
    assert len(kept) == 2


@pytest.mark.parametrize(("typed", "parsed"), [("", "by hand"), ("reparse", "by hand"), ("recritique", "")])
def test_the_critics_output_that_is_there_is_parsed_again_unless_the_user_selects_otherwise(
    finished: Stage, typed: str, parsed: str
) -> None:
    as_if_killed_while_parsing(finished, "## Summary\n\nWritten by hand.\n")
    with at_terminal(finished, "--server", "notes=" + " ".join(finished.server())) as person:
        shown = person.sees("it is critiquing", "[reparse] / recritique / restart:")
        assert "parse the critic's output that is there again" in shown
        person.types(typed)
        person.sees("Evaluation complete: one")
        assert person.ends() == 0
    assert ("by hand" in finished.state()["critic_summary"]) is bool(parsed)


def as_if_killed_while_parsing(stage: Stage, output: str) -> None:
    key = keys.load({**os.environ, **stage.environ}, stage.home, "one").state
    with EvalDir(stage.project, "one") as folder:
        state, signed = folder.load_state(key)
        assert signed
        state.status, state.critic_findings, state.critic_summary = Status.CRITIQUING, [], ""
        folder.save_state(key, state)
    (stage.folder() / "critic-output.md").write_text(output)


def wait_for_line(stage: Stage) -> None:
    """Until the call is under way: its line is written before it is sent."""
    wait_for(stage.folder() / "transcript.jsonl", text="list_notes")
