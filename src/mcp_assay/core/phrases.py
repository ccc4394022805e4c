"""Small words that every message shares, so that they read the same everywhere."""

from collections.abc import Sequence

__all__ = ["counted", "listed"]


def counted(number: int, noun: str) -> str:
    """``1 call``, ``3 calls``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def listed(names: Sequence[str], most: int = 5) -> str:
    """``a, b, c and 4 more``."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
