"""One call, whole, over a real server; and a fleet of servers of which some never come up."""

import asyncio
import os
import sys
import time
from dataclasses import replace

import pytest

from mcp_assay.clock import SystemClock
from mcp_assay.core.budget import Budget
from mcp_assay.core.model import Disposition, Outcome, Reply, Safety, Scenario, ServerConfig, ToolCall, Transport
from mcp_assay.core.safety import Policy
from mcp_assay.dispatch import Dispatch, Fleet
from mcp_assay.errors import StartError
from mcp_assay.gate import Gate, Refusal
from mcp_assay.store.transcript import Transcript, entries

SERVER = """
import json, sys
TOOLS = [
    {"name": "get_echo", "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}},
    {"name": "get_error"}, {"name": "get_fault"}, {"name": "get_nothing"}, {"name": "get_death"},
    {"name": "get_change"}, {"name": "get_swap"}, {"name": "get_silence"},
    {"name": "get_odd_flag"}, {"name": "get_promise", "outputSchema": {"type": "object", "required": ["n"]}},
]
def send(message): print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
listed, silent = 0, False
for line in sys.stdin:
    request = json.loads(line)
    ident, method = request.get("id"), request["method"]
    name = request.get("params", {}).get("name")
    if method == "initialize":
        hello = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {}}
        send({"id": ident, "result": hello})
    elif method == "tools/list":
        listed += 1
        if not silent:
            send({"id": ident, "result": {"tools": TOOLS}})
    elif name == "get_echo":
        text = request["params"]["arguments"].get("text", "")
        send({"id": ident, "result": {"content": [{"type": "text", "text": text}]}})
    elif name == "get_error":
        send({"id": ident, "result": {"content": [{"type": "text", "text": "not found CANARY"}], "isError": True}})
    elif name == "get_odd_flag":
        send({"id": ident, "result": {"content": [], "isError": "true"}})
    elif name == "get_fault":
        send({"id": ident, "error": {"code": -32602, "message": "CANARY", "data": "CANARY"}})
    elif name == "get_promise":
        send({"id": ident, "result": {"content": [], "structuredContent": {"m": 1}}})
    elif name == "get_change":
        TOOLS[0]["description"] = "now something else"
        send({"method": "notifications/tools/list_changed"})
        send({"id": ident, "result": {"content": []}})
    elif name == "get_swap":
        TOOLS[0]["description"] = "now something else"
        send({"id": ident, "result": {"content": [], "structuredContent": {"listed": listed}}})
    elif name == "get_silence":
        silent = True
        send({"id": ident, "result": {"content": []}})
    elif name == "get_death":
        sys.exit(3)
"""


class Stage:
    """A fleet of one real server behind a real gate."""

    def __init__(self, path, timeout=0.5, seconds=60):
        (path / "server.py").write_text(SERVER)
        self.path, self.timeout, self.seconds = path, timeout, seconds
        self.saved = 0
        self.observed = []
        self.limitation = None

    def play(self, body):
        return asyncio.run(self._play(body))

    def lines(self):
        return list(entries(os.open(self.path, os.O_RDONLY)))

    def persist(self):
        self.saved += 1

    async def _play(self, body):
        fleet, clock = Fleet(), SystemClock()
        config = ServerConfig("a", "test", command=sys.executable, args=(str(self.path / "server.py"),))
        await fleet.start([config], os.environ, allowed={}, folder=str(self.path))
        transcript = Transcript(os.open(self.path, os.O_RDONLY))
        fleet.manifests["a"] = replace(fleet.manifests["a"], limitation=self.limitation)
        policy = Policy({"a": Safety(Disposition.READ_ONLY)}, fleet.manifests, allow=frozenset({"Bash"}))
        began = time.monotonic()
        active = lambda: time.monotonic() - began  # noqa: E731 - one expression, used twice
        budget = Budget(20, self.seconds)
        gate = Gate(policy, budget, transcript, clock, b"k", active=active)
        gate.begin(Scenario("S1", "user", "x"))
        self.begin = lambda name: gate.begin(Scenario(name, "user", "x"))

        async def bash(args):
            return Reply(Outcome.OK, {"content": [{"type": "text", "text": "hi"}]})

        remaining = lambda: budget.left(active())  # noqa: E731
        dispatch = Dispatch(
            gate,
            fleet.upstreams,
            clock,
            local={"Bash": bash},
            persist=self.persist,
            remaining=remaining,
            timeout=self.timeout,
            observed=self.observed.append,
        )
        try:
            return await body(dispatch)
        finally:
            await fleet.stop()


