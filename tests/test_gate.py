"""The gate as a conversation: what is asked of it, and what must have happened by the time it answers."""

import pytest

from mcp_assay.core.model import AbortReason, Disposition, Manifest, Method, Outcome, Reply, Safety, Scenario, ToolCall
from mcp_assay.gate import Permit, Refusal
from playbook import SURFACE, Append, Close, Open, Permitted, Playbook, Refused, Rewrite, Tick, tool

SAFETY = AbortReason.SAFETY_ABORT
BLOCKED = "__blocked__"


def test_a_read_is_written_down_then_permitted_then_completed_in_place(tmp_path):
    play = Playbook(tmp_path)
    play >> Open("list_items") << Append("S1-001") << Permitted("S1-001")
    play >> Close(Outcome.OK) << Rewrite("ok")
    (line,) = play.lines()
    assert line["tool"] == "mcp__a__list_items"
    assert line["is_mcp"] is True
    assert line["justification"] is None
    assert line["assay"]["effect"] == "none"


def test_skip_blocks_each_call_with_the_exact_words_and_the_scenario_goes_on(tmp_path):
    play = Playbook(tmp_path, Disposition.SKIP)
    play >> Open("list_items") << Append("S1-001", BLOCKED) << Refused()
    play >> Open("list_items") << Append("S1-002", BLOCKED) << Refused()
    for line in play.lines():
        assert line["justification"] == "MCP disposition is 'skip'"
        assert line["blocked_tool"] == "mcp__a__list_items"
        assert line["is_mcp"] is False
        assert line["result_shape"] == "error:blocked"
    assert play.run.call_count == 0


def test_read_only_refuses_a_mutation_and_goes_on(tmp_path):
    play = Playbook(tmp_path)
    play >> Open("create_item", {"path": "/s"}) << Append("S1-001", BLOCKED) << Refused()
    play >> Open("list_items") << Append("S1-002") << Permitted("S1-002")
    assert play.run.call_count == 1


def test_read_only_in_doubt_means_abort(tmp_path):
    play = Playbook(tmp_path)
    play >> Open("frobnicate") << Append("S1-001", BLOCKED) << Refused(SAFETY)
    play >> Open("list_items") << Refused()
    assert [entry["reason"] for entry in play.gate.outside] == ["this scenario has been aborted"]


def test_a_sandboxed_mutation_needs_a_resource_and_aborts_without_one(tmp_path):
    play = Playbook(tmp_path, Disposition.SANDBOXED)
    play >> Open("create_item", {"path": "/s"}) << Append("S1-001") << Permitted("S1-001")
    play >> Close() << Rewrite("ok")
    play >> Open("create_item", {"path": "/elsewhere"}) << Append("S1-002", BLOCKED) << Refused(SAFETY)
    assert [line["assay"]["effect"] for line in play.lines()] == ["done", "none"]


def test_the_raw_arguments_decide_and_not_their_summary(tmp_path):
    play = Playbook(tmp_path, Disposition.SANDBOXED)
    play >> Open("create_item", {"path": "/s", "x": 1}) << Append("S1-001") << Permitted("S1-001")
    # What the schema does not declare is only counted in a summary, and decides all the same.
    (line,) = play.lines()
    assert line["args_summary"] == "{path: string[2], +1 undeclared}"
    args = {"path": "/s", "x": "/elsewhere"}
    play >> Close() << Rewrite("ok")
    play >> Open("create_item", args) << Append("S1-002", BLOCKED) << Refused(SAFETY)


@pytest.mark.parametrize(
    ("name", "mcp"),
    [("list_items", "nobody"), ("list_others", "a"), ("", "a")],
)
def test_what_is_unknown_is_refused_and_the_scenario_goes_on(tmp_path, name, mcp):
    play = Playbook(tmp_path)
    play >> Open(name, mcp=mcp) << Append("S1-001", BLOCKED) << Refused()


def test_a_server_without_a_disposition_is_refused(tmp_path):
    play = Playbook(tmp_path, safety={})
    play >> Open("list_items") << Append("S1-001", BLOCKED) << Refused()
    assert "no safety disposition" in play.lines()[0]["justification"]


def test_servers_whose_names_fold_alike_get_the_stricter_disposition(tmp_path):
    surface = {name: Manifest(name, SURFACE) for name in ("a.b", "a_b")}
    dispositions = {"a.b": Safety(Disposition.READ_ONLY), "a_b": Safety(Disposition.SKIP)}
    play = Playbook(tmp_path, safety=dispositions, pinned=surface)
    play >> Open("list_items", mcp="a.b") << Append("S1-001", BLOCKED) << Refused()


