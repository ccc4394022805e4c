"""Phase 4 with an agent in its own host: the owner listens, and gateways before the servers ask it about each call.

No server's session is here. A gateway is told what to start, so that what is secret in it stays in memory.
"""

import contextlib
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mcp_assay.core.model import Disposition, Manifest, Scenario
from mcp_assay.core.paging import Pages
from mcp_assay.core.phrases import counted
from mcp_assay.core.resume import Kind
from mcp_assay.core.safety import stricter
from mcp_assay.drivers.base import Driver
from mcp_assay.drivers.hosted import Hosted, Judge
from mcp_assay.errors import UserError
from mcp_assay.executing import Execution, remark
from mcp_assay.gate import Refusal
from mcp_assay.host.hooks import LOADER, Hooks
from mcp_assay.host.socket import OwnerSocket
from mcp_assay.host.wire import hook_path, socket_path
from mcp_assay.launches import Launches
from mcp_assay.owner import Owner
from mcp_assay.store import keys
from mcp_assay.store.evaldir import EvalDir
from mcp_assay.store.transcript import entries

__all__ = ["address", "hook_address", "host"]

DONE = "every scenario has been attempted"
OUT_OF_TIME = "session wallclock exceeded"


def address(folder: EvalDir, environ: Mapping[str, str], home: Path) -> Path:
    """Where the evaluation's owner listens. Raises UserError if that is too long for a socket."""
    return socket_path(keys.folder(environ, home), os.path.realpath(folder.path))


def hook_address(folder: EvalDir, environ: Mapping[str, str], home: Path) -> Path:
    """Where it listens for the hooks of a host that was told of it. Raises UserError if that is too long."""
    return hook_path(keys.folder(environ, home), os.path.realpath(folder.path))


async def host(
    execution: Execution,
    launches: Launches,
    path: Path,
    judge: Callable[[], Judge],
    *,
    hooks: Hooks | None = None,
    attend: Callable[[Hosted], Driver] | None = None,
) -> None:
    """Listen at ``path``, run every scenario as the agent asks for it, and seal the transcript.

    With ``attend`` nobody has to ask: it makes what starts an agent for each scenario when its turn has come.

    ``hooks`` answer the agent's host besides: whoever calls this listens for them. Raises UserError if the host does
    not do as they say; no scenario has begun then.

    The session starts when the agent asks for its first scenario: until then no time is counted. ``judge`` loads what
    holds results against output schemas; it is called when there is one.
    """
    of = execution.of
    left = sum(of.stands[item.id].kind in _TO_RUN if item.id in of.stands else True for item in of.scenarios)
    of.state.assay["allow"] = sorted(of.plan.allow)
    with execution.owner() as owner:
        owner.hold()
        timeout = of.plan.call_timeout
        hosted = Hosted(owner.gate, owner.remaining, left=left, timeout=timeout, judge=_late(judge))
        # What was called when the owner before this one was killed may be told only now.
        hosted.remember(line["assay"].get("join") for line in entries(of.folder.fd))
        desk = _Desk(execution, owner, launches, hosted, hooks)
        async with OwnerSocket(path, hosted, desk) as listening:
            with _hooked(hooks, hosted, owner, listening, desk):
                if attend is None:
                    await _run(execution, owner, hosted)
                else:
                    await _run_attended(execution, owner, hosted, attend(hosted))
    notes = {entry["name"]: entry["assay"].get("notes") or () for entry in of.state.attached_mcps}
    execution.seal(notes.__getitem__)


async def _run(execution: Execution, owner: Owner, hosted: Hosted) -> None:
    of, left = execution.of, hosted.left
    if left and owner.remaining():
        of.progress.phase("Waiting for the agent to ask for its first scenario")
        await hosted.first()
    execution.begin()
    owner.start()
    of.progress.phase(f"Running {counted(left, 'scenario')}, driven by the agent's host")
    await owner.run(of.scenarios, lambda _: hosted, _nobody, of.stands, hosted.turn)
    hosted.close(DONE if owner.remaining() else OUT_OF_TIME)
    owner.persist()


async def _run_attended(execution: Execution, owner: Owner, hosted: Hosted, driver: Driver) -> None:
    of = execution.of
    hosted.attended = True
    execution.begin()
    owner.start()
    of.progress.phase(f"Running {counted(hosted.left, 'scenario')}, driven by {driver.name}")
    await owner.run(of.scenarios, lambda _: driver, _nobody, of.stands)
    hosted.close(DONE if owner.remaining() else OUT_OF_TIME)
    owner.persist()


