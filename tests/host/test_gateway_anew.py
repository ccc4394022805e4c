"""A gateway that has no owner, or has another one: what it takes up again, and that nothing passes meanwhile."""

import signal
import time
from typing import Any

import pytest

from far_stage import launch as reach
from gateway_session import Session
from gateway_stage import (
    HELLO,
    INITIALIZED,
    SERVER,
    STATELESS,
    FakeOwner,
    address,
    call,
    gateway,
    launch,
    request,
    short_folder,
)
from web import Web, mcp, result

CHANGED = "notifications/tools/list_changed"


def text_of(message):
    assert message["result"]["isError"] is True
    return message["result"]["content"][0]["text"]


@pytest.fixture
def folder():
    with short_folder() as found:
        yield found


def test_a_gateway_that_was_there_first_takes_up_the_server_when_there_is_an_owner(folder):
    with gateway(folder) as running:
        assert "mcp-assay gate NAME" in text_of(running.call(1, "echo"))
        assert running.ask(request(2, "tools/list"))["result"]["tools"] == []
        owner = FakeOwner(address(folder), launch(folder))
        running.send(call(3, "echo", a=1))
        found = [running.receive(), running.receive()]
        assert [each.get("method") for each in found] == [CHANGED, None]
        assert found[1]["id"] == 3
        assert "isError" not in found[1]["result"]
        assert len(running.ask(request(4, "tools/list"))["result"]["tools"]) == 13
        assert [message["tool"] for message in owner.of("open")] == ["echo"]
        hello, initialized, *rest = running.got()
        assert (hello["method"], hello["params"]) == ("initialize", HELLO["params"])
        assert hello["id"] != HELLO["id"]  # the agent has its answer to that
        assert initialized == INITIALIZED
        assert [each["method"] for each in rest] == ["tools/list", "tools/call", "tools/list"]
    said = (folder / "stderr").read_text().splitlines()
    assert [line.partition("': ")[2][:8] for line in said] == ["no calls", "calls ar"]
    owner.die()


def test_in_the_stateless_era_there_is_nothing_to_say_again(folder):
    with gateway(folder, hello=False) as running:
        assert running.ask(request(1, "tools/list", _meta=STATELESS))["result"]["tools"] == []
        owner = FakeOwner(address(folder), launch(folder))
        assert len(running.ask(request(2, "tools/list", _meta=STATELESS))["result"]["tools"]) == 13
        assert "isError" not in running.call(3, "echo", meta=STATELESS)["result"]
        assert [each["method"] for each in running.got()] == ["tools/list", "tools/call"]
        assert len(owner.of("open")) == 1
        owner.die()


def test_a_server_over_http_is_greeted_anew_as_well(folder):
    with Web(mcp({"t": lambda seen: result(seen, {"content": []})}, session="abc")) as web, gateway(folder) as running:
        running.call(1, "t")
        owner = FakeOwner(address(folder), reach(web.url))
        running.send(call(2, "t"))
        assert [running.receive().get("method") for _ in range(2)] == [CHANGED, None]
        posted = [seen.asks for seen in web.seen if seen.method == "POST"]
        assert posted == ["initialize", "notifications/initialized", "tools/list", "tools/call"]
        owner.die()


