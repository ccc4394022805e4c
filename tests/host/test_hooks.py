"""A host's events against a real gate: what may be called, and that each of its call ids ends with one line."""

import asyncio
import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hook_events import SESSION, UNKNOWN, Event, batch, creating, decision, failed, listing, ok, use
from host_client import short
from hosted_stage import staged
from mcp_assay.core.housekeeping import CRITIC
from mcp_assay.core.model import Method, ToolCall
from mcp_assay.core.safety import NO_MCP
from mcp_assay.errors import StoreError
from mcp_assay.host.hooks import Hooks
from mcp_assay.store.evaldir import place

__all__ = ["short"]


class Playing:
    """Hooks with the stage's gate behind them; ``said`` is what went to the screen, ``remarks`` to the Caveats."""

    def __init__(self, stage, tmp_path, session, interview=None):
        self.stage = stage
        self.said: list[str] = []
        self.remarks: list[str] = []
        self.opened: list[str | None] = []
        self.gateways: set[str] = set()
        self.folder = place(tmp_path, "one")
        state = tmp_path / "state"
        self.hooks = Hooks(self.folder, state, session=session, note=self.said.append, interview=interview)
        policy = stage.owner.gate.policy
        stage.owner.gate.policy = type(policy)(
            policy.safety, policy.pinned, allow=frozenset({"Bash", "ToolSearch", "Write"})
        )

    def during(self):
        return self.hooks.during(
            self.stage.hosted,
            gateways=lambda: self.gateways,
            remark=self.remarks.append,
            opened=self.opened.append,
        )

    def pre(self, event):
        return decision(self.hooks.answer("PreToolUse", event))

    def post(self, event):
        answer = self.hooks.answer("PostToolUseFailure" if "error" in event else "PostToolUse", event)
        assert answer == (0, "", "")

    def batch(self, *events, **more):
        assert self.hooks.answer("PostToolBatch", batch(*events, **more)) == (0, "", "")

    def gateway(self, event):
        """The call reaches a gateway, and comes back."""
        call = ToolCall(
            "a", event["tool_name"].removeprefix("mcp__a__"), event["tool_input"], join=event["tool_use_id"]
        )
        return self.stage.hosted.open(call)

    def told(self):
        """Of each line: its tool, what it blocked, the host's id and the outcome."""
        return [
            (line["tool"], line.get("blocked_tool"), line["assay"].get("join"), line["assay"]["outcome"])
            for line in self.stage.lines()
        ]

    def justify(self, tool, text="no attached MCP covers this step: a file"):
        assert self.stage.hosted.justify(tool, text) is None


def play(tmp_path, short, scene, *, running=True, session=None, interview=None, **more):
    async def played():
        async with staged(tmp_path, short, **more) as stage:
            playing = Playing(stage, tmp_path, session, interview)
            if not running:
                return scene(playing)
            await stage.hosted.next()
            with playing.during():
                return scene(playing)

    return asyncio.run(played())


LIST, CREATE = "mcp__a__list_items", "mcp__a__create_item"
NO_SCENARIO = "no scenario is running; ask for one: next_scenario of the server assay"


# --- one call ---------------------------------------------------------------------------------------------------------


def test_a_permitted_call_has_its_line_before_it_is_made_and_it_is_completed_afterwards(tmp_path, short):
    def scene(host):
        assert host.pre(listing("t1")) is None
        assert host.told() == [(LIST, None, "t1", "pending")]
        host.post(ok(listing("t1", duration_ms=7)))
        host.batch(ok(listing("t1")))
        assert host.told() == [(LIST, None, "t1", "ok")]
        (line,) = host.stage.lines()
        assert (line["result_shape"], line["assay"]["duration_ms"]) == ("text[4]", 7)
        assert host.opened == ["a"]

    play(tmp_path, short, scene)


def test_a_failure_is_told_with_the_hosts_words_and_an_interruption_is_a_cancellation(tmp_path, short):
    def scene(host):
        for join, end in (("t1", failed(listing("t1"), "HTTP 404")), ("t2", failed(listing("t2"), is_interrupt=True))):
            assert host.pre(listing(join)) is None
            host.post(end)
        host.batch(ok(listing("t1"), "HTTP 404"), ok(listing("t2"), "x"))
        assert [(line["result_shape"], line["assay"]["outcome"]) for line in host.stage.lines()] == [
            ("error:404", "error"),
            ("error:cancelled", "cancelled"),
        ]

    play(tmp_path, short, scene)


