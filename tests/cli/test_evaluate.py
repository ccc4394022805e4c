"""``mcp-assay eval``: where its servers come from, what it needs to be told, and how it ends."""

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from stage import LOOK, Stage, contents, scenario, step, text_of

FAILED_EXPECTATION = scenario("Expect too much.", step("mcp__notes__list_notes", expect={"is_error": True}))
HIDDEN_ERROR = {"list_notes": {"result": text_of("Error: could not read the notes")}}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def digests(stage: Stage) -> dict[str, str]:
    return {server["name"]: server["digest"] for server in stage.run("discover", "--json").json["attached"]}


# --- servers of the command line -------------------------------------------------------------------------------------


def test_a_named_server_is_evaluated_and_progress_goes_to_stderr(stage: Stage) -> None:
    ran = stage.eval()
    assert ran.code == 0
    assert "Evaluation complete: one" in ran.out
    assert f"Report: {stage.folder() / 'report.md'}" in ran.out
    assert "Discovering" not in ran.out
    assert "S1  Look at the notes.: reached (1 call)" in ran.err
    assert stage.state()["status"] == "complete"
    assert [line["tool"] for line in stage.lines()] == ["mcp__notes__list_notes"]


def test_with_json_the_report_is_the_one_object_on_stdout(stage: Stage) -> None:
    ran = stage.eval("--json")
    assert ran.err == ""
    assert (ran.json["name"], ran.json["exit_code"], ran.json["folder"]) == ("one", 0, str(stage.folder()))
    assert ran.json["servers"][0]["coverage"]["calls"] == 1


def test_a_command_after_two_dashes_is_consent_and_gives_the_name(stage: Stage) -> None:
    plan = stage.plan(scenario("Look.", step("mcp__stagehand__list_notes")), dispositions={"stagehand": "read_only"})
    command = [word for word in stage.server() if word != "-S"]
    ran = stage.run("eval", "--name", "one", "--plan", plan, "--", *command)
    assert ran.code == 0
    assert stage.state()["attached_mcps"][0]["name"] == "stagehand"
    assert stage.state()["attached_mcps"][0]["source"] == "command line"


def test_a_server_of_the_command_line_runs_in_the_current_folder(stage: Stage) -> None:
    (here := stage.project / "deep").mkdir()
    server = stage.server(mark="here.started")
    assert stage.run(*stage.eval_words("--project", stage.project, server=server), cwd=here).code == 0
    assert (here / "here.started").exists()


# --- servers of the configuration, and consent -----------------------------------------------------------------------


def test_pinned_servers_of_all_scopes_are_evaluated(stage: Stage) -> None:
    stage.config({"notes": stage.server("notes")})
    user, local = stage.server("mine"), stage.server("here")
    stage.write(
        "home/.claude.json",
        {
            "mcpServers": {"mine": {"command": user[0], "args": user[1:]}},
            "projects": {str(stage.project): {"mcpServers": {"here": {"command": local[0], "args": local[1:]}}}},
        },
    )
    pins = digests(stage)
    assert set(pins) == {"notes", "mine", "here"}
    names = ("notes", "mine", "here")
    plan = stage.plan(
        scenario("Look everywhere.", *(step(f"mcp__{name}__list_notes") for name in names)),
        dispositions=dict.fromkeys(names, "read_only"),
        connect=pins,
    )
    ran = stage.run("eval", "--name", "one", "--plan", plan)
    assert ran.code == 0
    assert all(len(stage.started(name)) == 1 for name in names)


