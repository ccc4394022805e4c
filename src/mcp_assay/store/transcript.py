"""``transcript.jsonl``: one line a call, durable before the call is sent, completed in place after.

``begin`` appends the pending line, with room for its tail, and syncs. ``finish`` overwrites the tail in one write and
does not sync. Neither reads the file, so a call costs the same at entry 8,000 as at entry 10. A process killed at any
instant leaves at most one torn line at the end (of a call that was never sent) and at most one torn tail; ``recover``
drops the one and closes the other.
"""

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mcp_assay.core.entry import ROOM, Line, Tail, head, reseal, settled, tail
from mcp_assay.core.model import Effect, Outcome, Verdict
from mcp_assay.errors import StoreError

__all__ = ["FILE", "Place", "Transcript", "digest", "entries", "recover"]

FILE = "transcript.jsonl"
_PENDING = tail(Tail()).encode().ljust(ROOM)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a line's tail stands in the file, in bytes."""

    offset: int
    room: int


class Transcript:
    """The open file. There is one writer: the process that owns the evaluation."""

    def __init__(self, folder: int) -> None:
        """Open or create the file in the folder with that descriptor. Raises StoreError (a link, no space, …)."""
        with _named("open"):
            self._fd = _open(folder, os.O_RDWR | os.O_CREAT)
            self._end = os.fstat(self._fd).st_size

    def begin(self, line: Line, end: Tail | None = None) -> Place:
        """Append a line and return once it is on the disk. Raises StoreError, the file as it was, if it cannot be.

        Without ``end`` the line is pending and has room to be finished; with it, it is complete as it stands.
        """
        front = head(line).encode()
        back = tail(end).encode() if end else _PENDING
        room = len(back)
        with _named("append to"):
            self._append(front + back + b"\n")
        return Place(self._end - room - 1, room)

    def finish(self, place: Place, end: Tail) -> None:
        """Fill in a pending line's tail where it stands."""
        with _named("complete a line of"):
            _write(self._fd, tail(end).encode().ljust(place.room), place.offset)

    def close(self) -> None:
        with _named("close"):
            os.fsync(self._fd)
            os.close(self._fd)

    def _append(self, data: bytes) -> None:
        try:
            _write(self._fd, data, self._end)
            # "Otherwise, append a transcript entry with result_shape: null …. Then dispatch the call."
            os.fdatasync(self._fd)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, self._end)
            raise
        self._end += len(data)


def entries(folder: int) -> Iterator[dict[str, Any]]:
    """The parsed lines, in order. Lines end at LF only. Raises StoreError naming a line that is no JSON object."""
    try:
        fd = _open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return
    except OSError as bad:
        raise StoreError(f"cannot read {FILE}: {bad.strerror}") from None
    with os.fdopen(fd, "rb") as file:
        for number, line in enumerate(file, 1):
            entry = _parsed(line)
            if entry is None:
                raise StoreError(f"{FILE}:{number}: not a JSON object; the transcript was damaged or edited")
            yield entry


def digest(folder: int) -> str | None:
    """``sha256:<hex>`` of the file's bytes; None if there is no transcript."""
    try:
        fd = _open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return None
    except OSError as bad:
        raise StoreError(f"cannot read {FILE}: {bad.strerror}") from None
    with os.fdopen(fd, "rb") as file:
        return "sha256:" + hashlib.file_digest(file, "sha256").hexdigest()


def recover(folder: int) -> int:
    """Repair what a kill may have left and mark unfinished calls ``unknown``. Returns how many lines were touched.

    A last line without its LF was never synced, so its call was never sent: it goes. Raises StoreError for damage that
    no kill explains: that is somebody's edit, and nothing is overwritten.
    """
    with _named("recover"):
        try:
            fd = _open(folder, os.O_RDWR)
        except FileNotFoundError:
            return 0
        try:
            data = _read(fd)
            whole = data[: data.rfind(b"\n") + 1]
            if len(whole) < len(data):
                os.ftruncate(fd, len(whole))
            touched = int(len(whole) < len(data)) + _settle(fd, whole)
            os.fsync(fd)
        finally:
            os.close(fd)
    return touched


def _settle(fd: int, data: bytes) -> int:
    at = touched = 0
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        entry = _parsed(line)
        if entry is None or not settled(entry):
            known = reseal(line)
            if known is None:
                raise StoreError(f"{FILE}:{number}: not a JSON object; the transcript was damaged or edited")
            _write(fd, _unknown(line, known), at)
            touched += 1
        at += len(line) + 1
    return touched


def _unknown(line: bytes, entry: dict[str, Any]) -> bytes:
    """The same line, of the same length, with an unknown outcome and its result still null."""
    reads = entry["assay"].get("verdict") == Verdict.READ
    front = (json.dumps(entry)[:-2]).encode()
    back = tail(Tail(outcome=Outcome.UNKNOWN, effect=Effect.NONE if reads else Effect.UNKNOWN)).encode()
    return front + back.ljust(len(line) - len(front))


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _open(folder: int, flags: int) -> int:
    """Open the transcript without following a link: a cloned folder must not make us write elsewhere."""
    fd = os.open(FILE, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600, dir_fd=folder)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise StoreError(f"{FILE} is not a regular file")
    return fd


def _read(fd: int) -> bytes:
    with os.fdopen(fd, "rb", closefd=False) as file:
        return file.read()


def _write(fd: int, data: bytes, at: int) -> None:
    while data:
        done = os.pwrite(fd, data, at)
        data, at = data[done:], at + done


@contextlib.contextmanager
def _named(doing: str) -> Iterator[None]:
    try:
        yield
    except OSError as bad:
        raise StoreError(f"cannot {doing} {FILE}: {bad.strerror}") from None
