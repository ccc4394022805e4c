"""Phase 4, whoever drives: from approved scenarios to a sealed transcript, every call through one gate."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from mcp_assay import kept
from mcp_assay.clock import Clock, iso
from mcp_assay.core import resume
from mcp_assay.core.model import Manifest, Safety, Scenario
from mcp_assay.core.phrases import counted
from mcp_assay.core.plan import Plan
from mcp_assay.core.safety import Policy, by_rules
from mcp_assay.core.session import State, Status
from mcp_assay.errors import StoreError
from mcp_assay.owner import Owner
from mcp_assay.progress import Progress
from mcp_assay.store import transcript
from mcp_assay.store.evaldir import EvalDir
from mcp_assay.store.keys import Keys

__all__ = ["Execution", "Scoped", "remark", "standings"]


@dataclass(frozen=True, slots=True)
class Scoped:
    """An evaluation whose scenarios are approved, its folder locked: all that Phase 4 needs.

    ``stands`` tells of an earlier session that was interrupted.
    """

    folder: EvalDir
    state: State
    keys: Keys
    clock: Clock
    progress: Progress
    plan: Plan
    safety: Mapping[str, Safety]
    scenarios: Sequence[Scenario]
    stands: Mapping[str, resume.Standing] = field(default_factory=dict)


class Execution:
    """One session. ``begin``, then an ``owner`` runs the scenarios, then ``seal``.

    Raises StoreError if a precondition fails; the state is then as it was.
    """

    def __init__(self, scoped: Scoped) -> None:
        self.of = scoped
        self._require_ready()
        self.pinned = kept.pinned(scoped.folder, scoped.state)
        allowed = frozenset(scoped.plan.allow)
        rules = scoped.plan.rules
        known = by_rules(self.pinned, rules)
        self.policy = Policy(scoped.safety, self.pinned, rules, allowed, os.path.realpath, known=known)

    def begin(self) -> None:
        """The session starts, or goes on: from here on the wallclock counts."""
        state = self.of.state
        if state.status is Status.SCOPED:
            # "Transition status: "executing" and record session_started"
            state.session_started = self._now()
            self._advance(Status.EXECUTING)

    def owner(self) -> Owner:
        """The owner of the folder, its gate closed until a scenario runs. Use it as a context manager."""
        of = self.of
        return Owner(of.folder, of.state, self.policy, of.keys, of.clock, of.progress)

    def observed(self, now: Manifest) -> None:
        """A server's tools were listed anew: what is not as it was in the interview goes into the report."""
        entry = next(entry for entry in self.of.state.attached_mcps if entry["name"] == now.server)
        if kept.drifted(entry, self.pinned[now.server], now, self.of.plan.rules):
            note = "its tools are not those of the interview; what changed is not called"
            self.of.progress.note(f"{now.server}: {note}")

    def seal(self, notes: Callable[[str], Sequence[str]]) -> None:
        """The session is over: its end, the targets that its calls showed and the transcript's digest are fixed.

        ``notes`` gives by server what was odd about how it spoke.
        """
        state = self.of.state
        for entry in state.attached_mcps:
            entry["assay"]["notes"] = list(notes(entry["name"]))
        called = {entry["scenario_id"]: entry["assay"].get("called", []) for entry in state.execution}
        for scenario in state.scenarios:
            scenario["assay"]["inferred_targets"] = called.get(scenario["id"], [])
        state.session_ended = self._now()
        state.assay["transcript_sha256"] = transcript.digest(self.of.folder.fd)
        self._advance(Status.CRITIQUING)

    def _require_ready(self) -> None:
        # "If any precondition fails, abort with a clear error. Do not advance state."
        of = self.of
        undisposed = [entry["name"] for entry in of.state.attached_mcps if entry["name"] not in of.safety]
        if undisposed or not of.scenarios:
            lacks = f"no disposition for {', '.join(undisposed)}" if undisposed else "no scenarios"
            raise StoreError(f"{of.folder.path}: cannot run: its state has {lacks}; start anew with --restart")

    def _advance(self, status: Status) -> None:
        self.of.state.advance(status, self._now())
        self.of.folder.save_state(self.of.keys.state, self.of.state)

    def _now(self) -> str:
        return iso(self.of.clock.now())


def standings(
    folder: EvalDir, state: State, scenarios: Sequence[Scenario], progress: Progress
) -> dict[str, resume.Standing]:
    """Repair the transcript of an interrupted session, and say what each scenario stands at."""
    touched = transcript.recover(folder.fd)
    if touched:
        remark(state, progress, f"The session was interrupted; {counted(touched, 'transcript line')} had to be closed.")
    lines = list(transcript.entries(folder.fd))
    entries = {entry["scenario_id"]: entry for entry in state.execution}
    return {item.id: resume.standing(item.id, entries.get(item.id), lines) for item in scenarios}


def remark(state: State, progress: Progress, note: str) -> None:
    """A note for the screen and for the report's Caveats."""
    progress.note(note)
    if note not in state.assay["notes"]:
        state.assay["notes"].append(note)