@pytest.mark.parametrize(
    ("connect", "words", "said"),
    [
        (None, (), "connect: add 'notes' with the digest sha256:"),
        ({}, (), "connect: add 'notes' with the digest sha256:"),
        ({"notes": "sha256:" + "0" * 64}, (), "connect: 'notes' is not what was pinned"),
        ({"notes": "sha256:" + "0" * 64}, ("--trust-config",), "connect: 'notes' is not what was pinned"),
        ("all", (), "--trust-config"),
        (None, ("--trust-config",), "connect: add 'notes'"),
    ],
)
def test_without_consent_nothing_is_started(stage: Stage, connect: Any, words: tuple[str, ...], said: str) -> None:
    stage.config({"notes": stage.server()})
    ran = stage.run("eval", "--name", "one", "--plan", stage.plan(connect=connect), *words)
    assert ran.code == 2
    assert said in ran.err
    assert stage.started() == []
    assert stage.state()["status"] == "discovering"


def test_a_pin_holds_only_for_what_it_was_given_for(stage: Stage) -> None:
    stage.config({"notes": stage.server()})
    plan = stage.plan(connect=digests(stage))
    stage.config({"notes": [*stage.server(), "--extra"]})
    ran = stage.run("eval", "--name", "one", "--plan", plan)
    assert (ran.code, stage.started()) == (2, [])
    assert "'notes' is not what was pinned" in ran.err


def test_all_is_consent_if_the_command_line_says_so_too(stage: Stage) -> None:
    stage.config({"notes": stage.server()})
    ran = stage.run("eval", "--name", "one", "--plan", stage.plan(connect="all"), "--trust-config")
    assert ran.code == 0
    assert len(stage.started()) == 1


def test_a_server_to_be_skipped_needs_no_consent_and_is_never_started(stage: Stage) -> None:
    stage.config({"notes": stage.server(), "far": stage.server("far")})
    plan = stage.plan(
        scenario("Look.", step("mcp__notes__list_notes")),
        scenario("Reach out.", targets_mcps=["far"]),
        scenario("Try all the same.", step("mcp__far__list_notes", expect={"is_error": True})),
        dispositions={"notes": "read_only", "far": {"disposition": "skip", "notes": "It reaches out."}},
        connect={"notes": digests(stage)["notes"]},
    )
    ran = stage.run("eval", "--name", "one", "--plan", plan)
    assert (ran.code, stage.started("far")) == (0, [])
    assert "dropped because it targets a skip MCP: Reach out." in ran.err
    blocked = stage.lines()[1]
    assert (blocked["tool"], blocked["justification"]) == ("__blocked__", "MCP disposition is 'skip'")
    assert "- `far` — disposition: `skip`. It reaches out." in stage.read("report.md")


def test_the_working_directory_of_an_entry_is_relative_to_the_project(stage: Stage) -> None:
    (stage.project / "sub").mkdir()
    command, *args = stage.server(mark="there.started")
    stage.config({"notes": {"command": command, "args": args, "cwd": "sub"}})
    assert stage.run("eval", "--name", "one", "--plan", stage.plan(connect=digests(stage))).code == 0
    assert (stage.project / "sub" / "there.started").exists()


# --- what it must be told --------------------------------------------------------------------------------------------


def test_all_that_is_unanswered_is_told_at_once(stage: Stage) -> None:
    stage.config({"notes": stage.server(), "far": stage.server("far")})
    ran = stage.run("eval", "--name", "one")
    assert (ran.code, ran.out) == (2, "")
    pairs = [(question, name) for question in ("dispositions", "connect") for name in ("notes", "far")]
    about_servers = [f"{question}: add {name!r}" for question, name in pairs]
    assert all(question in ran.err for question in (*about_servers, "scenarios: add", "approval: add"))
    assert stage.started() + stage.started("far") == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("dispositions:\n  notes: read_only\n  notes: skip\n", ":3: "),
        ("dispositions:\n  notes: readonly\n", ":2: dispositions.notes: must be skip or read_only"),
        (
            "dispositions:\n  notes: {disposition: sandboxed}\n",
            ":2: dispositions.notes: sandboxed needs test_resources",
        ),
        ("approval: yes\n", ":1: approval: must be approve or user-only"),
        ("\ndisposition: {}\n", ":2: disposition: unknown key; did you mean 'dispositions'?"),
        ("scenarios:\n- description: ''\n", ":2: "),
        ("call_budget: 0\n", ":1: call_budget: must be 1 or more"),
        ("a: [\n", "plan.yaml:"),
        ("- a\n", "plan.yaml:1: a plan must be an object"),
    ],
)
def test_a_plan_that_is_wrong_is_told_by_file_line_and_key(stage: Stage, text: str, said: str) -> None:
    plan = stage.write("plan.yaml", text)
    ran = stage.eval(plan=plan)
    assert (ran.code, ran.out, stage.started()) == (2, "", [])
    assert f"{plan}:" in ran.err
    assert said in ran.err
    assert "Traceback" not in ran.err


