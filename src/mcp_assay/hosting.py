"""Phase 4 with an agent in its own host: the owner listens, and gateways before the servers ask it about each call.

No server's session is here. A gateway is told what to start, so that what is secret in it stays in memory.
"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mcp_assay.core.model import Disposition, Manifest, Scenario
from mcp_assay.core.paging import Pages
from mcp_assay.core.phrases import counted
from mcp_assay.core.resume import Kind
from mcp_assay.core.safety import stricter
from mcp_assay.drivers.hosted import Hosted, Judge
from mcp_assay.errors import UserError
from mcp_assay.executing import Execution
from mcp_assay.gate import Refusal
from mcp_assay.host.socket import OwnerSocket
from mcp_assay.host.wire import socket_path
from mcp_assay.launches import Launches
from mcp_assay.owner import Owner
from mcp_assay.store import keys
from mcp_assay.store.evaldir import EvalDir

__all__ = ["address", "host"]

DONE = "every scenario has been attempted"
OUT_OF_TIME = "session wallclock exceeded"


def address(folder: EvalDir, environ: Mapping[str, str], home: Path) -> Path:
    """Where the evaluation's owner listens. Raises UserError if that is too long for a socket."""
    return socket_path(keys.folder(environ, home), os.path.realpath(folder.path))


async def host(execution: Execution, launches: Launches, path: Path, judge: Callable[[], Judge]) -> None:
    """Listen at ``path``, run every scenario as the agent asks for it, and seal the transcript.

    The session starts when the agent asks for its first scenario: until then no time is counted. ``judge`` loads what
    holds results against output schemas; it is called when there is one.
    """
    of = execution.of
    left = sum(of.stands[item.id].kind in _TO_RUN if item.id in of.stands else True for item in of.scenarios)
    with execution.owner() as owner:
        owner.hold()
        timeout = of.plan.call_timeout
        hosted = Hosted(owner.gate, owner.remaining, left=left, timeout=timeout, judge=_late(judge))
        desk = _Desk(execution, owner, launches)
        async with OwnerSocket(path, hosted, desk):
            if left and owner.remaining():
                of.progress.phase("Waiting for the agent to ask for its first scenario")
                await hosted.first()
            execution.begin()
            owner.start()
            of.progress.phase(f"Running {counted(left, 'scenario')}, driven by the agent's host")
            await owner.run(of.scenarios, lambda _: hosted, _nobody, of.stands, hosted.turn)
            hosted.close(DONE if owner.remaining() else OUT_OF_TIME)
            owner.persist()
    notes = {entry["name"]: entry["assay"].get("notes") or () for entry in of.state.attached_mcps}
    execution.seal(notes.__getitem__)


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

    def __init__(self, execution: Execution, owner: Owner, launches: Launches) -> None:
        self._execution, self._owner, self._launches = execution, owner, launches
        self.name = execution.of.state.eval_name
        self.note = execution.of.progress.note
        self.persist = owner.persist

    async def launch(self, server: str) -> Mapping[str, Any]:
        safety = stricter(server, self._execution.of.safety)
        if safety is not None and safety.disposition is Disposition.SKIP:
            raise UserError("its disposition is skip: it is never started")
        return await self._launches.of(server)

    def observe(self, server: str, tools: list[Any]) -> None:
        pages = Pages()
        pages.add({"tools": tools})
        manifest: Manifest = pages.manifest(server, None)
        # A list that was cut short is cut elsewhere the next time: it shows no change.
        if not self._execution.pinned[server].limitation:
            self._owner.gate.observe(server, {tool.name: tool.digest for tool in manifest.tools})
            self._execution.observed(manifest)

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
