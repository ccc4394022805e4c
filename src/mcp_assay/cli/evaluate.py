"""``mcp-assay eval``: from arguments and a plan to an Order, and from its result to an exit code."""

import asyncio
import json
import os
import shlex
import signal
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import click
from rich.console import Console

from mcp_assay.cli.console import Screen, stderr
from mcp_assay.cli.ending import closing, exit_code, next_step
from mcp_assay.cli.places import base, home, json_option, place_options, root
from mcp_assay.clock import SystemClock
from mcp_assay.core.limits import call_budget, eval_name, wallclock_minutes
from mcp_assay.core.model import ServerConfig
from mcp_assay.core.plan import Plan
from mcp_assay.errors import UserError
from mcp_assay.judging import report_file
from mcp_assay.orchestrator import Evaluation, Order, Phase, Result
from mcp_assay.planfile import load
from mcp_assay.progress import Silent
from mcp_assay.report import machine
from mcp_assay.store.evaldir import EvalDir

__all__ = ["eval_command"]

_COMMAND_LINE = "command line"
_LAUNCHERS = {"npx", "uvx", "pnpx", "bunx", "node", "python", "python3", "uv", "deno", "docker"}
_WORDS_OF_LAUNCHERS = {"run", "tool", "exec", "dlx"}
# Plain strings: click names the members of an enum, and ours are known by their values.
_PHASES = [phase.value for phase in Phase]
_file = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("eval", context_settings={"ignore_unknown_options": False})
@click.option("--plan", "plan_file", type=_file, help="Answers to every question, in YAML or JSON.")
@click.option("--server", "named", multiple=True, metavar="NAME=COMMAND", help="Attach only what is named so.")
@click.option("--name", help="The evaluation's name (default: YYYYMMDD-HHMMSS).")
@click.option("--scenarios", "scenarios_file", type=_file, help="Scenarios: .json, .yaml, .yml, or one a line.")
@click.option("--call-budget", metavar="N", help="Calls per scenario, 1-999 (default 20).")
@click.option("--wallclock-budget", metavar="MINUTES", help="For all scenarios together (default 15).")
@click.option("--driver", type=click.Choice(["script"]), default="script", help="Who makes the calls.")
@click.option("--until", type=click.Choice(_PHASES), default=Phase.REPORT.value, help="Stop after this phase.")
@click.option("--trust-config", is_flag=True, help="Let the plan's `connect: all` start what the configs name.")
@click.option(
    "--fail-on",
    type=click.Choice(["critical", "major", "minor", "suggestion", "never"]),
    help="Exit 1 if a finding is at least this severe (default: the plan's, else never).",
)
@click.option("--allow-unreached", is_flag=True, help="Do not exit 4 because a server had no completed call.")
@place_options
@json_option
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def eval_command(ctx: click.Context, /, **options: Any) -> None:
    """Evaluate the attached MCP servers: every call checked, logged and budgeted.

    Without --server or a COMMAND the servers that Claude Code would attach are discovered. A COMMAND after `--`, or
    each --server NAME=COMMAND, attaches only what is named, and naming it is consent to start it.
    """
    order = _order(options)
    console = Console(quiet=True) if options["as_json"] else stderr()
    result = _run(order, console, quiet=options["as_json"])
    fail_on = options["fail_on"] or order.plan.fail_on or "never"
    code = exit_code(result.state, result.view, fail_on, allow_unreached=options["allow_unreached"])
    _print(order, result, code, as_json=options["as_json"])
    ctx.exit(code)


def _run(order: Order, console: Console, *, quiet: bool) -> Result:
    evaluation = Evaluation(order, SystemClock(), Silent() if quiet else Screen(console))

    async def guarded() -> Result:
        task = asyncio.current_task()
        if task is not None:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await evaluation.run()

    try:
        return asyncio.run(guarded())
    except (KeyboardInterrupt, asyncio.CancelledError):
        folder = EvalDir(order.base, order.name).path
        click.echo(f"\ninterrupted; what was done is in {folder}", err=True)
        click.echo(f"look at it with: mcp-assay status {order.name}", err=True)
        raise KeyboardInterrupt from None


def _order(options: dict[str, Any]) -> Order:
    user = home(options["home"])
    plan = load(options["plan_file"]) if options["plan_file"] else Plan()
    project = root(options["project"] or _path(plan.project), user)
    calls, clamped = call_budget(options["call_budget"] or plan.call_budget or 20)
    return Order(
        name=eval_name(options["name"] or plan.name or datetime.now(UTC).strftime("%Y%m%d-%H%M%S")),
        base=base(project, user, options["out"] or _path(plan.out)),
        project=project,
        home=user,
        environ=dict(os.environ),
        plan=plan,
        servers=_servers(options["named"], options["command"]),
        call_budget=calls,
        wallclock_minutes=wallclock_minutes(options["wallclock_budget"] or plan.wallclock_budget or 15),
        scenarios_file=options["scenarios_file"],
        until=Phase(options["until"]),
        trust_config=options["trust_config"],
        notes=(clamped,) if clamped else (),
    )


def _path(text: str | None) -> Path | None:
    return Path(text) if text else None


def _servers(named: tuple[str, ...], command: tuple[str, ...]) -> tuple[ServerConfig, ...]:
    """The servers of the command line, run from the current folder as any command there."""
    servers = [_named(text) for text in named]
    if command:
        servers.append(_config(_name_of(command), list(command)))
    names = [server.name for server in servers]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UserError(f"--server {twice}: named twice; give each server a name of its own")
    return tuple(servers)


def _named(text: str) -> ServerConfig:
    name, equals, line = text.partition("=")
    try:
        words = shlex.split(line)
    except ValueError as bad:
        raise UserError(f"--server {name}: {bad}") from None
    if not equals or not name or not words:
        raise UserError("--server needs NAME=COMMAND, for example --server time='uvx mcp-server-time'")
    return _config(name, words)


def _config(name: str, words: list[str]) -> ServerConfig:
    return ServerConfig(name, _COMMAND_LINE, command=words[0], args=tuple(words[1:]), cwd=str(Path.cwd()))


def _name_of(command: tuple[str, ...]) -> str:
    """``npx -y @scope/server-x@1`` is ``server-x``; ``python -m pkg.server`` is ``pkg.server``; else the program."""
    words = [PurePosixPath(word).name for word in command]
    if words[0] in _LAUNCHERS:
        rest = [word for word in words[1:] if not word.startswith("-") and word not in _WORDS_OF_LAUNCHERS]
        words = rest or words
    return words[0].split("@")[0].removesuffix(".py").removesuffix(".js") or "server"


def _print(order: Order, result: Result, code: int, *, as_json: bool) -> None:
    path = str(result.folder)
    if as_json:
        body = machine.render(result.view) if result.view else {"name": order.name, "status": result.state.status}
        click.echo(json.dumps(body | {"folder": path, "exit_code": code}))
    elif result.view is None:
        click.echo(next_step(result.state, path))
    else:
        with EvalDir(order.base, order.name) as folder:
            click.echo(closing(result.state, result.view, report_file(folder)))
