"""After an interruption: what each scenario is, judged by its lines and its ``execution[]`` entry.

The unit of resume is the scenario. One in which everything that was sent was a read starts over: its lines stay and its
counters go on. Any other is not repeated, since nobody can tell what a mutation did that was cut off: it ends aborted.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mcp_assay.core.model import AbortReason, Verdict

__all__ = ["INTERRUPTED", "Kind", "Standing", "standing"]

INTERRUPTED = "interrupted"
_ABORTS = {"__budget_abort__": AbortReason.CALL_BUDGET, "__wallclock_abort__": AbortReason.WALLCLOCK}


class Kind(StrEnum):
    FRESH = "fresh"  # not started
    AGAIN = "again"  # started, and only reads were sent
    CUT = "cut"  # started, and something was sent that is no read: never again
    ENDED = "ended"  # its abort line is there, only its entry was not closed any more
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Standing:
    """``lines`` is the last number used in an id, ``calls`` the counted lines, ``reason`` how an ended one ended."""

    kind: Kind
    lines: int = 0
    calls: int = 0
    reason: AbortReason | None = None


def standing(scenario: str, entry: Mapping[str, Any] | None, lines: Iterable[Mapping[str, Any]]) -> Standing:
    """Where a scenario stands. ``lines`` are the recovered transcript's, of all scenarios."""
    own = [line for line in lines if line.get("scenario_id") == scenario]
    sent = [line for line in own if not str(line.get("tool")).startswith("__")]
    last = max((_number(line) for line in own), default=0)
    reason = next((_ABORTS[line["tool"]] for line in own if line.get("tool") in _ABORTS), None)
    return Standing(_kind(entry, sent, reason), last, len(sent), reason)


def _kind(entry: Mapping[str, Any] | None, sent: list[Mapping[str, Any]], reason: AbortReason | None) -> Kind:
    if entry is not None and entry.get("status") != "running":
        return Kind.DONE
    if reason is not None:
        return Kind.ENDED
    if entry is None:
        return Kind.FRESH
    return Kind.AGAIN if all(_is_read(line) for line in sent) else Kind.CUT


def _is_read(line: Mapping[str, Any]) -> bool:
    ours = line.get("assay")
    return isinstance(ours, Mapping) and ours.get("verdict") == Verdict.READ


def _number(line: Mapping[str, Any]) -> int:
    digits = str(line.get("id")).rpartition("-")[2]
    return int(digits) if digits.isdigit() else 0
