"""``mcp-assay eval``: from arguments and a plan to an Order, and from its result to an exit code."""

import asyncio
import importlib
import os
import shlex
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from mcp_assay.cli import listing
from mcp_assay.cli.console import Screen, stderr
from mcp_assay.cli.ending import closing, exit_code, next_step
from mcp_assay.cli.main import Interrupted
from mcp_assay.cli.naming_servers import servers
from mcp_assay.cli.output import print_json
from mcp_assay.cli.places import base, ending_options, home, json_option, place_options, root
from mcp_assay.clock import SystemClock
from mcp_assay.core.limits import call_budget, eval_name, wallclock_minutes
from mcp_assay.core.model import Manifest
from mcp_assay.core.plan import Plan
from mcp_assay.core.safety import Policy
from mcp_assay.drivers.base import Driver
from mcp_assay.errors import UserError
from mcp_assay.interviewer import Existing, Interviewer, Written
from mcp_assay.isolation import BWRAP, NONE
from mcp_assay.judging import report_file
from mcp_assay.launches import Resolve
from mcp_assay.orchestrator import Evaluation
from mcp_assay.order import NEEDED, Loaders, Order, Phase, Result
from mcp_assay.planfile import load
from mcp_assay.progress import Silent
from mcp_assay.report import machine
from mcp_assay.store.evaldir import EvalDir, place

__all__ = ["eval_command"]

_PHASES = [phase.value for phase in Phase]
_SAID_AGAIN = {
    "plan_file": "--plan",
    "scenarios_file": "--scenarios",
    "trust_config": "--trust-config",
    "critic": "--critic",
    "claude": "--claude",
    "model": "--model",
    "project": "--project",
    "home": "--home",
    "out": "--out",
}
"""Options without which a command that goes on would look elsewhere, or ask again."""
_file = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("eval")
@click.option("--plan", "plan_file", type=_file, help="Answers to every question, in YAML or JSON.")
@click.option("--server", "named", multiple=True, metavar="NAME=COMMAND|URL", help="Attach only what is named so.")
@click.option("--name", help="The evaluation's name (default: YYYYMMDD-HHMMSS).")
@click.option("--scenarios", "scenarios_file", type=_file, help="Scenarios: .json, .yaml, .yml, or one a line.")
@click.option("--call-budget", metavar="N", help="Calls per scenario, 1-999 (default 20).")
@click.option("--wallclock-budget", metavar="MINUTES", help="For all scenarios together (default 15).")
@click.option("--driver", type=click.Choice(["script", "explore", "host", "claude-code"]), help="Who makes the calls.")
@click.option(
    "--critic", type=click.Choice(["rules", "claude-code"]), help="Who judges: rules, or a model beside them."
)
@click.option("--claude", type=click.Path(path_type=Path), help="The program of Claude Code (default: claude in PATH).")
@click.option("--model", metavar="NAME", help="The model that the driver claude-code uses.")
@click.option("--isolation", type=click.Choice(["none", "bwrap"]), help="What a server's process runs in.")
@click.option("--require-isolation", is_flag=True, help="Isolate every server with bwrap, or exit 2.")
@click.option("--until", type=click.Choice(_PHASES), default=Phase.REPORT.value, help="Stop after this phase.")
@click.option("--resume", "existing", flag_value="resume", help="Go on with an evaluation that was interrupted.")
@click.option(
    "--restart", "--overwrite", "existing", flag_value="restart", help="Start anew; the old folder is renamed."
)
@click.option("--trust-config", is_flag=True, help="Let the plan's `connect: all` start what the configs name.")
@ending_options
@place_options
@json_option
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def eval_command(ctx: click.Context, /, **options: Any) -> None:
    """Evaluate the attached MCP servers: every call checked, logged and budgeted.

    Without --server or a COMMAND the servers that Claude Code would attach are discovered. A COMMAND after `--`, or
    each --server NAME=COMMAND, attaches only what is named, and naming it is consent to start it. NAME=URL names a
    server over HTTP.
    """
    order = _order(options)
    console = Console(quiet=True) if options["as_json"] else stderr()
    result = _run(order, console, _interviewer(order, options), options)
    fail_on = options["fail_on"] or order.plan.fail_on or "never"
    code = exit_code(result.state, result.view, fail_on, allow_unreached=options["allow_unreached"])
    _print(order, result, code, options)
    ctx.exit(code)


def _interviewer(order: Order, options: dict[str, Any]) -> Interviewer:
    """A person, if there is no plan, no --json, and a terminal to ask at; else the plan."""
    existing = Existing(options["existing"]) if options["existing"] else None
    if _is_asked(order.plan, options):
        terminal = importlib.import_module("mcp_assay.cli.terminal")
        person: Interviewer = terminal.Terminal(
            stderr(),
            trusted=options["trust_config"],
            has_scenarios=order.scenarios_file is not None,
            existing=existing,
        )
        return person
    return Written(
        NEEDED[order.until],
        named=bool(order.servers),
        trusted=options["trust_config"],
        has_scenarios=order.scenarios_file is not None,
        existing=existing,
    )


