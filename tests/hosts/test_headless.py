"""``--driver claude-code`` with the real Claude Code: whole evaluations whose model says what a script says."""

import json
import stat
import time

import pytest

from claude_stage import COUNTING, ClaudeStage, claude_stage
from npm_stage import left_behind
from scripted_model import Asked, Call, Turn

pytestmark = pytest.mark.hosts

__all__ = ["claude_stage"]


def listed(*numbers: int) -> Turn:
    return Turn("", tuple(Call("mcp__a__list_items", {"number": number}) for number in numbers))


def finish(*, reached: bool = True, why: str = "as asked") -> Turn:
    return Turn("", (Call("mcp__assay__finish", {"reached": reached, "why": why}),))


def bash(command: str) -> Turn:
    return Turn("", (Call("Bash", {"command": command, "description": "x"}),))


JUSTIFY = Turn("", (Call("mcp__assay__justify", {"tool": "Bash", "text": "no attached MCP covers this step: a sum"}),))
DONE = Turn("done")


def one_line_each(stage: ClaudeStage, ran) -> None:
    """The real invariant: each call of the script has exactly one line, and the servers got what the lines say."""
    ids = [made for made, tool in stage.model.made.items() if not tool.startswith("mcp__assay__")]
    joins = [line["assay"].get("join") for line in ran.lines if not line["tool"].endswith("_abort__")]
    assert len(set(joins)) == len(joins)
    # A host that was ended may have been given calls that it did not come to make.
    cut_off = set(ids) - set(joins) if any(entry["abort_reason"] for entry in ran.state["execution"]) else set()
    assert len(cut_off) <= 1
    assert set(joins) | cut_off == set(ids)
    sent = [line for line in ran.lines if line["tool"].startswith("mcp__a__")]
    assert [line["tool"].removeprefix("mcp__a__") for line in sent] == [call.split()[1] for call in stage.calls]


def test_a_whole_evaluation_every_call_has_one_line_and_the_report_is_complete(claude_stage):
    claude_stage.say(
        {
            "Scenario S1": [listed(1, 2), listed(3), finish(), DONE],
            "Scenario S2": [listed(4), Turn("I looked.\nGoal reached: no. It is not there")],
        }
    )
    ran = claude_stage.evaluate(claude_stage.plan("look", "look again"))
    assert (ran.code, ran.state["status"]) == (0, "complete"), ran.err
    one_line_each(claude_stage, ran)
    assert claude_stage.calls == [f"a list_items {number}" for number in (1, 2, 3, 4)]
    first, second = (ran.execution(name) for name in ("S1", "S2"))
    assert (first["status"], first["call_count"], first["assay"]["reached"]) == ("complete", 3, True)
    assert (second["assay"]["reached"], second["assay"]["reason"]) == (False, "It is not there")
    assert first["assay"]["host"] == {"ended": "success", "unreported": [], "unseen": []}
    report = json.loads(ran.read("report.json"))
    assert report["evidence"] == "gate"
    assert [kind for kind in (item["kind"] for item in report["caveats"]) if kind in ("not-made", "not-reported")] == []
    assert claude_stage.model.unscripted == []
    assert left_behind(str(claude_stage.root)) == []


def test_the_agent_has_our_gateways_and_nothing_else(claude_stage):
    (claude_stage.home / "CLAUDE.md").write_text("REMEMBERED")
    (claude_stage.project / "CLAUDE.md").write_text("REMEMBERED")
    (claude_stage.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"stray": {"command": "true"}}}))
    claude_stage.say({"Scenario S1": [finish(), DONE]})
    ran = claude_stage.evaluate(claude_stage.plan("look"), ANOTHER_TOKEN="hush")
    assert ran.code == 4  # nothing was called
    offered = claude_stage.model.asked[0].tools
    assert {"mcp__a__list_items", "mcp__a__create_item", "mcp__assay__finish"} <= set(offered)
    assert [name for name in offered if not name.startswith(("mcp__a__", "mcp__assay__", "Deferred"))] == []
    assert "REMEMBERED" not in json.dumps([asked.body for asked in claude_stage.model.asked])


