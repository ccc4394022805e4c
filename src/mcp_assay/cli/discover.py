"""``mcp-assay discover``: what is attached, what would run, and the digest that pins it. Starts nothing."""

import os
from pathlib import Path
from typing import Any

import click

from mcp_assay.cli.output import print_json
from mcp_assay.cli.places import home, json_option, place_options, root
from mcp_assay.core import inert, redact
from mcp_assay.core.discovery import Discovery
from mcp_assay.core.model import ServerConfig
from mcp_assay.errors import UserError
from mcp_assay.sources import discover

__all__ = ["discover_command"]


@click.command("discover")
@place_options
@json_option
def discover_command(project: Path | None, home: Path | None, out: Path | None, *, as_json: bool) -> None:  # noqa: ARG001 - one set of options for all commands
    """Show the attached MCP servers, where each comes from, and the digest that consent is bound to.

    Nothing is started and nothing is contacted. Values of arguments, headers and variables that look like secrets are
    not shown; the digest covers them all the same.
    """
    found = _found(project, home)
    if found.unreadable and not found.attached:
        # An unreadable file is no proof that nothing is attached.
        raise UserError("\n".join(["no MCP server found, and not every file could be read:", *found.unreadable]))
    if as_json:
        print_json(_machine(found))
    else:
        for line in _lines(found):
            click.echo(line)


def _found(project: Path | None, user: Path | None) -> Discovery:
    folder = home(user)
    return discover(root(project, folder), folder, os.environ)


def _lines(found: Discovery) -> list[str]:
    lines = []
    for server in found.attached:
        lines += [
            inert.line(server.name, 80),
            f"  from     {inert.line(_place(server), 300)}",
            f"  {'runs    ' if server.url is None else 'contacts'} {inert.line(_runs(server), 500)}",
            f"  in       {inert.line(server.cwd, 300)}" if server.cwd else "",
            f"  helper   {inert.line(_helper(server), 500)}" if server.headers_helper else "",
            f"  sets     {inert.line(', '.join(server.env), 300)}" if server.env else "",
            f"  headers  {inert.line(', '.join(server.headers), 300)}" if server.headers else "",
            f"  digest   {server.digest}",
            f"  note     {inert.line(server.host_note, 300)}" if server.host_note else "",
        ]
    lines += [f"filtered   {inert.line(name, 80)}: {inert.line(reason, 300)}" for name, reason in found.filtered]
    lines += [f"note       {inert.line(note, 400)}" for note in found.notes]
    lines += [f"unreadable {inert.line(note, 400)}" for note in found.unreadable]
    return [line for line in lines if line] or ["No MCPs attached — nothing to evaluate"]


def _place(server: ServerConfig) -> str:
    return server.source if server.line is None else f"{server.source}:{server.line}"


def _runs(server: ServerConfig) -> str:
    if server.url is not None:
        return redact.url(server.url)
    return " ".join(redact.argv(server.command, server.args))


def _helper(server: ServerConfig) -> str:
    """The command whose output would become headers: it is run, so it is shown."""
    return " ".join(redact.argv(server.headers_helper, ()))


def _machine(found: Discovery) -> dict[str, Any]:
    return {
        "attached": [
            {
                "name": server.name,
                "source": server.source,
                "line": server.line,
                "transport": server.transport,
                "runs": _runs(server),
                "cwd": server.cwd,
                "headers_helper": _helper(server) or None,
                "env": sorted(server.env),
                "headers": sorted(server.headers),
                "digest": server.digest,
                "host_note": server.host_note,
            }
            for server in found.attached
        ],
        "filtered": [{"name": name, "reason": reason} for name, reason in found.filtered],
        "notes": list(found.notes),
        "unreadable": list(found.unreadable),
    }
