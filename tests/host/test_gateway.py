"""The gateway as a process between a host, a server and an owner, all of them real, the owner's answers scripted."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gateway_stage import (
    HELLO,
    INITIALIZED,
    PATIENCE,
    STATELESS,
    FakeOwner,
    Gateway,
    address,
    call,
    command,
    environ,
    gateway,
    launch,
    request,
    short_folder,
    stage,
)


def text_of(message):
    assert message["result"]["isError"] is True
    return message["result"]["content"][0]["text"]


def from_server(lines):
    """What the server sent the agent: not the answers to the gateway's own requests."""
    return [line for line in lines if b'"id": "mcp-assay-' not in line]


# --- byte for byte ----------------------------------------------------------------------------------------------------


ODD = (
    b'{ "params" : {"name":"echo","arguments":{"n":1.50,"e":"\\u00e9","\xc3\xa9":[1E2]}, "x-vendor":{}},'
    b'"id":"odd" ,"method":"tools/call","jsonrpc":"2.0"}\r\n'
)


@pytest.mark.parametrize("meta", [None, STATELESS], ids=["handshake", "stateless"])
@pytest.mark.parametrize("pages", [(), ("paged",)], ids=["whole", "paged"])
def test_every_frame_arrives_as_it_was_sent_on_both_sides(meta, pages):
    with stage(*pages, hello=meta is None) as (gateway, owner):
        frames = [
            request("d", "server/discover", _meta=meta or {}),
            request("l", "tools/list", **({"_meta": meta} if meta else {})),
            *(call(name, name, meta={**(meta or {}), "progressToken": 1}) for name in ("echo", "fail", "vendor")),
            call("p", "progress", meta={**(meta or {}), "progressToken": "tok"}),
        ]
        lines = [json.dumps(frame).encode() + b"\n" for frame in frames] + [ODD]
        seen = []
        for line in lines:
            gateway.send(line)
            seen.append(gateway.line())
        seen.append(gateway.line())  # the progress came before its reply
        sent, got = from_server(gateway.raw("sent")), gateway.raw("got")
        assert seen == sent[len(sent) - len(seen) :]
        assert [line for line in got if line in lines] == lines
        hidden = [json.loads(line) for line in got if b'"mcp-assay-' in line]
        assert {frame["method"] for frame in hidden} <= {"tools/list"}
        assert (len(hidden) > 0) == bool(pages)
        assert all(frame["params"].get("_meta") == STATELESS for frame in hidden if meta)
        names = [tool["name"] for tool in owner.of("observe")[-1]["tools"]]
        assert len(names) == len(set(names)) == 13


SDK_SERVER = Path(__file__).parents[2] / "benchmarks" / "peers" / "sdk_server.py"


@pytest.mark.parametrize("meta", [None, STATELESS], ids=["handshake", "stateless"])
def test_what_the_official_sdk_s_server_says_arrives_in_either_era(meta):
    more = {"_meta": meta} if meta else {}
    begin = [request("d", "server/discover", **more)] if meta else [HELLO]
    frames = [*begin, request("l", "tools/list", **more), call("c", "route_agent_seat", meta=meta)]
    with short_folder() as folder:
        offered = {"command": sys.executable, "args": [str(SDK_SERVER)], "cwd": str(folder), "env": environ(folder)}
        words = [offered["command"], *offered["args"]]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder) as process:
            expected = answers(Gateway(process, folder), frames)
            process.kill()
        owner = FakeOwner(address(folder), {"transport": "stdio", **offered})
        with gateway(folder, hello=False) as running:
            assert answers(running, frames) == expected
        assert owner.closes()[0]["outcome"] == "ok"
        assert (b'"resultType":"complete"' in expected[-1]) == (meta is not None)
        owner.die()


def answers(server, frames):
    lines = []
    for frame in frames:
        server.send(frame, *([INITIALIZED] if frame is HELLO else []))
        lines.append(server.line())
    return lines


def test_a_server_s_question_and_its_answer_go_through():
    with stage() as (gateway, owner):
        asked = gateway.call(1, "elicit")
        assert (asked["id"], asked["method"]) == ("ask-1", "elicitation/create")
        reply = gateway.ask({"jsonrpc": "2.0", "id": "ask-1", "result": {"action": "accept", "content": {"a": 1}}})
        assert json.loads(reply["result"]["content"][0]["text"]) == {"action": "accept", "content": {"a": 1}}
        assert owner.closes()[0]["outcome"] == "ok"


