"""A gateway with the real owner: what is decided, counted and written down for what passes the relay."""

import pytest

from gateway_session import Session
from gateway_stage import HELLO, INITIALIZED, SERVER, STATELESS, call, request, short_folder

READ = {"mark": "read", "tool": "unpinned"}
MARKS = dict.fromkeys(("echo", "more", "elicit", "fail", "die"), READ)


@pytest.fixture
def session():
    safety = {"disposition": "read_only", "marks": MARKS}
    with short_folder() as folder, Session(folder, [SERVER, folder], safety) as found:
        found.gateway.ask(HELLO)
        found.gateway.send(INITIALIZED)
        yield found


def told(session):
    """Of each line its tool, how it ended, and its result's shape."""
    return [(line["assay"]["tool"], line["assay"]["outcome"], line["result_shape"]) for line in session.lines()]


def settled(session, number):
    """Wait until so many lines are complete: a call is closed after its reply was handed on."""
    session.agent.ask("finish", reached=True, why="done")
    session.agent.ask("next")
    assert len(told(session)) == number
    return told(session)


def test_two_rounds_of_a_call_are_one_line_and_one_count(session):
    first = session.gateway.call(1, "more", meta=STATELESS, n=1)["result"]
    assert session.agent.ask("status")["calls_left"] == 998
    retry = call(2, "more", meta=STATELESS, n=1)
    retry["params"] |= {"inputResponses": {"a": {}}, "requestState": first["requestState"]}
    assert session.gateway.ask(retry)["result"]["resultType"] == "complete"
    assert session.agent.ask("status")["calls_left"] == 998
    other = call(3, "more", meta=STATELESS, n=2)
    other["params"] |= {"inputResponses": {"a": {}}, "requestState": first["requestState"]}
    assert "isError" not in session.gateway.ask(other)["result"]
    assert [line[:2] for line in settled(session, 2)] == [("more", "ok"), ("more", "ok")]


def test_results_errors_and_reads_of_resources_each_have_their_line(session):
    session.gateway.call(1, "echo", a=1)
    session.gateway.call(2, "fail")
    session.gateway.ask(request(3, "resources/read", uri="a:b"))
    assert session.gateway.call(4, "echo/", a=1)["result"]["isError"] is True
    assert [line[:2] for line in settled(session, 4)] == [
        ("echo", "ok"),
        ("fail", "error"),
        ("resources/read", "ok"),
        ("echo/", "blocked"),
    ]


def test_between_scenarios_nothing_passes_and_in_the_next_the_tools_are_listed_anew(session):
    session.gateway.call(1, "echo")
    session.agent.ask("finish", reached=True, why="done")
    assert "no scenario is running" in session.gateway.call(2, "echo")["result"]["content"][0]["text"]
    assert session.gateway.calls() == ["echo"]
    lists = [each for each in session.gateway.got() if each["method"] == "tools/list"]
    session.agent.ask("next")
    assert "isError" not in session.gateway.call(3, "echo")["result"]
    assert len([each for each in session.gateway.got() if each["method"] == "tools/list"]) == len(lists) + 1


def test_a_server_that_dies_leaves_its_calls_lost_in_the_log(session):
    assert session.gateway.call(1, "die")["result"]["isError"] is True
    assert session.gateway.call(2, "echo")["result"]["isError"] is True
    assert [line[:2] for line in settled(session, 2)] == [("die", "lost"), ("echo", "lost")]
