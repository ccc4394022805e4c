"""What the attached servers offer now: found, consented to, started, listed and ended."""

import asyncio
import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from mcp_assay.cli.console import stderr
from mcp_assay.cli.naming_servers import COMMAND_LINE
from mcp_assay.cli.places import home, root
from mcp_assay.core import inert
from mcp_assay.core.model import Manifest, ServerConfig
from mcp_assay.core.phrases import counted, listed
from mcp_assay.core.plan import Plan
from mcp_assay.core.problems import did_you_mean
from mcp_assay.dispatch import Connect, Fleet
from mcp_assay.errors import UserError
from mcp_assay.sources import discover

__all__ = ["attached", "manifests", "remote"]


def attached(names: Sequence[str], project: Path | None, user: Path | None) -> Sequence[ServerConfig]:
    """The servers that are attached here, or those of them that ``names`` lists. Starts nothing.

    Raises UserError if there is none, or none of such a name.
    """
    folder = home(user)
    found = discover(root(project, folder), folder, os.environ)
    if not found.attached:
        raise UserError("\n".join(["No MCPs attached — nothing to list", *found.unreadable]))
    known = {server.name: server for server in found.attached}
    for name in names:
        if name not in known:
            raise UserError(f"--server {name}: no such server is attached{did_you_mean(name, list(known))}")
    return [known[name] for name in dict.fromkeys(names)] if names else found.attached


def manifests(
    servers: Sequence[ServerConfig], project: Path | None, user: Path | None, *, trusted: bool
) -> dict[str, Manifest]:
    """Each server's tools, by its name; one that does not start has none and a limitation.

    Servers of the configuration are started only if ``trusted``, or if a person at the terminal agrees: listing tools
    runs the server's command. Raises UserError without consent.
    """
    folder = root(project, home(user))
    return asyncio.run(_listed(servers, folder, trusted=trusted))


async def _listed(servers: Sequence[ServerConfig], folder: Path, *, trusted: bool) -> dict[str, Manifest]:
    wanted = await _consented(servers, trusted=trusted)
    console = stderr()
    if wanted:
        console.print(f"Starting {counted(len(wanted), 'MCP server')} to list their tools")
    fleet = Fleet(remote)
    try:
        await fleet.start(wanted, os.environ, allowed={}, folder=str(folder))
        return fleet.manifests
    finally:
        await fleet.stop()


async def _consented(servers: Sequence[ServerConfig], *, trusted: bool) -> Sequence[ServerConfig]:
    unasked = [server for server in servers if server.source != COMMAND_LINE]
    if not unasked or trusted:
        return servers
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        names = inert.line(listed([server.name for server in unasked]), 400)
        raise UserError(
            f"listing tools starts the servers, and nobody is here to be asked: {names}\n"
            "look at what would run with `mcp-assay discover`, then add --trust-config"
        )
    asking, keyboard = (importlib.import_module(f"mcp_assay.cli.{name}") for name in ("ask", "keyboard"))
    console = stderr()
    consent = importlib.import_module("mcp_assay.cli.consenting").consent
    plan: Plan = await consent(asking.Ask(console, keyboard.Keyboard(console)), Plan(), servers)
    return [server for server in servers if not plan.skips(server.name)]


def remote() -> Connect:
    """What starts sessions over HTTP and SSE, loaded only if such a server is to be started."""
    connect: Connect = importlib.import_module("mcp_assay.remote").connect
    return connect
