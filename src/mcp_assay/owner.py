"""The owner: the one process that holds an evaluation while it runs.

It has the folder's lock, the gate, the transcript, the budgets' timer and the state. Nothing else writes them, and the
wallclock ends a scenario even when no call is in flight.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Protocol, Self

from mcp_assay.clock import Clock, iso
from mcp_assay.core.budget import Budget
from mcp_assay.core.model import AbortReason, Scenario
from mcp_assay.core.safety import Policy
from mcp_assay.core.session import State
from mcp_assay.drivers.base import Call, Driver, Ended
from mcp_assay.gate import Gate, Run
from mcp_assay.store.evaldir import EvalDir
from mcp_assay.store.keys import Keys
from mcp_assay.store.transcript import Transcript

__all__ = ["Listener", "Owner"]


class Listener(Protocol):
    """Who wants to know while scenarios run: a screen, or nobody."""

    def begins(self, scenario: Scenario, place: int, total: int) -> None:
        """A scenario starts, the ``place``-th (from 0) of ``total``."""

    def called(self, run: Run, budget: Budget, left: float) -> None:
        """A call was sent or refused; ``left`` is what remains of the session, in seconds."""

    def ends(self, scenario: Scenario, entry: dict[str, Any]) -> None:
        """A scenario is over; ``entry`` is its ``execution[]`` object."""


class Owner:
    """Runs the scenarios of one locked evaluation and keeps its ``execution[]`` current."""

    def __init__(  # noqa: PLR0917 - six different things, each of its own type
        self, folder: EvalDir, state: State, policy: Policy, keys: Keys, clock: Clock, listener: Listener
    ) -> None:
        self._folder, self.state, self._keys, self._clock, self._listener = folder, state, keys, clock, listener
        minutes = state.config["wallclock_budget_minutes"]
        self.budget = Budget(state.config["call_budget_per_scenario"], minutes * 60)
        self._began = clock.monotonic()
        self._transcript = Transcript(folder.fd)
        self.gate = Gate(policy, self.budget, self._transcript, clock, keys.values, active=self.active)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._transcript.close()

    def active(self) -> float:
        """Seconds that the session has been running."""
        return self._clock.monotonic() - self._began

    def remaining(self) -> float:
        return self.budget.left(self.active())

    def persist(self) -> None:
        """Save the state with the running scenario's counters."""
        run = self.gate.run
        if run and self.state.execution:
            # "call_count on execution[] is updated after every successful transcript append"
            self.state.execution[-1]["call_count"] = run.call_count
            self._listener.called(run, self.budget, self.remaining())
        self.state.assay["outside_calls"] = self.gate.outside
        self.state.last_updated = self._now()
        self._folder.save_state(self._keys.state, self.state)

    async def run(self, scenarios: list[Scenario], driver: Driver, call: Call) -> None:
        """Attempt each scenario in order; once the wallclock has tripped, the rest are recorded as aborted by it."""
        for place, scenario in enumerate(scenarios):
            if self.budget.expired(self.active()):
                self._out_of_time(scenarios[place:])
                return
            self._listener.begins(scenario, place, len(scenarios))
            await self._attempt(scenario, driver, call)
            self._listener.ends(scenario, self.state.execution[-1])

    async def _attempt(self, scenario: Scenario, driver: Driver, call: Call) -> None:
        run = self.gate.begin(scenario)
        self.state.execution.append(_started(scenario, self._now()))
        self.persist()
        try:
            ended = await self._timed(driver.run(scenario, call), run)
        finally:
            self.gate.end()
        self.state.execution[-1].update(_finished(run, ended, self._now()))
        self.persist()

    async def _timed(self, attempt: Coroutine[Any, Any, Ended], run: Run) -> Ended:
        """The driver's attempt, cut off when the session's time is over. In a tie the wallclock wins."""
        try:
            async with asyncio.timeout(self.remaining()):
                ended = await attempt
        except TimeoutError:
            ended = Ended(reached=False)
        if not self.budget.expired(self.active()):
            return ended
        self.gate.trip(run)
        return Ended(reached=False, reason="session wallclock exceeded", failed=ended.failed)

    def _out_of_time(self, rest: list[Scenario]) -> None:
        """Record that the rest was never started."""
        # "For every remaining un-started scenario, synthesize an execution[] entry with status: "aborted" …"
        tripped = self._now()
        if not any(entry["abort_reason"] == AbortReason.WALLCLOCK for entry in self.state.execution):
            self.gate.trip(self.gate.begin(rest[0]))
            self.gate.end()
        for scenario in rest:
            entry = _started(scenario, tripped)
            entry.update(status="aborted", abort_reason=AbortReason.WALLCLOCK, ended=tripped)
            entry["assay"].update(reached=False, reason="not started: session wallclock exceeded")
            self.state.execution.append(entry)
            self._listener.ends(scenario, entry)
        self.persist()

    def _now(self) -> str:
        return iso(self._clock.now())


def _started(scenario: Scenario, now: str) -> dict[str, Any]:
    return {
        "scenario_id": scenario.id,
        "status": "running",
        "call_count": 0,
        "abort_reason": None,
        "started": now,
        "ended": None,
        "assay": {"reached": None, "reason": None, "refusals": 0, "failed": []},
    }


def _finished(run: Run, ended: Ended, now: str) -> dict[str, Any]:
    aborted = run.aborted is not None
    return {
        "status": "aborted" if aborted else "complete",
        "call_count": run.call_count,
        "abort_reason": run.aborted,
        "ended": now,
        "assay": {
            "reached": ended.reached and not aborted,
            "reason": ended.reason,
            "refusals": run.refusals,
            "failed": list(ended.failed),
            "called": list(run.called),
        },
    }