def test_what_the_gate_blocks_is_denied_with_its_reason_and_has_one_line(tmp_path, short):
    def scene(host):
        assert host.pre(creating("t1")) == ("deny", "read_only: the tool may mutate (denylist-token: create)")
        host.batch(ok(creating("t1"), "PreToolUse:mcp__a__create_item hook error: …"))
        assert host.told() == [("__blocked__", CREATE, "t1", "blocked")]
        assert host.said[-1].startswith("refused: mcp__a__create_item: read_only")

    play(tmp_path, short, scene)


def test_a_call_that_the_host_did_not_send_is_closed_at_the_end_of_its_batch(tmp_path, short):
    def scene(host):
        host.justify("Write")
        assert host.pre(use("t1", "Write", {"file_path": "/elsewhere/x", "content": ""})) is None
        assert host.pre(listing("t2")) is None
        host.batch(use("t1", "Write", {}, tool_response="you have not granted it"), listing("t2"))
        assert host.told() == [("Write", None, "t1", "cancelled"), (LIST, None, "t2", "cancelled")]
        assert [line["assay"]["effect"] for line in host.stage.lines()] == ["unknown", "none"]

    play(tmp_path, short, scene)


def test_a_tool_that_the_host_does_not_know_has_a_blocked_line(tmp_path, short):
    def scene(host):
        host.batch(
            use("t1", "nope", {"x": 1}, tool_response=UNKNOWN.format("nope")),
            use("t2", "mcp__a__gone", {}, tool_response=UNKNOWN.format("mcp__a__gone")),
        )
        assert host.told() == [
            ("__blocked__", "nope", "t1", "blocked"),
            ("__blocked__", "mcp__a__gone", "t2", "blocked"),
        ]
        assert {line["justification"] for line in host.stage.lines()} == {"the host knows no such tool"}

    play(tmp_path, short, scene)


def test_a_call_that_nobody_was_asked_about_is_told_in_the_log_and_the_caveats(tmp_path, short):
    def scene(host):
        host.post(ok(creating("t1")))
        host.batch(ok(creating("t1")), use("t2", "Bash", {"command": "id"}, tool_response="uid=0"))
        assert host.told() == [(CREATE, None, "t1", "unknown"), ("Bash", None, "t2", "unknown")]
        assert host.remarks == [
            f"{name} was called though neither a hook nor a gateway had been asked before" for name in (CREATE, "Bash")
        ]
        assert host.pre(creating("t1"))[0] == "deny"  # its hook comes late

    play(tmp_path, short, scene)


def test_parallel_calls_are_told_apart_by_their_ids(tmp_path, short):
    def scene(host):
        events = [listing(f"t{number}") for number in range(6)]
        for event in events:
            assert host.pre(event) is None
        for event in (events[3], events[0], events[5]):
            host.post(ok(event))
        host.post(failed(events[1]))
        host.batch(*events)
        ends = ["ok", "error", "cancelled", "ok", "cancelled", "ok"]
        assert host.told() == [(LIST, None, f"t{number}", end) for number, end in enumerate(ends)]

    play(tmp_path, short, scene)


def test_a_subagents_calls_are_calls_like_others(tmp_path, short):
    def scene(host):
        who = {"agent_id": "a1", "agent_type": "general-purpose"}
        assert host.pre(listing("t1", **who)) is None
        assert host.pre(creating("t2", **who))[0] == "deny"
        host.post(ok(listing("t1", **who)))
        host.batch(ok(listing("t1")), ok(creating("t2")), **who)
        assert host.told() == [(LIST, None, "t1", "ok"), ("__blocked__", CREATE, "t2", "blocked")]

    play(tmp_path, short, scene)


def test_an_id_is_good_for_one_call(tmp_path, short):
    """Whether the same event is told twice, or another call has the id: what was not asked for anew is not made."""

    def scene(host):
        again = "this call's id was used before (are the hooks installed twice?)"
        assert host.pre(listing("t1")) is None
        assert host.pre(listing("t1")) == ("deny", again)
        assert host.pre(creating("t1")) == ("deny", again)
        host.post(ok(listing("t1")))
        host.post(ok(listing("t1")))
        host.batch(ok(listing("t1")))
        host.batch(ok(listing("t1")))
        assert host.pre(listing("t1")) == ("deny", again)
        assert [line[0] for line in host.told()] == [LIST, "__blocked__", "__blocked__", "__blocked__"]
        assert host.told()[0][3] == "ok"

    play(tmp_path, short, scene)


