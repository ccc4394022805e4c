"""How a gateway lends its pipes to the owner, for it to carry the session (see ``lent``). It loads no asyncio."""

import os
import socket
import stat

from mcp_assay.host.ledger import Ledger

__all__ = ["LENT", "can_lend", "lend"]

_PIPES = (0, 1, 2)
LENT = len(_PIPES) + 1
"""Descriptors: stdin, stdout, stderr, and the ledger's."""


def can_lend() -> bool:
    """Whether this process's pipes are such that another can wait for them, which a file's end is not."""
    kinds = (os.fstat(fd).st_mode for fd in _PIPES[:2])
    return hasattr(os, "memfd_create") and all(stat.S_ISFIFO(kind) or stat.S_ISSOCK(kind) for kind in kinds)


def lend(line: socket.socket, ledger: Ledger) -> None:
    """Pass the gateway's pipes and its ledger to the owner. Raises OSError."""
    socket.send_fds(line, [b"\n"], [*_PIPES, ledger.fd])
