"""What people see while an agent's host drives: one line a fact on stderr, by the least code that can print one."""

from typing import Any

import click

from mcp_assay.core import inert
from mcp_assay.core.budget import Budget
from mcp_assay.core.model import Manifest, Scenario
from mcp_assay.core.phrases import counted
from mcp_assay.gate import Run

__all__ = ["Plain"]

_REACHED = {True: "reached", False: "not reached", None: "not judged"}


class Plain:
    """A Progress that prints, and loads nothing to do so. Whatever is foreign is made inert first."""

    def phase(self, title: str) -> None:
        _say(title)

    def note(self, text: str) -> None:
        _say(f"  note  {inert.line(text, 600)}")

    def server(self, manifest: Manifest) -> None:
        what = manifest.limitation or counted(len(manifest.tools), "tool")
        _say(f"  {inert.line(manifest.server, 40):<14} {inert.line(what, 400)}")

    def begins(self, scenario: Scenario, place: int, total: int) -> None:
        _say(f"  {scenario.id} ({place + 1}/{total})  {inert.line(scenario.description, 70)}: running")

    def called(self, run: Run, budget: Budget, left: float) -> None:
        """Nothing: a line for each call would hide the others."""

    def ends(self, scenario: Scenario, entry: dict[str, Any]) -> None:
        ours = entry["assay"]
        how = f"aborted: {entry['abort_reason']}" if entry["status"] == "aborted" else _REACHED[ours["reached"]]
        refused = f", {ours['refusals']} refused" if ours["refusals"] else ""
        _say(f"  {scenario.id}  {how} ({counted(entry['call_count'], 'call')}{refused})")
        if ours["reason"]:
            _say(f"      {inert.line(ours['reason'], 300)}")


def _say(line: str) -> None:
    click.echo(line, err=True)