def test_a_call_of_the_size_of_a_book_is_a_call(tmp_path, short):
    def scene(host):
        event = use("t1", LIST, {"project": "x" * 5_000_000}, "a")
        assert host.pre(event) is None
        host.post(ok(event, [{"type": "text", "text": "y" * 5_000_000}]))
        assert host.told() == [(LIST, None, "t1", "ok")]

    play(tmp_path, short, scene)


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"tool_use_id": "t1"},
        {"tool_use_id": "t1", "tool_name": "Bash"},
        {"tool_use_id": "", "tool_name": "Bash", "tool_input": {}},
        {"tool_use_id": "t1", "tool_name": "Bash", "tool_input": "ls"},
        {"tool_use_id": 1, "tool_name": "Bash", "tool_input": {}},
        {"tool_use_id": "t1", "tool_name": ["Bash"], "tool_input": {}},
    ],
)
def test_what_is_no_event_is_a_fault_and_a_fault_refuses(tmp_path, short, event):
    def scene(host):
        for name in ("PreToolUse", "PostToolUse", "PostToolBatch", "Stop"):
            answer = host.hooks.answer(name, event)
            assert (answer.exit, answer.stdout) == (2, "")
            assert "in doubt means no" in answer.stderr
        assert host.told() == []

    play(tmp_path, short, scene)


def test_a_disk_that_is_full_ends_the_scenario_and_refuses(tmp_path, short, monkeypatch):
    def scene(host):
        def full(*_):
            raise StoreError("the disk is full")

        monkeypatch.setattr(host.stage.owner._transcript, "begin", full)
        assert host.pre(listing("t1")) == ("deny", "the disk is full")
        assert host.stage.hosted.running is None

    play(tmp_path, short, scene)


# --- which tool it is -------------------------------------------------------------------------------------------------


def test_a_tool_of_no_server_needs_a_justification_and_the_plans_leave(tmp_path, short):
    def scene(host):
        bash = use("t1", "Bash", {"command": "ls"})
        assert host.pre(bash)[1] == f'a justification is required: name the MCP tool considered, or say "{NO_MCP}"'
        host.justify("Bash")
        assert host.pre(use("t2", "Bash", {"command": "ls"})) is None
        host.justify("WebFetch")
        assert host.pre(use("t3", "WebFetch", {}))[1] == "the plan does not allow this non-MCP tool"
        host.post(use("t2", "Bash", {}, tool_response={"stdout": "x", "stderr": ""}))
        ends = [(line["tool"], line["justification"]) for line in host.stage.lines()]
        assert ends[1] == ("Bash", "no attached MCP covers this step: a file")
        assert host.opened == [None, None, None]

    play(tmp_path, short, scene)


def test_the_hosts_search_for_tools_is_a_call_that_needs_no_words(tmp_path, short):
    def scene(host):
        assert host.pre(use("t1", "ToolSearch", {"query": "x"})) is None
        host.post(use("t1", "ToolSearch", {"query": "x"}, tool_response={"matches": []}))
        (line,) = host.stage.lines()
        why = "no attached MCP covers this step: the host loads the schemas of tools with it"
        assert (line["tool"], line["justification"], line["assay"]["outcome"]) == ("ToolSearch", why, "ok")

    play(tmp_path, short, scene)


@pytest.mark.parametrize(
    ("tool", "server", "reason"),
    [
        ("mcp__b__list_items", "b", "no attached MCP has this name"),
        ("mcp__b__list_items", None, "no attached MCP has this name"),
        ("mcp__a__gone", "a", "the MCP offered no tool of this name when it was interviewed"),
        ("mcp__a__list_items", "b", "no attached MCP has this name"),
        ("list_items", "b", "no attached MCP has this name"),
        ("mcp__", None, "no attached MCP has this name"),
    ],
)
def test_a_server_is_the_one_that_the_host_says_it_is(tmp_path, short, tool, server, reason):
    def scene(host):
        assert host.pre(use("t1", tool, {}, server)) == ("deny", reason)
        assert len(host.stage.lines()) == 1
        assert host.opened == ["a" if server == "a" else None]  # held by the hooks, or by nobody's being there

    play(tmp_path, short, scene)


