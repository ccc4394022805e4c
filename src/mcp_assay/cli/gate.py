"""``mcp-assay gate``: the owner of an approved evaluation whose calls an agent makes in its own host.

It waits beside the agent all the time, so it loads no more than it takes to answer gateways; what judges and reports
is loaded when the agent is done.
"""

import asyncio
import gc
import importlib
import os
import re
import shlex
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from mcp_assay import kept
from mcp_assay.cli import lean
from mcp_assay.cli.main import Interrupted
from mcp_assay.cli.naming_servers import servers
from mcp_assay.cli.output import print_json
from mcp_assay.cli.places import ending_options, home, json_option, opened, place_options, root
from mcp_assay.cli.plain import Plain
from mcp_assay.clock import SystemClock
from mcp_assay.core.expand import Launch
from mcp_assay.core.model import Scenario, ServerConfig
from mcp_assay.core.plan import BWRAP, NONE, Plan
from mcp_assay.core.session import State, Status
from mcp_assay.drivers.hosted import HOST, Judge
from mcp_assay.errors import StoreError, UserError
from mcp_assay.executing import Execution, Scoped, standings
from mcp_assay.host.hooks import Hooks
from mcp_assay.host.hooksocket import HookSocket
from mcp_assay.hosting import address, hook_address, host
from mcp_assay.launches import Launches, Resolve
from mcp_assay.progress import Progress, Silent
from mcp_assay.store import keys
from mcp_assay.store.evaldir import EvalDir

__all__ = ["gate_command"]

_ALLOCATIONS = 2_000  # between two looks for garbage: a call leaves none that needs one
_NOT_YET = {Status.DISCOVERING, Status.INTERVIEWING, Status.SCOPING}
_PLACES = ("project", "home", "out")
_READY = {Status.SCOPED, Status.EXECUTING}


@click.command("gate")
@click.argument("name")
@click.option("--server", "named", multiple=True, metavar="NAME=COMMAND|URL", help="A server that was named so before.")
@click.option("--require-isolation", is_flag=True, help="Isolate every server with bwrap, or exit 2.")
@ending_options
@place_options
@json_option
@click.pass_context
def gate_command(ctx: click.Context, /, name: str, **options: Any) -> None:
    """Run an approved evaluation with an agent in its own host: every call passes a gateway that asks this process.

    It waits for the agent to ask for its first scenario, and ends with the report. Ctrl-C saves what was done; the
    same command goes on.
    """
    with opened(name, options["project"], options["home"], options["out"]) as folder:
        folder.lock()
        key = keys.load(os.environ, home(options["home"]), folder.name)
        state = _ready(folder, key)
        plan = kept.pinned_plan(folder, state)
        judge = importlib.import_module("mcp_assay.cli.judge") if plan.critic != "rules" else None
        program = judge.model(folder, options) if judge else None  # if it is missing, that is told now
        _drive(folder, state, key, plan, options)
        lean.end()
        view = _judged(folder, state, key, lambda case: judge.asked(case, program) if judge else None)
        ending = importlib.import_module("mcp_assay.cli.ending")
        fail_on = options["fail_on"] or plan.fail_on or "never"
        code = ending.exit_code(state, view, fail_on, allow_unreached=options["allow_unreached"])
        if options["as_json"]:
            body = importlib.import_module("mcp_assay.report.machine").render(view)
            print_json(body | {"folder": str(folder.path), "exit_code": code})
        else:
            click.echo(ending.closing(state, view, (folder.path / "report.md").absolute()))
    ctx.exit(code)


def _ready(folder: EvalDir, key: keys.Keys) -> State:
    state, signed = folder.load_state(key.state)
    if not signed:
        raise StoreError(f"{folder.path}: its state was not signed by this user, so it cannot be run")
    if state.status in _NOT_YET:
        raise UserError(
            f"{folder.name} is {state.status}: its scenarios are not approved yet; "
            f"go on with: mcp-assay eval --name {folder.name} --resume --until scenarios"
        )
    if state.status not in _READY:
        raise UserError(f"{folder.name} is {state.status}: its scenarios have run; see: mcp-assay status {folder.name}")
    return state


