"""The laboratory of the critic without the gate: agents on its servers, in this process."""

import asyncio
import subprocess
from random import Random

from benchmarks.friction import serve
from benchmarks.friction.agent import Agent
from benchmarks.friction.calling import Stuck
from benchmarks.friction.catalog import surface
from benchmarks.friction.play import Played, Run

from mcp_assay.core.model import Outcome, Reply


def surfaces(run):
    """The run's servers, with its defect at one of them."""
    defect = run.defect
    planted = {defect.server: (defect.kind, defect.tool)} if defect and defect.server else {}
    return {name: surface(name, *planted.get(name, ())) for name in run.servers}


def played(run: Run) -> list[Played]:
    """Every goal of a run, each on servers of its own."""
    return [asyncio.run(_one(run, goal)) for goal in run.goals]


def shell(command):
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    return Reply(Outcome.OK, {"content": [{"type": "text", "text": done.stdout}]})


async def _one(run, goal):
    served = surfaces(run)
    known = {name: surface(name).world(Random(run.seed)) for name in served}
    worlds = {name: each.world(Random(run.seed)) for name, each in served.items()}
    task = goal.make(Random(run.seed), known)

    async def call(asked):
        if asked.mcp is None:
            return shell(asked.args["command"])
        result = serve.answer(served[asked.mcp], worlds[asked.mcp], asked.tool, asked.args)
        return Reply(Outcome.ERROR if result.get("isError") else Outcome.OK, result)

    habit = run.defect.kind if run.defect and not run.defect.server else ""
    agent = Agent("S1", served, call, Random(f"{run.seed}/{run.defect}"), habit)
    if habit:
        await agent.aside()
    try:
        reached = await task.run(agent)
    except Stuck:
        reached = False
    return Played(run, goal.name, tuple(agent.made), reached, ())
