"""A scenario that an agent drives in its own host: where it begins, what belongs to it, and how it ends."""

import asyncio
from dataclasses import replace

import pytest

from host_client import short
from hosted_stage import SCENARIOS, staged
from mcp_assay.core.model import Method, Outcome, Reply, ToolCall
from mcp_assay.drivers.hosted import Hosted, Unlisted
from mcp_assay.errors import StoreError, UserError
from mcp_assay.gate import Permit, Refusal

__all__ = ["short"]

READ = ToolCall("a", "list_items")


def play(tmp_path, short, scene, **more):
    async def played():
        async with staged(tmp_path, short, **more) as stage:
            return await scene(stage, stage.hosted)

    return asyncio.run(played())


def test_a_scenario_begins_when_it_is_asked_for_and_is_given_again_while_it_runs(tmp_path, short):
    async def scene(stage, hosted):
        await asyncio.sleep(0.05)
        assert (hosted.running, hosted.left) == (None, 2)
        assert await hosted.next() == await hosted.next() == SCENARIOS[0]
        assert (hosted.running, hosted.left) == (SCENARIOS[0], 1)
        assert hosted.finish(reached=True, why=" done ")
        assert hosted.running is None
        await asyncio.sleep(0.05)
        assert len(stage.state.execution) == 1
        assert stage.state.execution[0]["assay"]["reason"] == "done"
        assert await hosted.next() == SCENARIOS[1]

    play(tmp_path, short, scene)


def test_one_who_stops_asking_has_not_asked(tmp_path, short):
    async def scene(stage, hosted):
        await hosted.next()
        await hosted_ends(hosted, stage)
        asking = asyncio.ensure_future(hosted.turn(SCENARIOS[1]))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asking, 0.05)

    async def hosted_ends(hosted, stage):
        stage.over.cancel()
        await asyncio.gather(stage.over, return_exceptions=True)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(hosted.next(), 0.05)

    play(tmp_path, short, scene)


def test_a_call_between_two_scenarios_belongs_to_none(tmp_path, short):
    async def scene(stage, hosted):
        await hosted.next()
        hosted.finish(reached=True, why="")
        assert hosted.open(READ) == Refusal("no scenario is running")
        assert not hosted.finish(reached=True, why="")
        assert hosted.justify("Bash", "x") == "no scenario is running"
        assert stage.lines() == []

    play(tmp_path, short, scene)


def test_a_reply_that_is_on_its_way_when_the_scenario_ends_is_waited_for(tmp_path, short):
    async def scene(stage, hosted):
        await hosted.next()
        permit = hosted.open(READ)
        hosted.finish(reached=True, why="")
        hosted.closed(permit, Reply(Outcome.OK, {"content": []}))
        await hosted.next()
        assert stage.ends() == [("S1-001", "ok")]

    play(tmp_path, short, scene)


def test_a_call_that_is_never_closed_is_cut_off_and_a_late_close_changes_nothing(tmp_path, short):
    async def scene(stage, hosted):
        await hosted.next()
        permit = hosted.open(ToolCall("a", "list_items"))
        hosted.finish(reached=True, why="")
        await hosted.next()
        hosted.closed(permit, Reply(Outcome.OK, {"content": []}))
        assert stage.ends() == [("S1-001", "cancelled")]

    play(tmp_path, short, scene, patience=0.05)


def test_the_wallclock_cuts_off_what_is_open_as_timed_out(tmp_path, short):
    async def scene(stage, hosted):
        await hosted.next()
        hosted.open(READ)
        assert hosted.timeout() < 1
        await stage.over
        assert stage.ends() == [("S1-001", "timeout"), ("S1-002", "aborted")]
        assert await hosted.next() == "every scenario has been attempted"

    play(tmp_path, short, scene, minutes=0.01)


def test_only_a_tool_call_needs_a_list_and_only_once_a_scenario(tmp_path, short):
    async def scene(stage, hosted):
        assert isinstance(hosted.open(READ, needs_list=True), Refusal)
        await hosted.next()
        assert isinstance(hosted.open(READ, needs_list=True), Unlisted)
        assert isinstance(hosted.open(ToolCall("unknown", "t"), needs_list=True), Refusal)
        hosted.listed("a")
        assert isinstance(hosted.open(READ, needs_list=True), Permit)

    play(tmp_path, short, scene)


