"""Servers in a box: bubblewrap around a stdio server's process, so that it sees and reaches little of the machine.

What the box holds is decided here, by looking at the file system; how it is built is ``core/bwrap.py``.
"""

import os
import pwd
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from mcp_assay.core import inert
from mcp_assay.core.bwrap import LIMITS, Box, arguments, is_under
from mcp_assay.core.expand import Launch
from mcp_assay.core.model import Disposition, Safety, ServerConfig, Transport
from mcp_assay.core.plan import BWRAP, NONE
from mcp_assay.errors import StartError, UserError
from mcp_assay.footprint import footprint, program
from mcp_assay.store.evaldir import PARENT
from mcp_assay.store.keys import folder

__all__ = ["BWRAP", "NONE", "Boxes", "Bubblewrap", "arrange", "find", "resources"]

_PRIVATE = ("/home", "/root", "/run", "/tmp", "/var/tmp")  # noqa: S108 - to be hidden, not used
_OWN = ("TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "XDG_STATE_HOME")
_PATH_LABELS = {"path", "file", "folder", "directory", "dir"}
_SCRATCH = "/tmp"  # noqa: S108 - the box's own, in memory
_PROBE_TIME = 20.0


class Whereabouts(Protocol):
    """The part of an order that says where things are, and whether isolation must be had."""

    @property
    def require_isolation(self) -> bool: ...

    @property
    def environ(self) -> Mapping[str, str]: ...

    @property
    def home(self) -> Path: ...

    @property
    def project(self) -> Path: ...

    @property
    def base(self) -> Path: ...


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """The two programs that it takes, and what no server of this evaluation gets to see. All paths are real ones.

    ``homes`` and ``private`` are folders that every box has empty; ``sealed`` are those that not even a test resource
    opens; ``project`` can be read.
    """

    bwrap: str
    prlimit: str
    homes: frozenset[str]
    private: frozenset[str]
    sealed: tuple[str, ...]
    project: str

    def around(self, safety: Safety | None, launch: Launch, cwd: str) -> Launch:
        """The same launch in a box of its own. Raises StartError if there is no such command."""
        command = program(launch, cwd)
        if command is None:
            raise StartError("its command is not there or not on the PATH; install it, or give its full path")
        box = self._box(launch, cwd, safety)
        limits = [f"--{name}={most}" for name, most in LIMITS.items()]
        args = [*arguments(box), self.prlimit, *limits, "--", str(command), *launch.args]
        return replace(launch, command=self.bwrap, args=tuple(args), env=self._environ(launch.env))

    def _box(self, launch: Launch, cwd: str, safety: Safety | None) -> Box:
        network = safety is not None and safety.network
        # The resolver's file is often a link into /run.
        named = [cwd, self.project, *map(str, footprint(launch, cwd)), *(["/etc/resolv.conf"] if network else [])]
        writable = [path for path in resources(safety, cwd) if Path(path).exists() and os.path.realpath(path) != "/"]
        return Box(
            cwd=os.path.realpath(cwd),
            hidden=tuple(self.homes | self.private),
            shown=self._again(named),
            writable=tuple(dict.fromkeys([*map(os.path.realpath, writable), *self._again(writable)])),
            sealed=self.sealed,
            network=network,
        )

    def _again(self, named: Iterable[str]) -> tuple[str, ...]:
        """Of what is named, as written and with links resolved: what is hidden, and may be seen again.

        What lies in a folder that is seen again is left out: it is there, and so is every link in it.
        """
        both = (form for path in named for form in (os.path.normpath(path), os.path.realpath(path)))
        kept: list[str] = []
        for path in sorted(set(filter(self._is_inside, both))):
            if not any(is_under(path, outer) and not self._between(outer, path) for outer in kept):
                kept.append(path)
        return tuple(kept)

    def _is_inside(self, path: str) -> bool:
        hidden = self.homes | self.private
        inside = path not in hidden and any(is_under(path, outer) for outer in hidden)
        return inside and not any(is_under(home, path) for home in self.homes)

    def _between(self, outer: str, path: str) -> bool:
        """Whether something hidden lies in the folder and holds the path."""
        return any(is_under(path, hidden) and is_under(hidden, outer) for hidden in self.homes | self.private)

    def _environ(self, environ: Mapping[str, str]) -> dict[str, str]:
        home = os.path.realpath(environ.get("HOME", "/"))
        there = any(is_under(home, folder) for folder in self.homes)
        kept = {name: value for name, value in environ.items() if name != "TMPDIR"}
        return kept if there else {**kept, "HOME": _SCRATCH}


def find(environ: Mapping[str, str], home: Path, project: Path, sealed: Iterable[Path]) -> Bubblewrap:
    """What it takes to isolate the servers of one evaluation, tried out once.

    ``sealed`` are the folders of evaluations and keys. Raises UserError, saying why, if it cannot be had here.
    """
    bwrap, prlimit, true = (shutil.which(name, path=environ.get("PATH")) for name in ("bwrap", "prlimit", "true"))
    if bwrap is None or prlimit is None or true is None:
        missing = "bwrap (Debian: apt install bubblewrap)" if bwrap is None else "prlimit (Debian: util-linux)"
        raise UserError(f"isolation cannot be had: no {missing} on the PATH")
    box = Bubblewrap(
        bwrap,
        prlimit,
        homes=frozenset(_folders([str(home), environ.get("HOME", ""), _home()])),
        private=frozenset(_folders([*_PRIVATE, *(environ.get(name, "") for name in _OWN)])),
        sealed=tuple(map(os.path.realpath, sealed)),
        project=os.path.realpath(project),
    )
    _try(bwrap, true)
    return box


class Boxes:
    """The boxes of one run's servers, and what each was made for. Without a Bubblewrap there are none."""

    def __init__(self, box: Bubblewrap | None, *, required: bool) -> None:
        """``required``: a server that cannot be in one must not be started."""
        self._box, self._required = box, required
        self._made_for: dict[str, Safety | None] = {}

    def make(
        self, servers: Iterable[ServerConfig], dispositions: Mapping[str, Safety]
    ) -> dict[str, Callable[[Launch, str], Launch]]:
        """By server, what puts its launch in a box. Raises UserError if one that is required cannot be had."""
        local = {server.name: server.transport is Transport.STDIO for server in servers}
        remote = [name for name, is_local in local.items() if not is_local]
        if self._required and remote:
            raise UserError(
                f"isolation cannot be had for {', '.join(remote)}: a remote server does not run here; "
                "answer it with skip, or go without --require-isolation"
            )
        if self._box is None:
            return {}
        made_for = {name: dispositions.get(name) for name, is_local in local.items() if is_local}
        self._made_for |= made_for
        return {name: partial(self._box.around, safety) for name, safety in made_for.items()}

    def outgrown(self, servers: Iterable[ServerConfig], dispositions: Mapping[str, Safety]) -> list[ServerConfig]:
        """The servers whose boxes would now hold more than those that were made for them."""
        return [server for server in servers if self._box and self._is_outgrown(server.name, dispositions[server.name])]

    def _is_outgrown(self, server: str, safety: Safety) -> bool:
        is_opened = safety.network or safety.disposition is Disposition.SANDBOXED
        return is_opened and safety.disposition is not Disposition.SKIP and safety != self._made_for.get(server)


def arrange(order: Whereabouts, asked: str | None, begun: str | None = None) -> Boxes:
    """What isolates the servers of a run: as asked for, or as one that goes on was begun.

    Raises UserError if it cannot be had, or if a run is to go on otherwise: its report tells of one isolation.
    """
    if begun is not None and asked not in (None, begun):
        raise UserError(f"this evaluation was begun with --isolation {begun}; start anew with --restart to change that")
    sealed = (order.base / PARENT, folder(order.environ, order.home))
    wanted = (begun or asked or NONE) == BWRAP
    box = find(order.environ, order.home, order.project, sealed) if wanted else None
    return Boxes(box, required=order.require_isolation)


def resources(safety: Safety | None, cwd: str) -> list[str]:
    """The test resources of a sandboxed server that are paths, absolute; those that are relative only if they exist."""
    if safety is None or safety.disposition is not Disposition.SANDBOXED:
        return []
    return [path for entry in safety.test_resources if (path := _path(entry, cwd))]


def _home() -> str:
    with suppress(KeyError):
        return pwd.getpwuid(os.getuid()).pw_dir
    return ""


def _folders(named: Iterable[str]) -> Iterator[str]:
    for path in named:
        real = os.path.realpath(path or "/")
        if real != "/" and Path(real).is_dir():
            yield real


def _path(entry: str, cwd: str) -> str | None:
    """The absolute path that a test resource is, if it is one: ``path: docs/**``, ``/srv/data``, ``file: notes.md``."""
    label, colon, rest = entry.partition(":")
    labelled = bool(colon) and label.strip().isidentifier() and not rest.startswith("//")
    text = (rest if labelled else entry).strip().removesuffix("/**") or "/"
    if text.startswith("/"):
        return os.path.normpath(text)
    if not labelled or label.strip().lower() not in _PATH_LABELS:
        return None
    found = os.path.normpath(Path(cwd, text))
    # Not every path is one of files here: what is not there belongs to something remote.
    return found if is_under(found, os.path.normpath(cwd)) and Path(found).exists() else None


def _try(bwrap: str, true: str) -> None:
    """Run nothing in an empty box: the one sure way to learn whether namespaces are permitted."""
    command = [bwrap, *arguments(Box(cwd="/", hidden=(_SCRATCH,))), true]
    try:
        tried = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROBE_TIME, check=False)
    except (OSError, subprocess.TimeoutExpired):
        raise UserError(f"isolation cannot be had: {bwrap} cannot be run") from None
    if tried.returncode:
        said = inert.line(tried.stderr.decode(errors="replace").strip(), 300)
        raise UserError(
            f"isolation cannot be had: bwrap says {said!r}; namespaces must be permitted here (inside a container, "
            "or where unprivileged user namespaces are switched off, they often are not)"
        )
