"""A host that is started for each scenario: what it may do wrong. With the real one: hosts/test_headless.py.

The host here is a shell script that says it is a Claude Code, and prints what it is told to.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from npm_stage import ROOT, Ran

INIT = {"type": "system", "subtype": "init", "mcp_servers": [{"name": "a", "status": "failed"}]}
SPOKE = {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t1", "name": "mcp__a__list_items"}]}}
ANSWERED = {"type": "user", "message": {"content": [{"type": "tool_result", "tool_use_id": "t1"}]}}
WORDS = {"type": "assistant", "message": {"content": [{"type": "text", "text": "Well."}]}}
COUNTING = [sys.executable, "-S", str(ROOT / "tests" / "servers" / "counting.py")]


def done(text="Done.", **more):
    return {"type": "result", "subtype": "success", "result": text, **more}


class Stage:
    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("home", "state", "project"):
            (root / name).mkdir()

    def evaluate(self, script: str, *more: str, scenarios=("look",), **plan) -> Ran:
        host = self.root / "claude"
        host.write_text(f"#!/bin/sh\n[ $1 = --version ] && echo 99.0.0 && exit\n{script}\n")
        host.chmod(0o755)
        given = {
            "dispositions": {"a": "read_only"},
            "scenarios": [{"description": text} for text in scenarios],
            "approval": "approve",
            "driver": "claude-code",
        }
        file = self.root / "plan.json"
        file.write_text(json.dumps(given | plan))
        server = shlex.join([*COUNTING, str(self.root / "counted"), "a"])
        options = ["--plan", str(file), "--name", "run", "--claude", str(host), "--server", f"a={server}", *more]
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.root / "home"), "PYTHONPATH": str(ROOT / "src")}
        ran = subprocess.run(
            [sys.executable, "-m", "mcp_assay", "eval", *options],
            env=environ | {"XDG_STATE_HOME": str(self.root / "state"), "TMPDIR": str(self.root), "HUSH": "hush-hush"},
            cwd=self.root / "project", capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        return Ran(ran.returncode, ran.stdout, ran.stderr, self.root / "project" / "mcp-evals" / "mcp-eval-run")


@pytest.fixture
def stage():
    with tempfile.TemporaryDirectory(prefix="ma-", dir="/tmp") as root:
        yield Stage(Path(root))


def says(*events, then="exit 0") -> str:
    lines = "\n".join(json.dumps(event) for event in events)
    return f"cat >/dev/null\ncat <<'END'\n{lines}\nEND\n{then}"


@pytest.mark.parametrize(
    ("script", "reached", "reason"),
    [
        (says(INIT, WORDS, done()), None, "the agent did not say whether the goal was reached"),
        (says(INIT, WORDS, done("Well.\nGoal reached: no, it was not there")), False, "it was not there"),
        (says(INIT, WORDS, then="exit 7"), None, "Claude Code broke off: it exited with status 7"),
        (says(INIT, WORDS, then="kill -9 $$"), None, "Claude Code broke off: it was ended by signal 9"),
        (
            says(INIT, WORDS, {"type": "result", "subtype": "error_max_turns", "errors": ["Too many turns"]}),
            None,
            "Claude Code broke off: Too many turns",
        ),
        (says(INIT, WORDS, done("API Error: gone", is_error=True)), None, "Claude Code broke off: API Error: gone"),
    ],
    ids=["silent", "says", "exit", "killed", "turns", "api"],
)
def test_how_a_host_ended_is_told(stage, script, reached, reason):
    ran = stage.evaluate(script)
    ours = ran.execution("S1")["assay"]
    assert (ours["reached"], ours["reason"], ours["driver"]) == (reached, reason, "claude-code")
    assert ran.state["status"] == "complete"


@pytest.mark.parametrize("script", ["echo 'error: no such option' >&2; exit 1", says(INIT, then="kill -9 $$")])
def test_one_that_never_began_stops_the_run_which_goes_on_afterwards(stage, script):
    ran = stage.evaluate(script, scenarios=("look", "again"))
    assert (ran.code, ran.state["status"]) == (2, "executing")
    assert "Claude Code could not begin S1: " in ran.err
    assert "--resume" in ran.err
    again = stage.evaluate(says(INIT, WORDS, done()), "--resume", scenarios=("look", "again"))
    assert again.state["status"] == "complete", again.err
    assert [entry["status"] for entry in again.state["execution"]] == ["complete", "complete"]


def test_what_it_claims_and_nobody_saw_is_told(stage):
    ran = stage.evaluate(says(INIT, SPOKE, ANSWERED, done()))
    assert ran.execution("S1")["assay"]["host"] == {
        "ended": "success",
        "unreported": [],
        "unseen": ["mcp__a__list_items"],
    }
    told = "S1: reported but not made: the gate saw no call for `mcp__a__list_items`."
    assert told in ran.read("report.md")
    report = json.loads(ran.read("report.json"))
    assert report["hosts"]["S1"]["unseen"] == ["mcp__a__list_items"]
    assert "S1: a was not attached to the agent (failed)" in ran.read("report.md")


def test_one_that_does_not_end_is_ended_by_the_wallclock_with_what_it_started(stage):
    hang = f"trap '' TERM; cat >/dev/null; echo $$ >{stage.root}/pid; sleep 600 & wait; sleep 600"
    ran = stage.evaluate(hang, wallclock_budget=0.03, scenarios=("look", "again"))
    assert [entry["abort_reason"] for entry in ran.state["execution"]] == ["wallclock"] * 2
    shown = subprocess.run(["ps", "-axo", "pgid=,stat="], capture_output=True, text=True, check=True).stdout
    group = (stage.root / "pid").read_text().strip()
    left = [row.split() for row in shown.splitlines() if row.split()[0] == group]
    assert [state for _, state in left if not state.startswith("Z")] == []  # nobody may be there to reap them


def test_it_gets_the_scenario_and_neither_secrets_nor_a_folder_of_the_users(stage):
    keep = f"cat >{stage.root}/prompt; pwd >{stage.root}/cwd; env >{stage.root}/env; cat ../mcp.json >{stage.root}/mcp"
    stage.evaluate(f"{keep}\n{says(WORDS, done())}", scenarios=("/clear all",))
    assert (stage.root / "prompt").read_text() == "Scenario S1: /clear all\n"
    assert not Path((stage.root / "cwd").read_text().strip()).exists()
    seen = (stage.root / "env").read_text() + (stage.root / "mcp").read_text()
    assert "hush-hush" not in seen
    assert "counting.py" not in seen
    assert "MCP_ASSAY_HOOKS=" in seen


def judging(script: str) -> str:
    """A host whose agent does nothing, and whose critic is the script."""
    return f'case "$*" in *--restricted*)\n{script}\n;; *)\n{says(INIT, WORDS, done())}\n;; esac'


def test_a_model_judges_beside_the_rules_and_sees_copies_of_what_it_needs(stage):
    found = "### [MAJOR] glue_code: Counted\nMCP: a\nEvidence: S1-001\nRecommendation: x\n\n## Summary\nSo it is.\n"
    ran = stage.evaluate(judging(f"ls -A >{stage.root}/ls\n{says(done(found))}"), critic="claude-code")
    assert ran.code == 4, ran.err  # nothing was called
    files = ["manifests.json", "rules-output.md", "state.json", "transcript.jsonl"]
    assert (stage.root / "ls").read_text().split() == files
    assert ran.read("critic-output.md") == found
    (finding,) = ran.state["critic_findings"]
    assert (finding["summary"], finding["assay"]) == ("Counted", {"by": "model"})
    assert ran.state["critic_summary"] == "So it is."
    assert "There was nothing to evaluate" in ran.state["assay"]["rules_summary"]


@pytest.mark.parametrize("script", ["exit 1", says(done("API Error: gone", is_error=True)), says(done("I won't."))])
def test_a_critic_that_fails_is_told_and_the_rules_can_go_on_alone(stage, script):
    ran = stage.evaluate(judging(script), critic="claude-code")
    assert (ran.code, ran.state["status"]) == (3, "critic_failed")
    assert "go on with the rules' findings alone" in ran.err
    assert not (ran.folder / "report.md").exists()
