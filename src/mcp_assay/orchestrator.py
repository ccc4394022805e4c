"""The six phases, in order, as the specification has them; every transition is written down before the next begins."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from mcp_assay import existing, headless, interview, isolation, judging, kept
from mcp_assay.clock import Clock, iso
from mcp_assay.core import resume
from mcp_assay.core.discovery import alike
from mcp_assay.core.model import Manifest, Safety, Scenario, ServerConfig
from mcp_assay.core.phrases import counted
from mcp_assay.core.plan import Plan
from mcp_assay.core.session import State, Status
from mcp_assay.dispatch import Fleet
from mcp_assay.drivers.hosted import HOST
from mcp_assay.driving import chooser, drive
from mcp_assay.errors import UserError
from mcp_assay.executing import Execution, Scoped, remark, standings
from mcp_assay.host.claude import NAME as CLAUDE_CODE
from mcp_assay.host.claude import require_driveable
from mcp_assay.host.hooks import Hooks
from mcp_assay.hosting import address, host
from mcp_assay.interviewer import Existing, Interviewer, Proposal
from mcp_assay.launches import Launches
from mcp_assay.order import Loaders, Order, Phase, Result
from mcp_assay.planfile import write_plan
from mcp_assay.progress import Progress
from mcp_assay.promise import Promises
from mcp_assay.proposing import Propose
from mcp_assay.report.view import View
from mcp_assay.sources import discover
from mcp_assay.store import keys
from mcp_assay.store.evaldir import EvalDir

__all__ = ["Critic", "Evaluation"]

Critic = Callable[[judging.Case], Awaitable[str | None]]
"""What a model says of an evaluation, in the critic's wire format; None if there is nothing to be had of it."""

NOTHING = "No MCPs attached — nothing to evaluate"
_PLAN = "plan.yaml"
_HOSTED = (HOST, CLAUDE_CODE)
"""Drivers whose agent runs in its own host: its gateways start the servers."""
_JUDGED = (Status.CRITIQUING, Status.CRITIC_FAILED, Status.REPORTING, Status.COMPLETE)


