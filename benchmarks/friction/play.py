"""Trajectories through the real product: evaluations of up to eight goals, on real processes, behind the real gate."""

import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.friction.agent import Agent
from benchmarks.friction.calling import Stuck
from benchmarks.friction.catalog import goals, surface
from benchmarks.friction.goals import Goal, Task
from benchmarks.friction.made import Made

from mcp_assay import kept
from mcp_assay.clock import SystemClock
from mcp_assay.core.model import Disposition, Manifest, Safety, Scenario, ServerConfig
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import Approval, RawScenario
from mcp_assay.core.session import State
from mcp_assay.critic import run as critic
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules import Draft
from mcp_assay.critic.wire import cited
from mcp_assay.drivers.base import Call, Ended
from mcp_assay.interviewer import Written
from mcp_assay.orchestrator import Evaluation
from mcp_assay.order import Loaders, Order, Phase
from mcp_assay.progress import Silent
from mcp_assay.store import transcript
from mcp_assay.store.evaldir import EvalDir

__all__ = [
    "MEMORY",
    "AgentDriver",
    "Defect",
    "Evaluated",
    "Found",
    "Played",
    "Run",
    "evaluated",
    "order",
    "play",
    "staged",
]

ROOT = Path(__file__).parents[2]
MOST = 8  # scenarios of an evaluation
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # that every line is synced costs half of the time


@dataclass(frozen=True)
class Defect:
    kind: str
    server: str
    tool: str  # its clean name


@dataclass(frozen=True)
class Run:
    """One evaluation: the names of goals that have the same servers, a seed, and a defect, or none.

    What is measured has nothing ``beside`` it.
    """

    names: tuple[str, ...]
    seed: int
    defect: Defect | None = None
    beside: tuple[Defect, ...] = ()

    @property
    def goals(self) -> list[Goal]:
        return [goals()[name] for name in self.names]

    @property
    def servers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(server for goal in self.goals for server in goal.servers))


@dataclass(frozen=True)
class Found:
    """A finding of the rule critic, as its output has it."""

    rule: str
    dimension: str
    mcp: str
    severity: str
    ids: tuple[str, ...]
    summary: str


@dataclass(frozen=True)
class Played:
    """One trajectory: what was made, whether the goal was reached, and what the critic says of it alone."""

    run: Run
    goal: str
    made: tuple[Made, ...]
    reached: bool
    found: tuple[Found, ...]


@dataclass(frozen=True)
class Evaluated:
    """What an evaluation leaves, as ``mcp-assay critique`` reads it."""

    state: State
    entries: Sequence[Mapping[str, Any]]
    manifests: Mapping[str, Manifest]

    @property
    def scenarios(self) -> list[str]:
        """The ids of those that made a call."""
        return list(dict.fromkeys(entry["scenario_id"] for entry in self.entries))

    def of(self, scenario: str) -> list[Mapping[str, Any]]:
        return [entry for entry in self.entries if entry["scenario_id"] == scenario]

    def judged(self, scenario: str | None = None) -> tuple[Found, ...]:
        """What the rule critic finds in all of it, or in one scenario."""
        lines = self.entries if scenario is None else self.of(scenario)
        return tuple(_found(draft) for draft in critic.judge(Evidence.of(self.state, lines, self.manifests)))


class AgentDriver:
    """Plays each scenario's task with an agent of its own."""

    name = "agent"

    def __init__(self, run: Run, tasks: Mapping[str, Task]) -> None:
        self._run, self.tasks = run, tasks
        self.agents: dict[str, Agent] = {}

    async def run(self, scenario: Scenario, call: Call) -> Ended:
        surfaces = {name: self._surface(name) for name in self._run.servers}
        defect = self._run.defect
        habit = defect.kind if defect is not None and not defect.server else ""
        agent = Agent(scenario.id, surfaces, call, Random(f"{self._run.seed}/{defect}/{scenario.description}"), habit)
        self.agents[scenario.id] = agent
        try:
            for _ in range(agent.rng.randint(1, 3) if habit else agent.rng.random() < 0.1):
                await agent.aside()
            reached = await self.tasks[scenario.id].run(agent)
            if agent.rng.random() < 0.05:
                await agent.aside()
        except Stuck as why:
            return Ended(reached=False, reason=str(why))
        return Ended(reached=reached, reason=None if reached else "what was asked for cannot be told")

    def _surface(self, name: str) -> Any:
        return surface(name, *_planted(self._run, name))


