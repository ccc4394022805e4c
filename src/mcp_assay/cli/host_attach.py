"""``host attach``: a session of an agent's host in which every server stands behind its gateway."""

import hashlib
import os
import shlex
import sys
from pathlib import Path
from typing import Any

import click

from mcp_assay import kept
from mcp_assay.cli.host_install import MARKETPLACE, PLUGIN, copy_folder, plugin_files, put_copy, settings_file
from mcp_assay.cli.places import home, opened, place_options, root
from mcp_assay.core.session import Status
from mcp_assay.drivers.hosted import HOST
from mcp_assay.errors import StoreError, UserError
from mcp_assay.host import switches, wire
from mcp_assay.host.attaching import Attached, Host, command, configuration
from mcp_assay.store import keys
from mcp_assay.store.evaldir import EvalDir

__all__ = ["attach_command"]

_READY = {Status.SCOPED, Status.EXECUTING}


@click.command("attach")
@click.option("--eval", "name", required=True, help="The evaluation, whose scenarios are approved.")
@click.option("--host", "which", type=click.Choice([str(host) for host in Host]), default=str(Host.CLAUDE_CODE))
@place_options
def attach_command(name: str, which: str, **places: Any) -> None:
    """Write what starts a session strictly through our gateways, and say how to start it.

    Every server keeps its name, and `assay` stands beside them. The file holds no secret; only you can read it.
    """
    host, user = Host(which), home(places["home"])
    project = root(places["project"], user)
    if host is Host.CLAUDE_CODE:
        files = switches.settings_files(switches.config_folder(os.environ, user), project)
        forbids = [*switches.sideloading(files)]
        if forbids:
            raise UserError("Claude Code would not start strictly through gateways\n" + "\n".join(forbids))
    with opened(name, places["project"], places["home"], places["out"]) as folder:
        attached = _attached(folder, user, places)
        state, real = keys.folder(os.environ, user), os.path.realpath(folder.path)
        file = state / "attach" / f"{name}-{hashlib.sha256(os.fsencode(real)).hexdigest()[:8]}-{host}.json"
        words = command(host, attached, str(file), hooks=str(wire.hook_path(state, real)), plugin=_plugin(host))
        text = configuration(host, attached)
    if text is not None:
        _write(file, text)
    gate = ["mcp-assay", "gate", name, *_given(places)]
    click.echo(f"In one terminal, unless it runs already:\n\n  {shlex.join(gate)}\n")
    click.echo(f"In another, in {project}:\n\n  {shlex.join(words)}\n")
    click.echo("and ask the agent to call next_scenario of the server assay, and to do what it says.")
    if host is not Host.CLAUDE_CODE:
        click.echo(f"note: what the agent does with tools of {host} itself is neither checked nor logged", err=True)


def _attached(folder: EvalDir, user: Path, places: dict[str, Any]) -> Attached:
    """The servers of an evaluation that can run now. Raises UserError or StoreError."""
    state, signed = folder.load_state(keys.load(os.environ, user, folder.name).state)
    if not signed:
        raise StoreError(f"{folder.path}: its state was not signed by this user, so it cannot be run")
    if state.status not in _READY:
        raise UserError(f"{folder.name} is {state.status}; a session is attached to one whose scenarios are approved")
    if state.assay["driver"] != HOST:
        raise UserError(f"{folder.name} is driven by {state.assay['driver']}, and not by an agent in its host")
    gateway = [sys.executable, "-P", "-m", "mcp_assay", "gateway", "--eval", folder.name, *_given(places), "--server"]
    plan = kept.pinned_plan(folder, state)
    return Attached([entry["name"] for entry in state.attached_mcps], gateway, plan.call_timeout)


def _given(places: dict[str, Any]) -> list[str]:
    """The places that were given, as they are given again, from wherever."""
    return [word for name, path in places.items() if path for word in (f"--{name}", str(path.absolute()))]


def _plugin(host: Host) -> str | None:
    """The folder of our plugin, unless Claude Code loads it anyhow; its copy is made if there is none."""
    if host is not Host.CLAUDE_CODE:
        return None
    for scope in ("project", "user"):
        enabled = switches.read(settings_file(scope)).get("enabledPlugins")
        if isinstance(enabled, dict) and enabled.get(f"{PLUGIN}@{MARKETPLACE}"):
            return None
    put_copy(copy_folder(), plugin_files())
    return str(copy_folder())


def _write(file: Path, text: str) -> None:
    """Replace the file, which nobody else can read."""
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = file.with_name(f".{file.name}.new")
    draft.unlink(missing_ok=True)
    draft.touch(0o600, exist_ok=False)
    draft.write_text(text, "utf-8")
    draft.rename(file)
