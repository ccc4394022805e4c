"""What a gateway adds to a call over stdio, beside two proxies of others that guard MCP servers.

Each relays the same call to the same server and writes a line for it: ours is decided by the process that owns the
evaluation and is on the disk before the call is sent; the others decide themselves and do not sync. All of them run at
once and take turns, call by call, so that whatever else the machine does is in all figures alike. Since only ours
syncs, the evaluation is kept in memory where there is such a file system, and what one sync costs on the disk is shown
beside it. The figures are times added to those of the server called directly: a ratio below 1 is faster.

An agent thinks between two calls, so a pause is made there: what is done once the reply has been handed on (the line is
completed, the state saved) delays nobody. The same calls without a pause are shown too.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.figures import Figure, compared, main

from mcp_assay.host import wire
from mcp_assay.host.client import Blocking, NoOwnerError, connect
from mcp_assay.store.evaldir import place

__all__ = ["measure"]

MOST, MEGABYTES = 1.5, 25.0
"""Times the time that the fastest of the others adds; what each of our two processes may keep in memory."""
_ROOT = Path(__file__).parents[1]
_PEERS = _ROOT / "build" / "peers" / "bin"
_EVERYTHING = _ROOT / "build" / "npm" / "node_modules" / "@modelcontextprotocol" / "server-everything" / "dist"
_MEMORY = Path("/dev/shm")
_PATIENCE = 30.0
_NAME = "bench"
_WARM = 20
_PAUSE = 0.004  # seconds
_AT_ONCE = " without a pause"
_NAMES = ("agentguard-mcp", "agentbelay")


@dataclass(frozen=True)
class _Target:
    """A server, and a call of it that it answers at once."""

    name: str
    command: list[str]
    tool: str
    args: Mapping[str, Any]


_SDK = _Target("SDK", [sys.executable, str(_ROOT / "benchmarks" / "peers" / "sdk_server.py")], "route_agent_seat", {})
_NODE = _Target("everything", ["node", str(_EVERYTHING / "index.js"), "stdio"], "echo", {"message": "hello"})


def measure(rounds: int = 5, calls: int = 200) -> list[Figure]:
    """Everything in each round, call by call. Without Node or the others they are left out."""
    figures = []
    for target in (_SDK, _NODE):
        if target is _NODE and not (shutil.which("node") and _EVERYTHING.is_dir()):
            print("no server-everything here; make test-clients installs it", file=sys.stderr)
            continue
        figures += _of(target, rounds, calls)
    return [*figures, _sync()] if figures else []


def _of(target: _Target, rounds: int, calls: int) -> list[Figure]:
    with tempfile.TemporaryDirectory(dir=_MEMORY if os.access(_MEMORY, os.W_OK) else None) as kept:
        folder = Path(kept)
        with _owned(folder, target, rounds) as (owner, agent):
            ours = [sys.executable, "-P", "-m", "mcp_assay", "gateway", "--eval", _NAME, "--server", target.name]
            commands = {
                "direct": target.command,
                "ours": [*ours, "--home", kept, "--out", kept],
                **_peers(folder, target),
            }
            bench = _Bench(target, folder, calls, owner, agent, commands)
            times = [bench.round() for _ in range(rounds)]
    figures = []
    for pause in ("", _AT_ONCE):
        against = {"direct": None, **dict.fromkeys(_NAMES)} | {"fastest": None if pause else MOST}
        figures += [
            compared(
                f"gateway: added to a call of {target.name}{pause}, against {name}",
                times,
                f"{name}{pause}",
                f"ours{pause}",
                bound=bound,
            )
            for name, bound in against.items()
            if f"{name}{pause}" in times[0]
        ]
    for number, process in enumerate(("relay", "owner")):
        most = max(each[number] for each in bench.kilobytes) * 1024 / 1e6
        figures.append(Figure(f"gateway: memory of the {process}", MEGABYTES, most, "MB", most / MEGABYTES, bound=1.0))
    return figures


@dataclass
class _Bench:
    """The commands that are measured, in a folder where ``owner`` is the process that decides about ours."""

    target: _Target
    folder: Path
    calls: int
    owner: int
    agent: Blocking
    commands: Mapping[str, list[str]]
    kilobytes: list[tuple[int, int]] = field(default_factory=list)

    def round(self) -> dict[str, float]:
        """The milliseconds of a call to the server itself, and what each of the others adds to that."""
        if "scenario" not in self.agent.ask("next"):
            raise RuntimeError("no scenario runs")
        took = self._took()
        self.agent.ask("finish", reached=True, why="measured")
        found: dict[str, float] = {}
        for number, pause in enumerate(("", _AT_ONCE)):
            direct = took["direct"][number]
            added = {name: max(each[number] - direct, 0.001) for name, each in took.items() if name != "direct"}
            others = [each for name, each in added.items() if name != "ours"]
            fastest = {"fastest": min(others)} if others else {}
            found |= {f"{name}{pause}": each for name, each in {"direct": direct, **added, **fastest}.items()}
        return found

    def _took(self) -> dict[str, tuple[float, float]]:
        """The medians of the milliseconds that a call takes: after a pause, and without."""
        with ExitStack() as stack:
            talks = {name: stack.enter_context(self._talk(command)) for name, command in self.commands.items()}
            took: dict[str, list[float]] = {name: [] for name in talks}
            for number in range(2 * self.calls + _WARM):
                for name, talk in talks.items():
                    # Without a pause the others have theirs meanwhile: a call is made ready by one that does not count.
                    time.sleep(_PAUSE)
                    if number >= self.calls + _WARM:
                        talk.call(self.target)
                    took[name].append(talk.call(self.target))
            self.kilobytes.append((_resident(talks["ours"].process.pid), _resident(self.owner)))
        first, second = slice(_WARM, self.calls + _WARM), slice(self.calls + _WARM, None)
        return {name: (median(each[first]), median(each[second])) for name, each in took.items()}

    @contextmanager
    def _talk(self, command: list[str]) -> Iterator["_Talk"]:
        started = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=_environ(self.folder),
        )
        with started as process:
            talk = _Talk(process)
            talk.begin()
            yield talk
            process.terminate()


class _Talk:
    """A session with a server, or with what stands in front of one."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process, self._number = process, 0

    def begin(self) -> None:
        client = {"name": "benchmark", "version": "1"}
        self._ask("initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=client)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self._ask("tools/list")

    def call(self, target: _Target) -> float:
        """The milliseconds that it takes. Raises RuntimeError if it fails."""
        began = perf_counter()
        reply = self._ask("tools/call", name=target.tool, arguments=target.args)
        took = (perf_counter() - began) * 1000
        if "error" in reply or reply["result"].get("isError"):
            raise RuntimeError(f"a call failed: {json.dumps(reply)[:500]}")
        return took

    def _ask(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        self._send({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while True:
            reply: dict[str, Any] = json.loads(self.process.stdout.readline())  # type: ignore[union-attr]
            if reply.get("id") == self._number and "method" not in reply:
                return reply

    def _send(self, message: Mapping[str, Any]) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")  # type: ignore[union-attr]
        self.process.stdin.flush()  # type: ignore[union-attr]


# --- ours -------------------------------------------------------------------------------------------------------------


@contextmanager
def _owned(folder: Path, target: _Target, rounds: int) -> Iterator[tuple[int, Blocking]]:
    """The process that owns an evaluation with a scenario for each round, and the agent's line to it."""
    plan = {
        "driver": "host",
        "dispositions": {
            target.name: {"disposition": "read_only", "marks": {target.tool: {"mark": "read", "tool": "unpinned"}}}
        },
        "approval": "approve",
        "call_budget": 999,
        "wallclock_budget": 60,
        "scenarios": [{"description": f"round {number + 1} of calls"} for number in range(rounds)],
    }
    (folder / "plan.json").write_text(json.dumps(plan), encoding="utf-8")
    us = [sys.executable, "-P", "-m", "mcp_assay"]
    named = [f"--server={target.name}={shlex.join(target.command)}", "--project", str(folder)]
    made = [*us, "eval", "--plan", "plan.json", "--name", _NAME, "--until", "scenarios", *named]
    done = subprocess.run(made, cwd=folder, env=_environ(folder), capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    command = [*us, "gate", _NAME, *named]
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, cwd=folder, env=_environ(folder), stdout=subprocess.DEVNULL, stderr=quiet) as owner:
        try:
            with _agent(folder) as agent:
                yield owner.pid, agent
        finally:
            owner.terminate()


@contextmanager
def _agent(folder: Path) -> Iterator[Blocking]:
    path = wire.socket_path(folder / "state" / "mcp-assay", os.path.realpath(place(folder, _NAME)))
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            line = connect(path)
            break
        except NoOwnerError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)
    with Blocking(line) as agent:
        agent.ask("hello", role="agent", version=wire.VERSION)
        yield agent


def _environ(folder: Path) -> dict[str, str]:
    source = str(_ROOT / "src")
    return {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": source,
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
    }


# --- the others -------------------------------------------------------------------------------------------------------


def _peers(folder: Path, target: _Target) -> dict[str, list[str]]:
    """The commands of those that are installed, each with a policy that lets the call through."""
    if not (_PEERS / "agentguard").is_file() or not (_PEERS / "belay").is_file():
        print("agentguard-mcp and agentbelay are not measured; make peers installs them", file=sys.stderr)
        return {}
    rule = {"id": "none", "action": "deny", "match": {"args": {"path": {"regex": "^/etc/"}}}, "message": "no"}
    policy = folder / "belay.yaml"
    policy.write_text(
        json.dumps({"version": 1, "name": "bench", "default": "allow", "rules": [rule]}), encoding="utf-8"
    )
    return {
        "agentguard-mcp": [str(_PEERS / "agentguard"), "run", "--audit-log", "guard.log", "--", *target.command],
        "agentbelay": [
            str(_PEERS / "belay"),
            "mcp",
            "--policy",
            str(policy),
            "--audit",
            "belay",
            "--",
            *target.command,
        ],
    }


# --- beside the time --------------------------------------------------------------------------------------------------


def _resident(pid: int) -> int:
    """Kilobytes."""
    shown = Path(f"/proc/{pid}/status")
    found = re.search(r"VmRSS:\s+(\d+)", shown.read_text(encoding="ascii")) if shown.exists() else None
    return int(found[1]) if found else 0


def _sync(times: int = 50) -> Figure:
    """One synced write on the disk of the temporary folder, beside one that is not synced."""
    took: dict[str, list[float]] = {"written": [], "synced": []}
    with tempfile.TemporaryFile() as file:
        for number in range(times):
            for name, settle in (("written", file.flush), ("synced", lambda: os.fdatasync(file.fileno()))):
                began = perf_counter()
                os.pwrite(file.fileno(), b"x" * 1000, number * 1000)
                settle()
                took[name].append((perf_counter() - began) * 1000)
    rounds = [{name: each[number] for name, each in took.items()} for number in range(times)]
    return compared("gateway: one sync on this disk", rounds, "written", "synced")


if __name__ == "__main__":
    main(measure)
