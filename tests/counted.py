"""An evaluation of servers that count: the plan, the command that runs it, and what its log must then hold.

The servers note every call that reaches them, so what was sent is known from the other end of the pipe.
"""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mcp_assay.core.model import ServerConfig
from mcp_assay.store.keys import Keys, load

NAME = "counted"
SCENARIOS, STEPS = 8, 40
CALLS = SCENARIOS * STEPS
_PROJECT = "project: playground"
_SERVER = Path(__file__).parent / "servers" / "counting.py"
_SOURCE = Path(__file__).parents[1] / "src"


@dataclass(frozen=True)
class Expected:
    """What one step of the plan must leave behind. ``server`` is the one that may be reached; None if none may."""

    id: str
    number: int
    server: str | None
    tool: str

    @property
    def receipt(self) -> str:
        return f"{self.server} {self.tool} {self.number}"

    @property
    def args(self) -> dict[str, Any]:
        return {"project": "playground", "number": self.number}

    @property
    def step(self) -> dict[str, Any]:
        step = {"tool": f"mcp__{self.server or 'looked'}__{self.tool}", "args": self.args}
        return step if self.server else {**step, "expect": {"is_error": True}}


def expected(scenarios: int = SCENARIOS, steps: int = STEPS) -> list[Expected]:
    """Every step in order: reads and mutations of a sandboxed server, reads of a read-only one, and what it refuses."""
    kinds = [("held", "create_item"), ("looked", "list_items"), ("held", "list_items"), (None, "create_item")]
    return [
        Expected(f"S{scenario + 1}-{step + 1:03d}", scenario * steps + step, *kinds[step % len(kinds)])
        for scenario in range(scenarios)
        for step in range(steps)
    ]


def plan(found: list[Expected]) -> dict[str, Any]:
    by_scenario: dict[str, list[dict[str, Any]]] = {}
    for item in found:
        by_scenario.setdefault(item.id.partition("-")[0], []).append(item.step)
    return {
        "dispositions": {"held": {"disposition": "sandboxed", "test_resources": [_PROJECT]}, "looked": "read_only"},
        "approval": "approve",
        "call_budget": STEPS,
        "wallclock_budget": 5,
        "scenarios": [{"description": f"scenario {name}", "steps": steps} for name, steps in by_scenario.items()],
    }


class Place:
    """A folder with a plan in it, where one evaluation of the counting servers runs with a HOME of its own."""

    def __init__(self, folder: Path, found: list[Expected]) -> None:
        self.folder = folder
        self.received_file = folder / "received"
        self.evaluation = folder / "mcp-evals" / f"mcp-eval-{NAME}"
        self.transcript = self.evaluation / "transcript.jsonl"
        self.plan = folder / "plan.json"
        self.plan.write_text(json.dumps(plan(found)))
        self.environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(_SOURCE)}

    @property
    def servers(self) -> tuple[ServerConfig, ...]:
        args = ("-S", str(_SERVER), str(self.received_file))
        return tuple(
            ServerConfig(name, "test", command=sys.executable, args=(*args, name)) for name in ("held", "looked")
        )

    @property
    def arguments(self) -> list[str]:
        """What makes ``mcp-assay`` run the plan, without asking anything."""
        named = [f"--server={server.name}={server.command} {' '.join(server.args)}" for server in self.servers]
        return ["eval", "--plan", str(self.plan), *named, "--name", NAME, "--project", str(self.folder)]

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "mcp_assay", *self.arguments]

    @property
    def keys(self) -> Keys:
        return load(self.environ, self.folder, NAME)

    def received(self) -> list[str]:
        """What the servers noted, in order: "<server> <tool> <number>" for each call."""
        return self.received_file.read_text().splitlines() if self.received_file.exists() else []
