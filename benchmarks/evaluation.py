"""evaluation.py FOLDER CALLS PHASE: an evaluation named "benchmark" of eight scenarios, whose budget is CALLS each.

The plan is the same whatever the budget, 999 steps a scenario, so that runs differ in nothing but the calls they make.
"""

import asyncio
import os
import sys
from pathlib import Path

from benchmarks.stand import ECHO, SCENARIO_CALLS

from mcp_assay.clock import SystemClock
from mcp_assay.core.model import Disposition, Safety, Step
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import Approval, RawScenario
from mcp_assay.interviewer import Written
from mcp_assay.orchestrator import Evaluation
from mcp_assay.order import Loaders, Order, Phase
from mcp_assay.progress import Silent

NAME = "benchmark"
SCENARIOS = 8


def scenario(number: int) -> RawScenario:
    first = number * SCENARIO_CALLS
    steps = (Step(f"mcp__{ECHO.name}__{ECHO.tool}", ECHO.args(first + step)) for step in range(SCENARIO_CALLS))
    return RawScenario(f"scenario {number}", steps=tuple(steps))


def order(folder: Path, calls: int, until: Phase) -> Order:
    plan = Plan(
        dispositions={ECHO.name: Safety(Disposition.READ_ONLY)},
        scenarios=tuple(map(scenario, range(SCENARIOS))),
        approval=Approval.APPROVE,
    )
    return Order(
        name=NAME,
        base=folder,
        project=folder,
        home=folder,
        environ=os.environ,
        plan=plan,
        servers=(ECHO.config,),
        call_budget=calls,
        wallclock_minutes=60,
        until=until,
    )


if __name__ == "__main__":
    asked = order(Path(sys.argv[1]), int(sys.argv[2]), Phase(sys.argv[3]))
    answers = Written(frozenset(), named=True)
    asyncio.run(Evaluation(asked, SystemClock(), Silent(), answers, Loaders()).run())
