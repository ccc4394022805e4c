"""The real owner, a gateway and a server; one of the first two is killed: the log holds all that reached the server.

Each run's seed is in its name. MCP_ASSAY_KILLS says how many runs there are.
"""

import os
import random
import time
from pathlib import Path

import pytest

from gateway_session import Session
from gateway_stage import EVAL, HELLO, INITIALIZED, call, request, short_folder
from mcp_assay.store.evaldir import EvalDir

KILLS = max(1, int(os.environ.get("MCP_ASSAY_KILLS", "3")))
SERVER = Path(__file__).parents[1] / "servers" / "counting.py"
CALLS = 60


@pytest.fixture
def session():
    with (
        short_folder() as folder,
        Session(folder, [SERVER, folder / "received", "counted"], {"disposition": "read_only"}) as found,
    ):
        found.gateway.ask(HELLO)
        found.gateway.send(INITIALIZED)
        yield found


def numbers(session):
    """What reached the server, in order."""
    received = session.folder / "received"
    lines = received.read_text().splitlines() if received.exists() else []
    return [int(line.rpartition(" ")[2]) for line in lines]


def count(number):
    return call(number, "list_items", number=number)


def test_a_whole_run_has_one_line_for_each_call(session):
    answers = [session.gateway.ask(count(number)) for number in range(CALLS)]
    refused = session.gateway.call("m", "create_item", number=999)
    assert refused["result"]["isError"] is True
    assert session.gateway.ask(request("l", "tools/list"))["result"]["tools"][0]["name"] == "list_items"
    assert session.agent.ask("finish", reached=True, why="counted")["ok"] is True
    session.gateway.process.stdin.close()
    assert session.gateway.process.wait(20) == 0
    assert "scenario" in session.agent.ask("next")
    assert session.agent.ask("finish", reached=False, why="nothing to do")["ok"] is True
    assert session.owner.wait(20) == 0
    *sent, blocked = session.lines()
    assert numbers(session) == list(range(CALLS)) == [answer["id"] for answer in answers]
    assert [line["assay"]["outcome"] for line in sent] == ["ok"] * CALLS
    assert (blocked["tool"], blocked["assay"]["tool"]) == ("__blocked__", "create_item")


@pytest.mark.parametrize("whom", ["owner", "gateway"])
@pytest.mark.parametrize("seed", range(KILLS))
def test_what_reached_the_server_is_in_the_log_and_nothing_does_once_the_owner_is_dead(seed, whom, session):
    kill_and_look(seed, whom, session)


@pytest.mark.soak
@pytest.mark.parametrize("whom", ["owner", "gateway"])
@pytest.mark.parametrize("seed", range(1000, 1000 + KILLS))
def test_it_is_so_however_often_they_are_killed(seed, whom, session):
    kill_and_look(seed, whom, session)


def kill_and_look(seed, whom, session):
    rng = random.Random(f"{whom} {seed}")
    victim = session.owner if whom == "owner" else session.gateway.process
    at, shortly = rng.randrange(CALLS), rng.uniform(0, 0.004)
    for number in range(CALLS):
        if number == at:
            session.gateway.send(count(number), count(number + CALLS))
            time.sleep(shortly)
            victim.kill()
            victim.wait()
            break
        assert "isError" not in session.gateway.ask(count(number))["result"]
    if whom == "owner":
        told: dict[int, object] = {}
        while len(told) < 2:
            answer = session.gateway.receive()
            told[answer["id"]] = answer
        reached = numbers(session)
        after = session.gateway.ask(count(5000))["result"]
        assert (after["isError"], "no process owns" in after["content"][0]["text"]) == (True, True)
        assert numbers(session) == reached
    else:
        session.owner.kill()
        session.owner.wait()
        time.sleep(0.05)
        reached = numbers(session)
    sent = [line for line in session.lines() if line["assay"]["tool"] == "list_items"]
    assert reached[:at] == list(range(at))
    assert len(reached) <= len(sent) <= at + 2
    assert len({line["id"] for line in sent}) == len(sent)
    with EvalDir(session.folder, EVAL) as folder:
        folder.lock()  # nobody who outlived the owner holds it
