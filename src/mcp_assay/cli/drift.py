"""``mcp-assay drift``: what changed between two manifests of the same servers. Calls no tool."""

import asyncio
import importlib
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from mcp_assay import isolation
from mcp_assay.cli import listing
from mcp_assay.cli.console import stderr
from mcp_assay.cli.naming_servers import COMMAND_LINE, servers
from mcp_assay.cli.output import print_json
from mcp_assay.cli.places import base, home, json_option, opened, place_options, root
from mcp_assay.core import inert
from mcp_assay.core.drift import Changed, Drift, between, details, whole
from mcp_assay.core.model import Manifest, Rules, ServerConfig
from mcp_assay.core.phrases import counted
from mcp_assay.core.plan import Plan
from mcp_assay.core.problems import did_you_mean
from mcp_assay.core.session import State
from mcp_assay.dispatch import Fleet
from mcp_assay.errors import StoreError, UserError
from mcp_assay.existing import plan_of
from mcp_assay.interview import require_answers
from mcp_assay.kept import pinned
from mcp_assay.order import NEEDED, Order, Phase
from mcp_assay.planfile import load
from mcp_assay.store import keys
from mcp_assay.store.evaldir import EvalDir, opened_at, retired

__all__ = ["drift_command"]

_LINE = 4000
_file = click.Path(exists=True, dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two that are compared: what to call it, and its servers' manifests."""

    called: str
    manifests: Mapping[str, Manifest]


@click.command("drift")
@click.argument("name")
@click.option("--against", metavar="FOLDER", help="Compare with this evaluation, by its folder or its name.")
@click.option("--now", is_flag=True, help="Compare with what the servers offer now: starts them.")
@click.option(
    "--server", "named", multiple=True, metavar="NAME[=COMMAND]", help="Only this server; for --now, how to start it."
)
@click.option("--plan", "plan_file", type=_file, help="For --now: the consent to start servers, as eval takes it.")
@click.option("--trust-config", is_flag=True, help="For --now: start the attached servers without asking.")
@place_options
@json_option
@click.pass_context
def drift_command(ctx: click.Context, /, name: str, *, as_json: bool, **options: Any) -> None:
    """Show which tools appeared, vanished or changed, and what of them, since another look at the same servers.

    Compared are the tools as they were pinned at the interview of the evaluation NAME with those of the run before it
    under the same name, which --restart kept; with --against, those of another evaluation. Neither starts anything.

    With --now NAME is the older one: its servers are started, with the consent and in the isolation that it had, and
    their tools are listed. A server that was named on the command line is named again.

    Exit codes: 0 nothing changed, 1 something did, 2 something you gave is wrong.
    """
    _check(options)
    with opened(name, options["project"], options["home"], options["out"]) as folder:
        state, own = _pinned(folder, options["home"])
        before, after = _sides(folder, state, own, options)
    rules = Rules(state.assay.get("rules", Rules.EXTENDED))
    chosen = [text.partition("=")[0] for text in options["named"]]
    _require_known(chosen, [*before.manifests, *after.manifests])
    found = [item for item in between(before.manifests, after.manifests, rules) if not chosen or item.server in chosen]
    if as_json:
        print_json(_machine(before, after, found))
    else:
        click.echo("\n".join(_lines(before, after, found)))
    ctx.exit(1 if found else 0)


def _check(options: Mapping[str, Any]) -> None:
    if options["now"] and options["against"]:
        raise UserError("--now and --against are two things to compare with; take one away")
    starting = [text for text in options["named"] if "=" in text]
    starting += [flag for flag in ("plan_file", "trust_config") if options[flag]]
    if starting and not options["now"]:
        raise UserError("--server NAME=COMMAND, --plan and --trust-config are about starting servers: add --now")


def _sides(folder: EvalDir, state: State, own: Side, options: Mapping[str, Any]) -> tuple[Side, Side]:
    """The older one and the newer one. Raises UserError if there is nothing to compare with."""
    if options["now"]:
        return own, Side("now", _listed(folder, state, options))
    if options["against"]:
        at = opened_at(base(options["project"], home(options["home"]), options["out"]), options["against"])
    else:
        earlier = retired(base(options["project"], home(options["home"]), options["out"]), folder.name)
        if not earlier:
            raise UserError(
                f"no earlier run of {folder.name} is kept here (--restart keeps one); compare with another evaluation "
                "by --against FOLDER, or with what the servers offer now by --now, which starts them"
            )
        at = EvalDir(base(options["project"], home(options["home"]), options["out"]), earlier[-1])
    with at as other:
        return _pinned(other, options["home"])[1], own


def _pinned(folder: EvalDir, user: Path | None) -> tuple[State, Side]:
    """An evaluation's state, and the tools of its interview. Raises StoreError if there are none."""
    state, signed = folder.load_state(keys.load(os.environ, home(user), folder.name).state)
    if "manifests_sha256" not in state.assay:
        raise StoreError(f"{folder.path}: no tools were listed in it; its interview was not reached")
    called = folder.name if signed else f"{folder.name} (not signed by this user)"
    return state, Side(called, pinned(folder, state))


def _require_known(chosen: Sequence[str], known: Sequence[str]) -> None:
    for name in chosen:
        if name not in known:
            raise UserError(f"--server {name}: no such server in either{did_you_mean(name, known)}")


# --- what the servers offer now ---------------------------------------------------------------------------------------


def _listed(folder: EvalDir, state: State, options: Mapping[str, Any]) -> Mapping[str, Manifest]:
    """Start the servers as the evaluation did, and list their tools. Raises UserError without consent."""
    user = home(options["home"])
    if not folder.load_state(keys.load(os.environ, user, folder.name).state)[1]:
        # Its plan would say what may be started, and a cloned folder may say anything.
        raise UserError(
            f"{folder.path}: its state was not signed by this user, so it gives no consent to start servers"
        )
    plan = load(options["plan_file"]) if options["plan_file"] else _plan_of(state, folder)
    attached = _attached(state, options)
    project = root(options["project"], user)
    order = Order(folder.name, base(options["project"], user, options["out"]), project, user, dict(os.environ), plan)
    return asyncio.run(_relisted(replace(order, servers=attached), state, trusted=options["trust_config"]))


def _plan_of(state: State, folder: EvalDir) -> Plan:
    try:
        plan = plan_of(Plan(), state, folder)
    except (UserError, StoreError):
        plan = None
    if plan is None or plan.sha256 != state.assay["plan"]["sha256"]:
        raise UserError(
            f"the plan that {folder.name} was run with is gone or has changed; name the one that counts with --plan"
        )
    return plan


def _attached(state: State, options: Mapping[str, Any]) -> tuple[ServerConfig, ...]:
    """The servers that are looked at. Raises UserError if one must be named again, or is not attached any more."""
    ours = servers(tuple(text for text in options["named"] if "=" in text), ())
    names = [text for text in options["named"] if "=" not in text]
    once = [item["name"] for item in state.attached_mcps if item["source"] == COMMAND_LINE]
    again = [name for name in once if name not in {server.name for server in ours}]
    if unnamed := [name for name in again if not options["named"] or name in names]:
        raise UserError(
            f"{unnamed[0]}: named on the command line then, so name it again: --server {unnamed[0]}=COMMAND"
        )
    theirs = listing.attached(names, options["project"], options["home"]) if names or not ours else ()
    return (*ours, *theirs)


async def _relisted(order: Order, state: State, *, trusted: bool) -> Mapping[str, Manifest]:
    plan = await _consented(order, trusted=trusted)
    console = stderr()
    digests = {item["name"]: item["assay"].get("digest") for item in state.attached_mcps}
    for server in order.servers:
        if digests.get(server.name, server.digest) != server.digest:
            console.print(f"  note  {inert.terminal(server.name, 80)}: its command or settings are not those of then")
    wanted = [server for server in order.servers if not plan.skips(server.name)]
    boxed = isolation.BWRAP in (plan.isolation, state.assay.get("isolation"))
    boxes = isolation.arrange(order, isolation.BWRAP if boxed else isolation.NONE)
    console.print(f"Starting {counted(len(wanted), 'MCP server')} to list their tools")
    fleet = Fleet(listing.remote)
    try:
        await fleet.start(
            wanted,
            order.environ,
            allowed=plan.env,
            folder=str(order.project),
            timeout=plan.start_timeout,
            enclose=boxes.make(wanted, plan.dispositions),
        )
    finally:
        await fleet.stop()
    skipped = Manifest("", limitation="not started: its disposition is 'skip'")
    return {
        server.name: fleet.manifests.get(server.name, replace(skipped, server=server.name)) for server in order.servers
    }


async def _consented(order: Order, *, trusted: bool) -> Plan:
    """The plan with consent to start what it does not skip; a person at a terminal is asked for what it lacks."""
    if sys.stdin.isatty() and sys.stderr.isatty():
        asking, keyboard, consenting = (
            importlib.import_module(f"mcp_assay.cli.{name}") for name in ("ask", "keyboard", "consenting")
        )
        ask = asking.Ask(stderr(), keyboard.Keyboard(stderr()))
        plan: Plan = await consenting.consent(ask, order.plan, order.servers, trusted=trusted)
        return plan
    theirs = [server for server in order.servers if server.source != COMMAND_LINE]
    plan = replace(order.plan, connect="all") if trusted else order.plan
    require_answers(plan, theirs, NEEDED[Phase.DISCOVERY], named=False, trusted=trusted, has_scenarios=False)
    return plan


# --- what is printed --------------------------------------------------------------------------------------------------


def _lines(before: Side, after: Side, found: Sequence[Drift]) -> Iterator[str]:
    compared = f"from {inert.line(before.called, 200)} to {inert.line(after.called, 200)}"
    if not found:
        yield f"nothing changed {compared}: {counted(len(after.manifests), 'server')}, {_tools(after)}"
        return
    yield f"changed {compared}:"
    for item in found:
        yield inert.line(item.server, 80)
        yield from (f"  {inert.line(sentence, _LINE)}" for sentence in whole(item))
        for tool in item.changed:
            yield f"  {inert.code(tool.tool, 80)} changed"
            yield from (f"    {inert.line(change, _LINE)}" for change in details(tool))
        if item.more:
            yield f"  {counted(item.more, 'more tool')} changed"


def _tools(side: Side) -> str:
    return counted(sum(len(manifest.tools) for manifest in side.manifests.values()), "tool")


def _machine(before: Side, after: Side, found: Sequence[Drift]) -> dict[str, Any]:
    return {
        "before": before.called,
        "after": after.called,
        "drift": bool(found),
        "servers": [
            {
                "name": item.server,
                "note": item.note,
                "appeared": [{"tool": tool, "verdict": str(verdict)} for tool, verdict in item.appeared.items()],
                "vanished": list(item.vanished),
                "changed": list(map(_tool, item.changed)),
                "more_changed": item.more,
            }
            for item in found
        ],
    }


def _tool(item: Changed) -> dict[str, Any]:
    return {
        "tool": item.tool,
        "verdict": {"before": str(item.before), "after": str(item.after)},
        "changes": [{"field": change.field, "change": change.said} for change in item.changes],
    }
