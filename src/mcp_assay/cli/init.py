"""``mcp-assay init``: a plan to start from, for the servers that are attached here. It answers nothing by itself."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from mcp_assay.cli.places import home, place_options, root
from mcp_assay.cli.showing import facts
from mcp_assay.core import inert
from mcp_assay.core.model import Disposition, ServerConfig
from mcp_assay.core.phrases import counted
from mcp_assay.errors import UserError
from mcp_assay.sources import discover
from mcp_assay.yamltext import dumps

__all__ = ["init_command", "template"]

_HEAD = """\
## A plan for mcp-assay: the answer to every question of an evaluation, so that it runs unattended.
##
## Lines that begin with "##" explain; those that begin with "# " are answers that are not given yet. Take away the "# "
## where you agree, and change what you like. `mcp-assay eval --plan FILE` tells what is still missing; what is not
## said is never taken for a permission.
"""
_CONNECT = """\
## Which servers may be started. Each digest stands for what is shown above; if that changes, consent is asked again.
"""
_DISPOSITIONS = """\
## For each server read_only, skip, or sandboxed with the test resources that may be changed, in the form that its tools
## expect:  {disposition: sandboxed, test_resources: ["repo: me/playground"]}
"""
_SCENARIOS = """\
## What to try: 1 to 8 tasks, or the name of a file that holds them. A task may have steps, each a tool with its
## arguments; without any, the driver must be explore. Instead of tasks, `tour: true` calls each permitted tool once.
"""
_APPROVAL = """\
## Literally approve, or user-only: you have read the scenarios and agree to them.
"""
_BUDGETS = """\
## Calls per scenario, and minutes for all scenarios together.
"""
_EXAMPLE = "Find the newest entry, read it, and say what it is about."


@click.command("init")
@click.argument("file", default="plan.yaml", type=click.Path(path_type=Path))
@place_options
def init_command(file: Path, project: Path | None, home: Path | None, out: Path | None) -> None:  # noqa: ARG001 - one set of options for all commands
    """Write a commented plan to FILE (default: plan.yaml) for the MCP servers that are attached here.

    Nothing is started. The plan answers nothing until you take its comment signs away. A file that is there is kept.
    """
    if file.suffix.lower() not in (".yaml", ".yml"):
        raise UserError(f"{file}: the plan is written in YAML; choose a name that ends in .yaml")
    servers = _attached(project, home)
    _write(file, template(servers))
    click.echo(
        f"Wrote {inert.line(str(file), 4096)} for {counted(len(servers), 'MCP server')}; nothing is answered yet."
    )


def template(servers: Sequence[ServerConfig]) -> str:
    """The text of a plan for these servers: a valid one as it stands, and complete without its comment signs."""
    names = [server.name for server in servers]
    parts = [
        _HEAD,
        *map(_about, servers),
        _CONNECT + _unanswered(connect={server.name: server.digest for server in servers}),
        _DISPOSITIONS + _unanswered(dispositions=dict.fromkeys(names, str(Disposition.READ_ONLY))),
        _SCENARIOS + _unanswered(scenarios=[{"description": _EXAMPLE, "targets_mcps": names[:1]}], driver="explore"),
        _APPROVAL + _unanswered(approval="approve"),
        _BUDGETS + dumps({"call_budget": 20, "wallclock_budget": 15}),
    ]
    return "\n".join(parts)


def _about(server: ServerConfig) -> str:
    lines = [f"## {inert.line(server.name, 80)}"]
    lines += [f"##   {label:<9} {inert.line(text, 4000)}" for label, text in facts(server)]
    return "\n".join([*lines, f"##   {'digest':<9} {server.digest}", ""])


def _unanswered(**answers: Any) -> str:
    return "".join(f"# {line}\n" for line in _lines(answers))


def _lines(answers: dict[str, Any]) -> Iterator[str]:
    """Lines end at a line feed and nowhere else, as YAML text does here: what else breaks lines is escaped in it."""
    yield from dumps(answers).removesuffix("\n").split("\n")


def _attached(project: Path | None, user: Path | None) -> Sequence[ServerConfig]:
    folder = home(user)
    found = discover(root(project, folder), folder, os.environ)
    for note in (*found.unreadable, *found.notes):
        click.echo(f"note: {inert.line(note, 400)}", err=True)
    if not found.attached:
        raise UserError("No MCPs attached — nothing to evaluate")
    return found.attached


def _write(file: Path, text: str) -> None:
    """Create the file. Raises UserError if it is there, or cannot be written."""
    try:
        with file.open("x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        raise UserError(f"{file}: exists already and is left as it is; choose another name") from None
    except OSError as bad:
        raise UserError(f"{file}: cannot be written: {bad.strerror}") from None
