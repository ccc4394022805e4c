"""The owner: the one process that holds an evaluation while it runs.

It has the folder's lock, the gate, the transcript, the budgets' timer and the state. Nothing else writes them, and the
wallclock ends a scenario even when no call is in flight.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, Self

from mcp_assay.clock import Clock, iso
from mcp_assay.core.budget import Budget
from mcp_assay.core.model import AbortReason, Scenario
from mcp_assay.core.resume import INTERRUPTED, Kind, Standing
from mcp_assay.core.safety import Policy
from mcp_assay.core.session import State
from mcp_assay.drivers.base import Call, Driver, Ended
from mcp_assay.gate import Gate, Run
from mcp_assay.store.evaldir import EvalDir
from mcp_assay.store.keys import Keys
from mcp_assay.store.transcript import Transcript

__all__ = ["Listener", "Owner"]

_FRESH = Standing(Kind.FRESH)


async def _at_once(_: Scenario) -> None:
    """It is every scenario's turn as soon as the one before has ended."""


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
        self._began: float | None = clock.monotonic()  # None while nothing counts
        self._before = float(state.assay.get("active_seconds", 0))
        self._entry: dict[str, Any] | None = None
        self._tripped: str | None = None  # when the wallclock ended the session
        self._transcript = Transcript(folder.fd)
        self.gate = Gate(policy, self.budget, self._transcript, clock, keys.values, active=self.active)
        self.gate.outside += state.assay.get("outside_calls", [])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._transcript.close()

    def hold(self) -> None:
        """Stop the session's time, before any scenario has begun, until ``start``."""
        self._began = None

    def start(self) -> None:
        self._began = self._clock.monotonic()

    def active(self) -> float:
        """Seconds that the session has been running, those before an interruption included."""
        return self._before + (0 if self._began is None else self._clock.monotonic() - self._began)

    def remaining(self) -> float:
        return self.budget.left(self.active())

    def persist(self) -> None:
        """Save the state with the running scenario's counters."""
        run = self.gate.run
        if run and self._entry is not None:
            # "call_count on execution[] is updated after every successful transcript append"
            self._entry["call_count"] = run.call_count
            self._listener.called(run, self.budget, self.remaining())
        self.state.assay["outside_calls"] = self.gate.outside
        self.state.assay["active_seconds"] = round(self.active(), 3)
        self.state.last_updated = self._now()
        self._folder.save_state(self._keys.state, self.state)

    async def run(
        self,
        scenarios: Sequence[Scenario],
        driver: Callable[[Scenario], Driver],
        call: Call,
        standings: Mapping[str, Standing] | None = None,
        turn: Callable[[Scenario], Awaitable[None]] = _at_once,
    ) -> None:
        """Attempt each scenario in order; once the wallclock has tripped, the rest are recorded as aborted by it.

        ``standings`` tell of an earlier session that was interrupted: what is done stays done. ``turn`` returns when a
        scenario may begin; until then none runs, and the session's time goes on.
        """
        known = standings or {}
        for place, scenario in enumerate(scenarios):
            stands = known.get(scenario.id, _FRESH)
            if self._is_over(scenario, stands):
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self.remaining()):
                    await turn(scenario)
            if self._tripped or self.budget.expired(self.active()):
                rest = [later for later in scenarios[place:] if not self._is_over(later, known.get(later.id, _FRESH))]
                self._out_of_time(rest, known)
                return
            self._listener.begins(scenario, place, len(scenarios))
            await self._attempt(scenario, stands, driver(scenario), call)
            self._listener.ends(scenario, self.state.execution[-1])

    def _is_over(self, scenario: Scenario, stands: Standing) -> bool:
        """Whether nothing is left to do for a scenario; one that an interruption left open is closed here."""
        entry = self._entry_of(scenario)
        if stands.kind in (Kind.CUT, Kind.ENDED):
            entry = entry or self._new_entry(scenario)
            if stands.reason is AbortReason.WALLCLOCK:
                self._tripped = entry["ended"] = self._now()
            entry |= {"status": "aborted", "call_count": stands.calls, "abort_reason": stands.reason}
            entry["ended"] = entry["ended"] or self._now()
            entry["assay"] |= {"reached": False, "reason": INTERRUPTED if stands.kind is Kind.CUT else None}
            self.persist()
        return entry is not None and entry["status"] != "running"

    async def _attempt(self, scenario: Scenario, stands: Standing, driver: Driver, call: Call) -> None:
        run = self.gate.begin(scenario, stands.lines, stands.calls)
        self._entry = self._entry_of(scenario) or self._new_entry(scenario)
        self._entry["assay"]["driver"] = driver.name
        self.persist()
        try:
            ended = await self._timed(driver.run(scenario, call), run)
        finally:
            # An interruption may have come between a line of the transcript and its count.
            self.persist()
            self.gate.end()
        # "Set the current in-flight scenario's execution[] entry to … ended: <trip timestamp>."
        _finish(self._entry, run, ended, self._tripped or self._now())
        self.persist()

    def _entry_of(self, scenario: Scenario) -> dict[str, Any] | None:
        return next((entry for entry in self.state.execution if entry["scenario_id"] == scenario.id), None)

    def _new_entry(self, scenario: Scenario, now: str | None = None) -> dict[str, Any]:
        self.state.execution.append(_started(scenario, now or self._now()))
        return self.state.execution[-1]

    async def _timed(self, attempt: Coroutine[Any, Any, Ended], run: Run) -> Ended:
        """The driver's attempt, cut off when the session's time is over. In a tie the wallclock wins."""
        ended = Ended(reached=False)
        cut = asyncio.timeout(self.remaining())
        try:
            async with cut:
                ended = await attempt
        except TimeoutError:
            if not cut.expired():
                raise
        if not cut.expired() and not self.budget.expired(self.active()):
            return ended
        self._tripped = self._now()
        self.gate.trip(run)
        return Ended(reached=False, reason="session wallclock exceeded", failed=ended.failed)

    def _out_of_time(self, rest: Sequence[Scenario], known: Mapping[str, Standing]) -> None:
        """Record that the rest was not run."""
        # "For every remaining un-started scenario, synthesize an execution[] entry with status: "aborted" …"
        tripped = self._tripped or self._now()
        if not any(entry["abort_reason"] == AbortReason.WALLCLOCK for entry in self.state.execution):
            stands = known.get(rest[0].id, _FRESH)
            self.gate.trip(self.gate.begin(rest[0], stands.lines, stands.calls))
            self.gate.end()
        for scenario in rest:
            entry = self._entry_of(scenario) or self._new_entry(scenario, tripped)
            entry |= {"status": "aborted", "abort_reason": AbortReason.WALLCLOCK, "ended": tripped}
            entry["assay"] |= {"reached": False, "reason": "not started: session wallclock exceeded"}
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


def _finish(entry: dict[str, Any], run: Run, ended: Ended, now: str) -> None:
    aborted = run.aborted is not None
    entry |= {
        "status": "aborted" if aborted else "complete",
        "call_count": run.call_count,
        "abort_reason": run.aborted,
        "ended": now,
    }
    entry["assay"] |= {
        "reached": False if aborted else ended.reached,
        "reason": ended.reason,
        "refusals": run.refusals,
        "failed": list(ended.failed),
        "called": list(run.called),
    }