@contextlib.contextmanager
def _hooked(hooks: Hooks | None, hosted: Hosted, owner: Owner, listening: OwnerSocket, desk: "_Desk") -> Iterator[None]:
    """While this is entered, the hooks of the agent's host ask the gate."""
    if hooks is None:
        yield
        return
    policy = owner.gate.policy
    owner.gate.policy = replace(policy, allow=policy.allow | {LOADER})
    # One list from here on: what is called after the last scenario is outside as well.
    owner.gate.outside += hooks.outside
    hooks.outside = owner.gate.outside

    def opened(server: str | None) -> None:
        if server is not None:
            owner.state.assay["evidence"] = "hooks"
        if hooks.refused_canary:
            owner.state.assay["canary"] = "refused"
        listening.save_soon()

    with hooks.during(hosted, gateways=lambda: listening.gateways, remark=desk.remark, opened=opened):
        yield


_TO_RUN = (Kind.FRESH, Kind.AGAIN)


async def _nobody(_: object) -> Refusal:
    """The call of a driver that makes none itself."""
    return Refusal("calls come from the agent's host")


def _late(load: Callable[[], Judge]) -> Judge:
    """Judge nothing until there is an output schema: what judges is heavy."""
    loaded: list[Judge] = []

    def judge(server: str, tool: Any, result: Mapping[str, Any], size: int) -> bool | None:
        if tool.output_schema is None:
            return None
        if not loaded:
            loaded.append(load())
        return loaded[0](server, tool, result, size)

    return judge


class _Desk:
    """What the clients of the socket get to know of the evaluation, and tell it."""

    def __init__(
        self, execution: Execution, owner: Owner, launches: Launches, hosted: Hosted, hooks: Hooks | None
    ) -> None:
        self._execution, self._owner, self._launches = execution, owner, launches
        self._hosted, self._hooks = hosted, hooks
        self.name = execution.of.state.eval_name
        self.note = execution.of.progress.note
        self.persist = owner.persist

    async def launch(self, server: str) -> Mapping[str, Any] | str:
        if self._is_skipped(server):
            return "its disposition is skip: it is never started"
        return await self._launches.of(server)

    def observe(self, server: str, tools: list[Any]) -> None:
        if self._is_skipped(server):  # its gateway's list is not the server's
            return
        pages = Pages()
        pages.add({"tools": tools})
        manifest: Manifest = pages.manifest(server, None)
        # A list that was cut short is cut elsewhere the next time: it shows no change.
        if not self._execution.pinned[server].limitation:
            self._owner.gate.observe(server, {tool.name: tool.digest for tool in manifest.tools})
            self._execution.observed(manifest)

    def _is_skipped(self, server: str) -> bool:
        safety = stricter(server, self._execution.of.safety)
        return safety is not None and safety.disposition is Disposition.SKIP

    def instead(self, join: str | None) -> Mapping[str, Any] | None:
        return self._hooks.start(join) if self._hooks else None

    def escaped(self) -> Mapping[str, Any]:
        if self._hooks is None or self._hooks.session is None:
            return {"ok": True, "why": "nothing here is held by hooks"}
        why = self._hooks.escaped()
        self.remark(why)
        self.persist()
        self._hosted.abandon(UserError(why))
        return {"refused": why, "aborted": None}

    def remark(self, note: str) -> None:
        remark(self._execution.of.state, self._execution.of.progress, note)

    def scenario(self, scenario: Scenario) -> Mapping[str, Any]:
        return {
            "id": scenario.id,
            "description": scenario.description,
            "targets_mcps": list(scenario.targets_mcps),
            **self._left(),
        }

    def status(self) -> Mapping[str, Any]:
        run = self._owner.gate.run
        state = self._execution.of.state
        return {
            "eval": self.name,
            "status": str(state.status),
            "scenario": run.scenario.id if run else None,
            **self._left(),
        }

    def _left(self) -> dict[str, Any]:
        run, budget = self._owner.gate.run, self._owner.budget
        calls = budget.calls - run.call_count if run else None
        return {"calls_left": calls, "seconds_left": round(self._owner.remaining())}
