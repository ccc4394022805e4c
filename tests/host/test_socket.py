"""The owner's socket with real clients: all of the protocol, and what is hostile in it."""

import asyncio
import os
import socket as sockets
import stat
import sys

import pytest

from host_client import short
from hosted_stage import TOOLS, staged
from mcp_assay.errors import StoreError
from mcp_assay.host import wire
from mcp_assay.host.socket import OwnerSocket

__all__ = ["short"]


def play(tmp_path, short, scene, **more):
    async def played():
        async with staged(tmp_path, short, **more) as stage:
            return await scene(stage)

    return asyncio.run(played())


def test_a_call_is_on_the_disk_before_its_permit_is_answered(tmp_path, short):
    async def scene(stage):
        _, gateway = await stage.running()
        assert await gateway.call("a", "list_items") == {"permit": "S1-001", "timeout": 60}
        assert stage.ends() == [("S1-001", "pending")]
        gateway.tell({"do": "close", "permit": "S1-001", "outcome": "ok", "result": {"content": []}})
        await gateway.ask("status")
        assert stage.ends() == [("S1-001", "ok")]

    play(tmp_path, short, scene)


def test_socket_and_folder_are_for_this_user_alone(tmp_path, short):
    async def scene(stage):
        assert stat.S_IMODE(stage.path.stat().st_mode) == 0o600
        assert stat.S_IMODE(stage.path.parent.stat().st_mode) == 0o700

    play(tmp_path, short, scene)


def test_no_scenario_no_call_and_the_agent_is_told_what_to_do(tmp_path, short):
    async def scene(stage):
        gateway = await stage.connect("gateway", server="a")
        await gateway.ask("observe", tools=TOOLS)
        answer = await gateway.call("a", "list_items")
        assert answer == {
            "refused": "no scenario is running; ask for one: next_scenario of the server assay",
            "aborted": None,
        }
        assert stage.lines() == []
        assert len(stage.owner.gate.outside) == 1

    play(tmp_path, short, scene)


def test_a_call_before_the_first_list_of_a_scenario_asks_for_it_and_leaves_no_line(tmp_path, short):
    async def scene(stage):
        agent, gateway = await stage.running()
        await agent.ask("finish", reached=True, why="")
        assert (await agent.ask("next"))["scenario"]["id"] == "S2"
        assert (await gateway.call("a", "list_items"))["list"] is True
        assert (await gateway.call("a", "x", {"uri": "u"}, kind="resources/read"))["permit"] == "S2-001"
        await gateway.ask("observe", tools=TOOLS)
        assert (await gateway.call("a", "list_items"))["permit"] == "S2-002"
        assert stage.desk.observed == [("a", TOOLS)] * 2

    play(tmp_path, short, scene)


def test_a_gateway_speaks_for_its_own_server_and_the_agent_for_none(tmp_path, short):
    async def scene(stage):
        agent, gateway = await stage.running()
        for link, do, fields in (
            (gateway, "open", {"mcp": "b", "tool": "t", "args": {}}),
            (gateway, "open", {"mcp": None, "tool": "Bash", "args": {}}),
            (agent, "open", {"mcp": "a", "tool": "list_items", "args": {}}),
            (agent, "observe", {"tools": []}),
            (gateway, "next", {}),
            (gateway, "justify", {"tool": "Bash", "text": "x"}),
            (gateway, "finish", {"reached": True, "why": ""}),
        ):
            assert await link.ask(do, **fields) == {"refused": "this connection may not do that", "aborted": None}
        assert stage.lines() == []

    play(tmp_path, short, scene)


def test_a_server_that_is_not_attached_gets_the_reason_and_no_connection(tmp_path, short):
    async def scene(stage):
        link = await stage.bare()
        answer = await link.ask("hello", role="gateway", server="z", version=1)
        assert answer == {"ok": False, "why": "no attached MCP has this name"}
        assert await link.read() is None
        link = await stage.bare()
        assert "version 1" in (await link.ask("hello", role="agent", version=2))["why"]

    play(tmp_path, short, scene)


