"""The owner's desk: what starts a server, what it lists, and when the session begins. Whole runs: cli/test_gate.py."""

import asyncio
import json

import pytest

from hook_events import SESSION, batch, decision, listing, ok, use
from host_client import short
from hosted_stage import Link, scoped
from mcp_assay.core.model import Disposition, Safety, ServerConfig, Tool
from mcp_assay.core.resume import Kind, Standing
from mcp_assay.core.session import Status
from mcp_assay.errors import UserError
from mcp_assay.executing import Execution
from mcp_assay.host.hooks import Hooks
from mcp_assay.hosting import address, host
from mcp_assay.launches import Launches
from mcp_assay.store.evaldir import EvalDir
from playbook import SURFACE, tool

__all__ = ["short"]

OUTPUT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
DISHONOURED = "your host does not honour a refusal: the evaluation does not start"
SERVERS = [ServerConfig("a", "f", command="x")]
TOOLS = [dict(item.raw) for item in SURFACE]


def hosted(tmp_path, short, scene, judge=None, hooks=None, **more):
    """Run a scene beside ``host``; returns the state that it leaves."""

    async def played(of):
        path = short / "run" / "x.sock"
        launches = Launches(SERVERS, {}, allowed={}, folder="/p", timeout=30, enclose={}, resolve=None)
        over = asyncio.ensure_future(host(Execution(of), launches, path, judge, hooks=hooks))
        await asyncio.sleep(0.05)
        links = []

        async def connect(role, **named):
            links.append(Link(*await asyncio.open_unix_connection(path)))
            return links[-1], await links[-1].ask("hello", role=role, version=1, **named)

        try:
            async with asyncio.timeout(30):
                await scene(connect, of)
                await over
        finally:
            over.cancel()
            for link in links:
                await link.cut()
        return of.state

    with EvalDir(tmp_path, "one", create=True) as folder:
        of = scoped(folder, **more)
        of.state.config["wallclock_budget_minutes"] = 1
        return asyncio.run(played(of))


def hooked(tmp_path, session=SESSION):
    return Hooks(tmp_path / "mcp-evals" / "mcp-eval-one", tmp_path / "state", session=session, note=lambda _: None)


def own(join, name):
    server = {"name": "plugin:mcp-eval:assay", "source": "plugin"}
    return use(join, f"mcp__plugin_mcp-eval_assay__{name}", {}, mcp_server=server)


async def finish(agent):
    await agent.ask("finish", reached=True, why="")


def test_the_session_starts_with_the_first_scenario_that_is_asked_for(tmp_path, short):
    async def scene(connect, of):
        agent, _ = await connect("agent")
        status = await agent.ask("status")
        assert status == {"eval": "one", "status": "scoped", "scenario": None, "calls_left": None, "seconds_left": 60}
        assert of.state.session_started is None
        assert (await agent.ask("next"))["scenario"]["calls_left"] == 20
        assert (of.state.status, (await agent.ask("status"))["scenario"]) == (Status.EXECUTING, "S1")
        await finish(agent)

    state = hosted(tmp_path, short, scene)
    assert (state.status, state.assay["active_seconds"] < 5) == (Status.CRITIQUING, True)


def test_a_gateway_learns_what_to_start_unless_it_must_not(tmp_path, short):
    async def scene(connect, _):
        agent, _ = await connect("agent")
        _, welcome = await connect("gateway", server="a")
        assert (welcome["eval"], welcome["launch"]["command"]) == ("one", "x")
        _, welcome = await connect("gateway", server="none")
        assert (welcome["ok"], "launch" in welcome) == (False, False)
        await agent.ask("next")
        await finish(agent)

    hosted(tmp_path, short, scene)


def test_a_call_of_a_skipped_server_leaves_a_line_and_what_is_listed_for_it_changes_nothing(tmp_path, short):
    async def scene(connect, _):
        agent, _ = await connect("agent")
        gateway, welcome = await connect("gateway", server="a")
        assert welcome == {
            "ok": True,
            "eval": "one",
            "launch": None,
            "why": "its disposition is skip: it is never started",
        }
        await agent.ask("next")
        assert await gateway.ask("observe", tools=[]) == {"ok": True}
        answer = await gateway.ask("open", mcp="a", tool="list_items", args={})
        assert answer == {"refused": "MCP disposition is 'skip'", "aborted": None}
        await finish(agent)

    state = hosted(tmp_path, short, scene, safety={"a": Safety(Disposition.SKIP)})
    (line,) = map(json.loads, (tmp_path / "mcp-evals" / "mcp-eval-one" / "transcript.jsonl").read_bytes().splitlines())
    assert (line["tool"], line["is_mcp"], line["blocked_tool"]) == ("__blocked__", False, "mcp__a__list_items")
    assert line["justification"] == "MCP disposition is 'skip'"
    assert state.attached_mcps[0]["assay"] == {"limitation": None, "notes": []}  # no drift


def test_a_tool_that_is_not_the_interviews_is_not_called(tmp_path, short):
    async def scene(connect, _):
        agent, _ = await connect("agent")
        gateway, _ = await connect("gateway", server="a")
        await agent.ask("next")
        changed = dict(tool("list_items", more={"type": "string"}).raw)
        await gateway.ask("observe", tools=[changed, "no tool", *TOOLS[1:]])
        answer = await gateway.ask("open", mcp="a", tool="list_items", args={})
        assert (answer["aborted"], "manifest-changed" in answer["refused"]) == ("safety_abort", True)

    state = hosted(tmp_path, short, scene)
    assert state.attached_mcps[0]["assay"]["drift"]


