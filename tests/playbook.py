"""A conversation with the gate, written as a script.

``play >> event`` feeds the gate; ``play << effect`` says what must have come of it, in order. Nothing may be left over.

    play >> Open("list_items") << Append("S1-001", None) << Permitted("S1-001")
    play >> Close(Outcome.OK)  << Rewrite("S1-001", "ok")
"""

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from mcp_assay.core.budget import Budget
from mcp_assay.core.model import (
    AbortReason,
    Disposition,
    Manifest,
    Outcome,
    Reply,
    Safety,
    Scenario,
    Tool,
    ToolCall,
)
from mcp_assay.core.safety import Policy
from mcp_assay.gate import Gate, Permit
from mcp_assay.store.transcript import Transcript, entries


@dataclass(frozen=True)
class Open:
    tool: str
    args: dict = field(default_factory=dict)
    mcp: str | None = "a"
    justification: str | None = None


@dataclass(frozen=True)
class Close:
    outcome: Outcome = Outcome.OK


@dataclass(frozen=True)
class Tick:
    seconds: float


@dataclass(frozen=True)
class Append:
    """A line reached the disk: its id, and its tool if it is a synthetic one."""

    id: str
    tool: str | None = None


@dataclass(frozen=True)
class Rewrite:
    outcome: str


@dataclass(frozen=True)
class Permitted:
    id: str


@dataclass(frozen=True)
class Refused:
    aborted: AbortReason | None = None


class Clock:
    """Time that moves only when told to."""

    def __init__(self):
        self.seconds = 0.0

    def now(self):
        return datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=self.seconds)

    def monotonic(self):
        return self.seconds


class Recorded(Transcript):
    """The real transcript, which also remembers what was asked of it."""

    def __init__(self, folder):
        super().__init__(folder)
        self.effects = []

    def begin(self, line, end=None):
        place = super().begin(line, end)
        self.effects.append(Append(line.id, line.tool if line.tool.startswith("__") else None))
        return place

    def finish(self, place, end):
        super().finish(place, end)
        self.effects.append(Rewrite(end.outcome))


def tool(name, **schema):
    raw = {"name": name, "inputSchema": {"type": "object", "properties": schema}}
    return Tool.from_raw(raw)


SURFACE = (
    tool("list_items"),
    tool("create_item", path={"type": "string"}),
    tool("frobnicate", path={"type": "string"}),
)


class Playbook:
    def __init__(
        self, path, disposition=Disposition.READ_ONLY, resources=("path: /s",), calls=20, seconds=900, **policy
    ):
        self.folder = os.open(path, os.O_RDONLY)
        self.clock = Clock()
        self.transcript = Recorded(self.folder)
        given = {
            "safety": {"a": Safety(disposition, ("path: /s",))},
            "pinned": {"a": Manifest("a", SURFACE)},
        }
        self.gate = Gate(
            Policy(**{**given, **policy}),
            Budget(calls, seconds),
            self.transcript,
            self.clock,
            b"key",
            active=self.clock.monotonic,
        )
        self.run = self.gate.begin(Scenario("S1", "user", "try things", ("a",)))
        self.permit = None
        self.answer = None

    def __rshift__(self, event):
        assert not self.transcript.effects, f"not expected: {self.transcript.effects}"
        assert self.answer is None, f"not expected: {self.answer}"
        match event:
            case Open(name, args, mcp, why):
                self.answer = self.gate.open(ToolCall(mcp, name, args, why))
                if isinstance(self.answer, Permit):
                    self.permit = self.answer
            case Close(outcome):
                self.gate.close(self.permit, Reply(outcome, {"content": []}))
            case Tick(seconds):
                self.clock.seconds += seconds
        return self

    def __lshift__(self, effect):
        if isinstance(effect, Permitted | Refused):
            assert effect == self._answered()
            self.answer = None
        else:
            assert self.transcript.effects.pop(0) == effect
        return self

    def _answered(self):
        if isinstance(self.answer, Permit):
            return Permitted(self.answer.id)
        return Refused(self.answer.aborted)

    def lines(self):
        return list(entries(self.folder))
