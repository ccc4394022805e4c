"""The one place that asks what time it is."""

import time
from datetime import UTC, datetime
from typing import Protocol

__all__ = ["Clock", "SystemClock", "iso"]


class Clock(Protocol):
    """Wall time for people and timestamps, monotonic seconds for budgets."""

    def now(self) -> datetime: ...

    def monotonic(self) -> float: ...


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


def iso(moment: datetime) -> str:
    """``2026-05-04T12:34:56.789Z``."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
