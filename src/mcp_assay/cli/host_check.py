"""``host check``: whether the plugin is there, and what would keep it from working. It changes nothing."""

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from mcp_assay.cli.host_install import MARKETPLACE, PLUGIN, copy_folder, plugin_files, settings_file
from mcp_assay.cli.places import home, root
from mcp_assay.core import inert
from mcp_assay.errors import InputError, UserError
from mcp_assay.host import switches
from mcp_assay.host.claude import OLDEST, version_of
from mcp_assay.host.sessions import Session, ancestors

__all__ = ["check_command"]

Finding = tuple[bool, str]


@click.command("check")
@click.pass_context
def check_command(ctx: click.Context) -> None:
    """Say what of the plugin works here: one line each, `ok` or `no`. Exit code 2 if anything is `no`."""
    user = home(None)
    project = root(None, user)
    files = switches.settings_files(switches.config_folder(os.environ, user), project)
    findings = [*_binary(), *_command(), *_registered(), *_copy(), *_switches(files), *_session()]
    for good, text in findings:
        click.echo(f"{'ok' if good else 'no'}  {inert.line(text, 600)}")
    ctx.exit(0 if all(good for good, _ in findings) else 2)


def _binary() -> Iterator[Finding]:
    found = shutil.which("claude")
    if found is None:
        yield False, "claude is not on your PATH"
        return
    try:
        version = version_of(found, os.environ)
    except UserError as bad:
        yield False, str(bad)
        return
    shown, tested = (".".join(map(str, numbers)) for numbers in (version, OLDEST))
    is_known = version >= OLDEST
    yield is_known, f"{found} is {shown}" + ("" if is_known else f"; the plugin is tested with {tested} and newer")


def _command() -> Iterator[Finding]:
    found = shutil.which("mcp-assay")
    yield (
        found is not None,
        f"mcp-assay is {found}" if found else "mcp-assay, which the skill runs, is not on your PATH",
    )


def _registered() -> Iterator[Finding]:
    name = f"{PLUGIN}@{MARKETPLACE}"
    seen = []
    for scope in ("user", "project"):
        try:
            file = settings_file(scope)
            if (value := _entry(file, name)) is not None:
                seen.append((value, file))
        except (InputError, UserError) as bad:
            yield False, str(bad)
    # The project's settings outrank the user's.
    if not seen:
        yield False, f"no settings enable {name}; run: mcp-assay host install claude-code"
    else:
        value, file = seen[-1]
        yield value, f"{file} {'enables' if value else 'disables'} {name}"


def _entry(file: Path, name: str) -> bool | None:
    enabled = switches.read(file).get("enabledPlugins")
    value = enabled.get(name) if isinstance(enabled, dict) else None
    return None if value is None else bool(value)


def _copy() -> Iterator[Finding]:
    folder = copy_folder()
    stale = [
        name
        for name, data in plugin_files().items()
        if not (folder / name).is_file() or (folder / name).read_bytes() != data
    ]
    if not folder.is_dir():
        yield False, f"the plugin's copy is missing: {folder}"
    elif stale:
        yield False, f"{folder} is not this version of the plugin ({stale[0]}); run: mcp-assay host install claude-code"
    else:
        yield True, f"{folder} is this version of the plugin, its hooks run by {sys.executable}"


def _switches(files: list[Path]) -> Iterator[Finding]:
    off = [*switches.found(files)]
    yield from ((False, text) for text in off)
    if not off:
        yield True, "no setting keeps hooks or plugins off"
    forbids = [*switches.sideloading(files)]
    yield from ((False, text) for text in forbids)
    if not forbids:
        yield True, "no setting forbids sessions that are attached strictly through gateways"


def _session() -> Iterator[Finding]:
    """Only in a session can its hooks be seen to run."""
    try:
        session = Session.current(os.environ, home(None))
    except UserError:
        return
    beat = session.heartbeat()
    if beat is not None and beat.pid in list(ancestors()):
        yield True, f"the hooks run in this session (version {beat.version})"
    else:
        yield False, "the hooks have not been seen in this session; a plugin that was just installed needs a new one"
