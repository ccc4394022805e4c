"""The gateway in front of servers over HTTP and SSE, as a process: the official SDK's, and hostile ones."""

import json
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from far_stage import SECRET, sdk_server
from far_stage import launch as reach
from gateway_stage import (
    HELLO,
    INITIALIZED,
    STATELESS,
    FakeOwner,
    address,
    call,
    gateway,
    request,
    short_folder,
)
from mcp_assay.frames import MAX_FRAME
from web import Out, OverSse, Web, as_json, events, mcp, result

PEER = Path(__file__).parents[2] / "benchmarks" / "peers" / "sdk_server.py"
FINE: dict[str, Any] = {"content": []}
CALL = '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"t","arguments":{"n":1}}}'


def text_of(message):
    assert message["result"]["isError"] is True
    return message["result"]["content"][0]["text"]


@contextmanager
def before(url, transport="http", *, hello=True):
    """A gateway before the server at an address, and its owner."""
    with short_folder() as folder:
        owner = FakeOwner(address(folder), reach(url, transport))
        try:
            with gateway(folder, hello=hello) as running:
                yield running, owner
            said = (folder / "stderr").read_text()
            assert SECRET not in said
            assert url not in said
        finally:
            owner.die()


# --- the official SDK's server ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sdk():
    with sdk_server() as as_events, sdk_server("json") as as_json_:
        yield {
            "events": (f"{as_events}/mcp", "http"),
            "json": (f"{as_json_}/mcp", "http"),
            "sse": (f"{as_events}/sse", "sse"),
        }


@pytest.fixture(params=["events", "json", "sse"])
def place(request, sdk):
    return sdk[request.param]


def test_calls_results_and_errors_of_a_session(place):
    with before(*place) as (gateway, owner):
        assert "read_echo" in [tool["name"] for tool in gateway.ask(request("l", "tools/list"))["result"]["tools"]]
        assert gateway.call(1, "read_echo", text="caf\u00e9")["result"]["structuredContent"] == {"text": "caf\u00e9"}
        assert gateway.call(2, "read_error")["result"]["isError"] is True
        seen = gateway.call(3, "read_headers")["result"]["structuredContent"]
        assert seen["authorization"] == f"Bearer {SECRET}"
        assert gateway.ask(request(4, "resources/list"))["result"]["resources"] == []
        assert [message["outcome"] for message in owner.closes(3)] == ["ok", "error", "ok"]
        names = {tool["name"] for tool in owner.of("observe")[0]["tools"]}
        assert {"read_echo", "add_tool"} <= names


def test_a_refused_call_reaches_nobody(place):
    with before(*place) as (gateway, owner):
        owner.decide = lambda message: {"refused": "it may not", "aborted": None}
        assert text_of(gateway.call(1, "add_tool")) == "it may not"
        assert gateway.ask(request(2, "resources/read", uri="a:b"))["error"]["message"] == "it may not"
        names = [tool["name"] for tool in gateway.ask(request("l", "tools/list"))["result"]["tools"]]
        assert "read_news" not in names


def test_a_call_that_takes_too_long_is_called_off(place):
    with before(*place) as (gateway, owner):
        owner.decide = lambda message: {"permit": "S1-001", "timeout": 0.4}
        assert text_of(gateway.call(1, "read_slowly")) == "no answer within 0.4 s"
        assert owner.closes()[0]["outcome"] == "timeout"
        owner.decide = lambda message: {}
        deadline = time.monotonic() + 5
        number = 2
        while True:
            number += 1
            if "cancelled" in gateway.call(number, "read_cut_off")["result"]["structuredContent"]["result"]:
                break
            assert time.monotonic() < deadline
            time.sleep(0.05)


