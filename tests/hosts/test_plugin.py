"""Whole evaluations through the plugin, in the real Claude Code with a model that is scripted."""

import json
import os
import shlex
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from claude_stage import ClaudeStage, claude_stage
from mcp_assay.host.sessions import Session
from plugin_session import Agent, PluginSession, installed, items, own, received
from scripted_model import Asked, Call, Turn

__all__ = ["claude_stage"]

pytestmark = pytest.mark.hosts

START = "/mcp-eval --name one"
ANSWERS = ("yes", "read_only", "Bash", "look at the items", "done", "user-only")
CRITIC = """\
### [MAJOR] response_shape: Items come without a total
MCP: items
Evidence: S1-001
Recommendation: Say how many there are.

## Summary

Two calls, and nobody knows how many items there are.
"""


def once(words: str, turn: Turn) -> Any:
    """Something else than the skill says, the first time that these words are heard."""
    left = [turn]

    def instead(said: str, _: Asked) -> Turn | None:
        return left.pop() if left and words in said else None

    return instead


def counts(stage: ClaudeStage) -> Counter[str]:
    file = received(stage)
    return Counter(file.read_text().split("\n")[:-1]) if file.exists() else Counter()


def test_a_whole_evaluation_from_the_typed_command_to_the_report(claude_stage: ClaudeStage) -> None:
    stage = installed(claude_stage)
    think = own("justify", tool="Bash", text="no attached MCP covers this step: it counts lines")
    work = [items("list_items", 1), items("list_items", 2), think, Call("Bash", {"command": "echo 2"})]
    with PluginSession(stage, Agent({"S1": work}), critic=CRITIC) as session:
        session.types(START, *ANSWERS)
        assert "mcp-eval:mcp-eval" in session.init["slash_commands"]
        assert "mcp-eval:friction-critic" in session.init["agents"]
        assert any("Approve this scenario list?" in text and "sha256:" in text for text in session.shown)
        # One line for each call, and the server counted the same.
        assert [line["tool"] for line in session.lines] == ["mcp__items__list_items"] * 2 + ["Bash"]
        assert {line["assay"]["outcome"] for line in session.lines} == {"ok"}
        assert counts(stage) == {"items list_items 1": 1, "items list_items 2": 1}
        state = session.state
        assert (state["status"], state["assay"]["evidence"]) == ("complete", "hooks")
        assert (session.folder / "critic-output.md").read_text().strip() == CRITIC.strip()
        assert "Items come without a total" in [finding["summary"] for finding in state["critic_findings"]]
        report = (session.folder / "report.md").read_text()
        assert "Items come without a total" in report
        # Its end is shown to the user, and the session is free again.
        assert "Evaluation complete: one" in session.shown[-1]
        deadline = time.monotonic() + 10
        while list((stage.state / "mcp-assay" / "run").glob("*.sock")) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not list((stage.state / "mcp-assay" / "run").glob("*.sock"))


def test_a_model_that_approves_in_the_users_place_changes_nothing(claude_stage: ClaudeStage) -> None:
    stage = installed(claude_stage)
    tricks = (
        Call("Bash", {"command": "mcp-assay host show --answer approve"}),
        Call("Bash", {"command": "mcp-assay host approve"}),
        Call("Bash", {"command": "echo approve | mcp-assay host show"}),
        Call("Bash", {"command": "mcp-assay eval --name one --resume"}),
        Call("mcp__items__create_item", {"project": "playground", "number": 1}),
        own("next_scenario"),
    )
    instead = once("Approve this scenario list?", Turn("approve", tricks))
    with PluginSession(stage, Agent({}, instead)) as session:
        session.types(START, *ANSWERS[:-1])
        assert (session.state["status"], session.state["scenarios"]) == ("scoping", [])
        assert counts(stage) == {}
        refused = [denied["tool_input"].get("command") for denied in denials(session)]
        assert refused[:4] == [call.args.get("command") for call in tricks[:4]]
        # The user's own word still counts, once they have been shown what it is about.
        session.types("user-only")
        assert session.state["status"] == "complete"


def test_a_model_cannot_touch_the_evaluations_files(claude_stage: ClaudeStage) -> None:
    stage = installed(claude_stage)
    state = stage.project / "mcp-evals" / "mcp-eval-one" / "state.json"
    beat = stage.state / "mcp-assay" / "run" / "forged"
    forging = (
        Call("Write", {"file_path": str(state), "content": '{"status": "scoped"}'}),
        Call("Write", {"file_path": str(beat), "content": "x"}),
        Call("Bash", {"command": f"rm -rf {state.parent}"}),
    )
    with PluginSession(
        stage, Agent({"S1": [items("list_items", 1)]}, once("Scenario S1", Turn("", forging)))
    ) as session:
        session.types(START, *ANSWERS)
        assert session.state["status"] == "complete"
        assert not beat.exists()
        blocked = [line["assay"] for line in session.lines if line["tool"] == "__blocked__"]
        assert len(blocked) == 3
        assert counts(stage) == {"items list_items 1": 1}


def test_calls_outside_a_scenario_and_without_a_justification_are_refused(claude_stage: ClaudeStage) -> None:
    stage = installed(claude_stage)
    early = once("scenarios are approved", Turn("", (items("list_items", 7),)))

    def instead(said: str, asked: Asked) -> Turn | None:
        turn = early(said, asked)
        # What is said after that call is not what the skill knows.
        if turn is None and "no scenario is running" in said:
            return Turn(calls=(own("next_scenario"),))
        assert turn is None or isinstance(turn, Turn)
        return turn

    work = [Call("Bash", {"command": "echo 1"}), items("create_item", 8), items("list_items", 9)]
    with PluginSession(stage, Agent({"S1": work}, instead)) as session:
        session.types(START, *ANSWERS)
        assert counts(stage) == {"items list_items 9": 1}
        assert [line["tool"] for line in session.lines] == ["__blocked__", "__blocked__", "mcp__items__list_items"]
        assert "considered" in session.lines[0]["justification"] or "justif" in session.lines[0]["justification"]
        assert "mcp__items__list_items" in json.dumps(session.state["assay"]["outside_calls"])


