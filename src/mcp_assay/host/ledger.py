"""What a gateway must know of its session when the owner, which carries it, is suddenly dead: which requests wait.

A file in memory that both hold open. The owner writes it as it goes on, which wakes nobody; the gateway reads it once.
"""

import json
import os
from collections.abc import Sequence
from typing import Self

from mcp_assay.frames import Kind, Splitter, is_id
from mcp_assay.host import traffic

__all__ = ["Ledger"]

_HEAD = 4096
"""Bytes for the ids; what was read and is being looked at stands behind them."""
_ENCODER = json.JSONEncoder(separators=(",", ":"))


class Ledger:
    """Of ids that are too many or too long for a page, only the newest are kept."""

    def __init__(self, fd: int) -> None:
        self.fd = fd

    @classmethod
    def make(cls) -> Self:
        """Raises OSError."""
        return cls(os.memfd_create("mcp-assay"))

    def took(self, data: bytes) -> None:
        """The owner has read this of what the agent says, and looks at it now."""
        os.pwrite(self.fd, data + b"\0", _HEAD)

    def done(self) -> None:
        """It has been looked at: the ids of what is to be answered are noted."""
        os.pwrite(self.fd, b"\0", _HEAD)

    def note(self, waiting: Sequence[str | int], *, torn: bool) -> None:
        """The agent waits for answers to these; ``torn``: a frame to it may have been written in part."""
        kept = list(waiting)
        while len(line := _ENCODER.encode([torn, *kept])) >= _HEAD:
            del kept[0]
        os.pwrite(self.fd, line.encode("ascii") + b"\n", 0)

    def read(self) -> tuple[list[str | int], bool]:
        """Whoever still waits, and whether a frame to the agent may be torn. An id may be told that was answered."""
        head, _, _ = os.pread(self.fd, _HEAD, 0).partition(b"\n")
        torn, *waiting = json.loads(head) if head.strip(b"\0") else [False]
        seen, _, _ = os.pread(self.fd, os.fstat(self.fd).st_size, _HEAD).partition(b"\0")
        said = [traffic.read(line) for line in Splitter().feed(seen) if isinstance(line, bytes)]
        waiting += [each.id for each in said if isinstance(each, traffic.Said) and each.kind is Kind.REQUEST]
        return list(dict.fromkeys(filter(is_id, waiting))), torn is True

    def close(self) -> None:
        os.close(self.fd)