def test_a_fault_while_deciding_means_no(tmp_path):
    def broken(path):
        raise RuntimeError("the disk is on fire")

    below = {"a": Safety(Disposition.SANDBOXED, ("path: /s/**",))}
    play = Playbook(tmp_path, safety=below, realpath=broken)
    play >> Open("create_item", {"path": "/s/x"}) << Append("S1-001", BLOCKED) << Refused()


def test_a_line_that_cannot_be_written_means_no_and_ends_the_scenario(tmp_path, monkeypatch):
    play = Playbook(tmp_path)

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fdatasync", full)
    play >> Open("list_items") << Refused(SAFETY)
    assert play.lines() == []
    assert play.run.call_count == 0


def test_call_n_plus_one_is_not_sent_and_its_line_is_the_abort(tmp_path):
    play = Playbook(tmp_path, calls=1)
    play >> Open("list_items") << Append("S1-001") << Permitted("S1-001")
    play >> Close() << Rewrite("ok")
    play >> Open("list_items") << Append("S1-002", "__budget_abort__") << Refused(AbortReason.CALL_BUDGET)
    assert play.run.call_count == 1
    line = play.lines()[1]
    assert (line["is_mcp"], line["justification"]) == (False, "call budget exceeded")
    assert (line["args_summary"], line["result_shape"]) == ("", "error:call_budget")


def test_the_wallclock_wins_over_everything_and_is_written_once(tmp_path):
    play = Playbook(tmp_path, Disposition.SKIP, seconds=60)
    play >> Tick(60)
    play >> Open("list_items") << Append("S1-001", "__wallclock_abort__") << Refused(AbortReason.WALLCLOCK)
    assert play.gate.trip(play.run) is None
    line = play.lines()[0]
    assert (line["is_mcp"], line["justification"]) == (False, "session wallclock exceeded")


def test_a_driver_refused_as_often_as_it_might_have_called_is_stopped(tmp_path):
    play = Playbook(tmp_path, calls=2)
    play >> Open("create_item") << Append("S1-001", BLOCKED) << Refused()
    play >> Open("create_item") << Append("S1-002", BLOCKED) << Refused(SAFETY)


def test_a_non_mcp_call_needs_a_justification_before_it_is_let_through(tmp_path):
    play = Playbook(tmp_path, allow=frozenset({"Bash"}))
    play >> Open("Bash", {"command": "ls"}, mcp=None) << Append("S1-001", BLOCKED) << Refused()
    play >> Open("Bash", {}, mcp=None, justification=" \n ") << Append("S1-002", BLOCKED) << Refused()
    why = "no attached MCP covers this step: list a scratch file"
    play >> Open("Bash", {}, mcp=None, justification=why) << Append("S1-003") << Permitted("S1-003")
    assert "no attached MCP covers this step" in play.lines()[0]["justification"]
    assert play.lines()[2]["justification"] == why


def test_a_non_mcp_tool_that_the_plan_does_not_allow_is_refused(tmp_path):
    play = Playbook(tmp_path)
    play >> Open("Bash", mcp=None, justification="because") << Append("S1-001", BLOCKED) << Refused()


def test_calls_outside_any_scenario_are_refused_and_remembered_without_a_line(tmp_path):
    play = Playbook(tmp_path)
    play.gate.end()
    play >> Open("list_items") << Refused()
    assert play.lines() == []
    assert play.gate.outside[0]["tool"] == "mcp__a__list_items"


def test_a_tool_that_changed_since_the_interview_is_undetermined(tmp_path):
    play = Playbook(tmp_path)
    now = {known.name: known.digest for known in SURFACE} | {"list_items": tool("list_items", x={}).digest}
    play.gate.observe("a", now)
    play >> Open("list_items") << Append("S1-001", BLOCKED) << Refused(SAFETY)
    assert play.lines()[0]["assay"]["rule"] == "manifest-changed"


def test_a_tool_that_vanished_is_refused_and_the_others_go_on(tmp_path):
    play = Playbook(tmp_path)
    play.gate.observe("a", {"list_items": SURFACE[0].digest})
    play >> Open("create_item") << Append("S1-001", BLOCKED) << Refused()
    play >> Open("list_items") << Append("S1-002") << Permitted("S1-002")


def test_a_mutation_without_an_answer_has_an_unknown_effect(tmp_path):
    play = Playbook(tmp_path, Disposition.SANDBOXED)
    play >> Open("create_item", {"path": "/s"}) << Append("S1-001") << Permitted("S1-001")
    play >> Close(Outcome.TIMEOUT) << Rewrite("timeout")
    line = play.lines()[0]
    assert (line["assay"]["effect"], line["result_shape"]) == ("unknown", "error:timeout")
    assert play.run.in_doubt


def test_ids_continue_past_999_without_clashing(tmp_path):
    play = Playbook(tmp_path)
    play.run.lines = 999
    play >> Open("list_items") << Append("S1-1000") << Permitted("S1-1000")


