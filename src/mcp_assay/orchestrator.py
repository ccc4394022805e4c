"""The six phases, in order, as the specification has them; every transition is written down before the next begins."""

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from mcp_assay import interview, judging
from mcp_assay.clock import Clock, iso
from mcp_assay.core.model import Manifest, Safety, Scenario, ServerConfig
from mcp_assay.core.plan import Plan
from mcp_assay.core.safety import Policy
from mcp_assay.core.session import State, Status
from mcp_assay.dispatch import Dispatch, Fleet
from mcp_assay.drivers.scripted import Scripted
from mcp_assay.errors import StoreError, UserError
from mcp_assay.local import Bash
from mcp_assay.owner import Owner
from mcp_assay.progress import Progress
from mcp_assay.report.view import View
from mcp_assay.sources import discover
from mcp_assay.store import keys, transcript
from mcp_assay.store.evaldir import EvalDir

__all__ = ["Evaluation", "Order", "Phase", "Result"]

NOTHING = "No MCPs attached — nothing to evaluate"


class Phase(StrEnum):
    """What ``--until`` can name: the run stops when this phase is over."""

    DISCOVERY = "discovery"
    INTERVIEW = "interview"
    SCENARIOS = "scenarios"
    EXECUTION = "execution"
    CRITIQUE = "critique"
    REPORT = "report"


_ALL = frozenset({"connect", "dispositions", "scenarios", "approval"})
_NEEDED = dict.fromkeys(Phase, _ALL) | {
    Phase.DISCOVERY: frozenset({"connect"}),
    Phase.INTERVIEW: frozenset({"connect", "dispositions"}),
}
"""Which of the plan's answers must be there for a run that stops after a phase."""


@dataclass(frozen=True, slots=True)
class Order:
    """What the user asked for, already checked.

    ``servers`` were named on the command line and are consented to by that; without any, the hosts' configuration
    is discovered. ``base`` is the folder that holds ``mcp-evals/``.
    """

    name: str
    base: Path
    project: Path
    home: Path
    environ: Mapping[str, str]
    plan: Plan
    servers: tuple[ServerConfig, ...] = ()
    call_budget: int = 20
    wallclock_minutes: float = 15
    scenarios_file: Path | None = None
    until: Phase = Phase.REPORT
    trust_config: bool = False
    notes: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Result:
    """Where the run ended. ``view`` is there once a report is."""

    state: State
    folder: Path
    view: View | None = None


