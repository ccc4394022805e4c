"""A whole evaluation whose calls an agent makes elsewhere: over the socket, with a client that plays host and agent."""

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from host_client import Client, address, owning, short
from mcp_assay.store import transcript
from mcp_assay.store.evaldir import EvalDir

__all__ = ["short"]

SOURCE = Path(__file__).parents[2] / "src"
SERVER = """
import json, sys
TOOLS = [
    {"name": "list_items"},
    {"name": "create_item", "inputSchema": {"type": "object", "properties": {"project": {"type": "string"}}}},
]
for line in sys.stdin:
    request = json.loads(line)
    result = {"content": []}
    if request["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {}}
    if request["method"] == "tools/list":
        result = {"tools": TOOLS}
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""
TOOLS: list[dict[str, Any]] = [
    {"name": "list_items"},
    {"name": "create_item", "inputSchema": {"type": "object", "properties": {"project": {"type": "string"}}}},
]
PLAN = {
    "dispositions": {
        "box": {"disposition": "sandboxed", "test_resources": ["project: playground"]},
        "off": "skip",
    },
    "approval": "approve",
    "allow": ["Bash"],
    "call_budget": 6,
    "scenarios": [{"description": "list what is there"}, {"description": "make an item in playground"}],
}


class Place:
    """A folder with an approved evaluation of two servers, the second of them to be skipped."""

    def __init__(self, folder: Path, state: Path, **plan: Any) -> None:
        self.folder = folder
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(SOURCE)}
        self.environ |= {"XDG_STATE_HOME": str(state)}
        self.evaluation = folder / "mcp-evals" / "mcp-eval-one"
        self.path = address(self.evaluation, self.environ)
        (folder / "server.py").write_text(SERVER)
        (folder / "plan.json").write_text(json.dumps(PLAN | plan))
        self.named = [f"--server={name}={sys.executable} {folder}/server.py" for name in ("box", "off")]

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "mcp_assay", *arguments]
        return subprocess.run(
            command, cwd=self.folder, env=self.environ, capture_output=True, text=True, check=False, timeout=60
        )

    def approve(self, *more: str) -> "Place":
        done = self.run("eval", "--plan", "plan.json", "--name", "one", *self.named, "--until", "scenarios", *more)
        assert done.returncode == 0, done.stderr
        return self

    @property
    def gate(self) -> list[str]:
        return ["gate", "one", *self.named]

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.evaluation / "transcript.jsonl").read_bytes().splitlines()]

    def state(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads((self.evaluation / "state.json").read_bytes())
        return found


@pytest.fixture
def place(tmp_path: Path, short: Path) -> Place:
    return Place(tmp_path, short)


def play(path: Path) -> None:
    """The agent, its gateway and its hooks, through both scenarios."""
    with Client(path, "agent") as agent, Client(path, "gateway", server="box") as gateway, Client(path, "hook") as hook:
        launch = gateway.hello["launch"]
        assert (launch["transport"], launch["args"][-1].endswith("server.py")) == ("stdio", True)
        assert "next_scenario" in gateway.call("box", "list_items")["refused"]
        scenario = agent.ask("next")["scenario"]
        assert (scenario["id"], scenario["description"], scenario["calls_left"]) == ("S1", "list what is there", 6)
        assert gateway.call("box", "list_items")["list"] is True
        assert gateway.ask("observe", tools=TOOLS) == {"ok": True}
        permit = gateway.call("box", "list_items")
        assert permit["permit"] == "S1-001"
        assert 0 < permit["timeout"] <= 60
        gateway.done("S1-001")
        assert "justification" in hook.call(None, "Bash", {"command": "ls"}, join="t1")["refused"]
        agent.ask("justify", tool="Bash", text="no attached MCP covers this step; it is local")
        assert hook.call(None, "Bash", {"command": "ls"}, join="t2")["permit"] == "S1-003"
        hook.tell({"do": "close", "join": "t2", "outcome": "ok"})
        assert gateway.call("box", "ignored", {"uri": "x://y"}, kind="resources/read")["permit"] == "S1-004"
        gateway.done("S1-004")
        assert agent.ask("finish", reached=True, why="all listed") == {"ok": True, "left": 1}
        assert agent.ask("next")["scenario"]["id"] == "S2"
        gateway.ask("observe", tools=TOOLS)
        gateway.done(gateway.call("box", "create_item", {"project": "playground"})["permit"])
        assert gateway.call("box", "create_item", {"project": "production"})["aborted"] == "safety_abort"


def test_a_whole_evaluation_runs_over_the_socket_to_its_report(place: Place) -> None:
    place.approve()
    with owning(place.gate, place.path, place.environ, place.folder) as owner:
        play(place.path)
        out, err = owner.communicate(timeout=20)
    assert owner.returncode == 0, err.decode()
    assert [(line["id"], line["tool"], line["result_shape"]) for line in place.lines()] == [
        ("S1-001", "mcp__box__list_items", "empty"),
        ("S1-002", "__blocked__", "error:blocked"),
        ("S1-003", "Bash", "empty"),
        ("S1-004", "mcp__box__resources_read", "empty"),
        ("S2-001", "mcp__box__create_item", "empty"),
        ("S2-002", "__blocked__", "error:blocked"),
    ]
    state = place.state()
    ends = [(entry["status"], entry["call_count"], entry["abort_reason"]) for entry in state["execution"]]
    assert ends == [("complete", 3, None), ("aborted", 1, "safety_abort")]
    assert state["execution"][0]["assay"]["reason"] == "all listed"
    assert (state["status"], state["assay"]["driver"]) == ("complete", "host")
    assert [call["tool"] for call in state["assay"]["outside_calls"]] == ["mcp__box__list_items"]
    assert not place.path.exists()
    assert b"gateway of box: connected" in err
    assert b"refused: mcp__box__create_item" in err
    assert b"Evaluation complete: one" in out


def test_eval_itself_is_the_owner_when_its_plan_says_so(place: Place) -> None:
    arguments = ["eval", "--plan", "plan.json", "--driver", "host", "--name", "one", *place.named]
    with owning(arguments, place.path, place.environ, place.folder) as owner:
        play(place.path)
        _, err = owner.communicate(timeout=20)
    assert owner.returncode == 0, err.decode()
    assert len(place.lines()) == 6
    assert place.state()["assay"]["driver"] == "host"


def test_eval_goes_on_with_the_host_that_it_was_begun_with(place: Place) -> None:
    arguments = ["eval", "--name", "one", *place.named]
    begun = [*arguments, "--plan", "plan.json", "--driver", "host"]
    with owning(begun, place.path, place.environ, place.folder) as owner, Client(place.path, "agent") as agent:
        agent.ask("next")
        owner.send_signal(signal.SIGTERM)
        owner.communicate(timeout=20)
    with owning([*arguments, "--resume"], place.path, place.environ, place.folder) as owner:
        with Client(place.path, "agent") as agent:
            assert agent.ask("next")["scenario"]["id"] == "S1"
            assert agent.ask("finish", reached=False, why="") == {"ok": True, "left": 1}
            agent.ask("next")
            agent.ask("finish", reached=False, why="")
        owner.communicate(timeout=20)
    assert owner.returncode == 4  # nothing was called
    assert place.state()["status"] == "complete"


def test_a_killed_owner_leaves_a_line_for_every_call_and_its_clients_nothing_but_silence(place: Place) -> None:
    place.approve()
    with (
        owning(place.gate, place.path, place.environ, place.folder) as owner,
        Client(place.path, "agent") as agent,
        Client(place.path, "gateway", server="box") as gateway,
    ):
        agent.ask("next")
        gateway.ask("observe", tools=TOOLS)
        gateway.done(gateway.call("box", "list_items")["permit"])
        permits = [gateway.call("box", "list_items")["permit"] for _ in range(2)]
        owner.kill()
        owner.wait()
        with pytest.raises(ConnectionError):
            gateway.call("box", "list_items")
        with pytest.raises(ConnectionError):
            Client(place.path, "gateway", server="box")
    assert [line["id"] for line in place.lines()] == ["S1-001", *permits] == ["S1-001", "S1-002", "S1-003"]
    assert place.state()["execution"][0]["call_count"] <= 3
    # The socket that the killed owner left is nobody's: the next one takes its place, and goes on after the last line.
    with owning(place.gate, place.path, place.environ, place.folder) as owner:
        with Client(place.path, "agent") as agent, Client(place.path, "gateway", server="box") as gateway:
            assert agent.ask("next")["scenario"]["id"] == "S1"
            gateway.ask("observe", tools=TOOLS)
            gateway.done(gateway.call("box", "list_items")["permit"])
            agent.ask("finish", reached=True, why="")
            agent.ask("next")
            agent.ask("finish", reached=False, why="gave up")
        owner.communicate(timeout=20)
    assert owner.returncode == 0
    outcomes = [(line["id"], line["assay"]["outcome"]) for line in place.lines()]
    assert outcomes == [("S1-001", "ok"), ("S1-002", "unknown"), ("S1-003", "unknown"), ("S1-004", "ok")]


@pytest.mark.parametrize("seed", range(3))
def test_whenever_an_owner_is_killed_each_permit_that_it_gave_has_its_line(place: Place, seed: int) -> None:
    place.approve("--call-budget", "900")
    delay = random.Random(seed).uniform(0.01, 0.3)
    given: list[str] = []

    def call_until_it_is_gone(server: Client) -> None:
        with contextlib.suppress(ConnectionError):
            while True:
                given.append(server.call("box", "list_items")["permit"])
                server.done(given[-1])

    with (
        owning(place.gate, place.path, place.environ, place.folder) as owner,
        Client(place.path, "agent") as agent,
        Client(place.path, "gateway", server="box") as one,
        Client(place.path, "gateway", server="box") as two,
    ):
        agent.ask("next")
        one.ask("observe", tools=TOOLS)
        callers = [threading.Thread(target=call_until_it_is_gone, args=[server]) for server in (one, two)]
        for caller in callers:
            caller.start()
        time.sleep(delay)
        owner.kill()
        for caller in callers:
            caller.join(10)
    with EvalDir(place.folder, "one") as folder:
        transcript.recover(folder.fd)
    logged = [line["id"] for line in place.lines()]
    assert logged == [f"S1-{number:03d}" for number in range(1, len(logged) + 1)]
    assert set(given) <= set(logged)
    assert len(logged) - len(given) <= 2  # a line for each caller whose answer was killed


def test_a_stale_socket_is_replaced(place: Place) -> None:
    place.approve()
    with owning(place.gate, place.path, place.environ, place.folder) as owner:
        owner.kill()
    assert place.path.is_socket()
    with owning(place.gate, place.path, place.environ, place.folder), Client(place.path, "agent") as agent:
        assert agent.ask("status")["status"] == "scoped"


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_saves_and_says_how_to_go_on(place: Place, sign: signal.Signals) -> None:
    place.approve()
    with (
        owning(place.gate, place.path, place.environ, place.folder) as owner,
        Client(place.path, "agent") as agent,
        Client(place.path, "gateway", server="box") as gateway,
    ):
        agent.ask("next")
        gateway.ask("observe", tools=TOOLS)
        assert gateway.call("box", "create_item", {"project": "playground"})["permit"] == "S1-001"
        owner.send_signal(sign)
        _, err = owner.communicate(timeout=20)
    assert owner.returncode == 130
    assert b"go on with: mcp-assay gate one" in err
    (line,) = place.lines()
    assert (line["assay"]["outcome"], line["assay"]["effect"]) == ("cancelled", "unknown")
    assert place.state()["status"] == "executing"
    assert not place.path.exists()


def test_time_is_counted_from_the_first_scenario_on_and_ends_them_all(place: Place) -> None:
    place.approve("--wallclock-budget", "0.02")
    with (
        owning(place.gate, place.path, place.environ, place.folder) as owner,
        Client(place.path, "agent") as agent,
        Client(place.path, "gateway", server="box") as gateway,
    ):
        assert agent.ask("status")["seconds_left"] == 1
        agent.ask("next")
        gateway.ask("observe", tools=TOOLS)
        gateway.call("box", "list_items")
        owner.communicate(timeout=20)
    assert owner.returncode == 4  # no call of the server was completed
    outcomes = [(line["tool"], line["assay"]["outcome"]) for line in place.lines()]
    assert outcomes == [("mcp__box__list_items", "timeout"), ("__wallclock_abort__", "aborted")]
    assert [entry["abort_reason"] for entry in place.state()["execution"]] == ["wallclock", "wallclock"]


def test_what_is_not_approved_or_has_run_is_not_run(place: Place) -> None:
    args = ["eval", "--plan", "plan.json", "--name", "one", *place.named]
    assert place.run(*args, "--until", "discovery").returncode == 0
    refused = place.run(*place.gate)
    assert (refused.returncode, "not approved yet" in refused.stderr) == (2, True)
    assert place.run(*args, "--resume", "--until", "execution").returncode == 0
    refused = place.run(*place.gate)
    assert (refused.returncode, "its scenarios have run" in refused.stderr) == (2, True)
    assert place.run("gate", "two").returncode == 2


def test_the_servers_must_be_those_that_were_interviewed(place: Place) -> None:
    place.approve()
    refused = place.run("gate", "one")
    assert (refused.returncode, "name it again: --server box=" in refused.stderr) == (2, True)


def test_a_plan_that_was_pinned_is_taken_only_as_it_was(place: Place) -> None:
    place.approve()
    (place.evaluation / ".assay" / "plan.json").write_text('{"allow": ["Bash", "Write"]}')
    refused = place.run(*place.gate)
    assert (refused.returncode, "pinned of the plan is missing or changed" in refused.stderr) == (2, True)


def test_the_plan_still_says_which_findings_fail(tmp_path: Path, short: Path) -> None:
    place = Place(tmp_path, short, fail_on="suggestion", call_budget=3).approve()
    with owning(place.gate, place.path, place.environ, place.folder) as owner:
        with Client(place.path, "agent") as agent, Client(place.path, "gateway", server="box") as gateway:
            for _ in range(2):
                agent.ask("next")
                gateway.ask("observe", tools=TOOLS)
                for _ in range(3):  # the same read three times over
                    gateway.done(gateway.call("box", "list_items")["permit"])
                agent.ask("finish", reached=True, why="")
        owner.communicate(timeout=20)
    assert place.state()["critic_findings"]
    assert owner.returncode == 1


def test_json_is_the_report_and_nothing_else(place: Place) -> None:
    place.approve()
    with owning([*place.gate, "--json"], place.path, place.environ, place.folder) as owner:
        play(place.path)
        out, err = owner.communicate(timeout=20)
    found = json.loads(out)
    assert (found["exit_code"], err) == (0, b"")
    assert {server["name"] for server in found["servers"]} == {"box", "off"}