def test_a_lost_connection_loses_its_calls_and_no_others(tmp_path, short):
    async def scene(stage):
        _, one = await stage.running()
        two, hook = await stage.connect("gateway", server="a"), await stage.connect("hook")
        await one.call("a", "list_items")
        await two.call("a", "list_items")
        await hook.call("a", "list_items", join="j")
        await one.cut()
        await hook.cut()
        await stage.desk.heard("gateway of a: disconnected")
        assert stage.ends() == [("S1-001", "lost"), ("S1-002", "pending"), ("S1-003", "pending")]
        other = await stage.connect("hook")
        other.tell({"do": "close", "join": "j", "outcome": "ok", "result": {}})
        await other.ask("status")
        assert stage.ends()[2] == ("S1-003", "ok")
        # Nobody closes what is another's.
        other.tell({"do": "close", "permit": "S1-002", "outcome": "ok"})
        await other.ask("status")
        assert stage.ends()[1] == ("S1-002", "pending")

    play(tmp_path, short, scene)


def test_a_close_that_comes_twice_changes_nothing(tmp_path, short):
    async def scene(stage):
        _, gateway = await stage.running()
        await gateway.call("a", "list_items")
        for outcome in ("error", "ok"):
            gateway.tell({"do": "close", "permit": "S1-001", "outcome": outcome})
        await gateway.ask("status")
        assert stage.ends() == [("S1-001", "error")]

    play(tmp_path, short, scene)


def test_a_retry_of_an_open_call_is_decided_anew_and_counted_once(tmp_path, short):
    async def scene(stage):
        _, gateway = await stage.running()
        await gateway.call("a", "list_items", {"x": 1})
        assert (await gateway.call("a", "list_items", {"x": 1}, again="S1-001"))["permit"] == "S1-001"
        assert "not the call" in (await gateway.call("a", "list_items", {"x": 2}, again="S1-001"))["refused"]
        assert "no such call" in (await gateway.call("a", "list_items", again="S1-009"))["refused"]
        stage.owner.gate.observe("a", {})
        assert "no longer offers" in (await gateway.call("a", "list_items", {"x": 1}, again="S1-001"))["refused"]
        assert stage.ends() == [("S1-001", "pending"), ("S1-002", "blocked")]
        assert stage.owner.gate.run.call_count == 1

    play(tmp_path, short, scene)


def test_a_justification_is_used_up_by_one_call_of_its_tool(tmp_path, short):
    async def scene(stage):
        agent, _ = await stage.running()
        hook = await stage.connect("hook")
        assert "justification is required" in (await hook.call(None, "Bash"))["refused"]
        assert await agent.ask("justify", tool="Bash", text="considered list_items, which cannot sort") == {"ok": True}
        assert "plan does not allow" not in str(await hook.call(None, "Read"))
        assert (await hook.call(None, "Bash"))["permit"] == "S1-003"
        assert "justification is required" in (await hook.call(None, "Bash"))["refused"]
        assert "needs no justification" in (await agent.ask("justify", tool="mcp__a__x", text="x"))["refused"]
        assert stage.lines()[2]["justification"] == "considered list_items, which cannot sort"

    play(tmp_path, short, scene)


def test_the_end_of_a_budget_ends_the_scenario_and_nothing_else(tmp_path, short):
    async def scene(stage):
        agent, gateway = await stage.running()
        await gateway.call("a", "list_items")
        assert (await gateway.call("a", "list_items"))["aborted"] == "call_budget"
        assert "refused" in await agent.ask("finish", reached=True, why="")
        assert (await agent.ask("next"))["scenario"]["id"] == "S2"
        assert stage.ends() == [("S1-001", "cancelled"), ("S1-002", "aborted")]
        assert stage.state.execution[0]["abort_reason"] == "call_budget"

    play(tmp_path, short, scene, calls=1, patience=0.05)


