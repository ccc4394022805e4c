"""Which folder is the project's, whose config files count."""

import os
from pathlib import Path

from mcp_assay.errors import UserError

__all__ = ["absolute", "project_root"]


def project_root(start: Path, explicit: Path | None, home: Path) -> Path:
    """The folder whose configs count, as an absolute path, symlinks left as they are.

    ``explicit`` if given, else the git top, else the nearest folder with ``.mcp.json`` or ``.claude`` (the user's own
    ``~/.claude`` does not count), else ``start``. Raises UserError if ``explicit`` is no folder.
    """
    if explicit is not None:
        if not explicit.is_dir():
            raise UserError(f"{explicit}: no such folder; --project needs the project's folder")
        return absolute(explicit)
    start = absolute(start)
    upwards = [start, *start.parents]
    git_top = next((folder for folder in upwards if _is_git_top(folder)), None)
    return git_top or next((folder for folder in upwards if _has_config(folder, home)), start)


def absolute(path: Path) -> Path:
    """The path from the root of the disk, its symlinks left as they are."""
    return Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would replace symlinks


def _is_git_top(folder: Path) -> bool:
    """``.git`` is a folder in a checkout and a file in a linked worktree."""
    return os.path.exists(folder / ".git")  # noqa: PTH110 - Path.exists raises where a folder may not be entered


def _has_config(folder: Path, home: Path) -> bool:
    if os.path.lexists(folder / ".mcp.json"):  # a dangling link is a project's too: it gets a note
        return True
    return os.path.isdir(folder / ".claude") and not _same(folder, home)  # noqa: PTH112 - as above


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
