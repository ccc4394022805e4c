"""Where Claude Code's config files lie on this machine, and what they add up to. Reads, never writes."""

import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

from mcp_assay.core.discovery import Discovery, Entries, Settings, resolve
from mcp_assay.errors import InputError
from mcp_assay.hosts import claude_code
from mcp_assay.projectroot import absolute

__all__ = ["discover"]

_MAX_BYTES = 64 * 1024 * 1024
_WINDOWS = os.name == "nt"

_Parsed = TypeVar("_Parsed", Entries, Settings)


def discover(root: Path, home: Path, environ: Mapping[str, str] | None = None) -> Discovery:
    """Everything that is attached in the project at ``root``, from the user's and the project's files.

    ``environ`` may hold CLAUDE_CONFIG_DIR, the folder of ``.claude.json`` where it is not ``home``. A missing file is
    nothing; one that cannot be used is named in ``unreadable`` and hides none of the others.
    """
    files = _Files()
    root = absolute(root)
    user = absolute(Path((environ or {}).get("CLAUDE_CONFIG_DIR") or home)) / ".claude.json"

    def local(data: bytes, source: str) -> Entries:
        return _local(data, source, root)

    settings = [
        files.parse(root / ".claude" / name, claude_code.settings) for name in ("settings.json", "settings.local.json")
    ]
    return resolve(
        files.parse(user, local) or Entries(),
        files.parse(root / ".mcp.json", claude_code.project_servers) or Entries(),
        files.parse(user, claude_code.user_servers) or Entries(),
        [part for part in settings if part is not None],
        files.unreadable,
    )


def _local(data: bytes, source: str, root: Path) -> Entries:
    """By the root as the user knows it, else by its real path, which is how Claude Code writes its keys."""
    found = claude_code.local_servers(data, source, str(root), windows=_WINDOWS)
    if found != Entries():
        return found
    return claude_code.local_servers(data, source, os.path.realpath(root), windows=_WINDOWS)


class _Files:
    """Reads and parses files one at a time, collecting what cannot be used."""

    def __init__(self) -> None:
        self.unreadable: list[str] = []

    def parse(self, path: Path, parse: Callable[[bytes, str], _Parsed]) -> _Parsed | None:
        try:
            data = _read(path)
            return None if data is None else parse(data, str(path))
        except InputError as bad:
            self.unreadable.append(str(bad))
            return None


def _read(path: Path) -> bytes | None:
    """The file's bytes, or None if there is none. Raises InputError if there is one that cannot be read."""
    source = str(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):  # a pipe would block, a device would never end
            raise InputError(source, "not a regular file")
        if status.st_size > _MAX_BYTES:
            raise InputError(source, f"larger than {_MAX_BYTES // 1024 // 1024} MiB")
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        if path.is_symlink():
            raise InputError(source, "a symbolic link to a file that does not exist") from None
        return None
    except OSError as bad:
        raise InputError(source, f"cannot be read: {bad.strerror or bad}") from None
