"""``--critic claude-code`` with the real Claude Code: a model judges beside the rules, and cannot lessen them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from claude_stage import ClaudeStage, claude_stage
from scripted_model import Asked, Call, Turn

pytestmark = pytest.mark.hosts

__all__ = ["claude_stage"]

LISTED = Turn("", tuple(Call("mcp__a__list_items", {"number": 1}) for _ in range(3)))
AGENT = {"Scenario S1": [LISTED, Turn("", (Call("mcp__assay__finish", {"reached": True, "why": "x"}),)), Turn("done")]}
BLOCK = "### [{severity}] {dimension}: {summary}\nMCP: a\nEvidence: S1-001\nRecommendation: mend it\n"
ADDED = BLOCK.format(severity="MAJOR", dimension="glue_code", summary="Counted by hand")
SUMMARY = "## Summary\n\nIt is hard to work with. Very hard.\n"
CRITIC = "adversarial critic"  # words of its instructions


def judged(stage: ClaudeStage, *more: str):
    return stage.evaluate(stage.plan("look", critic="claude-code"), *more)


def say(stage: ClaudeStage, *turns: Turn | Callable[[Asked], Turn]) -> None:
    stage.say({**AGENT, CRITIC: turns})


def test_it_reads_what_it_is_given_and_nothing_else_and_its_findings_are_added(claude_stage):
    key = claude_stage.state / "mcp-assay" / "key"

    def reads(asked: Asked) -> Turn:
        paths = [line.partition(": ")[2] for line in asked.first.splitlines() if ": /" in line]
        assert len(paths) == 4
        more = [str(key), str(claude_stage.folder / "state.json"), "/etc/hostname"]
        return Turn("", tuple(Call("Read", {"file_path": path}) for path in (*paths, *more)))

    say(claude_stage, reads, Turn(ADDED + "\n" + SUMMARY))
    ran = judged(claude_stage)
    assert ran.code == 0, ran.err
    first, last = claude_stage.model.asked[-2:]
    assert {name for name in first.tools if not name.startswith("Deferred")} == {"Glob", "Grep", "Read"}
    assert "sonnet" in first.body["model"]
    assert sorted(failed for _, failed in last.results) == [False] * 4 + [True] * 3
    assert ran.read("critic-output.md") == ADDED + "\n" + SUMMARY
    state = ran.state
    assert state["assay"]["critique"] == "claude-code"
    assert state["critic_summary"] == "It is hard to work with. Very hard."
    *ruled, added = state["critic_findings"]
    assert ruled
    assert {finding["assay"]["by"] for finding in ruled} == {"rule"}
    assert (added["summary"], added["assay"]) == ("Counted by hand", {"by": "model"})
    report = ran.read("report.md")
    assert "Counted by hand" in report
    assert "a model in a session of its own" in report
    assert claude_stage.calls == ["a list_items 1"] * 3


def test_what_the_rules_found_it_can_raise_and_not_lessen(claude_stage):
    def reads(asked: Asked) -> Turn:
        (path,) = [line.partition(": ")[2] for line in asked.first.splitlines() if "rules-output.md" in line]
        return Turn("", (Call("Read", {"file_path": path}),))

    def raises(asked: Asked) -> Turn:
        heading = next(
            words for line in asked.results[0][0].splitlines() if "### [" in (words := line.split("\t", 1)[-1])
        )
        words = heading.partition("] ")[2]
        return Turn(f"### [CRITICAL] {words}\nMCP: a\nEvidence: S1-001\nRecommendation: burn it\n\n{SUMMARY}")

    say(claude_stage, reads, raises)
    ran = judged(claude_stage)
    first, *others = ran.state["critic_findings"]
    assert (first["severity"], first["assay"]["raised_from"]) == ("Critical", "Minor")
    assert "burn it" not in first["recommendation"]
    assert others
    assert all(finding["assay"]["by"] == "rule" and "raised_from" not in finding["assay"] for finding in others)
    assert "1 Critical" in ran.read("report.md")


@pytest.mark.parametrize("answer", ["I would rather not.", None])
def test_one_that_says_nothing_has_failed_and_the_rules_go_on_alone(claude_stage, answer):
    def gone(_: Asked) -> Turn:
        claude_stage.model.fail = 529
        raise ConnectionResetError

    say(claude_stage, gone if answer is None else Turn(answer))
    claude_stage.environ["CLAUDE_CODE_MAX_RETRIES"] = "1"
    ran = judged(claude_stage)
    assert (ran.code, ran.state["status"]) == (3, "critic_failed")
    assert "go on with the rules' findings alone, run: mcp-assay critique run" in ran.err
    assert not (claude_stage.folder / "report.md").exists()
    again = claude_stage.assay("critique", "run")
    assert (again.returncode, ran.state["status"]) == (0, "complete"), again.stderr
    assert ran.state["assay"]["critique"] == "rules"


def test_it_can_be_asked_afterwards_and_its_output_read_again(claude_stage):
    say(claude_stage)
    ran = claude_stage.evaluate(claude_stage.plan("look"))
    rules = ran.state["critic_findings"]
    say(claude_stage, Turn(ADDED + "\n" + SUMMARY))
    asked = claude_stage.assay("critique", "run", "--critic", "claude-code")
    assert asked.returncode == 0, asked.stderr
    both = ran.state["critic_findings"]
    assert [finding["summary"] for finding in both] == [*(item["summary"] for item in rules), "Counted by hand"]
    claude_stage.model.script.clear()
    output = str(Path(claude_stage.folder) / "critic-output.md")
    again = claude_stage.assay("critique", "run", "--critic", "claude-code", "--from", output)
    assert again.returncode == 0, again.stderr
    assert ran.state["critic_findings"] == both
    assert json.loads(ran.read("report.json"))["critique"] == "claude-code"
