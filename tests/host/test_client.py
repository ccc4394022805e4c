"""A client beside a real socket: what is asked is answered, and whatever goes wrong is no answer."""

import os
import socket
import threading
from functools import partial

import pytest

from gateway_stage import FakeOwner, address, launch, short_folder
from mcp_assay.host import client, wire
from mcp_assay.host.client import Blocking, Line, NoOwnerError, connect
from mcp_assay.host.loop import Loop

CALL = {"do": "open", "mcp": "s", "tool": "t", "args": {}}


@pytest.fixture
def folder():
    with short_folder() as path:
        yield path


@pytest.fixture
def owner(folder):
    found = FakeOwner(address(folder), launch(folder))
    yield found
    found.die()


@pytest.fixture
def greeted(folder, owner):
    """A conversation after its hello."""
    with Blocking(connect(address(folder))) as asking:
        assert asking.ask("hello", role="gateway", server="s", version=wire.VERSION)["ok"] is True
        yield asking


def nested(depth):
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


def test_without_an_owner_there_is_no_connection(folder):
    with pytest.raises(NoOwnerError, match="no process owns"):
        connect(address(folder))
    address(folder).parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(os.fspath(address(folder)))
    with pytest.raises(NoOwnerError, match="no process owns"):
        connect(address(folder))


def test_another_user_s_process_is_not_asked(folder, owner, monkeypatch):
    monkeypatch.setattr(client.os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(NoOwnerError, match="another user"):
        connect(address(folder))


def test_one_question_at_a_time(greeted, owner):
    owner.decide = lambda message: {"refused": "no", "aborted": None}
    assert greeted.ask(**CALL)["refused"] == "no"
    assert [message["n"] for message in owner.heard] == [1, 2]


def test_an_owner_who_hangs_up_gives_no_answer(greeted, owner):
    owner.die()
    with pytest.raises(NoOwnerError):
        greeted.ask("status")


@pytest.mark.parametrize("answer", [b"", b"{}\n", b"nonsense\n", b'{"n":2}\n', b'{"n":1,"n":1}\n', b"[1]\n"])
def test_an_answer_that_cannot_be_understood_is_none(folder, answer):
    address(folder).parent.mkdir(parents=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(os.fspath(address(folder)))
        listener.listen()

        def serve():
            line, _ = listener.accept()
            with line:
                line.recv(1000)
                line.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        with Blocking(connect(address(folder))) as asking, pytest.raises(NoOwnerError):
            asking.ask("status")
        thread.join()


@pytest.mark.parametrize("args", [{"n": float("inf")}, {"n": nested(300)}, {"n": "x" * wire.MOST_BYTES}])
def test_what_cannot_be_said_is_not_sent(greeted, owner, args):
    with pytest.raises(ValueError):
        greeted.ask(**{**CALL, "args": args})
    loop = Loop()
    line = Line(loop, greeted)
    line.begin(loop.stop)
    with pytest.raises(ValueError):
        line.ask({**CALL, "args": args}, print)
    line.ask(CALL, lambda _: loop.stop())  # and the conversation goes on
    loop.run()
    assert len(owner.of("open")) == 1


def test_in_a_loop_answers_come_to_whoever_asked(greeted, owner):
    answers = {}

    def decide(message):
        return {"permit": message["tool"]}

    def take(name, answer):
        answers[name] = answer["permit"]

    owner.decide = decide
    loop = Loop()
    line = Line(loop, greeted)
    line.begin(loop.stop)
    line.tell({"do": "observe", "tools": []})
    for name in ("a", "b", "c"):
        line.ask({**CALL, "tool": name}, partial(take, name))
    line.ask(CALL, lambda _: loop.stop())
    loop.run()
    assert answers == {"a": "a", "b": "b", "c": "c"}
    assert line.lost is None
    assert [message["n"] for message in owner.heard] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize("answer", [None, b"nonsense\n", b"[]\n", b'{"n":2,"n":3}\n', b"x" * 4000])
def test_in_a_loop_an_owner_who_is_lost_is_lost_once_and_for_all(greeted, owner, answer, monkeypatch):
    ended: list[str | None] = []
    answers: list[object] = []
    monkeypatch.setattr(wire, "MOST_BYTES", 3000)

    def decide(_):
        if answer is None:
            owner.die()
        return answer

    owner.decide = decide
    loop = Loop()
    line = Line(loop, greeted)

    def gone():
        ended.append(line.lost)
        loop.later(0.05, loop.stop)

    line.begin(gone)
    line.ask(CALL, answers.append)
    line.tell({"do": "close"})
    loop.run()
    line.tell({"do": "close"})  # nobody hears it
    assert (len(ended), answers) == (1, [])
    assert "has ended" in ended[0]
