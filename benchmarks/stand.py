"""A stand for benchmarks: one running server, and evaluations in which calls to it go through the gate."""

import contextlib
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from mcp_assay.clock import SystemClock, iso
from mcp_assay.core.model import Disposition, Rules, Safety, Scenario, ServerConfig, ToolCall
from mcp_assay.core.safety import Policy, by_rules
from mcp_assay.core.session import State, Status
from mcp_assay.dispatch import Dispatch, Fleet
from mcp_assay.drivers.base import Call, Ended
from mcp_assay.owner import Owner
from mcp_assay.progress import Silent
from mcp_assay.store.evaldir import EvalDir
from mcp_assay.store.keys import Keys

__all__ = ["ECHO", "SCENARIO_CALLS", "TRACKER", "Served", "Stand", "Target", "running", "timed"]

SCENARIO_CALLS = 999
_ROOT = Path(__file__).parents[1]
_CLOCK = SystemClock()
_KEYS = Keys(b"state", b"values")


@dataclass(frozen=True)
class Target:
    """A server, and a call of it that changes nothing. ``args`` gives the arguments of the n-th call."""

    name: str
    script: Path
    tool: str
    args: Callable[[int], Mapping[str, Any]]

    def call(self, number: int) -> ToolCall:
        return ToolCall(self.name, self.tool, self.args(number))

    @property
    def config(self) -> ServerConfig:
        return ServerConfig(self.name, "benchmark", command=sys.executable, args=(str(self.script),))


ECHO = Target("echo", _ROOT / "benchmarks" / "echo_server.py", "get_echo", lambda number: {"text": f"word-{number}"})
TRACKER = Target(
    "tracker", _ROOT / "examples" / "servers" / "tracker.py", "list_labels", lambda _: {"project": "playground"}
)


@dataclass(frozen=True)
class Served:
    """A target whose server runs; ``fleet`` has its session and its manifest."""

    target: Target
    fleet: Fleet

    async def direct(self, number: int) -> None:
        """One call straight over the session, as the gate's dispatch makes it, and nothing else."""
        call = self.target.call(number)
        params = {"name": call.tool, "arguments": dict(call.args)}
        await self.fleet.upstreams[self.target.name].request("tools/call", params, 60)


@asynccontextmanager
async def running(target: Target) -> AsyncIterator[Served]:
    fleet = Fleet()
    await fleet.start([target.config], os.environ, allowed={}, folder=str(_ROOT))
    try:
        if fleet.manifests[target.name].limitation:
            raise RuntimeError(f"{target.name}: {fleet.manifests[target.name].limitation}")
        yield Served(target, fleet)
    finally:
        await fleet.stop()


@dataclass
class _Timed:
    """A driver that makes ``calls`` calls, one after the other, and keeps how many milliseconds each took."""

    target: Target
    calls: int
    name: str = "benchmark"
    took: list[float] = field(default_factory=list)

    async def run(self, scenario: Scenario, call: Call) -> Ended:  # noqa: ARG002 - a driver's signature
        async def one(number: int) -> None:
            reply = await call(self.target.call(number))
            if not hasattr(reply, "outcome"):
                raise RuntimeError(f"refused: {reply}")

        self.took = await timed(one, self.calls)
        return Ended(reached=True)


async def timed(one: Callable[[int], Awaitable[None]], calls: int) -> list[float]:
    """Make ``calls`` calls, each after the other's end; the milliseconds that each took."""
    took = []
    for number in range(calls):
        began = perf_counter()
        await one(number)
        took.append((perf_counter() - began) * 1000)
    return took


class Stand:
    """One evaluation, owned as by the program itself; ``saving`` is whether its state is written at every call."""

    def __init__(self, served: Served, folder: EvalDir, *, saving: bool = True) -> None:
        target = served.target
        manifest = served.fleet.manifests[target.name]
        pinned = {target.name: manifest}
        known = by_rules(pinned, Rules.EXTENDED)
        policy = Policy({target.name: Safety(Disposition.READ_ONLY)}, pinned, known=known)
        self._target = target
        self._state = _state(target, [tool.name for tool in manifest.tools])
        self.owner = Owner(folder, self._state, policy, _KEYS, _CLOCK, Silent())
        self._dispatch = Dispatch(
            self.owner.gate,
            served.fleet.upstreams,
            _CLOCK,
            local={},
            persist=self.owner.persist if saving else lambda: None,
            remaining=self.owner.remaining,
        )

    async def calls(self, number: int) -> list[float]:
        """A scenario of so many calls; the milliseconds that each took."""
        driver = _Timed(self._target, number)
        self._state.execution.clear()
        await self.owner.run([Scenario("S1", "user", "a benchmark", ())], lambda _: driver, self._dispatch.call)
        return driver.took

    @classmethod
    @contextmanager
    def at(cls, base: Path, name: str, served: Served, *, lines: int = 0, saving: bool = True) -> Iterator["Stand"]:
        """A stand in its own folder, whose transcript already has so many ``lines``."""
        with EvalDir(base, name, create=True) as folder:
            folder.lock()
            with contextlib.suppress(FileNotFoundError):
                (folder.path / "transcript.jsonl").unlink()
            if lines:
                (folder.path / "transcript.jsonl").write_bytes(_LINE * lines)
            stand = cls(served, folder, saving=saving)
            with stand.owner:
                yield stand


_LINE = b'{"id": "S9-001", "assay": {}, "result_shape": "text[9]"}'.ljust(1300) + b"\n"


def _state(target: Target, tools: list[str]) -> State:
    """A state of the size that one has while eight scenarios run."""
    now = iso(_CLOCK.now())
    state = State("benchmark", now, now, now, status=Status.EXECUTING)
    state.config |= {"call_budget_per_scenario": SCENARIO_CALLS, "wallclock_budget_minutes": 60}
    state.attached_mcps = [{"name": target.name, "source": "benchmark", "command": sys.executable, "tools": tools}]
    state.scenarios = [
        {"id": f"S{number}", "source": "user", "description": "a benchmark of calls", "targets_mcps": [target.name]}
        for number in range(1, 9)
    ]
    return state
