"""Whichever server is there: what it is sent, and when, after another was greeted."""

import json

import pytest

from mcp_assay.host.greeting import Greeting
from relay_ends import End

PARAMS = {"protocolVersion": "2099-01-01", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "host"}}
ANSWER = {"result": {"protocolVersion": "2025-11-25", "capabilities": {}}}


@pytest.fixture
def ends():
    return End(), End()


def greeted(first, second):
    greeting = Greeting(first)
    greeting.heard(PARAMS, ANSWER)
    assert greeting.turn(second, "own-1")
    return greeting


def test_frames_go_to_the_one_that_is_there(ends):
    greeting = Greeting(ends[0])
    greeting.send(b"1\n")
    assert not greeting.turn(ends[1], "own-1")  # nobody has said initialize
    greeting.send(b"2\n")
    assert (ends[0].frames, ends[1].frames, greeting.number) == ([b"1\n"], [b"2\n"], None)


def test_a_new_one_is_greeted_as_the_first_was_and_the_rest_waits(ends):
    greeting = greeted(*ends)
    greeting.send(b"3\n")
    greeting.send(b"4\n")
    assert greeting.backlog == 4
    (hello,) = ends[1].take()
    assert hello == {
        "jsonrpc": "2.0",
        "id": "own-1",
        "method": "initialize",
        "params": {**PARAMS, "protocolVersion": "2025-11-25"},
    }
    assert greeting.answered({"id": "own-1", **ANSWER}) is None
    assert [json.loads(ends[1].frames[0])["method"], *ends[1].frames[1:]] == [
        "notifications/initialized",
        b"3\n",
        b"4\n",
    ]
    assert (greeting.number, greeting.backlog) == (None, 0)


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"result": {"protocolVersion": "2025-06-18"}}, "another version"),
        ({"result": {}}, "another version"),
        ({"error": {"code": -32601}}, "refused"),
        ({"result": []}, "refused"),
    ],
)
def test_one_that_does_not_agree_gets_nothing(ends, answer, why):
    greeting = greeted(*ends)
    greeting.send(b"3\n")
    ends[1].take()
    assert why in greeting.answered(answer)
    assert ends[1].frames == []


@pytest.mark.parametrize("reply", [{"error": {"code": 1}}, {"result": {}}, {"result": {"protocolVersion": 5}}, {}])
def test_what_was_not_agreed_is_not_said_again(ends, reply):
    greeting = Greeting(ends[0])
    greeting.heard(PARAMS, reply)
    assert not greeting.turn(ends[1], "own-1")


def test_what_was_dropped_is_not_sent_by_a_late_answer(ends):
    greeting = greeted(*ends)
    greeting.send(b"3\n")
    ends[1].take()
    greeting.drop()
    assert (greeting.number, greeting.backlog, ends[1].frames) == (None, 0, [])
