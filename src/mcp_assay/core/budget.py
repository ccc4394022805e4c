"""The two budgets, as numbers: calls in a scenario, active time in a session."""

from dataclasses import dataclass

__all__ = ["Budget"]


@dataclass(frozen=True, slots=True)
class Budget:
    """``calls`` per scenario; ``seconds`` of active time for the whole session, both hard."""

    calls: int
    seconds: float

    def spent(self, call_count: int) -> bool:
        """Whether one more call would pass the ceiling: call N+1 is never sent."""
        return call_count >= self.calls

    def expired(self, active: float) -> bool:
        """Whether the session's time is over, ``active`` being the seconds that it has run."""
        return active >= self.seconds

    def left(self, active: float) -> float:
        return max(0.0, self.seconds - active)