def test_with_json_the_place_of_a_mistake_is_told_apart(stage: Stage) -> None:
    plan = stage.write("plan.yaml", "\ncall_budget: many\n")
    told = stage.eval("--json", plan=plan).json
    assert {key: told[key] for key in ("source", "line", "key", "exit_code")} == {
        "source": str(plan), "line": 2, "key": "call_budget", "exit_code": 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("s.json", '[{"description": "a"},\n {"description": " "}]', "s.json"),
        ("s.yaml", "- description: a\n- targets_mcps: [notes]\n", ":2: "),
        ("s.yaml", "- description: a\n  targets_mcps: [note]\n", "no attached MCP is named 'note'"),
        ("s.yaml", "- description: a\n  steps: [{tool: mcp__notes__list_note}]\n", "notes offers no list_note"),
        ("s.txt", "# nothing but a comment\n", "s.txt"),
        ("s.txt", "\n".join("abcdefghi"), "s.txt"),
    ],
)
def test_scenarios_that_are_wrong_are_told_by_their_file(stage: Stage, name: str, text: str, said: str) -> None:
    ran = stage.eval("--scenarios", stage.write(name, text))
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert stage.state()["status"] == "scoping"


# --- how it ends -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phase", "status", "files"),
    [
        ("discovery", "interviewing", set()),
        ("interview", "scoping", set()),
        ("scenarios", "scoped", set()),
        ("execution", "critiquing", {"transcript.jsonl"}),
        ("critique", "reporting", {"transcript.jsonl", "critic-output.md"}),
        ("report", "complete", {"transcript.jsonl", "critic-output.md", "report.md", "report.json"}),
    ],
)
def test_until_stops_after_a_phase(stage: Stage, phase: str, status: str, files: set[str]) -> None:
    ran = stage.eval("--until", phase)
    assert ran.code == 0
    assert stage.state()["status"] == status
    assert {path.name for path in stage.folder().iterdir()} == {".assay", "state.json", *files}
    if phase == "report":
        assert "Evaluation complete: one" in ran.out
    else:
        assert f"Stopped at {status}: " in ran.out


def test_the_way_on_names_where_the_evaluation_lies(stage: Stage, tmp_path: Path) -> None:
    elsewhere = tmp_path / "out of the way"
    elsewhere.mkdir()
    ran = stage.eval("--until", "execution", "--out", elsewhere)
    assert f"mcp-assay critique one --out '{elsewhere}'\n" in ran.out


def test_a_phase_needs_only_the_answers_up_to_it(stage: Stage) -> None:
    bare = stage.plan(dispositions=None, scenarios=None, approval=None)
    assert stage.eval("--until", "discovery", plan=bare).code == 0
    assert stage.eval("--until", "interview", plan=bare, name="two").code == 2
    disposed = stage.plan(scenarios=None, approval=None)
    assert stage.eval("--until", "interview", plan=disposed, name="three").code == 0
    assert stage.eval("--until", "scenarios", plan=disposed, name="four").code == 2


