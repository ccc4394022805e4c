"""How grave a finding is: what it cost, held against thresholds that are stated once (docs/reference/severity.md).

Calls and tokens are the same whenever the same calls are made. Time is not, so it may lift a Suggestion to Minor and
does no more: whoever lets a build fail at Major gets the same verdict from a fast machine and a slow one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from mcp_assay.core.model import Severity
from mcp_assay.critic.calls import Call

__all__ = [
    "MAJOR_CALLS",
    "MAJOR_TOKENS",
    "MINOR_CALLS",
    "MINOR_MS",
    "MINOR_TOKENS",
    "VERSION",
    "Cost",
    "graver",
    "milder",
    "severity",
    "tokens_read",
]

VERSION = "1"
"""Of the thresholds and of what counts. A report says which one it was judged by."""

MINOR_CALLS, MAJOR_CALLS = 3, 10
"""Up to two calls too many are a caller's choice; ten are half of a scenario's usual budget of twenty."""
MINOR_TOKENS, MAJOR_TOKENS = 10_000, 25_000
"""Where hosts begin to warn of one result, and where they cut it off."""
MINOR_MS = 30_000
"""Longer than a person waits without looking elsewhere, and far beyond what a call varies by."""

_GRAVITY = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Cost:
    """What a finding took: tool calls, tokens that a client had to read (estimated), bytes, milliseconds waited.

    It is of the calls made in vain or in addition; where a result itself is at fault, of those that returned it.
    """

    calls: int = 0
    tokens: int = 0
    bytes: int = 0
    ms: int = 0

    @classmethod
    def of(cls, calls: Iterable[Call]) -> "Cost":
        """Of each call once."""
        unique = {call.id: call for call in calls}.values()
        return cls(
            len(unique),
            sum(tokens_read(call) for call in unique),
            sum(call.result.bytes for call in unique),
            sum(call.duration_ms for call in unique),
        )

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.calls + other.calls, self.tokens + other.tokens, self.bytes + other.bytes, self.ms + other.ms)

    def __str__(self) -> str:
        """``3 calls, 4.2 kB, 0.8 s``; what was not measured is left out."""
        parts = [f"{self.calls} call" if self.calls == 1 else f"{self.calls} calls"]
        if self.bytes:
            parts.append(_size(self.bytes))
        if self.ms:
            parts.append(_duration(self.ms))
        return ", ".join(parts)


def severity(cost: Cost, *, floor: Severity = Severity.SUGGESTION, ceiling: Severity = Severity.MAJOR) -> Severity:
    """By cost alone, and within these bounds, of which the floor is the stronger. Critical is no matter of cost."""
    return graver(floor, milder(ceiling, _by_cost(cost)))


def graver(one: Severity, other: Severity) -> Severity:
    return min(one, other, key=_GRAVITY.__getitem__)


def milder(one: Severity, other: Severity) -> Severity:
    return max(one, other, key=_GRAVITY.__getitem__)


def _by_cost(cost: Cost) -> Severity:
    if cost.calls >= MAJOR_CALLS or cost.tokens >= MAJOR_TOKENS:
        return Severity.MAJOR
    minor = cost.calls >= MINOR_CALLS or cost.tokens >= MINOR_TOKENS or cost.ms >= MINOR_MS
    return Severity.MINOR if minor else Severity.SUGGESTION


def tokens_read(call: Call) -> int:
    """Tokens that a client reads: structured content comes with the same again as text; a host passes on one."""
    return call.result.tokens // 2 if call.result.structured else call.result.tokens


_KILO, _MEGA = 1_000, 1_000_000
_SHORT_MS = 100


def _size(amount: int) -> str:
    if amount < _KILO:
        return f"{amount} B"
    return f"{amount / _KILO:.1f} kB" if amount < _MEGA else f"{amount / _MEGA:.1f} MB"


def _duration(ms: int) -> str:
    return f"{ms} ms" if ms < _SHORT_MS else f"{ms / _KILO:.1f} s"
