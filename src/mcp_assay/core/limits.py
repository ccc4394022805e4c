"""The values that both the command line and a plan may set, what is wrong with a bad one, and how long servers have."""

import math
import re

from mcp_assay.errors import UserError

__all__ = ["CALL_TIMEOUT", "MAX_CALLS", "MAX_FILE", "START_TIMEOUT", "call_budget", "eval_name", "wallclock_minutes"]

MAX_CALLS = 999
START_TIMEOUT, CALL_TIMEOUT = 30.0, 60.0
"""Seconds that a server may take to start, and for one call, where the plan does not say."""
MAX_FILE = 64 * 1024 * 1024
"""Bytes of a file that a person names: far more than a plan, a critic's output or a transcript has."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_DIGITS = re.compile(r"[0-9]+")


def call_budget(value: object) -> tuple[int, str | None]:
    """The calls that a scenario may make, 1-999, and a note if a larger number was clamped. Raises UserError."""
    text = str(value).strip()
    if isinstance(value, bool) or not _DIGITS.fullmatch(text) or not text.strip("0"):
        raise UserError(f"--call-budget must be a whole number from 1 to {MAX_CALLS}, not {_quoted(value)}")
    digits = text.lstrip("0")
    # "--call-budget is clamped at argument-parse time to a maximum of 999."
    if len(digits) > len(str(MAX_CALLS)):
        return (
            MAX_CALLS,
            f"the call budget of {_quoted(value)} was lowered to {MAX_CALLS}, the most a scenario may have",
        )
    return int(digits), None


def wallclock_minutes(value: object) -> float:
    """Minutes for all scenarios together: more than 0, and finite; whole ones as an integer. Raises UserError."""
    try:
        minutes = math.nan if isinstance(value, bool) else float(str(value))
    except ValueError:
        minutes = math.nan
    if not math.isfinite(minutes) or minutes <= 0:
        raise UserError(f"--wallclock-budget must be a number of minutes greater than 0, not {_quoted(value)}")
    return int(minutes) if minutes.is_integer() else minutes


def eval_name(text: str) -> str:
    """An evaluation's name: part of a folder's name, so nothing that could lead out of it. Raises UserError."""
    if not _NAME.fullmatch(text):
        raise UserError(
            "--name must be 1 to 64 letters, digits, dots, dashes and underscores, and start with a letter or digit, "
            f"not {_quoted(text)}"
        )
    return text


def _quoted(value: object) -> str:
    text = str(value)
    return repr(text if len(text) <= 40 else text[:39] + "…")  # noqa: PLR2004 - enough to recognise it
