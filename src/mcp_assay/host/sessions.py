"""Sessions of Claude Code: which one we are in, whether our hooks run there, and what its evaluation says of itself.

A session's files lie in the user's state folder, where the session's own tools are refused to write:

    s-ID.sock   where the evaluation's owner listens for the session's hooks
    s-ID.beat   written by the hook at the session's start: hooks are on
    s-ID.json   what the owner wants to be known: where it stands, and what the user is asked
"""

import contextlib
import json
import os
import re
import socket
import struct
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from mcp_assay.errors import UserError
from mcp_assay.store import keys

__all__ = ["SESSION_ID", "Heartbeat", "News", "Session", "Step", "ancestors", "is_alive", "parent"]

SESSION_ID = "CLAUDE_CODE_SESSION_ID"
_ID = re.compile(r"[A-Za-z0-9-]{1,64}")
_MOST_GENERATIONS = 64
_PATIENCE = 2.0  # seconds


class Step(StrEnum):
    """What an evaluation in a session waits for."""

    WORKING = "working"
    ASKING = "asking"
    SCENARIOS = "scenarios"
    CRITIC = "critic"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class News:
    """Where an evaluation stands: its name and folder, what it waits for, and the text that goes with that."""

    name: str
    folder: str
    step: Step
    text: str = ""
    code: int = 0


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The process of the host that ran our hook at the session's start, and the plugin's version."""

    pid: int
    version: str


@dataclass(frozen=True, slots=True)
class Session:
    """A session, and the folder of the files that are about it."""

    id: str
    run: Path

    @classmethod
    def current(cls, environ: Mapping[str, str], home: Path) -> "Session":
        """The session whose tool we were called by. Raises UserError if there is none."""
        found = environ.get(SESSION_ID, "")
        if not _ID.fullmatch(found):
            raise UserError(
                "this is for a live session of Claude Code, which says so in CLAUDE_CODE_SESSION_ID; "
                "at a terminal use: mcp-assay eval"
            )
        return cls(found, keys.folder(environ, home) / "run")

    @classmethod
    def bound(cls, environ: Mapping[str, str], home: Path) -> list["Session"]:
        """Every session that an evaluation is bound to, be its owner alive or not."""
        run = keys.folder(environ, home) / "run"
        return [cls(file.stem.removeprefix("s-"), run) for file in sorted(run.glob("s-*.sock"))]

    @property
    def socket(self) -> Path:
        return self.run / f"s-{self.id}.sock"

    def heartbeat(self) -> Heartbeat | None:
        """The latest one. None if there is none that can be read."""
        try:
            pid, _, version = (self.run / f"s-{self.id}.beat").read_text("utf-8").split()
            return Heartbeat(int(pid), version)
        except (OSError, ValueError):
            return None

    def owner(self) -> int | None:
        """The process that listens for this session's hooks; None if none does."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(_PATIENCE)
            try:
                line.connect(os.fspath(self.socket))
                return _peer(line)
            except OSError:
                return None

    def news(self) -> News | None:
        """What its evaluation said last. None if there never was one."""
        try:
            told = json.loads(self._news.read_bytes())
            return News(**told | {"step": Step(told["step"])})
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def tell(self, news: News) -> None:
        """Replace what is known. Raises OSError."""
        self.run.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = self._news.with_suffix(".new")
        with contextlib.suppress(FileNotFoundError):
            draft.unlink()
        draft.touch(0o600, exist_ok=False)
        draft.write_text(json.dumps(asdict(news)), "utf-8")
        draft.rename(self._news)

    def release(self) -> None:
        """Take away what a dead owner has left, and what the last evaluation said. Raises OSError."""
        self.socket.unlink(missing_ok=True)
        self._news.unlink(missing_ok=True)

    @property
    def _news(self) -> Path:
        return self.run / f"s-{self.id}.json"


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def ancestors() -> Iterator[int]:
    """The processes that we descend from, the nearest first."""
    pid: int | None = os.getppid()
    for _ in range(_MOST_GENERATIONS):
        if not pid:
            return
        yield pid
        pid = parent(pid)


def parent(pid: int) -> int | None:
    try:
        # The second field is the program's name in parentheses, which may hold blanks and parentheses itself.
        return int(Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        pass
    asked = subprocess.run(["ps", "-o", "ppid=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S607 - where it lies differs
    return int(asked.stdout) if asked.stdout.strip().isdecimal() else None


def _peer(line: socket.socket) -> int:
    """Who listens at the other end, as the system knows it; 0 where it does not tell."""
    if not hasattr(socket, "SO_PEERCRED"):
        return 0
    form = struct.Struct("3i")
    pid, _, _ = form.unpack(line.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, form.size))
    return int(pid)
