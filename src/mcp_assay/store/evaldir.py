"""An evaluation's folder, ``mcp-evals/mcp-eval-<name>/``: its lock, its state, its other files.

A cloned repository may carry such a folder, so every path is opened one step at a time without following links, and a
state counts as ours only if its keyed digest says so. Whole files are replaced atomically: a temporary file, a sync,
a rename.
"""

import contextlib
import fcntl
import json
import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Self

from mcp_assay.core.model import canonical, sha256
from mcp_assay.core.session import State, mac
from mcp_assay.errors import StoreError

__all__ = ["PARENT", "EvalDir", "names", "opened_at", "place", "retire", "retired"]

PARENT = "mcp-evals"
_PREFIX = "mcp-eval-"
_OURS = ".assay"
_MANIFESTS = "manifests.json"
_STEPS = "steps.json"
_PLAN = "plan.json"
_HOST = "host"
_CHUNK = 1 << 20


class EvalDir:
    """One evaluation's open folder. ``fd`` is its descriptor; ``path`` is for people.

    Use as a context manager. A state can be read by anyone; it is written only by whoever holds the lock.
    """

    def __init__(self, base: Path, name: str, *, create: bool = False) -> None:
        """Open ``base/mcp-evals/mcp-eval-<name>``. Raises StoreError if it is missing, a link, or cannot be made."""
        self.name = name
        self.path = place(base, name)
        with _named("open", self.path):
            top = os.open(base, os.O_RDONLY | os.O_DIRECTORY)
            try:
                parent = _folder(top, PARENT, create=create)
                if create:
                    _ignore(parent)
                self.fd = _folder(parent, self.path.name, create=create)
                os.close(parent)
            finally:
                os.close(top)
        self._lock: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            os.close(self._lock)
        os.close(self.fd)

    @property
    def shown(self) -> str:
        """The path as the specification writes it, relative to the folder that holds ``mcp-evals``."""
        return f"{PARENT}/{self.path.name}"

    def lock(self) -> None:
        """Become the owner until closed. Raises StoreError if another process is."""
        with _named("lock", self.path):
            ours = _folder(self.fd, _OURS, create=True)
            self._lock = _open(ours, "lock", os.O_RDWR | os.O_CREAT)
            os.close(ours)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StoreError(f"{self.path} is in use by another mcp-assay process") from None

    def record(self, name: str) -> BinaryIO:
        """``.assay/host/<name>``, to add to and to read: what an agent's host said, for this user's eyes only."""
        with _named("write", self.path / _OURS / _HOST / name):
            ours = _folder(self.fd, _OURS, create=True)
            try:
                host = _folder(ours, _HOST, create=True)
                try:
                    return open(_open(host, name, os.O_RDWR | os.O_APPEND | os.O_CREAT), "r+b", buffering=0)
                finally:
                    os.close(host)
            finally:
                os.close(ours)

    def exists(self, name: str) -> bool:
        with contextlib.suppress(FileNotFoundError):
            return stat.S_ISREG(os.stat(name, dir_fd=self.fd, follow_symlinks=False).st_mode)
        return False

    def read(self, name: str) -> bytes:
        """A file's bytes. Raises StoreError if it is missing, a link, or unreadable."""
        with _named("read", self.path / name), open(_open(self.fd, name, os.O_RDONLY), "rb") as file:
            return file.read()

    def write(self, name: str, text: str) -> None:
        """Replace a file whole. Lone surrogates, which UTF-8 cannot hold, are written as escapes."""
        with _named("write", self.path / name):
            _replace(self.fd, name, text.encode("utf-8", errors="backslashreplace"))

    def is_fresh(self) -> bool:
        """Whether there is nothing in it but our own subfolder: what else there is, were it a link, is somebody's."""
        return {entry.name for entry in os.scandir(self.fd)} <= {_OURS}

    def load_state(self, key: bytes) -> tuple[State, bool]:
        """The state, and whether its keyed digest is right. Raises StoreError; a state is never overwritten by that."""
        source = f"{self.shown}/state.json"
        try:
            value = json.loads(self.read("state.json"), parse_constant=_refuse)
        except (ValueError, RecursionError):
            raise StoreError(f"{source}: not valid JSON; move it away to start anew") from None
        state = State.from_json(value, source)
        return state, state.assay.get("mac") == mac(key, state)

    def save_state(self, key: bytes, state: State) -> None:
        """Sign and replace ``state.json``."""
        # "Writes are atomic — re-serialize the full object on each transition."
        state.assay["mac"] = mac(key, state)
        self.write("state.json", _readable(state.to_json()))

    def save_manifests(self, tools: dict[str, list[Any]]) -> str:
        """Pin the tool manifests, raw, by server. Returns their hash for the state."""
        return self._pin(_MANIFESTS, tools)

    def load_manifests(self, expected: str | None) -> dict[str, list[Any]] | None:
        """The pinned manifests, or None if there are none or they are not those that the state names."""
        return self._pinned(_MANIFESTS, expected)

    def save_steps(self, steps: dict[str, list[Any]]) -> str:
        """Pin the steps that no file of the user's holds, by scenario. Returns their hash for the state."""
        return self._pin(_STEPS, steps)

    def load_steps(self, expected: str | None) -> dict[str, list[Any]] | None:
        """The pinned steps, or None if they are not those that the state names."""
        return self._pinned(_STEPS, expected)

    def save_plan(self, values: dict[str, Any]) -> str:
        """Pin what of the plan the session rests on. Returns its hash for the state."""
        return self._pin(_PLAN, values)

    def load_plan(self, expected: str | None) -> dict[str, Any] | None:
        """What was pinned of the plan, or None if it is not what the state names."""
        return self._pinned(_PLAN, expected)

    def _pin(self, name: str, value: dict[str, Any]) -> str:
        with _named("write", self.path / _OURS / name):
            ours = _folder(self.fd, _OURS, create=True)
            try:
                _replace(ours, name, canonical(value).encode())
            finally:
                os.close(ours)
        return sha256(value)

    def _pinned(self, name: str, expected: str | None) -> dict[str, Any] | None:
        try:
            ours = _folder(self.fd, _OURS, create=False)
            with open(_open(ours, name, os.O_RDONLY), "rb") as file:
                value = json.load(file)
            os.close(ours)
        except (OSError, ValueError, RecursionError):
            return None
        return value if isinstance(value, dict) and sha256(value) == expected else None


