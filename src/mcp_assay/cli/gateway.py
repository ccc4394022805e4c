"""``gateway``: what an agent's host starts in the place of an MCP server that is being evaluated."""

import gc
import importlib
import os
from pathlib import Path
from typing import Any

import click

from mcp_assay.cli import places
from mcp_assay.core.limits import eval_name
from mcp_assay.host import wire
from mcp_assay.store.evaldir import place
from mcp_assay.store.keys import folder

__all__ = ["gateway_command"]

_OURS = "assay"
_ALLOCATIONS = 10_000
"""Between two looks for garbage: a relayed call leaves none that needs one, and waits for each."""


def _load(name: str) -> Any:
    """A module of the host package. Only one of them is needed, and its process is to stay small."""
    return importlib.import_module(f"mcp_assay.host.{name}")


@click.command("gateway")
@click.option("--eval", "name", required=True, help="The evaluation, which another process runs now.")
@click.option("--server", required=True, help='The server\'s name there; "assay" for the tools that we add.')
@places.place_options
def gateway_command(name: str, server: str, project: Path | None, home: Path | None, out: Path | None) -> None:
    """Stand between an agent's host and one of its MCP servers, for an evaluation that runs.

    The agent's host starts it, and speaks MCP to it over stdin and stdout. What it passes on was decided, and written
    down, by the process that runs the evaluation; without that process it passes on nothing.
    """
    user = places.home(home)
    evaluation = place(places.base(project, user, out), eval_name(name))
    if server == _OURS:
        _load("agent_server").serve(evaluation, os.environ, user)
    else:
        owner = wire.socket_path(folder(os.environ, user), os.path.realpath(evaluation))
        gc.set_threshold(_ALLOCATIONS)
        _load("gateway").run(owner, server)