@pytest.mark.parametrize("name", ["events", "sse"])
def test_questions_and_progress_come_where_there_is_a_stream_for_them(sdk, name):
    with before(*sdk[name]) as (gateway, owner):
        asked = gateway.call(1, "read_choice")
        assert asked["method"] == "elicitation/create"
        answer = {"action": "accept", "content": {"city": "Oslo"}}
        reply = gateway.ask({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
        assert (reply["id"], "Oslo" in reply["result"]["content"][0]["text"]) == (1, True)
        gateway.send(call(2, "read_steps", meta={"progressToken": "p"}))
        found = [gateway.receive() for _ in range(3)]
        assert [each.get("params", {}).get("progress") for each in found] == [1, 2, None]
        assert [message["outcome"] for message in owner.closes(2)] == ["ok", "ok"]


@pytest.mark.parametrize("name", ["events", "json"])
def test_the_stateless_era_over_http(sdk, name):
    with before(*sdk[name], hello=False) as (gateway, owner):
        found = gateway.ask(request("d", "server/discover", _meta=STATELESS))
        assert "2026-07-28" in found["result"]["supportedVersions"]
        assert gateway.call(1, "read_echo", meta=STATELESS, text="x")["result"]["resultType"] == "complete"
        headers = gateway.call(2, "read_headers", meta=STATELESS)["result"]["structuredContent"]
        assert (headers["mcp-method"], headers["mcp-name"]) == ("tools/call", "read_headers")
        for number, region in enumerate(["eu west", "\u00e9\u2028", " ", "=?base64?x?="]):
            answer = gateway.call(f"r{number}", "read_region", meta=STATELESS, region=region)
            assert answer["result"]["content"][0]["text"] == region
        owner.decide = lambda message: {"refused": "it may not", "aborted": None}
        assert gateway.call(3, "read_echo", meta=STATELESS, text="x")["result"]["resultType"] == "complete"


def test_what_a_server_says_is_the_same_through_the_gateway_to_the_byte():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/mcp"
    body = json.dumps(call(1, "route_agent_seat", meta=STATELESS)).encode()
    with subprocess.Popen([sys.executable, str(PEER), "--http", url[17:-4]], stderr=subprocess.DEVNULL) as process:
        try:
            expected = posted(url, body)
            with before(url, hello=False) as (gateway, owner):
                gateway.send(body + b"\n")
                assert gateway.line() == expected + b"\n"
                assert owner.closes()[0]["size"] == len(expected) + 1
        finally:
            process.kill()
    assert json.loads(expected)["result"]["structuredContent"] == {"ok": True}


def posted(url, body):
    """What the server itself answers, once it is there."""
    headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
    headers |= {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "route_agent_seat"}
    deadline = time.monotonic() + 20
    while True:
        try:
            return httpx2.post(url, content=body, headers=headers, trust_env=False).content
        except httpx2.ConnectError:
            assert time.monotonic() < deadline
            time.sleep(0.05)


# --- nothing passes that was not opened -------------------------------------------------------------------------------


@contextmanager
def recording(transport):
    """A gateway, its owner, and a server that remembers what it was sent."""
    calls = {"t": lambda seen: result(seen, FINE)}
    inner = mcp(calls) if transport == "http" else OverSse(calls)
    with Web(inner) as web:
        with before(web.url, transport) as (gateway, owner):
            yield gateway, owner, web
        if isinstance(inner, OverSse):
            inner.end()


@pytest.fixture(params=["http", "sse"])
def recorded(request):
    with recording(request.param) as found:
        yield found


@pytest.fixture(scope="module", params=["http", "sse"])
def untouched(request):
    """The same for calls that must not arrive."""
    with recording(request.param) as found:
        yield found


@pytest.mark.parametrize(
    "line",
    [
        *((CALL % number).encode() for number in ("1.5", "null", "true", "{}", "[]", "1.0", "NaN")),
        b"[" + (CALL % 1).encode() + b"]",
        b'{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"t"}}',
        b'{"jsonrpc":"2.0","id":1,"method":"ping","Method":"tools/call","params":{"name":"t"}}',
        b'{"jsonrpc":"2.0","method":"notifications/x","params":{"a":\r' + (CALL % 1).encode() + b"\r}}",
        b'{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"t"}}',
        (CALL % 1).encode() + (CALL % 2).encode(),
        (CALL % '"x"').encode()[:-1] + b"," + b'"padding":"' + b"x" * MAX_FRAME + b'"}',
    ],
    ids=range(14),
)
def test_a_call_in_disguise_goes_nowhere(untouched, line):
    gateway, owner, web = untouched
    assert "error" in gateway.ask(line + b"\n")
    gateway.ask(request("l", "tools/list"))
    assert (web.asked("tools/call"), owner.of("open")) == ([], [])


def test_what_is_opened_arrives_and_nothing_else(recorded):
    gateway, owner, web = recorded
    owner.decide = lambda message: {"refused": "no", "aborted": None} if message["args"]["n"] % 2 else {}
    for number in range(20):
        gateway.send(call(number, "t", n=number))
    assert sorted(gateway.receive()["id"] for _ in range(20)) == list(range(20))
    assert sorted(seen.message["params"]["arguments"]["n"] for seen in web.asked("tools/call")) == list(range(0, 20, 2))
    assert {message["outcome"] for message in owner.closes(10)} == {"ok"}


def test_a_dead_owner_is_a_no(recorded):
    gateway, owner, web = recorded
    assert "result" in gateway.call(1, "t")
    owner.die()
    assert "isError" in gateway.call(2, "t")["result"]
    assert len(gateway.ask(request(3, "tools/list"))["result"]["tools"]) == 1
    assert len(web.asked("tools/call")) == 1


# --- servers that no host deserves ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("out", "outcome", "why"),
    [
        (Out(401), "error", "OAuth sign-in is not done here"),
        (Out(500, SECRET.encode()), "error", "the server failed the request (HTTP 500)"),
        (Out(307, b"", {"location": "http://127.0.0.1:1/"}), "error", "redirects elsewhere"),
        (Out(200, b"<html>", {"content-type": "text/html"}), "error", "web page"),
        (as_json(b"x" * (MAX_FRAME + 2)), "error", "larger than 16 MiB"),
        (events([b"data: {}\n\n"]), "lost", "ended its event stream without a reply"),
        (as_json({"jsonrpc": "2.0", "id": 99, "result": FINE}), "error", "no JSON-RPC reply"),
        (Out(404), "lost", "the server ended the session (HTTP 404)"),
    ],
)
def test_what_is_no_answer_is_a_tool_error_and_closed_so(out, outcome, why):
    with Web(mcp({"t": lambda _: out}, session="abc")) as web, before(web.url) as (gateway, owner):
        assert why in text_of(gateway.call(1, "t"))
        assert owner.closes()[0]["outcome"] == outcome
        answer = gateway.ask(request(2, "tools/list"))
        assert ("error" in answer) == ("session" in why)


def test_an_endless_stream_is_cut_off_in_time():
    def endless():
        while not web.over.is_set():
            yield b": on and on\n"
            time.sleep(0.001)

    with Web(mcp({"t": lambda _: events(endless())})) as web, before(web.url) as (gateway, owner):
        owner.decide = lambda message: {"permit": "S1-001", "timeout": 0.3}
        assert text_of(gateway.call(1, "t")) == "no answer within 0.3 s"
        assert gateway.ask(request(2, "tools/list"))["id"] == 2


def test_a_server_that_is_gone_is_told_at_each_call_and_may_come_back():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with before(f"http://127.0.0.1:{port}/mcp", hello=False) as (gateway, owner):
        assert "cannot be reached" in gateway.ask(HELLO)["error"]["message"]
        assert "cannot be reached" in text_of(gateway.call(1, "t", meta=STATELESS))
        assert owner.closes()[0]["outcome"] == "lost"
        with Web(mcp({"t": lambda seen: result(seen, FINE)}), port):
            assert "isError" not in gateway.call(2, "t", meta=STATELESS)["result"]


def test_a_session_s_goodbye_is_said_when_the_host_ends_it():
    with Web(mcp({}, session="abc")) as web:
        with before(web.url, hello=False) as (gateway, _):
            gateway.ask(HELLO)
            gateway.send(INITIALIZED)
            gateway.ask(request(1, "tools/list"))
        assert [seen.headers["mcp-session-id"] for seen in web.asked("DELETE")] == ["abc"]
