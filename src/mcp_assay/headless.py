"""Claude Code without a person: one process attempts one scenario, or judges; it ends with all that it has started."""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from mcp_assay import judging
from mcp_assay.core import hostsaid, inert
from mcp_assay.core.hostsaid import Said
from mcp_assay.core.model import Scenario
from mcp_assay.critic import model
from mcp_assay.drivers.base import Call, Driver, Ended
from mcp_assay.drivers.hosted import Hosted
from mcp_assay.errors import UserError
from mcp_assay.executing import Execution, remark
from mcp_assay.host import claude
from mcp_assay.host.hooks import Hooks
from mcp_assay.host.hooksocket import HookSocket
from mcp_assay.host.hostprocess import HostProcess
from mcp_assay.host.wire import hook_path
from mcp_assay.hosting import address, host
from mcp_assay.launches import Launches
from mcp_assay.promise import Promises
from mcp_assay.store import keys, transcript

__all__ = ["Program", "critique", "drive", "find"]

_LAST_WORDS = 10.0
"""Seconds for the agent to end once it has finished a scenario."""
_TO_JUDGE = 900.0
_SHOWN = 300  # characters of the host's own words in a message of ours


@dataclass(frozen=True, slots=True)
class Program:
    """The host's program, and where it runs: the user's environment and home, the folder that holds ``mcp-evals/``."""

    path: Path
    environ: Mapping[str, str]
    home: Path
    base: Path


class Asked(Protocol):
    """The part of an order that says which program, and where."""

    @property
    def claude(self) -> Path | None: ...

    @property
    def environ(self) -> Mapping[str, str]: ...

    @property
    def home(self) -> Path: ...

    @property
    def project(self) -> Path: ...

    @property
    def base(self) -> Path: ...


def find(order: Asked) -> Program:
    """The program that an order means. Raises UserError if there is none, or if it cannot be used."""
    path = claude.require_usable(order.claude, order.environ, order.home, order.project)
    return Program(path, order.environ, order.home, order.base)


async def drive(execution: Execution, launches: Launches, program: Program) -> None:
    """Phase 4: an agent for each scenario, with our gateways and nothing else. Raises UserError if one cannot begin."""
    of, state = execution.of, keys.folder(program.environ, program.home)
    hooks = Hooks(of.folder.path, state, session=None, note=of.progress.note)
    listens = hook_path(state, str(of.folder.path.resolve()))

    def attend(hosted: Hosted) -> Driver:
        return _Attending(execution, hosted, hooks, program, listens)

    path = address(of.folder, program.environ, program.home)
    async with HookSocket(listens, hooks):
        await host(execution, launches, path, lambda: Promises().kept, hooks=hooks, attend=attend)


async def critique(case: judging.Case, program: Program, note: Callable[[str], None]) -> str:
    """What the model's critic says after ``judging.prepare``; empty if nothing was to be had, and ``note`` says why.

    It sees copies of what it is to read, in a folder with nothing else in it.
    """
    names = [entry["name"] for entry in case.state.attached_mcps]
    manifests = {name: [dict(tool.raw) for tool in kept.tools] for name, kept in (case.manifests or {}).items()}
    with tempfile.TemporaryDirectory(prefix="mcp-assay-") as made, tempfile.TemporaryFile() as out:
        place = Path(made)
        for name in ("transcript.jsonl", "state.json", judging.RULES_OUTPUT):
            (place / name).write_bytes(case.folder.read(name))
        (place / "manifests.json").write_text(json.dumps(manifests), encoding="utf-8")
        argv = claude.critic_argv(program.path, model.instructions(), None)
        prompt = model.brief(place, names, "manifests.json")
        process = HostProcess(argv, claude.environment(program.environ), place)
        try:
            async with asyncio.timeout(_TO_JUDGE):
                await process.start(prompt, out)
                await process.wait()
        except TimeoutError:
            note(f"the critic was ended after {_TO_JUDGE:g} seconds")
            return ""
        finally:
            await process.end()
        said = _read(out)
        if said.text and not said.result.get("is_error"):
            return said.text
        note(f"the critic said nothing: {_fate(said, process)}")
        return ""