@pytest.mark.parametrize(
    ("tool", "outcome", "shape"),
    [
        ("get_echo", Outcome.OK, "text[0]"),
        ("get_error", Outcome.ERROR, "error:not_found"),
        ("get_odd_flag", Outcome.ERROR, "error:unspecified"),
        ("get_fault", Outcome.ERROR, "error:validation"),
        ("get_nothing", Outcome.TIMEOUT, "error:timeout"),
        ("get_death", Outcome.LOST, "error:lost"),
    ],
)
def test_whatever_a_server_does_is_an_outcome_on_one_line(tmp_path, tool, outcome, shape):
    stage = Stage(tmp_path)
    reply = stage.play(lambda dispatch: dispatch.call(ToolCall("a", tool)))
    assert reply.outcome is outcome
    (line,) = stage.lines()
    assert (line["result_shape"], line["assay"]["outcome"]) == (shape, outcome)
    assert "CANARY" not in str(line)
    assert stage.saved == 1


def test_a_refused_call_never_reaches_the_server(tmp_path):
    stage = Stage(tmp_path)
    answer = stage.play(lambda dispatch: dispatch.call(ToolCall("a", "no_such_tool")))
    assert isinstance(answer, Refusal)
    assert [line["tool"] for line in stage.lines()] == ["__blocked__"]


def test_a_broken_promise_is_noted_on_the_line(tmp_path):
    stage = Stage(tmp_path)
    stage.play(lambda dispatch: dispatch.call(ToolCall("a", "get_promise")))
    assert stage.lines()[0]["assay"]["result"]["schema_valid"] is False


def test_a_tool_that_changed_under_way_is_refused_at_the_next_call(tmp_path):
    stage = Stage(tmp_path)

    async def body(dispatch):
        await dispatch.call(ToolCall("a", "get_echo", {"text": "before"}))
        await dispatch.call(ToolCall("a", "get_change"))
        return await dispatch.call(ToolCall("a", "get_echo", {"text": "after"}))

    assert isinstance(stage.play(body), Refusal)
    assert [line["assay"]["outcome"] for line in stage.lines()] == ["ok", "ok", "blocked"]
    assert stage.lines()[2]["assay"]["rule"] == "manifest-changed"


def test_the_tools_are_listed_once_for_each_scenario_and_a_change_that_is_not_told_is_seen_then(tmp_path):
    stage = Stage(tmp_path)

    async def body(dispatch):
        replies = [await dispatch.call(ToolCall("a", "get_swap")) for _ in range(3)]
        replies.append(await dispatch.call(ToolCall("a", "get_echo", {"text": "same scenario"})))
        stage.begin("S2")
        replies.append(await dispatch.call(ToolCall("a", "get_echo", {"text": "next scenario"})))
        return replies

    *first, echo, last = stage.play(body)
    assert [reply.result["structuredContent"]["listed"] for reply in first] == [2, 2, 2]
    assert echo.outcome is Outcome.OK
    assert isinstance(last, Refusal)
    assert [manifest.tools[0].description for manifest in stage.observed] == ["", "now something else"]


def test_after_the_last_call_a_change_is_seen_that_no_call_came_after(tmp_path):
    stage = Stage(tmp_path)

    async def body(dispatch):
        await dispatch.relist()  # nothing was called: nothing is asked
        await dispatch.call(ToolCall("a", "get_swap"))
        await dispatch.relist()

    stage.play(body)
    assert [manifest.tools[0].description for manifest in stage.observed] == ["", "now something else"]


