r"""The regular expressions of JSON Schema, run by Python's engine with their own meaning.

The two dialects share a syntax but for details that would let a wrong value through: in Python ``$`` also matches
before a final line feed, ``.`` matches a carriage return, and ``\d`` matches digits of every script. What only Python
knows is refused, so that a pattern means the same here as for everybody else who reads the schema.
"""

import re

__all__ = ["compiled", "fault"]

# An escape, a character class, the head of a special group, a possessive quantifier, or one character.
_PIECE = re.compile(r"\\.|\[\^?(?:\\.|[^\]\\])*\]|\(\?(?:<[=!]|.)?|[*+?}]\+|.", re.DOTALL)
_TRANSLATED = {"$": r"\Z", ".": r"[^\n\r\u2028\u2029]"}
_GROUPS = frozenset({"(?:", "(?=", "(?!", "(?<=", "(?<!"})
_PYTHON_ONLY = frozenset({r"\A", r"\Z"})
_cache: dict[str, re.Pattern[str]] = {}


def compiled(pattern: str) -> re.Pattern[str]:
    """The pattern for ``search()``. Raises re.error for one that ``fault`` complains of."""
    if pattern not in _cache:
        if len(_cache) > 1000:  # noqa: PLR2004 - patterns come from callers; a long life must not collect them
            _cache.clear()
        _cache[pattern] = re.compile("".join(map(_translate, _PIECE.findall(pattern))), re.ASCII)
    return _cache[pattern]


def fault(pattern: str) -> str | None:
    """Why the pattern cannot be used, or None."""
    try:
        compiled(pattern)
    except (re.error, OverflowError, RecursionError) as bad:
        return f"not a regular expression that is supported ({bad})"
    return None


def _translate(piece: str) -> str:
    special = piece.startswith("(?") and piece not in _GROUPS
    possessive = len(piece) == 2 and piece[1] == "+" and piece[0] in "*+?}"  # noqa: PLR2004 - a pair such as "*+"
    if special or possessive or piece in _PYTHON_ONLY:
        raise re.error(f"{piece} is not in the dialect of JSON Schema")
    return _TRANSLATED.get(piece, piece)
