"""Paths as text: whether one stays inside a folder. In doubt (encoded, foreign or odd spellings) it does not."""

import re
import unicodedata
from collections.abc import Callable

__all__ = ["is_absolute", "is_contained", "lies_under"]

_ABSOLUTE = re.compile(r"[/~\\]|[A-Za-z]:[\\/]|[A-Za-z][A-Za-z0-9+.-]*://")
_DOUBTFUL = re.compile(r"[\\\x00-\x1f\x7f]|%[0-9A-Fa-f]{2}|^[~-]|^[A-Za-z][A-Za-z0-9+.-]*:|^\s|\s$")


def is_absolute(text: str) -> bool:
    """A rooted path of any system, one that starts at a home, or a URL."""
    return _ABSOLUTE.match(text) is not None


def is_contained(path: str) -> bool:
    """Whether a relative path stays below where it starts, after ``.`` and ``..`` are worked out."""
    if path.startswith("/") or not path or _is_doubtful(path):
        return False
    parts = _parts(path)
    # "a/../~" must not become a home, nor "a/../-f" an option, for whoever works it out first.
    return parts is not None and not _is_doubtful("/".join(parts))


def lies_under(path: str, folder: str, realpath: Callable[[str], str]) -> bool:
    """Whether an absolute path lies below an absolute folder, as written and once links are resolved."""
    if not path.startswith("/") or _is_doubtful(path):
        return False
    try:
        resolved = _below(realpath(path), realpath(folder))
    except (OSError, ValueError):
        return False
    return resolved and _below(path, folder)


def _is_doubtful(path: str) -> bool:
    """Backslashes, control or encoded characters, drive letters, options, dots and slashes that only look different."""
    plain = unicodedata.normalize("NFKC", path)
    return _DOUBTFUL.search(path) is not None or any(plain.count(char) != path.count(char) for char in "./\\")


def _below(path: str, folder: str) -> bool:
    inner, outer = _parts(path), _parts(folder)
    return inner is not None and outer is not None and len(inner) > len(outer) and inner[: len(outer)] == outer


def _parts(path: str) -> list[str] | None:
    """The names of a path with ``.`` and ``..`` worked out; None if it climbs above its start."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == ".." and not parts:
            return None
        if part == "..":
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return parts