def test_an_owner_that_was_started_anew_decides_about_the_server_that_is_there(folder):
    first = FakeOwner(address(folder), launch(folder))
    with gateway(folder) as running:
        running.send(call("hanging", "elicit"))
        asked = running.receive()
        first.die()
        while "no process owns" not in text_of(running.call(1, "echo")):
            time.sleep(0.01)
        second = FakeOwner(address(folder), launch(folder))
        second.decide = lambda message: {"refused": "no", "aborted": None} if message["args"].get("no") else {}
        assert "isError" not in running.call(2, "echo")["result"]
        assert text_of(running.call(3, "echo", no=True)) == "no"
        assert [message["do"] for message in second.heard] == ["hello", "observe", "open", "close", "open"]
        # What the first permitted may still be answered, and is no business of the second's.
        reply = running.ask({"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "decline"}})
        assert reply["id"] == "hanging"
        assert [message["permit"] for message in second.closes()] == ["S1-001"]
        assert [each.get("method") for each in running.got()].count("initialize") == 1
    second.die()


def test_an_owner_that_starts_the_server_otherwise_has_it_started_otherwise(folder):
    first = FakeOwner(address(folder), launch(folder))
    with gateway(folder) as running:
        running.send(call("hanging", "hang"))
        while "hang" not in running.calls():
            time.sleep(0.01)
        first.die()
        second = FakeOwner(address(folder), launch(folder, "paged"))
        running.send(call(1, "echo"))
        found: dict[object, Any] = {}
        while len(found) < 3:
            message = running.receive()
            found[message.get("id", message.get("method"))] = message
        assert text_of(found["hanging"]) == "the server was started anew"
        assert "isError" not in found[1]["result"]
        assert CHANGED in found
        assert len(second.of("observe")[0]["tools"]) == 13
        assert [message["outcome"] for message in second.closes()] == ["ok"]
    second.die()


def test_a_server_that_does_not_agree_again_is_not_used(folder):
    with Web(mcp({"t": lambda seen: result(seen, {})})) as web, gateway(folder) as running:
        inner = web.answer
        web.answer = lambda seen: (
            result(seen, {"protocolVersion": "2024-11-05"}) if seen.asks == "initialize" else inner(seen)
        )
        owner = FakeOwner(address(folder), reach(web.url))
        assert "another version of the protocol" in text_of(running.call(2, "t"))
        assert "start this session anew" in text_of(running.call(3, "t"))
        assert web.asked("tools/call") == []
        owner.die()


def test_whoever_is_refused_asks_again_and_says_so_once(folder):
    owner = FakeOwner(address(folder), False)
    with gateway(folder) as running:
        for number in range(3):
            assert text_of(running.call(number, "echo")) == "there is no such server"
        assert len(owner.of("hello")) > 3
        assert owner.of("open") == []
    assert (folder / "stderr").read_text().count("\n") == 1
    owner.die()


# --- a server that is to be skipped -----------------------------------------------------------------------------------


def test_a_skipped_server_is_not_started_and_each_call_is_opened_with_the_owner(folder):
    owner = FakeOwner(address(folder), None)
    owner.decide = lambda message: {"refused": "MCP disposition is 'skip'", "aborted": None}
    with gateway(folder) as running:
        assert running.ask(request(1, "tools/list"))["result"]["tools"] == []
        assert text_of(running.call(2, "echo", a=1)) == "MCP disposition is 'skip'"
        assert running.ask(request(3, "resources/read", uri="a:b"))["error"]["message"] == "MCP disposition is 'skip'"
        assert [(message["tool"], message["args"]) for message in owner.of("open")] == [
            ("echo", {"a": 1}),
            ("resources/read", {"uri": "a:b"}),
        ]
        owner.decide = lambda message: {}
        assert text_of(running.call(4, "echo")) == "it is to be skipped"  # even if it were permitted
        assert owner.closes()[0]["outcome"] == "error"
        assert running.raw("got") == []
    assert "no calls: it is to be skipped" in (folder / "stderr").read_text()
    owner.die()


# --- the real owner ---------------------------------------------------------------------------------------------------


def test_with_the_real_owner_started_anew_calls_go_on_in_the_same_log(folder):
    safety = {"disposition": "read_only", "marks": {"echo": {"mark": "read", "tool": "unpinned"}}}
    with Session(folder, [SERVER, folder], safety) as session:
        session.gateway.ask(HELLO)
        session.gateway.send(INITIALIZED)
        assert "isError" not in session.gateway.call(1, "echo")["result"]
        time.sleep(0.1)  # in the instant after an answer was sent its call still counts as waiting
        session.owner.send_signal(signal.SIGKILL)
        session.owner.wait()
        assert "isError" in session.gateway.call(2, "echo")["result"]
        session.begin_anew()
        session.gateway.send(call(3, "echo"))
        assert session.gateway.receive()["method"] == "notifications/tools/list_changed"
        assert "isError" not in session.gateway.receive()["result"]
        assert text_of(session.gateway.call(4, "die"))
        session.agent.ask("finish", reached=True, why="done")
        session.agent.ask("next")
        lines = [(line["id"], line["assay"]["tool"]) for line in session.lines()]
        assert lines == [("S1-001", "echo"), ("S1-002", "echo"), ("S1-003", "die")]
        greeted = [each["method"] for each in session.gateway.got()].count("initialize")
        assert greeted == 3  # in the interview, by the agent, and when it was started anew


def test_with_the_real_owner_a_call_of_a_skipped_server_leaves_its_line(folder):
    with Session(folder, [SERVER, folder], {"disposition": "skip"}) as session:
        (folder / "got").unlink(missing_ok=True)
        session.gateway.ask(HELLO)
        assert text_of(session.gateway.call(1, "echo")) == "MCP disposition is 'skip'"
        (line,) = session.lines()
        assert (line["tool"], line["is_mcp"], line["blocked_tool"]) == ("__blocked__", False, "mcp__relayed__echo")
        assert line["justification"] == "MCP disposition is 'skip'"
        assert session.gateway.raw("got") == []
