"""A session that the owner carries: real owner, gateway and server; what is the relay's own is tested with it."""

import signal
import subprocess
import time

import pytest

from gateway_session import Session
from gateway_stage import HELLO, INITIALIZED, SERVER, call, request, short_folder

READ = {"mark": "read", "tool": "unpinned"}


def safety(*tools):
    return {"disposition": "read_only", "marks": dict.fromkeys(tools, READ)}


HOSTILE = """
import json, os, subprocess, sys, time
tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("echo", "flood", "dense")]
child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
open(sys.argv[1] + "/pids", "w").write(f"{os.getpid()} {child.pid}")
note = b'{"jsonrpc":"2.0","method":"notifications/x"}\\n' * 1000
for line in sys.stdin.buffer:
    asked = json.loads(line)
    method, number = asked.get("method"), asked.get("id")
    if number is None:
        continue
    result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}} if method == "initialize" else {}
    if method == "tools/list":
        result = {"tools": tools}
    if method == "tools/call":
        name, result = asked["params"]["name"], {"content": []}
        while name == "flood":
            sys.stdout.buffer.write(note)
        while name == "dense":
            many = b"[" + b"[]," * 2_000_000 + b"0]"
            sys.stdout.buffer.write(b'{"jsonrpc":"2.0","method":"x","params":{"a":' + many + b"}}\\n")
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}) + "\\n")
    sys.stdout.flush()
time.sleep(600)
"""


@pytest.fixture
def folder():
    with short_folder() as found:
        yield found


@pytest.fixture
def session(folder):
    with Session(folder, [SERVER, folder], safety("echo", "hang", "big", "vendor", "deep")) as found:
        found.gateway.ask(HELLO)
        found.gateway.send(INITIALIZED)
        yield found


@pytest.fixture
def hostile(folder):
    (folder / "server.py").write_text(HOSTILE)
    with Session(folder, [folder / "server.py", folder], safety("echo", "flood", "dense")) as found:
        found.gateway.ask(HELLO)
        yield found


def children(pid):
    return subprocess.run(["ps", "--ppid", str(pid), "-o", "args="], capture_output=True, text=True, check=False).stdout


def alive(folder):
    """Those of the hostile server and its child that live."""
    pids = (folder / "pids").read_text().split()
    shown = subprocess.run(["ps", "-o", "stat=", "-p", ",".join(pids)], capture_output=True, text=True, check=False)
    return [state for state in shown.stdout.split() if not state.startswith("Z")]


def wait_until(true):
    deadline = time.monotonic() + 10
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def answers_soon(session, seconds):
    """How long the owner takes to answer somebody else, at worst of some questions."""
    worst = 0.0
    for _ in range(20):
        began = time.monotonic()
        session.agent.ask("status")
        worst = max(worst, time.monotonic() - began)
        time.sleep(0.02)
    assert worst < seconds


def test_the_server_is_the_owners_child_and_the_gateway_has_none(session):
    assert "relayed.py" in children(session.owner.pid)
    assert children(session.gateway.process.pid) == ""


def test_frames_pass_as_they_are_in_both_directions(session):
    params = '{"arguments":{"x":1.50, "y":"\\u00e9é"},"name":"vendor"}'
    line = f'{{ "id" :"é", "params":{params},"method":"tools/call", "jsonrpc":"2.0"}}\r\n'
    session.gateway.send(line.encode())
    reply = session.gateway.line()
    assert line.encode() in session.gateway.raw("got")
    assert reply == session.gateway.raw("sent")[-1]
    assert b'1.50,"content"' in reply


def test_a_large_reply_passes_whole_to_a_slow_reader(session):
    session.gateway.send(call(1, "big", bytes=3_000_000))
    time.sleep(0.3)
    assert len(session.gateway.receive()["result"]["content"][0]["text"]) == 3_000_000
    assert "isError" not in session.gateway.call(2, "echo")["result"]


def test_a_call_is_refused_by_policy_and_leaves_its_line(session):
    assert session.gateway.call(1, "progress")["result"]["isError"] is True
    assert "progress" not in session.gateway.calls()
    assert [line["tool"] for line in session.lines()] == ["__blocked__"]


@pytest.mark.parametrize("args", ["1e999", "[" * 900 + "]" * 900])
def test_arguments_that_cannot_be_written_down_are_not_sent(session, args):
    line = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo","arguments":{{"n":{args}}}}}}}\n'
    answer = session.gateway.ask(line.encode())
    sent = [each for each in session.lines() if each["tool"] != "__blocked__"]
    assert len(session.gateway.calls()) == len(sent)
    assert answer["id"] == 1
    assert "isError" not in session.gateway.call(2, "echo")["result"]


def test_a_reply_that_cannot_be_written_down_is_handed_on_and_the_line_completed(session):
    session.gateway.send(call(1, "deep"))
    assert session.gateway.line().count(b"[") == 900
    session.gateway.call(2, "echo")
    session.agent.ask("finish", reached=True, why="")
    session.agent.ask("next")
    assert [line["assay"]["outcome"] for line in session.lines()] == ["ok", "ok"]


def test_the_end_of_stdin_ends_the_server_with_its_group_and_then_the_gateway(hostile, folder):
    assert len(alive(folder)) == 2
    hostile.gateway.process.stdin.close()
    assert hostile.gateway.process.wait(10) == 0
    assert alive(folder) == []
    assert "eval" in hostile.agent.ask("status")


def test_a_gateway_that_is_killed_takes_its_server_with_it_and_its_calls_are_lost(session):
    session.gateway.send(call(1, "hang"))
    wait_until(lambda: session.gateway.calls() == ["hang"])
    session.gateway.process.kill()
    wait_until(lambda: children(session.owner.pid) == "")
    session.agent.ask("finish", reached=False, why="killed")
    session.agent.ask("next")
    assert [line["assay"]["outcome"] for line in session.lines()] == ["lost"]


def test_an_owner_that_is_interrupted_ends_the_servers_that_it_carries(hostile, folder):
    hostile.owner.send_signal(signal.SIGINT)
    assert hostile.owner.wait(10) == 130
    assert alive(folder) == []
    assert hostile.gateway.call(1, "echo")["result"]["isError"] is True


def test_what_waits_for_an_owner_that_is_killed_is_answered_once_each(session):
    session.gateway.send(call(1, "hang"), request("list", "tools/list"))
    assert session.gateway.receive()["id"] == "list"
    wait_until(lambda: session.gateway.calls() == ["hang"])
    time.sleep(0.1)
    session.owner.kill()
    answer = session.gateway.receive()
    assert (answer["id"], "has a line if it was sent" in answer["error"]["message"]) == (1, True)
    assert session.gateway.ask(request("p", "ping")) == {"jsonrpc": "2.0", "id": "p", "result": {}}
    assert session.gateway.call(2, "echo")["result"]["isError"] is True


@pytest.mark.parametrize(("tool", "seconds"), [("flood", 1.0), ("dense", 3.0)])
def test_a_server_that_says_too_much_holds_up_nobody_else(hostile, tool, seconds):
    hostile.gateway.send(call(1, tool))
    reading = subprocess.Popen(["cat"], stdin=hostile.gateway.process.stdout, stdout=subprocess.DEVNULL)
    time.sleep(0.5)
    answers_soon(hostile, seconds)
    reading.kill()
    reading.wait()


def test_a_reader_that_does_not_read_holds_up_nobody_else(hostile):
    hostile.gateway.send(call(1, "flood"))
    time.sleep(0.5)
    answers_soon(hostile, 0.5)