def test_a_server_that_does_not_say_in_time_what_it_offers_is_not_called(tmp_path):
    stage = Stage(tmp_path)

    async def body(dispatch):
        await dispatch.call(ToolCall("a", "get_silence"))
        stage.begin("S2")
        return await dispatch.call(ToolCall("a", "get_echo"))

    assert "no longer offers" in stage.play(body).reason
    assert stage.observed[-1].limitation == "no list within 0.5 s"


def test_a_server_that_is_gone_is_told_by_the_call(tmp_path):
    stage = Stage(tmp_path)

    async def body(dispatch):
        await dispatch.call(ToolCall("a", "get_death"))
        stage.begin("S2")
        return await dispatch.call(ToolCall("a", "get_echo"))

    assert stage.play(body).outcome is Outcome.LOST


def test_a_list_that_was_cut_short_is_not_asked_for_again(tmp_path):
    stage = Stage(tmp_path)
    stage.limitation = "it offers more than 10,000 tools; the rest was left out"
    reply = stage.play(lambda dispatch: dispatch.call(ToolCall("a", "get_swap")))
    assert reply.result["structuredContent"]["listed"] == 1


def test_a_local_tool_goes_through_the_same_gate(tmp_path):
    stage = Stage(tmp_path)
    call = ToolCall(None, "Bash", {"command": "true"}, "no attached MCP covers this step")
    assert stage.play(lambda dispatch: dispatch.call(call)).outcome is Outcome.OK
    assert stage.lines()[0]["is_mcp"] is False


def test_an_interrupted_call_is_closed_as_cancelled(tmp_path):
    stage = Stage(tmp_path, timeout=30)

    async def body(dispatch):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await dispatch.call(ToolCall("a", "get_nothing"))

    stage.play(body)
    assert [line["assay"]["outcome"] for line in stage.lines()] == ["cancelled"]


def test_a_call_cut_off_by_the_end_of_the_session_is_a_timeout(tmp_path):
    stage = Stage(tmp_path, timeout=30, seconds=0.2)
    reply = stage.play(lambda dispatch: dispatch.call(ToolCall("a", "get_nothing")))
    assert reply.outcome is Outcome.TIMEOUT


def test_a_server_that_does_not_start_is_listed_with_the_reason_and_hides_no_other(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    good = ServerConfig("good", "t", command=sys.executable, args=(str(tmp_path / "server.py"),))
    bad = ServerConfig("bad", "t", command=str(tmp_path / "missing"))
    remote = ServerConfig("remote", "t", transport=Transport.HTTP, url="http://127.0.0.1:1/")
    fleet = Fleet()

    async def body():
        await fleet.start([good, bad, remote], os.environ, allowed={}, folder=str(tmp_path))
        await fleet.stop()

    asyncio.run(body())
    assert len(fleet.manifests["good"].tools) == 10
    assert fleet.manifests["bad"].limitation
    assert fleet.manifests["remote"].limitation == "a server of type http cannot be driven here"
    assert not fleet.upstreams


def test_what_contacts_remote_servers_is_loaded_only_for_one_of_them(tmp_path):
    loaded = []

    def load():
        loaded.append("once more")
        return contact

    async def contact(config, environ, *, allowed=(), cwd=None, start_timeout=0):
        raise StartError(f"{config.name} {environ['A']} {list(allowed)} {cwd}")

    def started(*servers):
        fleet = Fleet(load)
        asyncio.run(fleet.start(servers, {"A": "1"}, allowed={"a": ["B"]}, folder=str(tmp_path)))
        return [fleet.manifests[server.name].limitation for server in servers]

    stdio = ServerConfig("s", "t", command="/no/such/command")
    other = ServerConfig("o", "t", transport=Transport.OTHER, url="ws://h/")
    assert started(stdio, other)[1] == "a server of type other cannot be driven here"
    assert loaded == []
    kinds = [ServerConfig("a", "t", transport=kind, url="http://h/") for kind in (Transport.HTTP, Transport.SSE)]
    assert started(kinds[0]) + started(kinds[1]) == [f"a 1 ['B'] {tmp_path}"] * 2
    assert len(loaded) == 2
