"""All that is wrong with one file, told at once."""

import importlib
from collections.abc import Iterable

from mcp_assay.errors import InputError

__all__ = ["Problems", "did_you_mean"]


class Problems:
    """Collects complaints about a file; ``stop_if_any`` raises them as one InputError."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._found: list[InputError] = []

    def add(self, message: str, line: int | None, key: str | None) -> None:
        """``line`` is 1-based; ``key`` names the entry or field as the user knows it."""
        self._found.append(InputError(self.source, message, line=line, key=key))

    def stop_if_any(self) -> None:
        """Raises InputError: the one problem, or a list of all of them in the order of their lines."""
        if len(self._found) == 1:
            raise self._found[0]
        if self._found:
            lines = sorted(self._found, key=lambda bad: bad.line or 0)
            raise InputError(self.source, "\n  ".join([f"{len(lines)} problems", *map(str, lines)]), line=lines[0].line)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'x'?`` for a near miss, else nothing."""
    # Loaded when there is something to say: an owner that waits keeps what it loads.
    close = importlib.import_module("difflib").get_close_matches(word, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
