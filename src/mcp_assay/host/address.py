"""A socket's address: in a folder that only this user can reach, and never one that somebody listens at."""

import os
import socket
import stat
import struct
from pathlib import Path

from mcp_assay.errors import StoreError

__all__ = ["bound", "is_ours"]

_PATIENCE = 2.0  # seconds for whoever may listen to answer


def bound(path: Path) -> socket.socket:
    """A socket that listens at the path, in a folder of our own. Raises StoreError."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = path.parent.lstat()
        if not stat.S_ISDIR(folder.st_mode) or folder.st_uid != os.getuid():
            raise StoreError(f"{path.parent} is not a folder of this user's; move it away")
        path.parent.chmod(0o700)
        _clear(path)
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listening.bind(str(path))
            path.chmod(0o600)
        except OSError:
            listening.close()
            raise
    except OSError as bad:
        raise StoreError(f"cannot listen at {path}: {bad.strerror or bad}") from None
    return listening


def _clear(path: Path) -> None:
    """Take away a socket that nobody listens at any more. Raises StoreError if somebody does, or it is no socket."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(found.st_mode):
        raise StoreError(f"{path} is in the way: it is no socket; move it away")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(_PATIENCE)
        try:
            probe.connect(str(path))
        except ConnectionRefusedError:
            path.unlink()
            return
        except TimeoutError:
            pass  # somebody listens, and is busy
    raise StoreError(f"another mcp-assay process runs this evaluation (it listens at {path})")


def is_ours(peer: socket.socket) -> bool:
    """Whether the other side is a process of this user's. Where the system does not tell, the folder's mode must do."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    raw = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", raw)
    return bool(user == os.getuid())