def test_justifications_are_taken_in_order_and_forgotten_with_the_scenario(tmp_path, short):
    async def scene(stage, hosted):
        await hosted.next()
        bash = ToolCall(None, "Bash")
        assert hosted.justify("Bash", "one") is hosted.justify("Bash", "two") is None
        assert [hosted.open(bash).call.justification for _ in range(2)] == ["one", "two"]
        assert hosted.justify("Bash", "three") is None
        hosted.finish(reached=True, why="")
        await hosted.next()
        assert isinstance(hosted.open(bash), Refusal)
        for _ in range(1_000):
            assert hosted.justify("Bash", "x") is None
        assert "too many" in hosted.justify("Bash", "x")

    play(tmp_path, short, scene, patience=0.05)


def test_what_cannot_be_written_ends_the_session(tmp_path, short):
    async def scene(stage, hosted):
        await hosted.next()
        hosted.fail(StoreError("no space left"))
        with pytest.raises(StoreError, match="no space"):
            await stage.over

    play(tmp_path, short, scene)


@pytest.mark.parametrize("outcome", [Outcome.OK, Outcome.ERROR])
def test_a_result_is_held_against_its_promise_only_if_it_is_one(tmp_path, short, outcome):
    judged = []

    def judge(server, tool, result, size):
        judged.append((server, tool.name, result, size))
        return False

    async def scene(stage, _):
        hosted = Hosted(stage.owner.gate, stage.owner.remaining, left=1, timeout=60, judge=judge)
        stage.owner.gate.begin(SCENARIOS[0])
        hosted.closed(hosted.open(READ), Reply(outcome, {"content": []}, size=7))
        assert judged == ([("a", "list_items", {"content": []}, 7)] if outcome is Outcome.OK else [])
        kept = stage.lines()[0]["assay"]["result"]["schema_valid"]
        assert kept is (False if outcome is Outcome.OK else None)

    play(tmp_path, short, scene)


def test_a_call_is_known_again_by_its_id_or_by_what_it_asks_where_hosts_give_none(tmp_path, short):
    async def scene(stage, hosted):
        await hosted.next()
        read = ToolCall("a", "resources/read", {"uri": "u:1"}, method=Method.READ_RESOURCE)
        called = replace(READ, join="t1")
        assert not hosted.has_seen(called)
        for call in (called, replace(READ, join="t2"), read):
            hosted.ask(call)
        assert hosted.has_seen(called)
        assert hosted.has_seen(replace(read, join="t9"))
        assert not hosted.has_seen(replace(read, join="t9"))  # that was another
        assert not hosted.has_seen(replace(READ, join="t9"))
        assert not hosted.has_seen(replace(read, args={"uri": "u:2"}, join="t9"))
        assert hosted.refuse(replace(READ, join="t3"), "no").reason == "no"
        hosted.witness(replace(READ, join="t4"))
        assert hosted.has_seen(replace(READ, join="t3"))
        assert [end for _, end in stage.ends()][-2:] == ["blocked", "unknown"]

    play(tmp_path, short, scene)


def test_a_session_that_is_abandoned_before_its_first_scenario_ends_with_the_reason(tmp_path, short):
    async def scene(_, hosted):
        waiting = asyncio.ensure_future(hosted.first())
        await asyncio.sleep(0)
        hosted.abandon(UserError("no"))
        with pytest.raises(UserError, match="no"):
            await waiting

    play(tmp_path, short, scene)


def test_what_a_hook_asked_for_before_there_was_a_gateway_is_one_call_with_one_line(tmp_path, short):
    call = replace(READ, join="toolu_1")

    async def scene(stage, hosted):
        await hosted.next()
        hosted.listed("a")
        asked = hosted.ask(call)
        assert hosted.open(call, needs_list=True) is asked
        hosted.closed(asked, Reply(Outcome.OK))
        hosted.closed(asked, Reply(Outcome.CANCELLED))  # the hook, later
        assert stage.ends() == [("S1-001", "ok")]
        # The id serves once, and only what was asked for.
        assert hosted.open(call).id == "S1-002"
        asked = hosted.ask(replace(call, join="toolu_2"))
        assert isinstance(hosted.open(replace(call, join="toolu_2", args={"n": 1})), Refusal)

    play(tmp_path, short, scene)


def test_an_agent_that_is_there_for_one_scenario_is_given_no_other(tmp_path, short):
    async def scene(stage, hosted):
        hosted.attended = True
        assert await hosted.next() == "each agent attempts one scenario"
        stage.over.cancel()
        running = asyncio.ensure_future(hosted.run(SCENARIOS[0], None))
        await asyncio.sleep(0)
        assert await hosted.next() == SCENARIOS[0]
        assert not hosted.finished
        assert hosted.finish(reached=None, why="it broke off")
        assert hosted.finished
        ended = await running
        assert (ended.reached, ended.reason) == (None, "it broke off")

    play(tmp_path, short, scene)