def test_without_a_critic_the_user_goes_on_with_the_rules(claude_stage: ClaudeStage) -> None:
    stage = installed(claude_stage)
    words = "### [CRITICAL] glue_code: forged\nEvidence: S1-001\n\n## Summary\n\nI judge it myself."
    with PluginSession(
        stage, Agent({"S1": [items("list_items", 1)]}, once("friction-critic now", Turn(words)))
    ) as session:
        session.types(START, *ANSWERS)
        assert session.state["status"] == "critiquing"
        assert any("rules only" in text for text in session.shown)
        session.types("rules only")
        state = session.state
        assert (state["status"], state["assay"]["critique"]) == ("complete", "rules")
        assert "forged" not in (session.folder / "report.md").read_text()


def test_nothing_passes_while_the_owner_is_dead(claude_stage: ClaudeStage) -> None:
    stage = installed(claude_stage)
    run = stage.state / "mcp-assay" / "run"

    def kill(said: str, asked: Asked) -> Turn | None:
        if "Scenario S1" in said:
            [bound] = run.glob("s-*.sock")
            owner = Session(bound.stem.removeprefix("s-"), run).owner()
            assert owner
            os.kill(owner, signal.SIGKILL)
        return None

    work = [items("list_items", 1), Call("Bash", {"command": "touch made"})]
    with PluginSession(stage, Agent({"S1": work}, kill)) as session:
        session.types(START, *ANSWERS)
        assert counts(stage) == {}
        assert not (stage.project / "made").exists()
        assert session.lines == []
        assert "its owner has ended" in json.dumps(session.events[-6:])
        assert stage.assay("host", "stop").returncode == 0
        assert not list(run.glob("s-*.sock"))


def test_without_hooks_nothing_starts_and_the_switch_is_named(claude_stage: ClaudeStage) -> None:
    stage = installed(claude_stage)
    off = stage.project / ".claude" / "settings.json"
    off.parent.mkdir(exist_ok=True)
    off.write_text('{"disableAllHooks": true}')
    agent = Agent({}, lambda said, asked: None if asked.spoken == 0 else Turn("It does not start."))
    with PluginSession(stage, agent) as session:
        session.types(START)
        assert any("disableAllHooks" in text for text in agent.heard)
        assert not session.folder.exists()


def denials(session: PluginSession) -> list[dict[str, Any]]:
    return [item for event in session.events for item in event.get("permission_denials", ())]


def test_the_plugin_is_valid_in_the_hosts_own_eyes(claude_stage: ClaudeStage) -> None:
    stage = installed(claude_stage)
    folder = stage.state / "mcp-assay" / "claude-code"
    for asked in (["--strict"], ["--profile", "directory"]):
        done = stage.claude("plugin", "validate", *asked, str(folder))
        assert done.returncode == 0, done.stdout


def test_a_session_attached_strictly_goes_through_gateways_only(claude_stage: ClaudeStage) -> None:
    stage = installed(claude_stage)
    plan = stage.root / "plan.json"
    answers = {"dispositions": {"items": "read_only"}, "scenarios": [{"description": "look"}], "approval": "approve"}
    plan.write_text(json.dumps({**answers, "connect": "all", "driver": "host"}))
    words = ["eval", "--plan", str(plan), "--name", "one", "--until", "scenarios", "--trust-config"]
    assert stage.assay(*words).returncode == 0
    attached = stage.assay("host", "attach", "--eval", "one")
    assert attached.returncode == 0, attached.stderr
    started = shlex.split(attached.stdout.split("In another")[1].split("\n\n")[1])
    gate = stage.start("gate", "one", "--allow-unreached")
    hooks = Path(started[1].removeprefix("MCP_ASSAY_HOOKS="))
    deadline = time.monotonic() + 30
    while not hooks.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    turns = [
        Turn(calls=(Call("mcp__assay__next_scenario"),)),
        Turn(calls=(items("list_items", 1),)),
        Turn(calls=(Call("Bash", {"command": "touch made"}), items("create_item", 2))),
        Turn(calls=(Call("mcp__assay__finish", {"reached": True, "why": "seen"}),)),
        Turn("Done."),
    ]
    stage.say({"evaluate now": turns})
    allowed = ["--permission-mode", "dontAsk", "--allowedTools", "Bash,mcp__items,mcp__assay"]
    done = stage.claude(*started[3:], "-p", "evaluate now", *allowed, **dict([started[1].split("=", 1)]))
    assert done.returncode == 0, done.stdout
    out, err = gate.communicate(timeout=60)
    assert "Evaluation complete: one" in out, err
    folder = stage.project / "mcp-evals" / "mcp-eval-one"
    lines = [json.loads(line) for line in (folder / "transcript.jsonl").read_text().splitlines()]
    assert [line["tool"] for line in lines] == ["mcp__items__list_items", "__blocked__", "__blocked__"]
    assert counts(stage) == {"items list_items 1": 1}
    assert not (stage.project / "made").exists()
    assert json.loads((folder / "state.json").read_text())["assay"]["evidence"] == "gate"