def test_after_the_last_scenario_the_agent_is_told_that_there_is_none(tmp_path, short):
    async def scene(stage):
        agent, _ = await stage.running()
        assert await agent.ask("finish", reached=True, why="") == {"ok": True, "left": 1}
        await agent.ask("next")
        assert await agent.ask("finish", reached=False, why="no way") == {"ok": True, "left": 0}
        assert await agent.ask("next") == {"done": True, "why": "every scenario has been attempted"}
        assert [entry["assay"]["reached"] for entry in stage.state.execution] == [True, False]

    play(tmp_path, short, scene)


@pytest.mark.parametrize(
    "data",
    [
        b"\n",
        b"nonsense\n",
        b'{"n":2,"do":"open"}\n',
        b'{"n":1,"do":"status"}\n',  # not counting up
        b'{"n":2,"do":"hello","role":"agent","version":1,"n":3}\n',
        b'{"n":2,"do":"status"',  # and then the end
        b'{"n":2,"x":"' + b"x" * wire.MOST_BYTES + b'"}\n',
        b'{"n":2,"do":"open","mcp":"a","tool":"list_items","args":{"x":NaN}}\n',
    ],
    ids=lambda data: data[:30].decode(),
)
def test_what_cannot_be_understood_ends_its_connection_and_no_other(tmp_path, short, data):
    async def scene(stage):
        _, gateway = await stage.running()
        hostile = await stage.connect("gateway", server="a")
        hostile.send(data)
        if not data.endswith(b"\n"):
            await hostile.cut()
        else:
            assert await hostile.read() is None
        assert (await gateway.call("a", "list_items"))["permit"] == "S1-001"
        assert len(stage.lines()) == 1

    play(tmp_path, short, scene)


@pytest.mark.parametrize(
    "first", [b'{"n":1,"do":"status"}\n', b"GET / HTTP/1.1\n", b'{"do":"close","permit":"S1-001","outcome":"ok"}\n']
)
def test_nothing_is_answered_before_hello(tmp_path, short, first):
    async def scene(stage):
        link = await stage.bare()
        link.send(first)
        assert await link.read() is None

    play(tmp_path, short, scene)


def test_a_fault_of_ours_is_silence_on_one_connection_and_is_told(tmp_path, short, monkeypatch):
    async def scene(stage):
        _, gateway = await stage.running()
        other = await stage.connect("gateway", server="a")

        def fault(*_):
            raise RuntimeError

        monkeypatch.setattr(stage.desk, "status", fault)
        other.tell({"n": 9, "do": "status"})
        assert await other.read() is None
        assert (await gateway.call("a", "list_items"))["permit"] == "S1-001"
        assert stage.desk.notes[-1].endswith("(RuntimeError)")

    play(tmp_path, short, scene)


def test_a_disk_that_is_full_ends_the_session(tmp_path, short, monkeypatch):
    async def scene(stage):
        _, gateway = await stage.running()

        def full():
            raise StoreError("no space left")

        monkeypatch.setattr(stage.desk, "persist", full)
        await gateway.call("a", "list_items")
        with pytest.raises(StoreError, match="no space"):
            await stage.over

    play(tmp_path, short, scene)


def test_calls_that_follow_closely_save_the_state_once(tmp_path, short):
    async def scene(stage):
        _, gateway = await stage.running()
        await asyncio.gather(*[asyncio.sleep(0)])
        for _ in range(10):
            await gateway.call("a", "list_items")
        await asyncio.sleep(0.2)
        assert 1 <= stage.desk.saved <= 5
        assert stage.state.execution[0]["call_count"] == 10

    play(tmp_path, short, scene)