def test_a_retry_of_the_stateless_era_is_one_call():
    with stage(hello=False) as (gateway, owner):
        first = gateway.call(1, "more", meta=STATELESS, n=1)["result"]
        assert first["resultType"] == "input_required"
        retry = call(2, "more", meta=STATELESS, n=1)
        retry["params"] |= {"inputResponses": {"a": {"action": "accept"}}, "requestState": first["requestState"]}
        assert gateway.ask(retry)["result"]["resultType"] == "complete"
        assert [message.get("again") for message in owner.of("open")] == [None, "S1-001"]
        assert [message["permit"] for message in owner.closes()] == ["S1-001"]
        assert gateway.calls() == ["more", "more"]


def test_replies_larger_than_any_pipe_arrive_whole_though_they_are_read_late():
    with stage() as (gateway, owner):
        for number in range(4):
            gateway.send(call(number, "big", bytes=3_000_000))
        time.sleep(0.5)
        assert owner.closes(0) == [] or len(owner.of("close")) < 4  # those that nobody has read are not closed
        for number in range(4):
            reply = gateway.receive()
            assert (reply["id"], len(reply["result"]["content"][0]["text"])) == (number, 3_000_000)
        assert [message["outcome"] for message in owner.closes(4)] == ["ok"] * 4


# --- no -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("meta", [None, STATELESS], ids=["handshake", "stateless"])
def test_a_refused_call_does_not_reach_the_server(meta):
    with stage(hello=meta is None) as (gateway, owner):
        owner.decide = lambda message: {"refused": "it may not", "aborted": None}
        refused = gateway.call(1, "echo", meta=meta)
        assert text_of(refused) == "it may not"
        assert ("resultType" in refused["result"]) == (meta is not None)
        assert gateway.ask(request(2, "resources/read", uri="a:b"))["error"]["message"] == "it may not"
        assert gateway.calls() == []
        assert owner.of("close") == []


def test_no_answer_in_time_is_called_off():
    with stage() as (gateway, owner):
        owner.decide = lambda message: {"permit": "S1-001", "timeout": 0.3}
        assert text_of(gateway.call(1, "hang")) == "no answer within 0.3 s"
        assert owner.closes()[0]["outcome"] == "timeout"
        owner.decide = lambda message: {}
        assert "isError" not in gateway.call(2, "echo")["result"]  # and the late reply was not handed on
        cancelled = [each for each in gateway.got() if each.get("method") == "notifications/cancelled"]
        assert [each["params"]["requestId"] for each in cancelled] == [1]


def test_a_call_that_the_host_cancels_is_closed_so():
    with stage() as (gateway, owner):
        gateway.send(call(1, "hang"))
        while "hang" not in gateway.calls():
            time.sleep(0.01)
        gateway.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        assert owner.closes()[0]["outcome"] == "cancelled"
        assert gateway.call(2, "echo")["id"] == 2


def test_a_server_that_dies_is_told_of_and_the_gateway_stays():
    with stage() as (gateway, owner):
        assert text_of(gateway.call(1, "die")) == "the server exited with status 3"
        assert text_of(gateway.call(2, "echo")) == "the server exited with status 3"
        assert gateway.ask(request(3, "tools/list"))["error"]["message"] == "the server exited with status 3"
        assert [message["outcome"] for message in owner.closes(2)] == ["lost", "lost"]


def test_a_dead_owner_is_a_no_and_the_tools_can_still_be_listed():
    with stage() as (gateway, owner):
        assert "isError" not in gateway.call(1, "echo")["result"]
        owner.decide = lambda message: None
        gateway.send(call(2, "echo"))
        while len(owner.of("open")) < 2:
            time.sleep(0.01)
        owner.die()
        assert "has ended" in text_of(gateway.receive())
        assert "no process owns this evaluation" in text_of(gateway.call(3, "echo"))
        assert len(gateway.ask(request(4, "tools/list"))["result"]["tools"]) == 13
        assert gateway.calls() == ["echo"]


def test_a_reply_that_nests_too_deeply_for_the_log_does_not_end_the_run():
    with stage() as (gateway, owner):
        assert "deep" in gateway.call(1, "deep")["result"]
        assert "isError" not in gateway.call(2, "echo")["result"]
        assert ["result" in message for message in owner.closes(2)] == [False, True]


def test_a_reply_that_is_no_json_ends_its_call():
    with stage() as (gateway, owner):
        assert "cannot be parsed" in text_of(gateway.call(1, "garble"))
        assert owner.closes()[0]["outcome"] == "error"


@pytest.mark.parametrize("meta", [None, STATELESS], ids=["handshake", "stateless"])
def test_without_an_owner_there_are_no_tools_and_every_call_says_why(meta):
    with short_folder() as folder, gateway(folder, hello=False) as running:
        more = {"_meta": meta} if meta else {}
        assert "result" in running.ask(HELLO)
        assert running.ask(request(1, "tools/list", **more))["result"]["tools"] == []
        assert "no process owns this evaluation" in text_of(running.call(2, "echo", meta=meta))
    assert "no process owns" in (folder / "stderr").read_text() if folder.exists() else True


