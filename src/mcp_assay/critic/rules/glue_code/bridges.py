"""Where steps outside MCP made one MCP call's argument out of another one's result."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from mcp_assay.critic.calls import Argument, Call
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import Cause, grouped, ids

__all__ = ["Bridge", "bridges"]

_MAX_STEPS = 5
_MAX_CHAINS = 50


@dataclass(frozen=True, slots=True)
class Bridge:
    """A result of MCP, the steps outside MCP that worked on it in turn, and the MCP call that took what came out."""

    origin: Call
    steps: tuple[Call, ...]
    taker: Call
    path: str

    @property
    def is_long(self) -> bool:
        """Whether it takes more than one step from one server to another: then it is the handoff that is wanting."""
        return len(self.steps) > 1 and self.origin.server != self.taker.server

    @property
    def cause(self) -> Cause:
        return (self.taker.id, self.path, "made")

    @property
    def cited(self) -> tuple[str, ...]:
        """Giver and taker first, so that a cut list still spans both servers."""
        return ids((self.origin, self.taker, *self.steps))


def bridges(evidence: Evidence) -> Iterator[Bridge]:
    """Every bridge of the transcript; of several chains of steps that lead through one step, the shortest."""
    takers = (
        ((step.id, taker.server, taker.tool, taken.path, taken.digest), (taker, taken, step))
        for taker in evidence.mcp_calls
        for taken, step in evidence.sourced(taker)
        if step.is_outside and step.scenario == taker.scenario
    )
    for same in grouped(takers).values():
        # What came out once may be passed again: after a refusal, or for the next page.
        taker, taken, step = next((each for each in same if each[0].served), same[0])
        yield from _leading_to(evidence, taker, taken, step)


def _leading_to(evidence: Evidence, taker: Call, taken: Argument, last: Call) -> Iterator[Bridge]:
    chains: deque[tuple[Call, ...]] = deque([(last,)])
    met = {last.id}
    while chains:
        steps = chains.popleft()
        for given, origin in evidence.worked_on(steps[0]):
            if origin.server and origin.ok and _transformed(given, taken):
                yield Bridge(origin, steps, taker, taken.path)
            elif origin.is_outside and origin.id not in met and len(steps) < _MAX_STEPS and len(met) < _MAX_CHAINS:
                met.add(origin.id)
                chains.append((origin, *steps))


def _transformed(given: Argument, taken: Argument) -> bool:
    """Whether another value came out than went in: a step that hands on what it was given transforms nothing."""
    return bool(given.digest and taken.digest) and given.digest != taken.digest