def test_where_the_host_does_not_say_the_tools_name_must_do(tmp_path, short):
    def scene(host):
        assert host.pre(use("t1", LIST)) is None
        assert host.told() == [(LIST, None, "t1", "pending")]

    play(tmp_path, short, scene)


def test_a_resource_that_is_read_with_the_hosts_tool_is_its_servers(tmp_path, short):
    def scene(host):
        event = use("t1", "ReadMcpResourceTool", {"server": "a", "uri": "u://1"})
        assert host.pre(event) is None
        host.post(ok(event, {"contents": [{"uri": "u://1", "text": "x"}]}))
        assert host.pre(use("t2", "ReadMcpResourceTool", {"server": "b", "uri": "u://1"}))[0] == "deny"
        assert host.told() == [
            ("mcp__a__resources_read", None, "t1", "ok"),
            ("__blocked__", "mcp__b__resources_read", "t2", "blocked"),
        ]

    play(tmp_path, short, scene)


# --- with a gateway ---------------------------------------------------------------------------------------------------


def test_what_a_gateway_stands_before_is_left_to_it(tmp_path, short):
    def scene(host):
        host.gateways.add("a")
        host.stage.hosted.listed("a")
        for event in (listing("t1"), creating("t2")):
            assert host.pre(event) is None
            assert host.stage.lines() == [] or event["tool_use_id"] == "t2"
            host.gateway(event)
        host.post(ok(listing("t1")))
        host.post(failed(creating("t2"), "refused"))
        host.batch(ok(listing("t1")), ok(creating("t2"), "refused"))
        assert host.told() == [(LIST, None, "t1", "pending"), ("__blocked__", CREATE, "t2", "blocked")]
        assert host.opened == []

    play(tmp_path, short, scene)


def test_what_never_reached_its_gateway_was_not_sent(tmp_path, short):
    def scene(host):
        host.gateways.add("a")
        assert host.pre(listing("t1")) is None
        host.batch(ok(listing("t1"), "you have not granted it"))
        (line,) = host.stage.lines()
        assert (line["tool"], line["justification"]) == ("__blocked__", "not sent by the host")

    play(tmp_path, short, scene)


def test_what_went_around_its_gateway_is_told(tmp_path, short):
    def scene(host):
        host.gateways.add("a")
        assert host.pre(listing("t1")) is None
        host.post(ok(listing("t1")))
        host.batch(ok(listing("t1")))
        assert host.told() == [(LIST, None, "t1", "unknown")]
        assert len(host.remarks) == 1

    play(tmp_path, short, scene)


def test_what_was_called_before_the_owner_died_is_not_taken_for_a_call_that_nobody_was_asked_about(tmp_path, short):
    def scene(host):
        host.stage.hosted.remember(["t1", None])
        host.post(ok(creating("t1")))
        host.batch(ok(creating("t1")))
        assert (host.told(), host.remarks) == ([], [])
        assert host.pre(listing("t1"))[0] == "deny"

    play(tmp_path, short, scene)


def test_two_reads_of_one_resource_are_two(tmp_path, short):
    def scene(host):
        host.gateways.add("a")
        events = [use(f"t{number}", "ReadMcpResourceTool", {"server": "a", "uri": "u://1"}) for number in range(3)]
        for event in events:
            assert host.pre(event) is None
        for _ in range(2):
            read = ToolCall("a", "resources/read", {"uri": "u://1"}, method=Method.READ_RESOURCE)
            host.stage.hosted.open(read)
        for event in events[:2]:
            host.post(ok(event, {"contents": []}))
        host.batch(*events)
        assert [line[:3] for line in host.told()] == [
            ("mcp__a__resources_read", None, None),
            ("mcp__a__resources_read", None, None),
            ("__blocked__", "mcp__a__resources_read", "t2"),
        ]

    play(tmp_path, short, scene)