@pytest.mark.parametrize(
    ("offered", "why"),
    [
        (False, "there is no such server"),
        ({"transport": "other", "url": "http://secret/"}, "not relayed"),
        ({"transport": "http", "url": "http://h:secret"}, "cannot be contacted"),
        ({"transport": "sse"}, "cannot be contacted"),
        ({"transport": "stdio", "command": "/no/such/secret", "args": [], "cwd": None, "env": {}}, "cannot be started"),
        ({"transport": "stdio"}, "cannot be used"),
    ],
)
def test_a_server_that_cannot_be_had_is_an_empty_one_and_says_why(offered, why):
    with short_folder() as folder:
        owner = FakeOwner(address(folder), offered)
        with gateway(folder) as running:
            assert why in text_of(running.call(1, "echo"))
        said = (folder / "stderr").read_text()
        assert why in said
        assert said.count("\n") == 1
        assert "secret" not in said
        assert owner.of("open") == []
        owner.die()


# --- how it ends ------------------------------------------------------------------------------------------------------


def gone(folder):
    """Whether no process is left that was started with this folder among its arguments."""
    deadline = time.monotonic() + 3
    while time.monotonic() < deadline:
        shown = subprocess.run(["ps", "-A", "-ww", "-o", "args="], capture_output=True, text=True, check=True).stdout
        if str(folder) not in shown:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, None])
def test_it_ends_with_its_server_when_the_host_wants_it(number):
    with short_folder() as folder:
        owner = FakeOwner(address(folder), launch(folder))
        with gateway(folder) as running:
            running.send(call(1, "hang"))
            while "hang" not in running.calls():
                time.sleep(0.01)
            if number is not None:
                running.process.send_signal(number)
                assert running.process.wait(PATIENCE) == 0
        assert gone(folder)
        owner.die()


def test_calls_that_were_asked_for_before_stdin_ended_are_answered():
    with short_folder() as folder:
        owner = FakeOwner(address(folder), launch(folder))
        frames = [HELLO, call(1, "echo", a=1), call(2, "echo", a=2)]
        text = b"".join(json.dumps(frame).encode() + b"\n" for frame in frames)
        torn = json.dumps(call(3, "echo")).encode()
        done = subprocess.run(
            command(folder), input=text + torn, env=environ(folder), capture_output=True, timeout=PATIENCE, check=True
        )
        assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["hello", 1, 2]
        assert done.stderr == b""
        assert gone(folder)
        owner.die()


def test_it_ends_when_nobody_reads_what_it_writes():
    with short_folder() as folder:
        owner = FakeOwner(address(folder), launch(folder))
        with gateway(folder) as running:
            running.process.stdout.close()
            running.send(request(1, "ping"))
            assert running.process.wait(PATIENCE) == 0
        assert gone(folder)
        owner.die()


def test_stdin_may_be_a_file():
    with short_folder() as folder:
        frames = folder / "frames"
        frames.write_text(json.dumps(HELLO) + "\n")
        with frames.open() as stdin:
            done = subprocess.run(
                command(folder), stdin=stdin, env=environ(folder), capture_output=True, timeout=PATIENCE, check=True
            )
        assert json.loads(done.stdout)["id"] == "hello"


# --- what it costs ----------------------------------------------------------------------------------------------------


def test_it_stays_small_and_never_loads_the_sdk_nor_a_session():
    with stage() as (gateway, _):
        for number in range(300):
            gateway.call(number, "echo", text="x" * 1000)
        status = Path(f"/proc/{gateway.process.pid}/status")
        if status.exists():
            (peak,) = re.findall(r"VmHWM:\s+(\d+)", status.read_text())
            assert int(peak) * 1024 < 30e6
    with short_folder() as folder:
        words = [*command(folder)[:1], "-X", "importtime", *command(folder)[1:]]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, env=environ(folder), capture_output=True, check=True)
        loaded = {line.rpartition(b"|")[2].strip().decode() for line in done.stderr.splitlines()}
    assert "mcp_assay.host.relay" in loaded
    assert not loaded & {"mcp", "asyncio", "pydantic", "mcp_assay.upstream", "mcp_assay.dispatch", "mcp_assay.gate"}


def test_it_does_nothing_while_nobody_wants_anything():
    with stage() as (gateway, _):

        def used():
            user, system = Path(f"/proc/{gateway.process.pid}/stat").read_text().split()[13:15]
            return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

        before = used()
        time.sleep(0.5)
        assert used() - before < 0.1