@pytest.mark.parametrize("until", ["discovery", "interview", "scenarios"])
def test_an_evaluation_of_named_servers_never_turns_to_those_of_the_configuration(stage: Stage, until: str) -> None:
    stage.eval("--until", until)
    before = contents(stage.folder())
    ran = stage.run("eval", "--name", "one", "--resume")
    assert ran.code == 2
    assert "name it again: --server notes=" in ran.err
    assert contents(stage.folder()).keys() == before.keys()
    assert [entry["name"] for entry in stage.state()["attached_mcps"]] == ["notes"]


@pytest.mark.parametrize("until", ["report", "scenarios"])
def test_an_evaluation_that_exists_is_left_as_it_is(stage: Stage, until: str) -> None:
    stage.eval("--until", until)
    before = contents(stage.folder())
    ran = stage.eval()
    assert ran.code == 2
    assert "already holds an evaluation" in ran.err
    assert "choose another --name" in ran.err
    assert contents(stage.folder()) == before
    assert len(stage.started()) == 1


def test_a_stopped_evaluation_goes_on_if_told_to(stage: Stage) -> None:
    plan = stage.plan()
    assert "and: --name one --resume" in stage.eval("--until", "scenarios", plan=plan).out
    assert stage.eval("--resume", plan=plan).code == 0
    assert stage.state()["status"] == "complete"


def test_starting_anew_keeps_the_old_folder(stage: Stage) -> None:
    stage.eval()
    before = contents(stage.folder())
    assert stage.eval("--restart").code == 0
    kept = [path for path in stage.folder().parent.iterdir() if path.is_dir() and path != stage.folder()]
    assert [sorted(contents(path).values()) for path in kept] == [sorted(before.values())]
    assert stage.run("verify", "one").code == 0


@pytest.mark.parametrize("planted", ["transcript.jsonl", "state.json", "critic-output.md"])
def test_a_folder_with_anything_in_it_is_not_built_upon(stage: Stage, planted: str) -> None:
    stage.write(f"project/mcp-evals/mcp-eval-one/{planted}", '{"id": "S1-001", "tool": "forged"}\n')
    ran = stage.eval()
    assert (ran.code, stage.started()) == (2, [])
    assert stage.read(planted) == '{"id": "S1-001", "tool": "forged"}\n'


def test_findings_end_with_1_only_if_asked_for(stage: Stage) -> None:
    server = stage.server(replies=HIDDEN_ERROR)
    ran = stage.eval("--json", server=server)
    assert ran.code == 0
    grave = next(severity for severity, number in ran.json["counts"].items() if number).lower()
    assert stage.eval("--fail-on", grave, server=server, name="two").code == 1
    assert stage.eval(server=server, name="three", plan=stage.plan(fail_on=grave)).code == 1
    assert stage.eval("--fail-on", "never", server=server, name="four", plan=stage.plan(fail_on=grave)).code == 0


def test_a_failed_expectation_ends_with_1_and_stands_in_the_report(stage: Stage) -> None:
    assert stage.eval(plan=stage.plan(FAILED_EXPECTATION)).code == 1
    assert "expected an error, but it succeeded" in stage.read("report.md")


def test_where_nothing_could_run_the_code_is_4(stage: Stage) -> None:
    for name, words in (("one", ()), ("two", ("--allow-unreached",))):
        ran = stage.eval(*words, server=["no-such-server-anywhere"], name=name)
        assert ran.code == 4
        assert "no such command: 'no-such-server-anywhere'" in ran.err
    assert "Not called in this run; nothing was observed." in stage.read("report.md")


def test_a_server_that_was_not_reached_ends_with_4_unless_allowed(stage: Stage) -> None:
    plan = stage.plan(dispositions={"notes": "read_only", "idle": "read_only"})
    idle = ("--server", f"idle={sys.executable} -c ''")
    assert stage.eval(*idle, plan=plan).code == 4
    assert stage.eval(*idle, "--allow-unreached", plan=plan, name="two").code == 0