def _is_asked(plan: Plan, options: dict[str, Any]) -> bool:
    """Whether a person is there to be asked, and nothing answers in their stead."""
    return plan.source is None and not options["as_json"] and sys.stdin.isatty() and sys.stderr.isatty()


def _explore(manifests: Mapping[str, Manifest], policy: Policy) -> Driver:
    driver: Driver = importlib.import_module("mcp_assay.drivers.explore").Explore(manifests, policy)
    return driver


def _resolve() -> Resolve:
    """What expands a remote server's entry: loaded only where there is one."""
    found: Resolve = importlib.import_module("mcp_assay.endpoint").resolve
    return found


def _run(order: Order, console: Console, interviewer: Interviewer, options: dict[str, Any]) -> Result:
    loaders = Loaders(remote=listing.remote, explore=_explore, resolve=_resolve)
    progress = Silent() if options["as_json"] else Screen(console)
    evaluation = Evaluation(order, SystemClock(), progress, interviewer, loaders)

    async def guarded() -> Result:
        task = asyncio.current_task()
        if task is not None:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await evaluation.run()

    try:
        return asyncio.run(guarded())
    except (KeyboardInterrupt, asyncio.CancelledError):
        folder = place(order.base, order.name)
        # A command line may hold secrets, and this line may end up in a CI log: it is not repeated.
        named = ", and the same --server and COMMAND" if order.servers else ""
        again = f"mcp-assay eval --name {order.name} --resume{_said(options, *_SAID_AGAIN)}{named}"
        raise Interrupted(f"interrupted; what was done is in {folder}\ngo on with: {again}") from None


def _said(options: dict[str, Any], *names: str) -> str:
    """Those of the named options that were given, as they are typed, each after a blank."""
    given = {_SAID_AGAIN[name]: options[name] for name in names if options[name]}
    return "".join(
        f" {word}" if value is True else f" {word} {shlex.quote(str(value))}" for word, value in given.items()
    )


def _order(options: dict[str, Any]) -> Order:
    user = home(options["home"])
    plan = load(options["plan_file"]) if options["plan_file"] else Plan()
    # What a person types in has no steps: it is explored, unless they say otherwise.
    driver = options["driver"] or ("explore" if _is_asked(plan, options) else plan.driver)
    plan = replace(plan, driver=driver, isolation=_isolation(options, plan), model=options["model"] or plan.model)
    project = root(options["project"] or _path(plan.project), user)
    calls, clamped = call_budget(_first(options["call_budget"], plan.call_budget, 20))
    return Order(
        # "default is the ISO timestamp slugged as YYYYMMDD-HHMMSS"
        name=eval_name(_first(options["name"], plan.name, datetime.now(UTC).strftime("%Y%m%d-%H%M%S"))),
        base=base(project, user, options["out"] or _path(plan.out)),
        project=project,
        home=user,
        environ=dict(os.environ),
        plan=plan,
        servers=servers(options["named"], options["command"]),
        call_budget=calls,
        wallclock_minutes=wallclock_minutes(_first(options["wallclock_budget"], plan.wallclock_budget, 15)),
        scenarios_file=options["scenarios_file"],
        until=Phase(options["until"]),
        driver=options["driver"],
        critic=options["critic"],
        claude=options["claude"],
        budgets_asked=options["call_budget"] is not None or options["wallclock_budget"] is not None,
        require_isolation=options["require_isolation"],
        notes=(clamped,) if clamped else (),
    )


def _isolation(options: dict[str, Any], plan: Plan) -> str | None:
    asked: str | None = options["isolation"] or plan.isolation
    if not options["require_isolation"]:
        return asked
    if asked == NONE:
        raise UserError("--require-isolation and an isolation of none contradict each other; take one away")
    return BWRAP


def _first(*values: Any) -> Any:
    """The first value that was given at all: an empty one is a mistake to be told, not an absent one."""
    return next(value for value in values if value is not None)


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None


def _so_far(order: Order, result: Result) -> dict[str, Any]:
    undetermined = [dict(found) for found in result.undetermined]
    return {"name": order.name, "status": result.state.status, "undetermined": undetermined}


def _print(order: Order, result: Result, code: int, options: dict[str, Any]) -> None:
    if options["as_json"]:
        body = machine.render(result.view) if result.view else _so_far(order, result)
        print_json(body | {"folder": str(result.folder), "exit_code": code})
    elif result.view is None:
        click.echo(next_step(result.state, result.folder, _said(options, "project", "home", "out")))
    else:
        with EvalDir(order.base, order.name) as folder:
            click.echo(closing(result.state, result.view, report_file(folder)))