def test_a_resource_that_a_gateway_reads_is_known_by_what_is_read(tmp_path, short):
    def scene(host):
        host.gateways.add("a")
        event = use("t1", "ReadMcpResourceTool", {"server": "a", "uri": "u://1"})
        assert host.pre(event) is None
        call = event["tool_input"]
        host.stage.hosted.open(ToolCall("a", "resources/read", {"uri": call["uri"]}, method=Method.READ_RESOURCE))
        host.post(ok(event, {"contents": []}))
        host.batch(ok(event))
        assert [line[0] for line in host.told()] == ["mcp__a__resources_read"]

    play(tmp_path, short, scene)


# --- housekeeping -----------------------------------------------------------------------------------------------------


def test_reads_of_the_folder_and_our_commands_leave_no_line(tmp_path, short):
    def scene(host):
        read = use("t1", "Read", {"file_path": str(host.folder / "state.json")})
        ours = use("t2", "Bash", {"command": "mcp-assay host show --wait 60"})
        assert host.pre(read) is None
        assert host.pre(ours) == OURS
        host.post(ok(read, "…"))
        host.post(ok(ours, {"stdout": ""}))
        host.batch(ok(read), ok(ours))
        host.batch(ok(read), ok(ours))
        assert host.told() == []

    play(tmp_path, short, scene)


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit", "NotebookEdit"])
@pytest.mark.parametrize("where", ["mcp-evals/mcp-eval-one/state.json", "state/key", "x/../state/run/s-1.sock"])
def test_nobody_writes_into_the_evaluation_or_beside_the_keys(tmp_path, short, tool, where):
    def scene(host):
        host.justify("Write")
        key = "notebook_path" if tool == "NotebookEdit" else "file_path"
        answer = host.pre(use("t1", tool, {key: where}, cwd=str(tmp_path)))
        assert answer[0] == "deny"
        assert answer[1].startswith("the evaluation's own files are not written")
        host.batch(use("t1", tool, {}, tool_response="hook error"))
        assert host.told() == [("__blocked__", tool, "t1", "blocked")]

    play(tmp_path, short, scene)


def test_the_critic_reads_the_evaluation_and_nothing_else(tmp_path, short):
    def scene(host):
        who = {"agent_id": "c1", "agent_type": CRITIC}
        spawn = use("t0", "Agent", {"subagent_type": CRITIC, "prompt": "judge"})
        assert host.pre(spawn)[0] == "deny"  # nobody waits for one
        heard: list[str] = []
        host.hooks.critic = heard.append
        assert host.pre(spawn | {"tool_use_id": "t1"}) is None
        assert host.pre(use("t2", "Read", {"file_path": str(host.folder / "transcript.jsonl")}, **who)) is None
        for number, (tool, args) in enumerate(
            [
                ("Read", {"file_path": "/etc/hostname"}),
                ("Bash", {"command": "mcp-assay host show"}),
                ("ToolSearch", {"query": "x"}),
                ("mcp__assay__finish", {}),
            ]
        ):
            answer = host.pre(use(f"u{number}", tool, args, **who))
            assert answer == ("deny", "the critic reads the evaluation's folder, and does nothing else")
        said = {"session_id": SESSION, "last_assistant_message": "### [MAJOR] x"}
        for more in ({"agent_type": "other"}, {}, who | {"last_assistant_message": None}, who):
            assert host.hooks.answer("SubagentStop", said | more) == (0, "", "")
        assert heard == ["### [MAJOR] x"]

    play(tmp_path, short, scene)


# --- outside ----------------------------------------------------------------------------------------------------------


def test_a_call_before_there_is_any_scenario_is_refused_and_kept(tmp_path, short):
    def scene(host):
        events = [listing("t1"), use("t2", "Bash", {"command": "id"}), use("t3", "Write", {"file_path": "state/key"})]
        for event in events:
            assert host.pre(event | {"cwd": str(tmp_path)})[0] == "deny"
        host.batch(*events, use("t4", "nope", tool_response=UNKNOWN.format("nope")))
        found = [(call["tool"], call["reason"]) for call in host.hooks.outside]
        assert found[:2] == [(LIST, NO_SCENARIO), ("Bash", NO_SCENARIO)]
        assert [tool for tool, _ in found] == [LIST, "Bash", "Write", "nope"]
        assert host.told() == []

    play(tmp_path, short, scene, running=False)


