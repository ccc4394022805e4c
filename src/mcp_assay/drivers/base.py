"""What a driver is: something that attempts a scenario through the one function it is handed."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from mcp_assay.core.model import Reply, Scenario, ToolCall
from mcp_assay.gate import Refusal

__all__ = ["Call", "Driver", "Ended"]

Call = Callable[[ToolCall], Awaitable[Reply | Refusal]]


@dataclass(frozen=True, slots=True)
class Ended:
    """How an attempt ended: whether the scenario's goal was reached, why not, and which expectations failed.

    ``reached`` is None where the driver cannot judge it; then ``reason`` says who can.
    """

    reached: bool | None
    reason: str | None = None
    failed: tuple[str, ...] = ()


class Driver(Protocol):
    """``name`` is what the report and the critic's rules know it by."""

    name: str

    async def run(self, scenario: Scenario, call: Call) -> Ended: ...