def names(base: Path) -> list[str]:
    """The evaluations kept under ``base``, by name. Links do not count. Raises StoreError if the folder is a link."""
    with _named("list", base / PARENT):
        try:
            folder = os.open(base / PARENT, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return []
        try:
            kept = [entry.name for entry in os.scandir(folder) if entry.is_dir(follow_symlinks=False)]
        finally:
            os.close(folder)
    return sorted(
        name.removeprefix(_PREFIX) for name in kept if re.fullmatch(rf"{_PREFIX}[A-Za-z0-9][A-Za-z0-9._-]*", name)
    )


def retire(base: Path, name: str, stamp: str) -> Path:
    """Rename an evaluation's folder out of the way; nothing is ever deleted. Returns where it is now."""
    old = place(base, name)
    new = old.with_name(f"{old.name}~{stamp}")
    with _named("rename", old):
        parent = os.open(base / PARENT, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.rename(old.name, new.name, src_dir_fd=parent, dst_dir_fd=parent)
        finally:
            os.close(parent)
    return new


def retired(base: Path, name: str) -> list[str]:
    """The names, as ``EvalDir`` takes them, of the earlier runs of that name that ``retire`` kept, the oldest first."""
    found = (base / PARENT).glob(f"{_PREFIX}{name}~*")
    return sorted(path.name.removeprefix(_PREFIX) for path in found if path.is_dir() and not path.is_symlink())


def opened_at(base: Path, given: str) -> EvalDir:
    """The evaluation that a person means by its folder, wherever that is, or by its name under ``base``.

    Raises StoreError if it is missing or a link.
    """
    path = Path(given).absolute()
    if path.name.startswith(_PREFIX) and path.parent.name == PARENT:
        return EvalDir(path.parent.parent, path.name.removeprefix(_PREFIX))
    if "/" in given:
        raise StoreError(f"{given}: not an evaluation's folder, which is called {PARENT}/{_PREFIX}NAME")
    return EvalDir(base, given.removeprefix(_PREFIX))


def place(base: Path, name: str) -> Path:
    """Where the evaluation of that name is, or would be."""
    return base / PARENT / f"{_PREFIX}{name}"


def _readable(value: dict[str, Any]) -> str:
    """JSON with a line for each field and for each entry of its lists: it is written at every call, so no slower."""
    rows = []
    for name, item in value.items():
        inner = ",\n    ".join(json.dumps(part, allow_nan=False) for part in item) if isinstance(item, list) else ""
        text = f"[\n    {inner}\n  ]" if inner else json.dumps(item, allow_nan=False)
        rows.append(f"  {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(rows) + "\n}\n"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _folder(parent: int, name: str, *, create: bool) -> int:
    if create:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o700 if name in (_OURS, _HOST) else 0o755, dir_fd=parent)
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent)


def _open(folder: int, name: str, flags: int) -> int:
    # not to wait where somebody put a pipe in a file's place
    return os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600, dir_fd=folder)


def _ignore(parent: int) -> None:
    """Evaluations are not for committing: the folder tells git so itself."""
    with contextlib.suppress(FileExistsError):
        fd = _open(parent, ".gitignore", os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        os.write(fd, b"*\n")
        os.close(fd)


def _replace(folder: int, name: str, data: bytes) -> None:
    draft = f".{name}.new"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(draft, dir_fd=folder)
    with open(_open(folder, draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.rename(draft, name, src_dir_fd=folder, dst_dir_fd=folder)


@contextlib.contextmanager
def _named(doing: str, path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as bad:
        link = " (links are not followed)" if bad.errno in {20, 40} else ""
        raise StoreError(f"cannot {doing} {path}: {bad.strerror}{link}") from None
