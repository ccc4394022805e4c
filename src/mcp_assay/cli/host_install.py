"""``host install`` and ``host uninstall``: the plugin in Claude Code, and nothing changed that was not shown first."""

import difflib
import json
import os
import secrets
import shutil
import sys
from collections.abc import Callable, Mapping
from importlib import resources
from pathlib import Path
from typing import TypeVar

import click

from mcp_assay import __version__
from mcp_assay.cli.places import home, root
from mcp_assay.core import inert, jsonedit, jsontext
from mcp_assay.errors import UserError
from mcp_assay.host import switches
from mcp_assay.store import keys

__all__ = [
    "MARKETPLACE",
    "PLUGIN",
    "copy_folder",
    "install_command",
    "plugin_files",
    "put_copy",
    "settings_file",
    "uninstall_command",
]

PLUGIN, MARKETPLACE = "mcp-eval", "mcp-assay"
_ENABLED = ("enabledPlugins", f"{PLUGIN}@{MARKETPLACE}")
_KNOWN = ("extraKnownMarketplaces", MARKETPLACE)
Command = TypeVar("Command", bound=Callable[..., object])


def _scope(command: Command) -> Command:
    options = (
        click.argument("host", type=click.Choice(["claude-code"])),
        click.option("--user", "scope", flag_value="user", default=True, help="For all your projects (the default)."),
        click.option("--project", "scope", flag_value="project", help="For this project: .claude/settings.local.json."),
        click.option("--yes", is_flag=True, help="Do it without asking."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("install")
@_scope
def install_command(host: str, scope: str, yes: bool) -> None:  # noqa: ARG001, FBT001 - click's signature
    """Add the plugin to Claude Code: a copy of it beside your keys, and two entries in a settings file.

    Every change is shown first. A second run changes nothing.
    """
    folder, settings = copy_folder(), settings_file(scope)
    before = _text(settings)
    source = {"source": {"source": "directory", "path": str(folder)}}
    after = jsonedit.put(jsonedit.put(before, _KNOWN, source), _ENABLED, value=True)
    after = before if _same(before, after) else after
    wanted, there = plugin_files(), _there(folder)
    if wanted == there and before == after:
        click.echo(f"Nothing to change: {settings} has the plugin, and {folder} is this version.")
        return
    if wanted != there:
        click.echo(f"{'Replace' if there else 'Write'} the plugin's copy, {len(wanted)} files, in {folder}")
    _agree(settings, before, after, yes=yes)
    put_copy(folder, wanted)
    _write(settings, before, after)
    click.echo("Installed. Start a new session of Claude Code, and type /mcp-eval there.")
    for note in _path_notes():
        click.echo(f"note: {note}", err=True)


@click.command("uninstall")
@_scope
def uninstall_command(host: str, scope: str, yes: bool) -> None:  # noqa: ARG001, FBT001 - click's signature
    """Take the plugin out of Claude Code again: the two entries, and with --user the copy as well."""
    folder, settings = copy_folder(), settings_file(scope)
    before = _text(settings)
    after = jsonedit.drop(jsonedit.drop(before, _ENABLED), _KNOWN)
    goes = scope == "user" and folder.is_dir()
    if before == after and not goes:
        click.echo(f"Nothing to change: {settings} does not have the plugin.")
        return
    if goes:
        click.echo(f"Remove the plugin's copy in {folder}; projects that were given it lose it, too")
    _agree(settings, before, after, yes=yes)
    _write(settings, before, after)
    if goes:
        shutil.rmtree(folder)
    click.echo("Uninstalled. Sessions that run have it until they end.")


def copy_folder() -> Path:
    """Where the copy is that Claude Code loads: beside the user's keys, where an agent is refused to write."""
    return keys.folder(os.environ, home(None)) / "claude-code"


def settings_file(scope: str) -> Path:
    """The settings file of ``user`` or ``project``; the project's own, since the path in it is this machine's."""
    if scope == "user":
        return switches.config_folder(os.environ, home(None)) / "settings.json"
    return root(None, home(None)) / ".claude" / "settings.local.json"


def plugin_files() -> dict[str, bytes]:
    """The plugin as it is to be installed, by path: its programs are named by where they are."""
    here = resources.files("mcp_assay.host") / "plugin"
    with resources.as_file(here) as folder:
        found = {
            str(file.relative_to(folder)): file.read_bytes()
            for file in sorted(folder.rglob("*"))
            if file.is_file() and "__pycache__" not in file.parts
        }
    server = {"command": sys.executable, "args": ["-P", "-m", "mcp_assay", "host", "tools"]}
    manifest, hooks = ".claude-plugin/plugin.json", "hooks/hooks.json"
    plugin = json.loads(found[manifest])
    plugin["mcpServers"]["assay"] |= server
    plugin["version"] = __version__
    found[manifest] = _readable(plugin)
    events = json.loads(found[hooks])
    for groups in events["hooks"].values():
        for hook in (hook for group in groups for hook in group["hooks"]):
            hook["command"] = sys.executable if hook["command"] == "python3" else hook["command"]
    found[hooks] = _readable(events)
    return found


def _readable(value: object) -> bytes:
    return (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode()


def _there(folder: Path) -> dict[str, bytes]:
    files = (file for file in sorted(folder.rglob("*")) if file.is_file()) if folder.is_dir() else ()
    return {str(file.relative_to(folder)): file.read_bytes() for file in files}


def _text(settings: Path) -> str:
    """The file's text; "" if there is none. Raises InputError naming the line of what is wrong with it."""
    switches.read(settings)
    return jsontext.decode(settings.read_bytes(), str(settings)) if settings.exists() else ""


def _same(before: str, after: str) -> bool:
    return bool(before.strip()) and json.loads(before) == json.loads(after)


def _agree(settings: Path, before: str, after: str, *, yes: bool) -> None:
    """Show what changes in the settings, and ask. Raises UserError if nobody agrees."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), str(settings), str(settings), lineterm="")
    for line in lines:
        click.echo(inert.line(line, 2000))
    if yes:
        return
    if not sys.stdin.isatty():
        raise UserError("nothing was changed: nobody is at a terminal to agree; --yes does it without asking")
    if not click.confirm("Do this?", default=False):
        raise UserError("nothing was changed")


def put_copy(folder: Path, files: Mapping[str, bytes]) -> None:
    """Put the copy in its place: a session that starts meanwhile finds the old one or none, and never a part."""
    if _there(folder) == files:
        return
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = folder.with_name(f"{folder.name}.{secrets.token_hex(4)}")
    for name, data in files.items():
        file = draft / name
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file.write_bytes(data)
    if folder.is_dir():
        old = folder.with_name(f"{draft.name}.old")
        folder.rename(old)
        draft.rename(folder)
        shutil.rmtree(old)
    else:
        draft.rename(folder)


def _write(settings: Path, before: str, after: str) -> None:
    """Replace the settings file, through a link if it is one, with the mode that it has. Raises UserError."""
    if before == after:
        return
    file = Path(os.path.realpath(settings))
    draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        mark = "\ufeff" if file.exists() and file.read_bytes().startswith(b"\xef\xbb\xbf") else ""
        draft.write_bytes((mark + after).encode())
        if file.exists():
            shutil.copymode(file, draft)
        draft.rename(file)
    except OSError as bad:
        raise UserError(f"cannot write {settings}: {bad.strerror}") from None


def _path_notes() -> list[str]:
    """What is wrong with the command's name as an agent's shell would find it."""
    found = shutil.which("mcp-assay")
    ours = Path(sys.executable).with_name("mcp-assay")
    if found is None:
        return [f"the skill runs mcp-assay, which is not on your PATH; {ours.parent} has to be"]
    if ours.exists() and not Path(found).samefile(ours):
        return [f"the skill runs mcp-assay, which is {found} here, and not {ours}"]
    return []