def test_an_unreadable_config_is_a_note_and_hides_no_other(stage: Stage) -> None:
    stage.config({"notes": stage.server()})
    broken = stage.write("home/.claude.json", '{"mcpServers": {\n')
    ran = stage.run("eval", "--name", "one", "--plan", stage.plan(connect=digests(stage)))
    assert ran.code == 0
    assert f"{broken}:" in ran.err
    assert f"{broken}:" in stage.read("report.md")


def test_an_unreadable_config_alone_is_no_proof_that_nothing_is_attached(stage: Stage) -> None:
    broken = stage.write("project/.mcp.json", '{"mcpServers": {\n')
    ran = stage.run("eval", "--name", "one", "--json")
    assert ran.code == 2
    assert f"{broken}:" in ran.json["error"]
    assert stage.state()["status"] == "discovering"
    assert not (stage.folder() / "report.md").exists()


def test_where_nothing_is_attached_there_is_nothing_to_evaluate(stage: Stage) -> None:
    ran = stage.run("eval", "--name", "one")
    assert ran.code == 0
    assert "No MCPs attached — nothing to evaluate" in ran.out
    assert (stage.state()["status"], stage.state()["attached_mcps"]) == ("complete", [])
    assert "No MCPs attached — nothing to evaluate" in stage.read("report.md")
    assert "Per-MCP" not in stage.read("report.md")
    assert not (stage.folder() / "transcript.jsonl").exists()


def test_filtered_servers_are_recorded_and_not_started(stage: Stage) -> None:
    stage.config({"notes": stage.server(), "off": stage.server("off")})
    settings = stage.write("project/.claude/settings.local.json", {"disabledMcpjsonServers": ["off"]})
    ran = stage.run("eval", "--name", "one", "--plan", stage.plan(connect=digests(stage)))
    assert (ran.code, stage.started("off")) == (0, [])
    assert stage.state()["filtered_mcps"] == [{"name": "off", "reason": f"disabled by {settings}"}]
    assert "filtered out at discovery" in stage.read("report.md")


def test_a_call_budget_that_was_lowered_is_said_so(stage: Stage) -> None:
    ran = stage.eval("--call-budget", "5000")
    assert ran.code == 0
    assert "lowered to 999" in ran.err
    assert stage.state()["config"]["call_budget_per_scenario"] == 999
    assert "lowered to 999" in stage.read("report.md")


def test_named_servers_that_a_host_cannot_tell_apart_are_said_so(stage: Stage) -> None:
    plan = stage.plan(dispositions={"a.b": "read_only", "a_b": "skip"}, scenarios=None, approval=None)
    command = shlex.join(stage.server())
    ran = stage.run(
        "eval", "--plan", plan, "--until", "interview", "--server", f"a.b={command}", "--server", f"a_b={command}"
    )
    assert ran.code == 0
    assert "a.b, a_b: a host gives the tools of these servers the same names" in ran.err


def test_the_command_line_goes_before_the_plan(stage: Stage) -> None:
    plan = stage.plan(name="planned", call_budget=7, wallclock_budget=3, out="elsewhere")
    (stage.root / "elsewhere").mkdir()
    server = stage.server()
    named = f"notes={server[0]} {' '.join(server[1:])}"
    ran = stage.run("eval", "--plan", plan, "--server", named, "--wallclock-budget", "2.5", "--json")
    kept = json.loads((stage.root / "elsewhere/mcp-evals/mcp-eval-planned/state.json").read_text())
    assert ran.json["folder"] == str(stage.root / "elsewhere/mcp-evals/mcp-eval-planned")
    assert kept["config"]["call_budget_per_scenario"] == 7
    assert kept["config"]["wallclock_budget_minutes"] == 2.5


def test_a_name_is_made_up_from_the_time(stage: Stage) -> None:
    server = f"notes={' '.join(stage.server())}"
    name = stage.run("eval", "--plan", stage.plan(LOOK), "--server", server, "--json").json["name"]
    day, _, time = name.partition("-")
    assert (len(day), len(time)) == (8, 6)
    assert (day + time).isdigit()
