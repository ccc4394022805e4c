"""How a host names a server's tools, both ways: ``mcp__<server>__<tool>``.

Hosts fold every character that a tool's name may not hold into an underscore, so the way back needs the configured
names: a server's own name may contain ``__``, and two names may fold alike.
"""

import re
from collections.abc import Iterable

__all__ = ["collisions", "fold", "is_mcp", "label", "split"]

_PREFIX, _JOINT = "mcp__", "__"
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]")


def fold(name: str) -> str:
    """The name with every character outside ``[A-Za-z0-9_-]`` replaced by ``_``."""
    return _FOREIGN.sub("_", name)


def label(server: str, tool: str) -> str:
    """The host's name for a tool. Never truncated: two long names may differ in their last character only."""
    return f"{_PREFIX}{fold(server)}{_JOINT}{fold(tool)}"


def is_mcp(label: str) -> bool:
    """Whether a label names an MCP tool: "is_mcp is true iff tool is a tool name starting with mcp__"."""
    return label.startswith(_PREFIX)


def split(label: str, servers: Iterable[str]) -> tuple[str, str] | None:
    """(the server's configured name, the tool's folded name) of a label; None if no configured server fits.

    Of several that fit the longest wins: with ``my`` and ``my__srv``, ``mcp__my__srv__do`` is a tool of the second.
    Of names that fold alike the first wins; ``collisions`` finds those.
    """
    for server in sorted(servers, key=lambda name: len(fold(name)), reverse=True):
        head = f"{_PREFIX}{fold(server)}{_JOINT}"
        if label.startswith(head) and len(label) > len(head):
            return server, label[len(head) :]
    return None


def collisions(servers: Iterable[str]) -> list[tuple[str, ...]]:
    """Groups of two or more different names that a host cannot tell apart, in order of first appearance."""
    alike: dict[str, list[str]] = {}
    for server in dict.fromkeys(servers):
        alike.setdefault(fold(server), []).append(server)
    return [tuple(group) for group in alike.values() if len(group) > 1]
