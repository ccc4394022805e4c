"""The agent's own tools: what they say, in both eras of the protocol, with an owner and without one."""

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from host_client import short
from hosted_stage import staged
from mcp_assay.host.agent_server import AgentServer, OwnerLine

__all__ = ["short"]

SOURCE = Path(__file__).parents[2] / "src"
SERVE = """
import sys
from pathlib import Path
from mcp_assay.host.agent_server import serve
serve(Path(sys.argv[1]), {"XDG_STATE_HOME": sys.argv[2]}, Path("/"))
"""
STATELESS = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}


def ask(server, method, params=None, number=1):
    frame = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
    return json.loads(server.line(json.dumps(frame).encode()))


def called(server, name, **arguments):
    result = ask(server, "tools/call", {"name": name, "arguments": arguments})["result"]
    return result["content"][0]["text"], result["isError"]


def with_owner(tmp_path, short, scene, **more):
    """Run a blocking scene beside an owner."""

    async def played():
        async with staged(tmp_path, short, **more) as stage:
            line = OwnerLine(stage.path)
            try:
                await asyncio.to_thread(scene, AgentServer(line), stage)
            finally:
                line._close()

    asyncio.run(played())


def test_an_agent_goes_through_its_evaluation(tmp_path, short):
    def scene(server, stage):
        assert called(server, "finish", reached=True, why="x") == ("no scenario is running", True)
        text, failed = called(server, "next_scenario")
        assert (text.startswith("Scenario S1: look"), failed) == (True, False)
        assert "Servers it is about: a." in text
        assert "20 more calls" in text
        assert called(server, "justify", tool="Bash", text="no attached MCP covers this step: it is local")[1] is False
        assert called(server, "justify", tool="mcp__a__x", text="x")[1] is True
        assert "Call next_scenario" in called(server, "finish", reached=True, why="seen")[0]
        assert called(server, "next_scenario")[0].startswith("Scenario S2: look again")
        assert "That was the last scenario" in called(server, "finish", reached=False, why="not seen")[0]
        assert "no further scenario: every scenario has been attempted" in called(server, "next_scenario")[0]
        assert stage.lines() == []  # housekeeping: none of these is a call

    with_owner(tmp_path, short, scene, patience=0.05)


def test_a_host_is_tried_if_the_owner_says_so_and_the_owner_learns_which_of_its_calls_asked(tmp_path, short):
    joins = []

    def scene(server, stage):
        answers = [{"canary": True}, {"refused": "your hooks are off"}, None]

        def instead(join):
            joins.append(join)
            return answers.pop(0)

        stage.desk.instead = instead
        text, is_error = called(server, "next_scenario")
        assert ("call the tool canary" in text, is_error) == (True, False)
        for meta in ({"claudecode/toolUseId": "t1"}, {"claudecode/toolUseId": 7}):
            params = {"name": "next_scenario", "arguments": {}, "_meta": meta}
            ask(server, "tools/call", params)
        assert joins == [None, "t1", None]
        stage.desk.escaped = lambda: {"refused": "no evaluation", "aborted": None}
        assert called(server, "canary") == ("no evaluation", True)
        stage.desk.escaped = lambda: {"ok": True, "why": "nothing to try"}
        assert called(server, "canary") == ("nothing to try", False)

    with_owner(tmp_path, short, scene)


def test_without_an_owner_every_tool_says_so(short):
    server = AgentServer(OwnerLine(short / "none.sock"))
    for name, arguments in (("next_scenario", {}), ("finish", {"reached": True, "why": "x"})):
        text, failed = called(server, name, **arguments)
        assert (failed, "mcp-assay gate" in text) == (True, True)


def test_an_owner_that_has_ended_leaves_nothing_to_do(tmp_path, short):
    def scene(server, stage):
        called(server, "next_scenario")
        loop = stage.over.get_loop()
        asyncio.run_coroutine_threadsafe(stage.socket.__aexit__(), loop).result(10)
        text, failed = called(server, "next_scenario")
        assert (failed, "there is nothing left to do" in text) == (True, True)

    with_owner(tmp_path, short, scene)


@pytest.mark.parametrize(
    ("name", "arguments", "wrong"),
    [
        ("justify", {"tool": "Bash"}, "text"),
        ("finish", {"reached": "yes", "why": "x"}, "reached"),
        ("next_scenario", {"id": "S2"}, "id"),
    ],
)
def test_wrong_arguments_are_named(short, name, arguments, wrong):
    text, failed = called(AgentServer(OwnerLine(short / "none.sock")), name, **arguments)
    assert failed
    assert wrong in text


@pytest.mark.parametrize("meta", [{}, {"_meta": STATELESS}])
def test_the_tools_are_listed_in_both_eras_and_are_ours(short, meta):
    server = AgentServer(OwnerLine(short / "none.sock"))
    result = ask(server, "tools/list", meta)["result"]
    assert [tool["name"] for tool in result["tools"]] == ["next_scenario", "canary", "justify", "finish"]
    assert ("resultType" in result) == bool(meta)
    if meta:
        assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "assay"
        assert ask(server, "server/discover", meta)["result"]["capabilities"] == {"tools": {}}


def test_the_handshake_names_this_server_and_the_policys_tools_are_not_here(short):
    server = AgentServer(OwnerLine(short / "none.sock"))
    result = ask(server, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {}})[
        "result"
    ]
    assert (result["serverInfo"]["name"], result["protocolVersion"]) == ("assay", "2025-06-18")
    assert ask(server, "tools/call", {"name": "route_agent_seat"})["error"]["code"] == -32602
    assert ask(server, "resources/list")["error"]["code"] == -32601
    assert ask(server, "ping")["result"] == {}


def test_it_is_served_on_stdio(tmp_path, short):
    frame = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}) + "\n"
    done = subprocess.run(
        [sys.executable, "-c", SERVE, str(tmp_path), str(short)],
        input=frame.encode(),
        env={"PYTHONPATH": str(SOURCE)},
        capture_output=True,
        check=True,
        timeout=30,
    )
    assert len(json.loads(done.stdout)["result"]["tools"]) == 4