def test_a_call_between_two_scenarios_is_kept_by_the_gate(tmp_path, short):
    def scene(host):
        host.stage.hosted.finish(reached=True, why="")
        assert host.pre(listing("t1")) == ("deny", NO_SCENARIO)
        assert host.pre(use("t2", "Write", {"file_path": str(host.folder / "x")}))[0] == "deny"
        host.batch(listing("t1"), use("t2", "Write", tool_response="no"))
        assert [call["tool"] for call in host.stage.owner.gate.outside] == [LIST, "Write"]
        assert host.told() == []

    play(tmp_path, short, scene)


def test_another_session_is_none_of_ours(tmp_path, short):
    def scene(host):
        other = listing("t1") | {"session_id": "other"}
        assert host.pre(other) == ("fault", "this session is not the one that the evaluation runs in")
        host.post(ok(other))
        host.batch(other, session_id="other")
        assert host.told() == []
        assert host.pre(listing("t1")) is None

    play(tmp_path, short, scene, session=SESSION)


# --- is a refusal honoured? -------------------------------------------------------------------------------------------

NEXT, CANARY = "mcp__plugin_mcp-eval_assay__next_scenario", "mcp__plugin_mcp-eval_assay__canary"
OURS = ("allow", "of the evaluation's own")


def own(join, tool):
    return use(join, tool, {}, mcp_server={"name": "plugin:mcp-eval:assay", "source": "plugin"})


def test_a_host_must_refuse_the_canary_before_there_is_a_scenario(tmp_path, short):
    def scene(host):
        assert "hooks" in host.hooks.start("t0")["refused"]
        assert "hooks" in host.hooks.start(None)["refused"]
        assert host.pre(own("t1", NEXT)) == OURS
        assert host.hooks.start("t1") == {"canary": True}
        host.post(ok(own("t1", NEXT)))
        host.batch(ok(own("t1", NEXT)))
        assert "hooks" in host.hooks.start("t1")["refused"]  # that call is over
        assert host.pre(own("t2", CANARY))[0] == "deny"
        assert host.pre(own("t3", NEXT)) == OURS
        assert host.hooks.start("t3") == {"canary": True}  # nobody knows yet
        host.batch(own("t2", CANARY), own("t3", NEXT))
        assert host.hooks.refused_canary
        assert host.pre(own("t4", NEXT)) == OURS
        assert host.hooks.start("t4") is None
        assert (host.told(), host.hooks.outside) == ([], [])

    play(tmp_path, short, scene, running=False, session=SESSION)


def test_a_host_that_lets_the_canary_run_gets_no_scenario(tmp_path, short):
    def scene(host):
        assert host.pre(own("t1", CANARY))[0] == "deny"
        host.hooks.escaped()
        host.batch(own("t1", CANARY))
        assert not host.hooks.refused_canary
        assert host.pre(own("t2", NEXT)) == OURS
        why = "your host does not honour a refusal: the evaluation does not start"
        assert host.hooks.start("t2") == {"refused": why}

    play(tmp_path, short, scene, running=False, session=SESSION)


def test_without_a_session_of_its_own_nothing_is_asked_of_the_host(tmp_path, short):
    assert play(tmp_path, short, lambda host: host.hooks.start(None), running=False) is None


@pytest.mark.parametrize(
    ("tool", "server", "ours"),
    [
        ("mcp__assay__finish", {"name": "assay", "source": "dynamic"}, True),
        ("mcp__assay__finish", None, True),
        (NEXT, None, True),
        ("mcp__assay__other", {"name": "assay", "source": "dynamic"}, False),
        ("mcp__assay__finish", {"name": "evil", "source": "project"}, False),
        (NEXT, {"name": "plugin:mcp-eval:assay", "source": "project"}, False),
        (NEXT, {"name": "plugin_mcp-eval_assay", "source": "project"}, False),
    ],
)
def test_our_own_tools_are_known_by_server_and_name(tmp_path, short, tool, server, ours):
    def scene(host):
        assert (host.pre(use("t1", tool, {}, mcp_server=server)) == OURS) is ours
        assert len(host.stage.lines()) == (not ours)

    play(tmp_path, short, scene)


# --- the user ---------------------------------------------------------------------------------------------------------