def test_only_the_gate_mints_permits():
    with pytest.raises(TypeError):
        Permit("S1-001", ToolCall("a", "b"), None, None, None, mint=object())


def test_a_permit_is_closed_once(tmp_path):
    play = Playbook(tmp_path)
    play >> Open("list_items") << Append("S1-001") << Permitted("S1-001")
    play >> Close() << Rewrite("ok")
    with pytest.raises(ValueError, match="not open"):
        play.gate.close(play.permit, Reply(Outcome.OK))


def test_the_memory_of_a_scenario_ends_with_it(tmp_path):
    play = Playbook(tmp_path)
    permit = play.gate.open(ToolCall("a", "list_items"))
    play.gate.close(permit, Reply(Outcome.OK, {"content": [{"type": "text", "text": "ticket-90210-xyz"}]}))
    play.gate.end()
    play.gate.begin(Scenario("S2", "user", "go on"))
    permit = play.gate.open(ToolCall("a", "list_items", {"id": "ticket-90210-xyz"}))
    assert not isinstance(permit, Refusal)
    (argument,) = play.lines()[1]["assay"]["args"].values()
    assert argument["source"] == "none"


@pytest.mark.parametrize("method", [Method.READ_RESOURCE, Method.GET_PROMPT, Method.COMPLETE])
def test_what_is_no_tools_call_is_a_counted_read_under_a_name_of_its_own(tmp_path, method):
    play = Playbook(tmp_path)
    permit = play.gate.open(ToolCall("a", str(method), {"uri": "x://y"}, method=method))
    play.gate.close(permit, Reply(Outcome.OK, {"contents": []}))
    (line,) = play.lines()
    assert line["tool"] == f"mcp__a__{method.replace('/', '_')}"
    assert (line["assay"]["tool"], line["assay"]["rule"], line["assay"]["effect"]) == (method, "read-method", "none")
    assert play.run.call_count == 1


def test_a_tool_with_a_methods_name_is_not_taken_for_it(tmp_path):
    pinned = {"a": Manifest("a", (tool("resources/read", uri={"type": "string"}),))}
    play = Playbook(tmp_path, pinned=pinned)
    assert play.gate.open(ToolCall("a", "resources/read", method=Method.READ_RESOURCE)).tool is None
    opened = play.gate.open(ToolCall("a", "resources/read"))
    assert isinstance(opened, Refusal)  # nothing says that this one reads


def test_a_call_that_is_sent_again_is_decided_anew_and_keeps_its_line(tmp_path):
    play = Playbook(tmp_path, calls=1)
    permit = play.gate.open(ToolCall("a", "list_items"))
    assert play.gate.again(permit) is permit
    assert (play.run.call_count, len(play.lines())) == (1, 1)
    play.gate.observe("a", {})
    assert play.gate.again(permit).reason == "the MCP no longer offers this tool"
    assert [line["tool"] for line in play.lines()] == ["mcp__a__list_items", BLOCKED]
    play.gate.close(permit, Reply(Outcome.CANCELLED))
    assert play.gate.again(permit) == Refusal("this call is over")


def test_a_call_that_is_sent_again_is_held_to_the_wallclock(tmp_path):
    play = Playbook(tmp_path, seconds=10)
    permit = play.gate.open(ToolCall("a", "list_items"))
    play.clock.seconds = 11
    assert play.gate.again(permit).aborted is AbortReason.WALLCLOCK


def test_what_was_refused_before_it_came_to_the_gate_is_written_down_with_its_reason(tmp_path):
    play = Playbook(tmp_path)
    call = ToolCall("a", "list_items", {}, join="t1")
    assert play.gate.refuse(call, "the host knows no such tool") == Refusal("the host knows no such tool", "S1-001")
    (line,) = play.lines()
    assert (line["tool"], line["blocked_tool"], line["is_mcp"]) == ("__blocked__", "mcp__a__list_items", False)
    assert (line["justification"], line["assay"]["join"]) == ("the host knows no such tool", "t1")
    assert (play.run.call_count, play.run.refusals) == (0, 1)
    play.gate.end()
    assert play.gate.refuse(call, "x").id is None
    assert [outside["tool"] for outside in play.gate.outside] == ["mcp__a__list_items"]


def test_what_ran_without_having_been_asked_for_is_written_down_though_policy_would_have_refused(tmp_path):
    play = Playbook(tmp_path)
    permit = play.gate.witness(ToolCall("a", "create_item", {}, join="t1"))
    play.gate.close(permit, Reply(Outcome.UNKNOWN))
    (line,) = play.lines()
    assert (line["tool"], line["is_mcp"], line["assay"]["outcome"]) == ("mcp__a__create_item", True, "unknown")
    assert (line["assay"]["effect"], play.run.call_count) == ("unknown", 1)
    play.gate.end()
    assert isinstance(play.gate.witness(ToolCall("a", "create_item")), Refusal)
