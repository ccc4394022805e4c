"""The user's secret key: kept in the user's state folder, never in an evaluation's.

It signs states, so that an approved evaluation that arrives with a cloned repository cannot be resumed, and it keys
the digests of arguments and results, so that a guessed value cannot be confirmed from a transcript.
"""

import contextlib
import hmac
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mcp_assay.errors import StoreError

__all__ = ["Keys", "folder", "load"]

_SIZE = 32


@dataclass(frozen=True, slots=True)
class Keys:
    """``state`` authenticates ``state.json``; ``values`` keys the digests of one evaluation's values."""

    state: bytes
    values: bytes


def folder(environ: Mapping[str, str], home: Path) -> Path:
    """Where the user's key is kept."""
    return Path(environ.get("XDG_STATE_HOME") or home / ".local" / "state") / "mcp-assay"


def load(environ: Mapping[str, str], home: Path, eval_name: str) -> Keys:
    """The keys for one evaluation, made on first use. Raises StoreError if the state folder cannot be used."""
    path = folder(environ, home) / "key"
    try:
        secret = _read_or_make(path)
    except OSError as bad:
        raise StoreError(f"cannot keep the signing key at {path}: {bad.strerror}; set XDG_STATE_HOME") from None
    return Keys(_derive(secret, "state"), _derive(secret, f"values:{eval_name}"))


def _read_or_make(path: Path) -> bytes:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.suppress(FileNotFoundError):
        return _read(path)
    draft = path.with_name(f"key.{os.urandom(8).hex()}")
    fd = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        os.write(fd, os.urandom(_SIZE))
        os.fsync(fd)
        # Linking, unlike renaming, fails if another process was first: then its key is the key.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        os.close(fd)
        draft.unlink()
    return _read(path)


def _read(path: Path) -> bytes:
    secret = path.read_bytes()
    if len(secret) != _SIZE:
        raise StoreError(f"{path} is not a key of ours; move it away, and a new one is made")
    return secret


def _derive(secret: bytes, purpose: str) -> bytes:
    return hmac.digest(secret, purpose.encode(), "sha256")