def _planted(run: Run, server: str) -> tuple[str, ...]:
    defects = [defect for defect in (run.defect, *run.beside) if defect is not None and defect.server == server]
    return tuple(word for defect in defects for word in (defect.kind, defect.tool))


async def play(run: Run, stable: str | None = None) -> list[Played]:
    """Play all goals of a run in one evaluation, and judge each scenario's lines for themselves.

    What the gate refused is left out: it says nothing of a server.

    ``stable`` is the address of a process that keeps the SDK loaded (see ``stable.py``).
    """
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        wanted, driver = staged(run, Path(folder), stable)
        evaluation = await evaluated(wanted, Loaders(explore=lambda *_: driver))
    named = zip(run.goals, driver.tasks, strict=True)
    played = [_played(run, goal, name, driver.agents[name], evaluation) for goal, name in named]
    return [one for one in played if all(made.reply for made in one.made)]


def staged(run: Run, folder: Path, stable: str | None = None) -> tuple[Order, AgentDriver]:
    """The evaluation of a run's goals, and who plays them."""
    rng = Random(run.seed)
    # People, projects and commits are the same wherever they appear: all servers of a run share its seed.
    worlds = {name: surface(name).world(Random(run.seed)) for name in run.servers}
    tasks = {f"S{number}": goal.make(rng, worlds) for number, goal in enumerate(run.goals, 1)}
    scenarios = tuple(RawScenario(task.text) for task in tasks.values())
    plan = Plan(scenarios=scenarios, approval=Approval.APPROVE, allow=("Bash",), driver="explore")
    return order(folder, run, run.servers, plan, stable), AgentDriver(run, tasks)


def _played(run: Run, goal: Goal, name: str, agent: Agent, evaluation: Evaluated) -> Played:
    lines = evaluation.of(name)
    if [entry["id"] for entry in lines] != [made.id for made in agent.made]:
        raise RuntimeError(f"{goal.name}: the transcript has not the calls that the agent made")
    reached = next(one for one in evaluation.state.execution if one["scenario_id"] == name)["assay"]["reached"]
    return Played(run, goal.name, tuple(agent.made), bool(reached), evaluation.judged(name))


async def evaluated(wanted: Order, loaders: Loaders) -> Evaluated:
    """Run an evaluation up to the end of its calls."""
    result = await Evaluation(wanted, SystemClock(), Silent(), Written(frozenset(), named=True), loaders).run()
    with EvalDir(wanted.base, wanted.name) as opened:
        return Evaluated(result.state, list(transcript.entries(opened.fd)), kept.manifests(opened, result.state) or {})


def _found(draft: Draft) -> Found:
    return Found(draft.rule, str(draft.dimension), draft.mcp, str(draft.severity), cited(draft), draft.summary)


def order(folder: Path, run: Run, servers: Sequence[str], plan: Plan, stable: str | None) -> Order:
    """An evaluation of these servers, each with its disposition, in a folder of its own."""
    return Order(
        name="friction",
        base=folder,
        project=folder,
        home=folder,
        environ={**os.environ, "XDG_STATE_HOME": str(folder / "state"), "PYTHONPATH": str(ROOT)},
        plan=replace(plan, dispositions={name: _safety(name) for name in servers}),
        servers=tuple(_config(run, name, stable) for name in servers),
        call_budget=200,
        wallclock_minutes=10,
        until=Phase.EXECUTION,
    )


def _safety(name: str) -> Safety:
    resources = surface(name).resources
    return Safety(Disposition.SANDBOXED if resources else Disposition.READ_ONLY, resources)


def _config(run: Run, name: str, stable: str | None) -> ServerConfig:
    words = (name, str(run.seed), *_planted(run, name))
    if stable is None:
        args: tuple[str, ...] = ("-m", "benchmarks.friction.serve", *words)
    else:
        args = ("-I", "-S", str(Path(__file__).with_name("caller.py")), stable, *words)
    return ServerConfig(name, "command line", command=sys.executable, args=args, cwd=str(ROOT))