def _drive(folder: EvalDir, state: State, key: keys.Keys, plan: Plan, options: Mapping[str, Any]) -> None:
    """Phase 4. Raises Interrupted, with what was done by then saved."""
    user = home(options["home"])
    safety = {item["mcp_name"]: kept.recorded(item) for item in state.safety_dispositions}
    plan = replace(plan, dispositions=safety)
    launches = _launches(folder, state, plan, options)
    path = address(folder, os.environ, user)
    progress: Progress = Silent() if options["as_json"] else Plain()
    scenarios = [
        Scenario(item["id"], item["source"], item["description"], tuple(item["targets_mcps"]))
        for item in state.scenarios
    ]
    stands = standings(folder, state, scenarios, progress)
    hooks = Hooks(folder.path, keys.folder(os.environ, user), session=None, note=progress.note)
    listening = hook_address(folder, os.environ, user)
    execution = Execution(Scoped(folder, state, key, SystemClock(), progress, plan, safety, scenarios, stands))
    state.assay["driver"] = HOST

    async def guarded() -> None:
        task = asyncio.current_task()
        if task is not None:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        async with HookSocket(listening, hooks):
            await host(execution, launches, path, _judge, hooks=hooks)

    # What is loaded stays, so it is not looked through for garbage again and again while a call waits.
    re.purge()  # patterns that were needed once, to read options and plans
    gc.collect()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS)
    try:
        asyncio.run(guarded())
    except (KeyboardInterrupt, asyncio.CancelledError):
        places = [f" --{name} {shlex.quote(str(options[name]))}" for name in _PLACES if options[name]]
        # A command line may hold secrets, and this line may end up in a log: it is not repeated.
        named = ", and the same --server" if options["named"] else ""
        again = f"mcp-assay gate {folder.name}{''.join(places)}{named}"
        raise Interrupted(f"interrupted; what was done is in {folder.path}\ngo on with: {again}") from None


def _launches(folder: EvalDir, state: State, plan: Plan, options: Mapping[str, Any]) -> Launches:
    """What starts the servers, which must be those that were interviewed. Raises UserError."""
    user, required = home(options["home"]), options["require_isolation"]
    project = root(options["project"] or (Path(plan.project) if plan.project else None), user)
    attached = servers(options["named"], ()) or _configured(project, user)
    kept.require_same(attached, state)
    enclose: Mapping[str, Callable[[Launch, str], Launch]] = {}
    if required or state.assay["isolation"] != NONE:
        # Loaded only where servers run in boxes.
        isolation = importlib.import_module("mcp_assay.isolation")
        where = _Where(folder.path.parent.parent, project, user, os.environ, required)
        boxes = isolation.arrange(where, BWRAP if required else None, state.assay["isolation"])
        enclose = boxes.make([server for server in attached if not plan.skips(server.name)], plan.dispositions)
    return Launches(
        attached,
        os.environ,
        allowed=plan.env,
        folder=str(project.absolute()),
        timeout=plan.start_timeout,
        enclose=enclose,
        resolve=_resolve,
    )


def _configured(project: Path, user: Path) -> Sequence[ServerConfig]:
    found: Sequence[ServerConfig] = (
        importlib.import_module("mcp_assay.sources").discover(project, user, os.environ).attached
    )
    return found


@dataclass(frozen=True, slots=True)
class _Where:
    """What isolation has to know of the places here."""

    base: Path
    project: Path
    home: Path
    environ: Mapping[str, str]
    require_isolation: bool


def _judged(folder: EvalDir, state: State, key: keys.Keys, ask: Callable[[Any], str | None]) -> Any:
    """Phases 5 and 6. ``ask`` gives what a model says, if one judges."""
    judging = importlib.import_module("mcp_assay.judging")
    case = judging.Case(folder, state)
    judging.critique(case, key, SystemClock(), given=ask(case), source=judging.MODEL)
    return judging.report(case, key, SystemClock())


def _resolve() -> Resolve:
    lean.end()
    resolve: Resolve = importlib.import_module("mcp_assay.endpoint").resolve
    return resolve


def _judge() -> Judge:
    lean.end()
    judge: Judge = importlib.import_module("mcp_assay.promise").Promises().kept
    return judge
