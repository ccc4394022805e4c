"""Which files a command needs in order to run: where its program is installed, what interprets it, what it is told.

Found by looking, never by running anything. It is a list of candidates: whoever uses it leaves out what is too wide.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from mcp_assay.core.expand import Launch

__all__ = ["footprint", "program"]

_BESIDE_BIN = ("bin", "sbin", "lib", "lib64", "libexec", "share", "pyvenv.cfg")
_SCRIPTS = {".py", ".pyz", ".js", ".mjs", ".cjs", ".ts", ".mts", ".rb", ".sh", ".jar"}
_PACKAGE = ("package.json", "node_modules", "pyproject.toml")
_SEARCH = ("PYTHONPATH", "NODE_PATH")
_MOST_LINKS = 16
_SHEBANG = 512


def program(launch: Launch, cwd: str) -> Path | None:
    """The file that the command names, found as the system would find it; None if there is none."""
    if "/" in launch.command:
        path = Path(cwd, launch.command)
        return path if path.is_file() else None
    found = shutil.which(launch.command, path=launch.env.get("PATH"))
    return Path(found).absolute() if found else None


def footprint(launch: Launch, cwd: str) -> Iterator[Path]:
    """Existing files and folders, as they are named and as they are once links are resolved; some more than once."""
    for path in _candidates(launch, cwd):
        if path.exists():
            yield Path(os.path.normpath(path))
            yield path.resolve()


def _candidates(launch: Launch, cwd: str) -> Iterator[Path]:
    found = program(launch, cwd)
    if found is not None:
        yield from _executable(found, launch.env, _MOST_LINKS)
    for arg in launch.args:
        with suppress(OSError, ValueError):  # too long to be a path, or no path at all
            yield from _told(arg, cwd)
    for name in _SEARCH:
        yield from (Path(cwd, folder) for folder in launch.env.get(name, "").split(os.pathsep) if folder)


def _executable(path: Path, environ: Mapping[str, str], most: int) -> Iterator[Path]:
    """Where an executable is installed, each link on the way to it, and the interpreter that its first line names."""
    yield from _installed(path)
    if most and path.is_symlink():
        yield from _executable(path.parent.resolve() / path.readlink(), environ, most - 1)
    elif most and (interpreter := _interpreter(path, environ)):
        yield from _executable(interpreter, environ, most - 1)


def _installed(path: Path) -> Iterator[Path]:
    yield path
    folder = path.parent
    if "node_modules" in path.parts:
        yield Path(*path.parts[: path.parts.index("node_modules") + 1])
    elif folder.name in ("bin", "sbin"):
        # Not the whole prefix: of ~/.local, where programs are installed too, the rest is private.
        yield from (folder.parent / name for name in _BESIDE_BIN)
        yield from _base(folder.parent / "pyvenv.cfg")
    else:
        yield folder


def _base(venv: Path) -> Iterator[Path]:
    """The installation that a virtual environment borrows its standard library from."""
    with suppress(OSError, ValueError):
        for line in venv.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "home":
                home = Path(value.strip())
                yield from (home.parent / name for name in _BESIDE_BIN)


def _interpreter(path: Path, environ: Mapping[str, str]) -> Path | None:
    with suppress(OSError), path.open("rb") as file:
        mark, line = file.read(2), file.readline(_SHEBANG)
        words = os.fsdecode(line).split() if mark == b"#!" else []
        if words and Path(words[0]).name == "env":
            name = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
            found = shutil.which(name, path=environ.get("PATH"))
            return Path(found) if found else None
        return Path(words[0]) if words else None
    return None


def _told(arg: str, cwd: str) -> Iterator[Path]:
    """What an argument names, if it names a file or folder; of a script, also the package that it belongs to."""
    path = Path(cwd, arg.partition("=")[2] if arg.startswith("-") else arg)
    if (arg.startswith("-") and "=" not in arg) or not path.exists():
        return
    yield path
    if path.is_file() and path.suffix in _SCRIPTS:
        yield from _package(path)
        yield from _package(path.resolve())


def _package(script: Path) -> Iterator[Path]:
    yield from _installed(script)
    yield from (above for above in script.parents if any((above / mark).exists() for mark in _PACKAGE))