def test_a_list_that_was_cut_short_in_the_interview_shows_no_change(tmp_path, short):
    async def scene(connect, of):
        agent, _ = await connect("agent")
        gateway, _ = await connect("gateway", server="a")
        await agent.ask("next")
        await gateway.ask("observe", tools=[])
        assert "permit" in await gateway.ask("open", mcp="a", tool="list_items", args={})
        await finish(agent)

    hosted(tmp_path, short, scene, limitation="it was cut short")


def test_where_nothing_is_left_to_run_no_agent_is_waited_for(tmp_path, short):
    async def scene(connect, of):
        pass

    stands = {"S1": Standing(Kind.CUT, 1, 1)}
    state = hosted(tmp_path, short, scene, stands=stands)
    assert state.execution[0]["status"] == "aborted"


@pytest.mark.parametrize("promises", [True, False])
def test_what_judges_results_is_loaded_for_a_promise_only(tmp_path, short, promises):
    loaded = []
    tools = (Tool.from_raw({"name": "list_items"} | ({"outputSchema": OUTPUT} if promises else {})),)

    def load():
        loaded.append(True)
        return lambda *_: True

    async def scene(connect, _):
        agent, _ = await connect("agent")
        gateway, _ = await connect("gateway", server="a")
        await agent.ask("next")
        await gateway.ask("observe", tools=[dict(item.raw) for item in tools])
        await gateway.ask("open", mcp="a", tool="list_items", args={})
        gateway.tell({"do": "close", "permit": "S1-001", "outcome": "ok", "result": {}})
        await gateway.ask("status")
        await finish(agent)

    hosted(tmp_path, short, scene, judge=load, tools=tools)
    assert loaded == [True] * promises


def test_the_address_is_the_evaluations_own(tmp_path, short):
    with EvalDir(tmp_path, "one", create=True) as folder:
        found = address(folder, {"XDG_STATE_HOME": str(short)}, tmp_path)
    assert found.parent == short / "mcp-assay" / "run"


def test_a_session_whose_host_honours_its_hooks_is_held_by_them(tmp_path, short):
    hooks = hooked(tmp_path)

    async def scene(connect, of):
        agent, _ = await connect("agent")
        assert decision(hooks.answer("PreToolUse", listing("t0")))[0] == "deny"
        assert "hooks" in (await agent.ask("next", join="t1"))["refused"]
        hooks.answer("PreToolUse", own("t1", "next_scenario"))
        assert await agent.ask("next", join="t1") == {"canary": True}
        assert of.state.session_started is None
        assert decision(hooks.answer("PreToolUse", own("t2", "canary")))[0] == "deny"
        hooks.answer("PostToolBatch", batch(own("t2", "canary")))
        hooks.answer("PreToolUse", own("t3", "next_scenario"))
        assert (await agent.ask("next", join="t3"))["scenario"]["id"] == "S1"
        assert hooks.answer("PreToolUse", listing("t4")) == (0, "", "")
        hooks.answer("PostToolUse", ok(listing("t4")))
        hooks.answer("PreToolUse", use("t5", "ToolSearch", {"query": "x"}))
        await finish(agent)

    state = hosted(tmp_path, short, scene, hooks=hooks)
    assert (state.assay["evidence"], state.assay["canary"], state.assay["allow"]) == ("hooks", "refused", ["Bash"])
    assert state.execution[0]["call_count"] == 2
    assert hooks.hosted is None
    assert decision(hooks.answer("PreToolUse", listing("t6")))[0] == "deny"
    assert [call["tool"] for call in state.assay["outside_calls"]] == ["mcp__a__list_items"] * 2


def test_what_a_gateway_stands_before_stays_evidence_of_the_gate(tmp_path, short):
    hooks = hooked(tmp_path, None)

    async def scene(connect, _):
        agent, _ = await connect("agent")
        gateway, _ = await connect("gateway", server="a")
        await agent.ask("next")
        await gateway.ask("observe", tools=TOOLS)
        assert hooks.answer("PreToolUse", listing("t1")) == (0, "", "")
        permit = (await gateway.ask("open", mcp="a", tool="list_items", args={"project": "x"}, join="t1"))["permit"]
        gateway.tell({"n": 9, "do": "close", "permit": permit, "outcome": "ok", "size": 1, "duration_ms": 1})
        hooks.answer("PostToolUse", ok(listing("t1")))
        hooks.answer("PostToolBatch", batch(ok(listing("t1"))))
        await finish(agent)

    state = hosted(tmp_path, short, scene, hooks=hooks)
    assert "evidence" not in state.assay
    assert state.execution[0]["call_count"] == 1


def test_a_host_that_does_not_honour_a_refusal_gets_no_evaluation(tmp_path, short):
    hooks, states = hooked(tmp_path), []

    async def scene(connect, of):
        states.append(of.state)
        agent, _ = await connect("agent")
        answer = await agent.ask("canary")
        assert answer == {"refused": DISHONOURED, "aborted": None}

    with pytest.raises(UserError, match=DISHONOURED):
        hosted(tmp_path, short, scene, hooks=hooks)
    (state,) = states
    assert (state.status, state.session_started, state.assay["notes"]) == (Status.SCOPED, None, [DISHONOURED])


def test_where_no_session_is_held_the_canary_means_nothing(tmp_path, short):
    async def scene(connect, _):
        agent, _ = await connect("agent")
        assert (await agent.ask("canary"))["ok"] is True
        await agent.ask("next")
        await finish(agent)

    assert hosted(tmp_path, short, scene, hooks=hooked(tmp_path, None)).status is Status.CRITIQUING
