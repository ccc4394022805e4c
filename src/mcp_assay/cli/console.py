"""What people see while a run goes on: one line a fact on stderr, and on a terminal one live line that counts calls."""

from typing import Any

from rich.console import Console
from rich.status import Status

from mcp_assay.core import inert
from mcp_assay.core.budget import Budget
from mcp_assay.core.model import Manifest, Scenario
from mcp_assay.core.phrases import counted
from mcp_assay.gate import Run

__all__ = ["Screen", "stderr"]

_MARKS = {True: "[green]reached[/green]", False: "[red]not reached[/red]", None: "[yellow]not judged[/yellow]"}
"""Whether a scenario's goal was reached; None where the driver cannot tell."""


def stderr() -> Console:
    return Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


class Screen:
    """A Progress that prints. Whatever came from a config or a server is made inert first."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live: Status | None = None
        self._title = ""

    def phase(self, title: str) -> None:
        self._console.print(f"[bold]{inert.terminal(title)}[/bold]")

    def note(self, text: str) -> None:
        self._console.print(f"  [yellow]note[/yellow]  {inert.terminal(text, 600)}")

    def server(self, manifest: Manifest) -> None:
        what = inert.terminal(manifest.limitation, 400) if manifest.limitation else counted(len(manifest.tools), "tool")
        self._console.print(f"  {inert.terminal(manifest.server, 40):<14} {what}")
        for note in manifest.notes:
            self.note(f"{manifest.server}: {note}")

    def begins(self, scenario: Scenario, place: int, total: int) -> None:
        self._title = f"{scenario.id} ({place + 1}/{total}) {inert.terminal(scenario.description, 60)}"
        if self._console.is_terminal:
            self._live = self._console.status(self._title)
            self._live.start()

    def called(self, run: Run, budget: Budget, left: float) -> None:
        if self._live is not None:
            refused = f", {run.refusals} refused" if run.refusals else ""
            spent = f"{run.call_count}/{budget.calls} calls{refused}, {left / 60:.0f} min left"
            self._live.update(f"{self._title} — {spent}")

    def ends(self, scenario: Scenario, entry: dict[str, Any]) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
        ours = entry["assay"]
        mark = _MARKS[ours["reached"]]
        if entry["status"] == "aborted":
            mark = f"[red]aborted: {entry['abort_reason']}[/red]"
        refused = f", {ours['refusals']} refused" if ours["refusals"] else ""
        calls = counted(entry["call_count"], "call")
        self._console.print(f"  {scenario.id}  {inert.terminal(scenario.description, 70)}: {mark} ({calls}{refused})")
        if ours["reason"]:
            self._console.print(f"      {inert.terminal(ours['reason'], 300)}")
