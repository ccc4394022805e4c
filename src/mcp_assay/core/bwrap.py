"""From what a server's process may see to the arguments of bubblewrap: what is hidden, shown again, and sealed.

The whole file system is there, read-only. Over it lie empty folders in memory, over those what the server needs in
order to run and what it may change, and over all of it what nobody may see.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

__all__ = ["LIMITS", "Box", "arguments", "is_under"]

LIMITS = {
    "data": 4 * 1024**3,
    "fsize": 1024**3,
    "nofile": 4096,
    "nproc": 4096,
    "core": 0,
}
"""What one process may take, by the names of ``prlimit``: writable memory and a file's size in bytes, open files,
processes, the size of a core dump. Memory is not limited by address space: Node and WebAssembly reserve far more of it
than they use."""

_TMPFS = 512 * 1024**2
_OPEN = ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
_ALONE = ("--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_BOUND = ("--die-with-parent", "--new-session")


@dataclass(frozen=True, slots=True)
class Box:
    """What one server's process sees. Paths are absolute, and there is something at each.

    ``hidden``: folders that are empty, and can be written to in memory. ``shown``: what can be read all the same.
    ``writable``: what may be changed. ``sealed``: folders that are empty whatever else is said. Of two that lie in each
    other, the deeper one counts; what lies in a writable folder is writable.
    """

    cwd: str
    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    writable: tuple[str, ...] = ()
    sealed: tuple[str, ...] = ()
    network: bool = False


def arguments(box: Box) -> list[str]:
    """The options of ``bwrap`` for a box, up to and with the ``--`` before the command."""
    net = () if box.network else ("--unshare-net",)
    return [*_OPEN, *_ALONE, *net, *_BOUND, *chain.from_iterable(_mounts(box)), "--chdir", box.cwd, "--"]


def is_under(path: str, folder: str) -> bool:
    """Whether a normal absolute path is the folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _mounts(box: Box) -> Iterator[tuple[str, ...]]:
    """What is mounted, in an order in which nothing covers what was to be seen, and nothing uncovers what was not."""
    kinds = dict.fromkeys(box.hidden, _empty) | dict.fromkeys(box.shown, _readable)
    free = {path: kind for path, kind in kinds.items() if not any(is_under(path, open_) for open_ in box.writable)}
    for path, mount in sorted((free | dict.fromkeys(box.writable, _changeable)).items()):
        yield mount(path)
    for path in box.sealed:
        yield (*_empty(path), "--remount-ro", path)


def _empty(path: str) -> tuple[str, ...]:
    return ("--size", str(_TMPFS), "--tmpfs", path)


def _readable(path: str) -> tuple[str, ...]:
    return ("--ro-bind", path, path)


def _changeable(path: str) -> tuple[str, ...]:
    return ("--bind", path, path)
