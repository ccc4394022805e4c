"""Where things are: the options that every command shares, and the folders that they name."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click

from mcp_assay.core.limits import eval_name
from mcp_assay.sources import project_root
from mcp_assay.store.evaldir import EvalDir

__all__ = ["base", "home", "json_option", "opened", "place_options", "root"]

Command = TypeVar("Command", bound=Callable[..., object])
_folder = click.Path(exists=True, file_okay=False, path_type=Path)

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


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
    return project_root(Path.cwd(), project, user)


def base(project: Path | None, user: Path, out: Path | None) -> Path:
    return (out or root(project, user)).absolute()


def opened(name: str, project: Path | None, user: Path | None, out: Path | None) -> EvalDir:
    """An existing evaluation's folder. Raises UserError or StoreError in the user's terms."""
    return EvalDir(base(project, home(user), out), eval_name(name))