def test_what_is_refused_has_its_line_and_reaches_no_server(claude_stage):
    claude_stage.say(
        {
            "Scenario S1": [
                Turn("", (Call("mcp__b__list_items", {"number": 1}),)),
                Turn("", (Call("mcp__a__create_item", {"number": 2}),)),
                bash("echo 1"),
                Turn("", (Call("mcp__nobody__x", {}),)),
                finish(),
                listed(5),
                DONE,
            ],
        }
    )
    ran = claude_stage.evaluate(claude_stage.plan("try"))
    assert claude_stage.calls == []
    lines = ran.of("S1")
    assert [(line["tool"], line["blocked_tool"]) for line in lines] == [
        ("__blocked__", name) for name in ("mcp__b__list_items", "mcp__a__create_item", "Bash", "mcp__nobody__x")
    ]
    assert lines[0]["justification"] == "MCP disposition is 'skip'"
    # After finish nothing runs any more: what is called then belongs to no scenario.
    assert [entry["tool"] for entry in ran.state["assay"]["outside_calls"]] == ["mcp__a__list_items"]
    assert ran.execution("S1")["assay"]["host"]["unseen"] == []


def test_beyond_the_sandbox_ends_the_scenario_and_its_agent(claude_stage):
    claude_stage.say(
        {
            "Scenario S1": [
                Turn("", (Call("mcp__a__create_item", {"project": "mine", "number": 1}),)),
                Turn("", (Call("mcp__a__create_item", {"project": "theirs", "number": 2}),)),
                listed(3),
            ],
        }
    )
    sandboxed = {"disposition": "sandboxed", "test_resources": ["mine"]}
    began = time.monotonic()
    ran = claude_stage.evaluate(claude_stage.plan("write", dispositions={"a": sandboxed, "b": "skip"}))
    assert time.monotonic() - began < 30  # the script would go on for ever
    assert claude_stage.calls == ["a create_item 1"]
    assert (ran.execution("S1")["status"], ran.execution("S1")["abort_reason"]) == ("aborted", "safety_abort")


def test_a_tool_that_is_no_mcp_tool_needs_the_plan_and_a_justification(claude_stage):
    claude_stage.say({"Scenario S1": [bash("echo 1"), JUSTIFY, bash("echo 2"), listed(1), finish(), DONE]})
    ran = claude_stage.evaluate(claude_stage.plan("sum", allow=["Bash"]))
    one_line_each(claude_stage, ran)
    unjustified, justified, _ = ran.of("S1")
    assert (unjustified["tool"], unjustified["blocked_tool"]) == ("__blocked__", "Bash")
    assert (justified["tool"], justified["justification"]) == ("Bash", "no attached MCP covers this step: a sum")


def test_with_a_shell_a_server_that_is_started_there_is_told_to_be_beyond_the_gate(claude_stage):
    call = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
         "params": {"name": "create_item", "arguments": {"number": 66}}}
    )  # fmt: skip
    around = f"echo '{call}' | {' '.join(COUNTING)} {claude_stage.counted} a"
    claude_stage.say({"Scenario S1": [JUSTIFY, bash(around), finish(), DONE]})
    ran = claude_stage.evaluate(claude_stage.plan("go around", allow=["Bash"]), "--allow-unreached")
    assert claude_stage.calls == ["a create_item 66"]  # so it is possible …
    assert [line["tool"] for line in ran.of("S1")] == ["Bash"]
    assert "cannot be excluded" in ran.read("report.md")  # … and the report says so


def test_the_call_budget_ends_the_agent(claude_stage):
    claude_stage.say({"Scenario S1": [listed(1)]})
    ran = claude_stage.evaluate(claude_stage.plan("go on", call_budget=3))
    assert (ran.execution("S1")["abort_reason"], len(claude_stage.calls)) == ("call_budget", 3)
    assert ran.lines[-1]["tool"] == "__budget_abort__"