class Evaluation:
    """One run, from discovery to report, in one process that holds the folder's lock throughout."""

    def __init__(
        self,
        order: Order,
        clock: Clock,
        progress: Progress,
        interviewer: Interviewer,
        loaders: Loaders,
        *,
        hooks: Hooks | None = None,
        critic: Critic | None = None,
    ) -> None:
        """``hooks`` are those of the host's session, ``critic`` a model's beside the rules."""
        self._order, self._clock, self._progress = order, clock, progress
        self._interviewer, self._loaders = interviewer, loaders
        self._hooks, self._critic = hooks, critic
        self._keys = keys.load(order.environ, order.home, order.name)
        self._plan = order.plan
        self._state = State(order.name, self._now(), self._now())
        self._servers: Sequence[ServerConfig] = ()
        self._safety: dict[str, Safety] = {}
        self._scenarios: list[Scenario] = []
        self._view: View | None = None
        self._undetermined: tuple[Mapping[str, Any], ...] = ()
        self._reparse = False
        self._fleet = Fleet(loaders.remote)
        self._boxes = isolation.arrange(order, order.plan.isolation)

    async def run(self) -> Result:
        """Go through the phases up to ``until``. Raises AssayError; what was done by then is saved."""
        self._require_claude()
        with ExitStack() as stack:
            found = await existing.settle(self._order, self._keys.state, self._interviewer, stack, self._now())
            self._folder: EvalDir = found.folder
            if found.state is None:
                self._set_up()
            else:
                asked, begun = self._order.plan.isolation, found.state.assay["isolation"]
                self._boxes = isolation.arrange(self._order, asked, begun=begun)
                self._state, self._reparse = found.state, found.choice is not Existing.RECRITIQUE
                self._plan = existing.plan_of(self._order.plan, found.state, self._folder)
                self._drive_as(self._order.driver)
                if note := existing.other_budgets(self._order, self._state):
                    self._progress.note(note)
                self._require_claude()
            try:
                await self._phases()
            finally:
                so_far = self._interviewer.so_far
                if so_far is not None and so_far != self._plan:
                    self._answered(so_far)
                await self._fleet.stop()
            return Result(self._state, self._folder.path, self._view, self._undetermined)

    async def _phases(self) -> None:
        steps: tuple[tuple[Phase, set[Status], Callable[[], Awaitable[None]]], ...] = (
            (Phase.DISCOVERY, {Status.DISCOVERING}, self._discover),
            (Phase.INTERVIEW, {Status.INTERVIEWING}, self._interview),
            (Phase.SCENARIOS, {Status.SCOPING}, self._intake),
            (Phase.EXECUTION, {Status.SCOPED, Status.EXECUTING}, self._execute),
            (Phase.CRITIQUE, {Status.CRITIQUING, Status.CRITIC_FAILED}, self._critique),
            (Phase.REPORT, {Status.REPORTING}, self._report),
        )
        for phase, statuses, step in steps:
            if self._state.status in statuses:
                await step()
            if self._order.until is phase:
                return

    def _drive_as(self, asked: str | None) -> None:
        """Who drives an evaluation that goes on: as asked, else as a plan that was given says, else as it was begun."""
        known = self._plan.driver if self._order.plan.source else self._state.assay["driver"]
        self._plan = replace(self._plan, driver=asked or known, model=self._order.plan.model or self._plan.model)
        self._state.assay["driver"] = self._plan.driver

    def _set_up(self) -> None:
        existing.begin(self._order, self._state)
        for note in self._order.notes:
            self._remark(note)
        self._save()

    # --- Phase 1 -----------------------------------------------------------------------------------------------------

    async def _discover(self) -> None:
        self._progress.phase("Discovering the attached MCP servers")
        servers = self._attached()
        self._state.attached_mcps = [interview.attached(server) for server in servers]
        self._save()
        if not servers:
            # "If all discovery yields zero entries, print … and write status: "complete" with …"
            self._progress.note(NOTHING)
            self._advance(Status.COMPLETE)
            self._view = judging.report(judging.Case(self._folder, self._state), self._keys, self._clock)
            return
        self._answered(await self._interviewer.consent(self._plan, servers))
        await self._launch(servers)
        self._pin()
        self._advance(Status.INTERVIEWING)

    def _attached(self) -> Sequence[ServerConfig]:
        """The servers in scope, without starting anything. Raises UserError if what cannot be read may hold some."""
        servers = self._in_scope()
        if self._plan.driver == CLAUDE_CODE:
            require_driveable([server.name for server in servers])
        return servers

    def _in_scope(self) -> Sequence[ServerConfig]:
        if self._order.servers:
            self._servers = self._order.servers
            for note in alike(self._servers):
                self._remark(note)
            return self._servers
        kept.require_none_named(self._state)
        found = discover(self._order.project, self._order.home, self._order.environ)
        for note in (*found.unreadable, *found.notes):
            self._remark(note)
        self._state.filtered_mcps = [{"name": name, "reason": reason} for name, reason in found.filtered]
        if not found.attached and found.unreadable:
            # An unreadable file is no proof that nothing is attached: the state stays as it is.
            self._save()
            raise UserError("no MCP server found, and not every file could be read:\n" + "\n".join(found.unreadable))
        self._servers = found.attached
        return self._servers

    async def _launch(self, servers: Sequence[ServerConfig]) -> None:
        """Start every server that is not to be skipped and list its tools."""
        wanted = [server for server in servers if not self._plan.skips(server.name)]
        self._progress.phase(f"Starting {len(wanted)} of {counted(len(servers), 'MCP server')}")
        await self._fleet.start(
            wanted,
            self._order.environ,
            allowed=self._plan.env,
            folder=str(self._order.project),
            timeout=self._plan.start_timeout,
            enclose=self._boxes.make(wanted, self._plan.dispositions),
        )
        for server in servers:
            unstarted = Manifest(server.name, limitation="not started: its disposition is 'skip'")
            self._progress.server(self._fleet.manifests.setdefault(server.name, unstarted))

    def _pin(self) -> None:
        """What the servers offer now is what the interview is about, and what calls are held to."""
        manifests = self._fleet.manifests
        for entry in self._state.attached_mcps:
            interview.describe(entry, manifests[entry["name"]])
        tools = {name: [dict(tool.raw) for tool in manifest.tools] for name, manifest in manifests.items()}
        self._state.assay["manifests_sha256"] = self._folder.save_manifests(tools)

    # --- Phases 2 and 3 ----------------------------------------------------------------------------------------------

    async def _interview(self) -> None:
        # "Every attached MCP must have a safety disposition before execution can begin."
        manifests = self._fleet.manifests
        self._answered(await self._interviewer.dispose(self._plan, self._servers, manifests))
        interview.check_marks(self._plan, manifests)
        await self._open_boxes()
        self._dispose()
        self._undetermined = tuple(interview.undetermined(self._plan, manifests))
        if not self._interviewer.is_person:
            detailed = self._order.until is Phase.INTERVIEW
            for advice in interview.advice(self._plan, manifests, self._undetermined, detailed=detailed):
                self._progress.note(advice)
        self._advance(Status.SCOPING)

    async def _open_boxes(self) -> None:
        """A person's answers come after the start: a server whose box they open is started anew, in that one."""
        outgrown = self._boxes.outgrown(self._servers, self._plan.dispositions)
        if outgrown:
            await self._fleet.stop([server.name for server in outgrown])
            await self._launch(outgrown)
            self._pin()

    def _dispose(self) -> None:
        self._plan, lapsed = interview.standing(self._plan, self._fleet.manifests)
        for note in lapsed:
            self._remark(note)
        self._safety = {name: self._plan.dispositions[name] for name in self._fleet.manifests}
        self._state.safety_dispositions = [kept.record(name, safety) for name, safety in self._safety.items()]

    async def _intake(self) -> None:
        """The scenarios, the user's and the derived, and their literal approval."""
        self._answered(await self._interviewer.describe(self._plan, self._fleet.manifests))
        await self._unskip()
        propose = Propose(
            self._plan,
            self._safety,
            self._fleet.manifests,
            calls=self._order.call_budget,
            is_person=self._interviewer.is_person,
        )
        taken = propose.users(self._order.scenarios_file)
        for note in taken.notes:
            self._remark(note)
        for entry in self._state.attached_mcps:
            entry["assay"]["not_drivable"] = list(taken.not_drivable.get(entry["name"], ()))
        proposal = propose.with_derived(taken.scenarios)
        self._tell(proposal)
        if self._order.until is Phase.SCENARIOS and not propose.is_pinned(proposal):
            return
        plan, approved = await self._interviewer.approve(self._plan, proposal)
        self._answered(plan)
        self._scenarios = list(approved)
        file = self._order.scenarios_file or self._plan.scenarios_file
        self._state.config["scenarios_file"] = str(file) if file else None
        self._state.scenarios = [interview.entry(scenario, taken) for scenario in self._scenarios]
        self._state.assay["steps_sha256"] = self._folder.save_steps(interview.pinned_steps(self._scenarios))
        self._state.assay["gaps"] = list(proposal.gaps)
        self._state.assay["terms_sha256"] = self._folder.save_plan(kept.terms(self._plan))
        self._advance(Status.SCOPED)

    async def _unskip(self) -> None:
        """A scenario that targets a skip MCP is dropped, unless the user changes that: then the MCP is started."""
        for scenario, skipped in interview.skip_targets(self._plan, self._order.scenarios_file, self._fleet.manifests):
            plan = await self._interviewer.unskip(self._plan, scenario, skipped)
            changed = [server for server in self._servers if server.name in skipped and not plan.skips(server.name)]
            self._answered(plan)
            if changed:
                for server in changed:
                    self._fleet.manifests.pop(server.name)
                await self._launch(changed)
                self._pin()
                self._answered(await self._interviewer.dispose(self._plan, changed, self._fleet.manifests))
                await self._open_boxes()
                self._dispose()

    def _tell(self, proposal: Proposal) -> None:
        """Unattended, the derived list is printed with the digest that approves it."""
        if self._interviewer.is_person:
            return
        derived = [scenario for scenario in proposal.scenarios if scenario.source == "derived"]
        for scenario in derived:
            self._progress.note(f"{scenario.id} (derived): {scenario.description}")
        if derived:
            self._progress.note(f"this list is approved by `derive: {Propose.digest(derived)}` in the plan")
        if self._order.until is Phase.SCENARIOS:
            for gap in proposal.gaps:
                self._progress.note(f"not derived: {gap}")
        elif proposal.gaps:
            self._progress.note(f"not derived: {counted(len(proposal.gaps), 'edge case')}; --until scenarios says why")

    def _answered(self, plan: Plan) -> None:
        """Take over an answer; a person's answers are written beside the state, for the next time."""
        self._plan = plan
        if self._interviewer.is_person:
            text = write_plan(replace(plan, source=None))
            self._folder.write(_PLAN, text)
            self._state.assay["plan"] = {"file": _PLAN, "sha256": existing.sha256_of(text)}
            self._state.assay |= {"rules": plan.rules, "match": plan.match, "driver": plan.driver}
            self._save()

    # --- Phase 4 -----------------------------------------------------------------------------------------------------

    async def _execute(self) -> None:
        """Every call through the gate."""
        stands = await self._rejoin() if not self._scenarios else {}
        execution = Execution(
            Scoped(
                self._folder,
                self._state,
                self._keys,
                self._clock,
                self._progress,
                self._plan,
                self._safety,
                self._scenarios,
                stands,
            )
        )
        if self._plan.driver in _HOSTED:
            await self._host(execution)
            return
        chosen = chooser(execution.policy, self._loaders, explores=self._plan.driver == "explore")
        await drive(execution, self._fleet, self._order.environ, chosen)

    async def _host(self, execution: Execution) -> None:
        """The agent's host drives: the servers' sessions end, since its gateways start their own."""
        await self._fleet.stop()
        order, plan = self._order, self._plan
        launches = Launches(
            self._servers,
            order.environ,
            allowed=plan.env,
            folder=str(order.project.absolute()),
            timeout=plan.start_timeout,
            enclose=self._boxes.make([item for item in self._servers if not plan.skips(item.name)], plan.dispositions),
            resolve=self._loaders.resolve,
        )
        if self._plan.driver == CLAUDE_CODE:
            await headless.drive(execution, launches, headless.find(order))
        else:
            path = address(self._folder, order.environ, order.home)
            await host(execution, launches, path, lambda: Promises().kept, hooks=self._hooks)

    def _require_claude(self) -> None:
        """What will be needed of it is there, before anything else is done."""
        drives = self._plan.driver == CLAUDE_CODE and self._state.status not in _JUDGED
        if self._order.goes_to(Phase.EXECUTION) and (drives or (self._critic is None and self._has_model)):
            headless.find(self._order)

    async def _rejoin(self) -> Mapping[str, resume.Standing]:
        """Take up an interrupted session: the same servers, the recorded dispositions, what each scenario stands at."""
        self._safety = {item["mcp_name"]: kept.recorded(item) for item in self._state.safety_dispositions}
        self._plan = replace(self._plan, dispositions=self._safety)
        kept.require_same(self._attached(), self._state)
        if self._plan.driver not in _HOSTED:
            await self._launch(self._servers)
        pinned = self._folder.load_steps(self._state.assay.get("steps_sha256")) or {}
        self._scenarios = interview.restored(self._state.scenarios, pinned)
        return standings(self._folder, self._state, self._scenarios, self._progress)

    # --- Phases 5 and 6 ----------------------------------------------------------------------------------------------

    async def _critique(self) -> None:
        self._progress.phase("Judging the transcript")
        case, given = judging.Case(self._folder, self._state), None
        if self._reparse and self._state.status is Status.CRITIQUING and self._folder.exists(judging.CRITIC_OUTPUT):
            given = self._folder.read(judging.CRITIC_OUTPUT).decode("utf-8", errors="replace")
        source = self._state.assay.get("critique", "rules")
        if given is None and self._has_model:
            given, source = await self._asked(case), judging.MODEL
        judging.critique(case, self._keys, self._clock, given=given, source=source)

    async def _asked(self, case: judging.Case) -> str | None:
        """What a model says beside the rules."""
        judging.prepare(case)
        if self._critic is not None:
            return await self._critic(case)
        return await headless.critique(case, headless.find(self._order), self._progress.note)

    @property
    def _has_model(self) -> bool:
        return self._critic is not None or (self._order.critic or self._plan.critic) == CLAUDE_CODE

    async def _report(self) -> None:
        self._view = judging.report(judging.Case(self._folder, self._state), self._keys, self._clock)
        self._progress.phase("Report written")

    def _remark(self, note: str) -> None:
        remark(self._state, self._progress, note)

    def _advance(self, status: Status) -> None:
        self._state.advance(status, self._now())
        self._save()

    def _save(self) -> None:
        self._folder.save_state(self._keys.state, self._state)

    def _now(self) -> str:
        return iso(self._clock.now())