class Asking:
    """An interview that asks one question, and takes the answer only once it was shown."""

    def __init__(self):
        self.question: str | None = "Approve?"
        self.was_shown = False
        self.heard: list[str] = []

    def unshown(self):
        return None if self.was_shown else self.question

    def shown(self):
        self.was_shown = True

    def typed(self, text):
        if not self.was_shown or self.question is None:
            return None
        self.heard.append(text)
        self.question, self.was_shown = "What next?", False
        return "taken"


def test_a_question_is_shown_to_the_user_whose_words_alone_answer_it(tmp_path, short):
    asking = Asking()

    def prompt(host, text, **more):
        answer = host.hooks.answer("UserPromptSubmit", {"session_id": SESSION, "prompt": text, **more})
        return json.loads(answer.stdout) if answer.stdout else {}

    def scene(host):
        show = use("t1", "Bash", {"command": "mcp-assay host show"})
        assert host.pre(show)[0] == "allow"
        assert json.loads(host.hooks.answer("PostToolUse", ok(show)).stdout) == {"systemMessage": "Approve?"}
        assert prompt(host, "approve", agent_id="a1") == {}
        assert prompt(host, "approve", source="sdk") == {}
        assert prompt(host, ["approve"]) == {}
        assert asking.heard == []
        assert prompt(host, "approve") == {
            "systemMessage": "What next?",
            "hookSpecificOutput": {
                "hookEventName": "UserPromptSubmit",
                "additionalContext": "taken\n\nWhat next?",
            },
        }
        assert asking.heard == ["approve"]
        asking.question = None
        assert prompt(host, "hello") == {}
        other = use("t2", "Read", {"file_path": str(host.folder)})
        host.pre(other)
        host.post(ok(other))

    play(tmp_path, short, scene, running=False, session=SESSION, interview=asking)


def test_without_an_interview_what_the_user_types_is_nobodys_business(tmp_path, short):
    def scene(host):
        assert host.hooks.answer("UserPromptSubmit", {"prompt": "approve"}) == (0, "", "")
        assert host.hooks.answer("SessionStart", {"source": "startup"}) == (0, "", "")

    play(tmp_path, short, scene)


# --- whatever a host does ---------------------------------------------------------------------------------------------

CALLS = st.sampled_from(
    [
        (LIST, {"project": "x"}, "a"),
        (CREATE, {"path": "x"}, "a"),
        ("mcp__a__gone", {}, "a"),
        ("mcp__b__x", {}, "b"),
        ("Bash", {"command": "id"}, None),
        ("ToolSearch", {"query": "x"}, None),
        ("Write", {"file_path": "/x"}, None),
    ]
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("call"), CALLS, st.booleans()),
        st.tuples(st.sampled_from(["post", "fail", "gateway"]), st.integers(0, 5), st.none()),
        st.tuples(st.just("batch"), st.lists(st.integers(0, 5), max_size=4), st.none()),
        st.tuples(st.just("live"), st.booleans(), st.none()),
    ),
    max_size=25,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(STEPS)
def test_every_id_ends_with_one_line_whatever_the_order_of_events(tmp_path_factory, short, steps):
    def scene(host):
        host.stage.hosted.listed("a")
        events: list[Event] = []
        for do, what, asks in steps:
            if do == "call":
                tool, args, server = what
                events.append(use(f"t{len(events)}", tool, args, server))
                if asks:
                    host.pre(events[-1])
            elif do == "live":
                host.gateways = {"a"} if what else set()
            elif do == "batch":
                host.batch(*(ok(events[number]) for number in what if number < len(events)))
            elif what < len(events) and do == "gateway":
                if (
                    events[what]["tool_name"].startswith("mcp__a__")
                    and events[what]["tool_use_id"] in host.hooks._passed
                ):
                    host.gateway(events[what])
            elif what < len(events):
                host.post((ok if do == "post" else failed)(events[what]))
        host.batch(*(ok(event, "<tool_use_error>Error: …</tool_use_error>") for event in events))
        lines = Counter(line["assay"]["join"] for line in host.stage.lines())
        assert lines == dict.fromkeys((event["tool_use_id"] for event in events), 1)
        assert not any(
            line["assay"]["outcome"] == "pending" and line["assay"]["join"] not in gatewayed(host)
            for line in host.stage.lines()
        )

    folder = tmp_path_factory.mktemp("one")
    play(folder, short, scene, calls=99)


def gatewayed(host):
    """What only a gateway can close."""
    return {permit.call.join for permit in host.stage.hosted._open.values()}