def test_the_wallclock_ends_the_agent(claude_stage):
    claude_stage.model.hold = lambda: time.sleep(0.3)
    claude_stage.say({"Scenario S1": [listed(1)]})
    ran = claude_stage.evaluate(claude_stage.plan("go on", "and on", wallclock_budget=0.06, call_budget=900))
    assert {entry["abort_reason"] for entry in ran.state["execution"]} == {"wallclock"}
    assert ran.state["execution"][1]["call_count"] == 0
    one_line_each(claude_stage, ran)


def test_nothing_secret_is_seen_by_the_agent_and_what_it_said_is_kept_for_the_user_alone(claude_stage):
    claude_stage.say({"Scenario S1": [JUSTIFY, bash("env"), finish(), DONE]})
    plan = claude_stage.plan(
        "look", allow=["Bash"], dispositions={"a": {"disposition": "read_only", "env": ["A_TOKEN"]}, "b": "skip"}
    )
    ran = claude_stage.evaluate(plan, "--allow-unreached", A_TOKEN="hush-hush")
    seen = claude_stage.model.asked[-1].results[1][0]
    assert "MCP_ASSAY_HOOKS=" in seen
    assert "hush-hush" not in seen
    record = claude_stage.folder / ".assay" / "host" / "S1.jsonl"
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert '"subtype":"init"' in record.read_text()
    assert ran.execution("S1")["assay"]["reached"] is True


def test_the_record_can_be_left_out(claude_stage):
    claude_stage.say({"Scenario S1": [listed(1), finish(), DONE]})
    ran = claude_stage.evaluate(claude_stage.plan("look", host_record=False))
    assert ran.code == 0
    assert not (claude_stage.folder / ".assay" / "host").exists()


# --- whose fault it was -----------------------------------------------------------------------------------------------


def test_without_a_login_nothing_runs_and_it_goes_on_afterwards(claude_stage):
    key = claude_stage.environ.pop("ANTHROPIC_API_KEY")
    plan = claude_stage.plan("look")
    ran = claude_stage.evaluate(plan)
    assert ran.code == 2
    assert "Claude Code could not begin S1: Not logged in" in ran.err
    assert "--resume" in ran.err
    claude_stage.environ["ANTHROPIC_API_KEY"] = key
    claude_stage.say({"Scenario S1": [listed(1), finish(), DONE]})
    again = claude_stage.evaluate(plan, "--resume")
    assert (again.code, again.execution("S1")["assay"]["reached"]) == (0, True), again.err


def test_a_model_that_breaks_off_is_no_servers_fault(claude_stage):
    def gone(_: Asked) -> Turn:
        claude_stage.model.fail = 529
        raise ConnectionResetError

    claude_stage.say({"Scenario S1": [listed(1), gone]})
    ran = claude_stage.evaluate(claude_stage.plan("look"), CLAUDE_CODE_MAX_RETRIES="1")
    entry = ran.execution("S1")
    assert (entry["status"], entry["assay"]["reached"]) == ("complete", None)
    assert entry["assay"]["reason"].startswith("Claude Code broke off: ")
    assert "Claude Code broke off" in ran.read("report.md")


def test_a_program_that_is_missing_old_or_no_host_at_all_is_told_before_anything_runs(claude_stage):
    old = claude_stage.root / "claude-old"
    old.write_text("#!/bin/sh\necho '2.1.0 (Claude Code)'\n")
    old.chmod(0o755)
    plan = claude_stage.plan("look")
    for program, words in (
        (claude_stage.root / "nowhere", "was not found"),
        (old, "2.1.0, too old"),
        ("true", "does not tell the version"),
    ):
        ran = claude_stage.assay(*claude_stage.arguments(plan, "--claude", str(program)))
        assert (ran.returncode, words in ran.stderr) == (2, True), ran.stderr
    assert not claude_stage.folder.exists()
    assert claude_stage.calls == []


def test_a_server_that_has_the_name_of_our_own_is_told_before_anything_runs(claude_stage):
    plan = claude_stage.plan("look", dispositions={"assay": "read_only"})
    ran = claude_stage.assay("eval", "--plan", str(plan), "--name", "run", "--server", "assay=true")
    assert ran.returncode == 2
    assert "it keeps this name for itself" in ran.stderr