class Evaluation:
    """One run, from discovery to report, in one process that holds the folder's lock throughout."""

    def __init__(self, order: Order, clock: Clock, progress: Progress) -> None:
        self._order, self._clock, self._progress = order, clock, progress
        self._keys = keys.load(order.environ, order.home, order.name)
        now = self._now()
        self._state = State(order.name, now, now)
        self._safety: dict[str, Safety] = {}
        self._scenarios: list[Scenario] = []
        self._fleet = Fleet()

    async def run(self) -> Result:
        """Go through the phases up to ``until``. Raises AssayError; what was done by then is saved."""
        with EvalDir(self._order.base, self._order.name, create=True) as folder:
            folder.lock()
            if folder.has_state():
                raise StoreError(f"{folder.path} already holds an evaluation; choose another --name, or move it away")
            self._folder = folder
            self._set_up()
            try:
                view = await self._phases()
            finally:
                await self._fleet.stop()
            return Result(self._state, folder.path, view)

    async def _phases(self) -> View | None:
        order, state = self._order, self._state
        servers = self._discover()
        if not servers:
            return self._nothing()
        interview.require_answers(
            order.plan,
            servers,
            _NEEDED[order.until],
            named=bool(order.servers),
            trusted=order.trust_config,
            has_scenarios=order.scenarios_file is not None,
        )
        await self._launch(servers)
        for phase, step in (
            (Phase.DISCOVERY, None),
            (Phase.INTERVIEW, self._interview),
            (Phase.SCENARIOS, self._intake),
            (Phase.EXECUTION, self._execute),
            (Phase.CRITIQUE, self._critique),
        ):
            if step is not None:
                await step()
            if order.until is phase:
                return None
        view = judging.report(judging.Case(self._folder, state), self._keys, self._clock)
        self._progress.phase("Report written")
        return view

    def _set_up(self) -> None:
        order, config = self._order, self._state.config
        config["call_budget_per_scenario"] = order.call_budget
        config["wallclock_budget_minutes"] = order.wallclock_minutes
        config["scenarios_file"] = str(order.scenarios_file) if order.scenarios_file else None
        self._state.assay = {
            "version": 1,
            "driver": Scripted.name,
            "evidence": "gate",
            "rules": order.plan.rules,
            "match": order.plan.match,
            "isolation": "none",
            "notes": list(order.notes),
        }
        self._save()

    def _discover(self) -> tuple[ServerConfig, ...]:
        """Phase 1, without starting anything."""
        self._progress.phase("Discovering the attached MCP servers")
        if self._order.servers:
            return self._attach(self._order.servers)
        found = discover(self._order.project, self._order.home, self._order.environ)
        for note in (*found.unreadable, *found.notes):
            self._remark(note)
        self._state.filtered_mcps = [{"name": name, "reason": reason} for name, reason in found.filtered]
        if not found.attached and found.unreadable:
            # An unreadable file is no proof that nothing is attached: the state stays as it is.
            self._save()
            raise UserError("no MCP server found, and not every file could be read:\n" + "\n".join(found.unreadable))
        return self._attach(found.attached)

    def _attach(self, servers: tuple[ServerConfig, ...]) -> tuple[ServerConfig, ...]:
        self._state.attached_mcps = [
            {
                "name": server.name,
                "source": server.source,
                "command": server.command,
                "tools": [],
                "assay": {"digest": server.digest, "transport": server.transport, "host_note": server.host_note},
            }
            for server in servers
        ]
        self._save()
        return servers

    async def _launch(self, servers: tuple[ServerConfig, ...]) -> None:
        """Start every server that is not to be skipped, list its tools, and pin them."""
        plan = self._order.plan
        wanted = [server for server in servers if not plan.skips(server.name)]
        self._progress.phase(f"Starting {len(wanted)} of {len(servers)} MCP servers")
        await self._fleet.start(wanted, self._order.environ, allowed=plan.env, folder=str(self._order.project))
        for entry in self._state.attached_mcps:
            manifest = self._fleet.manifests.setdefault(
                entry["name"], Manifest(entry["name"], limitation="not started: its disposition is 'skip'")
            )
            self._progress.server(manifest)
            _describe(entry, manifest)
        pinned = {name: [dict(tool.raw) for tool in m.tools] for name, m in self._fleet.manifests.items()}
        self._state.assay["manifests_sha256"] = self._folder.save_manifests(pinned)
        self._advance(Status.INTERVIEWING)

    async def _interview(self) -> None:
        """Phase 2."""
        # "Every attached MCP must have a safety disposition before execution can begin."
        plan, manifests = self._order.plan, self._fleet.manifests
        interview.check_marks(plan, manifests)
        self._safety = {name: plan.dispositions[name] for name in manifests}
        self._state.safety_dispositions = [interview.record(name, kept) for name, kept in self._safety.items()]
        for advice in interview.advice(plan, manifests):
            self._progress.note(advice)
        self._advance(Status.SCOPING)

    async def _intake(self) -> None:
        """Phase 3: the scenarios and their literal approval."""
        taken = interview.scenarios(self._order.plan, self._order.scenarios_file, self._fleet.manifests)
        for note in taken.notes:
            self._remark(note)
        self._scenarios = list(taken.scenarios)
        self._state.scenarios = [interview.entry(scenario, taken) for scenario in self._scenarios]
        self._advance(Status.SCOPED)

    async def _execute(self) -> None:
        """Phase 4: every call through the gate."""
        order, state = self._order, self._state
        self._advance(Status.EXECUTING)
        state.session_started = self._now()
        policy = Policy(
            self._safety,
            self._fleet.manifests,
            order.plan.rules,
            frozenset(order.plan.allow),
            realpath=os.path.realpath,
        )
        with (
            tempfile.TemporaryDirectory(prefix="mcp-assay-") as scratch,
            Owner(self._folder, state, policy, self._keys, self._clock, self._progress) as owner,
        ):
            dispatch = Dispatch(
                owner.gate,
                self._fleet.upstreams,
                self._clock,
                local={"Bash": Bash(Path(scratch), order.environ.get("PATH", "/usr/bin:/bin"))},
                persist=owner.persist,
                remaining=owner.remaining,
            )
            self._progress.phase(f"Running {len(self._scenarios)} scenarios")
            await owner.run(self._scenarios, Scripted(self._fleet.manifests), dispatch.call)
            state.assay["active_seconds"] = round(owner.active(), 3)
        await self._fleet.stop()
        self._seal()

    def _seal(self) -> None:
        """The session is over: its end, the targets that its calls showed and the transcript's digest are fixed."""
        called = {entry["scenario_id"]: entry["assay"].get("called", []) for entry in self._state.execution}
        for scenario in self._state.scenarios:
            scenario["assay"]["inferred_targets"] = called.get(scenario["id"], [])
        self._state.session_ended = self._now()
        self._state.assay["transcript_sha256"] = transcript.digest(self._folder.fd)
        self._advance(Status.CRITIQUING)

    async def _critique(self) -> None:
        self._progress.phase("Judging the transcript")
        judging.critique(judging.Case(self._folder, self._state), self._keys, self._clock)

    def _nothing(self) -> View:
        """Zero MCPs."""
        # "If all discovery yields zero entries, print … and write status: "complete" with an empty attached_mcps[]."
        self._progress.note(NOTHING)
        self._advance(Status.COMPLETE)
        return judging.report(judging.Case(self._folder, self._state), self._keys, self._clock)

    def _remark(self, note: str) -> None:
        """A note for the screen and for the report's Caveats."""
        self._progress.note(note)
        self._state.assay["notes"].append(note)

    def _advance(self, status: Status) -> None:
        self._state.advance(status, self._now())
        self._save()

    def _save(self) -> None:
        self._folder.save_state(self._keys.state, self._state)

    def _now(self) -> str:
        return iso(self._clock.now())


def _describe(entry: dict[str, Any], manifest: Manifest) -> None:
    entry["tools"] = [tool.name for tool in manifest.tools]
    entry["assay"] |= {
        "limitation": manifest.limitation,
        "notes": list(manifest.notes),
        "protocol": manifest.protocol,
        "manifest": manifest.digest,
    }