class _Attending:
    """The ``claude-code`` driver: starts an agent for a scenario, and waits for how it ends."""

    name = claude.NAME

    def __init__(self, execution: Execution, hosted: Hosted, hooks: Hooks, program: Program, listens: Path) -> None:
        self._of, self._hosted, self._hooks, self._program = execution.of, hosted, hooks, program
        self._listens = listens
        self._servers = [entry["name"] for entry in self._of.state.attached_mcps]

    async def run(self, scenario: Scenario, call: Call) -> Ended:
        attempt = asyncio.ensure_future(self._hosted.run(scenario, call))
        await asyncio.sleep(0)  # it is the running one from here on
        made = tempfile.TemporaryDirectory(prefix="mcp-assay-", ignore_cleanup_errors=True)
        with self._record(scenario) as record, made as place:
            earlier = record.seek(0, os.SEEK_END)
            process = self._agent(Path(place))
            try:
                await process.start(_prompt(scenario), record)
                await self._over(process, attempt)
                if not attempt.done():
                    self._conclude(scenario, _read(record, earlier), process)
                return await attempt
            finally:
                # First of all what is still open is closed for what ended it, and not for its gateway's end.
                attempt.cancel()
                await asyncio.gather(attempt, return_exceptions=True)
                await process.end()
                self._compare(scenario, _read(record))

    async def _over(self, process: HostProcess, attempt: asyncio.Future[Ended]) -> None:
        """Return when the agent is done: it has finished, was stopped by the gate, or its host has ended."""
        ended: asyncio.Future[Any] = asyncio.ensure_future(process.wait())
        waited: set[asyncio.Future[Any]] = {attempt, ended}
        try:
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if self._hosted.finished:
                # What it says last belongs to its record.
                await asyncio.wait({ended}, timeout=_LAST_WORDS)
        finally:
            ended.cancel()

    def _conclude(self, scenario: Scenario, said: Said, process: HostProcess) -> None:
        """The host has ended, and its agent has not finished the scenario."""
        if not said.spoke:
            again = "once that is mended, go on with the same command and --resume"
            raise UserError(f"Claude Code could not begin {scenario.id}: {_fate(said, process)}\n{again}")
        whole = said.result.get("subtype") == "success" and not said.result.get("is_error")
        if not whole:
            self._hosted.finish(reached=None, why=f"Claude Code broke off: {_fate(said, process)}")
        elif told := hostsaid.goal(said.text):
            self._hosted.finish(reached=told[0], why=told[1])
        else:
            self._hosted.finish(reached=None, why="the agent did not say whether the goal was reached")

    def _agent(self, place: Path) -> HostProcess:
        """What attempts a scenario, in a folder of its own; what it is given lies beside that."""
        of, program = self._of, self._program
        gateway = [sys.executable, "-P", "-m", "mcp_assay", "gateway", "--eval", of.state.eval_name]
        gateway += ["--out", str(program.base), "--home", str(program.home)]
        _write(place / "mcp.json", claude.gateways(self._servers, gateway, of.plan.call_timeout))
        _write(place / "settings.json", claude.settings())
        # Each call may take a turn and its justification another; so may each refusal, of which there are no more.
        turns = 4 * of.state.config["call_budget_per_scenario"] + 10
        argv = claude.agent_argv(
            program.path, place, self._servers, allow=of.plan.allow, turns=turns, model=of.plan.model
        )
        (place / "work").mkdir()
        more = {"MCP_ASSAY_HOOKS": str(self._listens)}
        return HostProcess(argv, claude.environment(program.environ, more), place / "work")

    def _record(self, scenario: Scenario) -> BinaryIO:
        """Where the host's event stream goes. What a scenario that is run again left before stays in it."""
        if self._of.plan.host_record:
            return self._of.folder.record(f"{scenario.id}.jsonl")
        return tempfile.TemporaryFile()

    def _compare(self, scenario: Scenario, said: Said) -> None:
        """Hold what the host says was called against what the gate saw, into the scenario's entry."""
        lines = [line for line in transcript.entries(self._of.folder.fd) if line["scenario_id"] == scenario.id]
        elsewhere = {join for join in said.calls if self._hooks.has_answered(join)}
        compared = hostsaid.compare(said, lines, elsewhere)
        entry = next(item for item in self._of.state.execution if item["scenario_id"] == scenario.id)
        entry["assay"]["host"] = {
            "ended": said.result.get("subtype"),
            "unreported": list(compared.unreported),
            "unseen": list(compared.unseen),
        }
        for name, status in said.unattached.items():
            remark(self._of.state, self._of.progress, f"{scenario.id}: {name} was not attached to the agent ({status})")


def _prompt(scenario: Scenario) -> str:
    # Not the bare text: one that begins with "/" would be a command to the host.
    return f"Scenario {scenario.id}: {scenario.description}\n"


def _write(path: Path, value: Mapping[str, Any]) -> None:
    path.touch(mode=0o600, exist_ok=False)
    path.write_text(json.dumps(value), encoding="utf-8")


def _read(record: BinaryIO, start: int = 0) -> Said:
    record.seek(start)
    return hostsaid.read(record)


def _fate(said: Said, process: HostProcess) -> str:
    """Why a host ended that did not do what it was started for, in its own words where it has some."""
    errors = said.result.get("errors")
    words = said.text or (" ".join(map(str, errors)) if isinstance(errors, list) else "")
    return inert.line(words, _SHOWN) if words else process.fate