def test_what_is_asked_behind_a_message_that_waits_is_answered_after_it(tmp_path, short):
    async def scene(stage):
        agent, gateway = await stage.running()
        permit = (await gateway.call("a", "list_items"))["permit"]
        await agent.ask("finish", reached=True, why="")
        agent.tell({"n": 4, "do": "next"})
        for number in range(5, 305):
            agent.tell({"n": number, "do": "status"})
        await gateway.ask("status")
        gateway.tell({"do": "close", "permit": permit, "outcome": "ok", "result": {}})
        answers = [await agent.read() for _ in range(301)]
        assert [each["n"] for each in answers] == list(range(4, 305))
        assert answers[0]["scenario"]["id"] == "S2"

    play(tmp_path, short, scene)


def test_whoever_has_gone_does_not_wait_for_a_scenario(tmp_path, short):
    async def scene(stage):
        agent, gateway = await stage.running()
        permit = (await gateway.call("a", "list_items"))["permit"]
        await agent.ask("finish", reached=True, why="")
        agent.tell({"n": 4, "do": "next"})
        await agent.cut()
        await stage.desk.heard("agent: disconnected")
        gateway.tell({"do": "close", "permit": permit, "outcome": "ok", "result": {}})
        assert await gateway.ask("status") == {"status": "executing"}
        assert stage.hosted.left == 1
        assert "scenario" in await (await stage.connect("agent")).ask("next")

    play(tmp_path, short, scene)


def test_a_place_where_another_owner_listens_is_left_to_it(tmp_path, short):
    async def scene(stage):
        with pytest.raises(StoreError, match="another mcp-assay process"):
            await OwnerSocket(stage.path, stage.hosted, stage.desk).__aenter__()
        assert await (await stage.connect("agent")).ask("status") == {"status": "executing"}

    play(tmp_path, short, scene)


def test_what_is_no_socket_is_not_taken_away(tmp_path, short):
    (short / "run").mkdir()
    (short / "run" / "x.sock").write_text("precious")
    with pytest.raises(StoreError, match="is in the way"):
        play(tmp_path, short, None)
    assert (short / "run" / "x.sock").read_text() == "precious"


def test_a_folder_that_is_a_link_is_not_used(tmp_path, short):
    (short / "elsewhere").mkdir()
    (short / "run").symlink_to("elsewhere")
    with pytest.raises(StoreError, match="not a folder of this user's"):
        play(tmp_path, short, None)


def test_a_socket_that_nobody_listens_at_is_replaced(tmp_path, short):
    (short / "run").mkdir()
    with sockets.socket(sockets.AF_UNIX) as stale:
        stale.bind(str(short / "run" / "x.sock"))

    async def scene(stage):
        assert await (await stage.connect("agent")).ask("status") == {"status": "executing"}

    play(tmp_path, short, scene)


def test_when_the_owner_ends_its_clients_hear_nothing_more(tmp_path, short):
    async def scene(stage):
        _, gateway = await stage.running()
        await gateway.call("a", "list_items")
        await stage.socket.__aexit__()
        assert await gateway.read() is None
        assert stage.ends() == [("S1-001", "lost")]
        with pytest.raises(FileNotFoundError):
            await stage.bare()

    play(tmp_path, short, scene)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else for a moment")
def test_another_user_is_not_served_even_if_the_folder_lets_them_in(tmp_path, short):
    async def scene(stage):
        for path in (short, stage.path.parent):
            path.chmod(0o711)
        stage.path.chmod(0o666)
        other = await asyncio.create_subprocess_exec(
            sys.executable, "-S", "-c", STRANGER, str(stage.path), stdout=asyncio.subprocess.PIPE
        )
        out, _ = await asyncio.wait_for(other.communicate(), 10)
        assert out == b"connected\nb''\n"
        assert await (await stage.connect("agent")).ask("status") == {"status": "executing"}

    play(tmp_path, short, scene)


STRANGER = """
import os, socket, sys
os.setuid(65534)
link = socket.socket(socket.AF_UNIX)
link.connect(sys.argv[1])
print("connected", flush=True)
try:
    link.sendall(b'{"n":1,"do":"hello","role":"agent","version":1}' + bytes([10]))
    print(link.recv(100))
except ConnectionError:
    print(b"")
"""
