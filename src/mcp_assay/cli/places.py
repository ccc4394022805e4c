"""Where things are: the options that every command shares, and the folders that they name."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from mcp_assay.core.limits import eval_name
from mcp_assay.errors import UserError
from mcp_assay.projectroot import project_root
from mcp_assay.store.evaldir import EvalDir

__all__ = ["base", "ending_options", "home", "json_option", "opened", "place_options", "root"]

Command = TypeVar("Command", bound=Callable[..., object])
_folder = click.Path(exists=True, file_okay=False, path_type=Path)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


def ending_options(command: Command) -> Command:
    """``--fail-on`` (None if it is not given) and ``--allow-unreached``: what makes a run end with 1 or 4."""
    options = (
        click.option(
            "--fail-on",
            type=click.Choice(["critical", "major", "minor", "suggestion", "never"]),
            help="Exit 1 if a finding is at least this severe (default: what eval's plan says, else never).",
        ),
        click.option("--allow-unreached", is_flag=True, help="Do not exit 4 because a server had no completed call."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def place_options(command: Command) -> Command:
    """``--project``, ``--home`` and ``--out``."""
    options = (
        click.option("--project", type=_folder, help="The project's root (default: found from the current folder)."),
        click.option("--home", type=_folder, help="Read the user's configuration from here instead of HOME."),
        click.option("--out", type=_folder, help="The folder that holds mcp-evals/ (default: the project's root)."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def home(given: Path | None) -> Path:
    return given or Path(os.environ.get("HOME") or Path.home())


def root(project: Path | None, user: Path) -> Path:
    """The project's root. Raises UserError if there is none, or no current folder to start from."""
    try:
        start = Path.cwd()
    except FileNotFoundError:
        raise UserError("the current folder does not exist any more; change to one that does") from None
    return project_root(start, project, user)


def base(project: Path | None, user: Path, out: Path | None) -> Path:
    return (out or root(project, user)).absolute()


def opened(name: str, project: Path | None, user: Path | None, out: Path | None) -> EvalDir:
    """An existing evaluation's folder. Raises UserError or StoreError in the user's terms."""
    return EvalDir(base(project, home(user), out), eval_name(name))
