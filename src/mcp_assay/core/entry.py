r"""One transcript line: a head that is written before the call and never changes, and a tail that is filled in after.

    {"id": …, …, "assay": {…, "args": {…}, "outcome": "pending", …}, "result_shape": null}······\n
    └───────────────── head ─────────────┘└────────────────── tail, room ──────────────────┘

The head is all that must survive whatever happens. The tail starts at a mark that cannot occur inside a JSON string
(its quotes would be escaped there) nor as an argument's entry (whose value is an object), so a line whose tail was torn
in the middle of being rewritten can be cut back to its head and closed again. Trailing blanks are JSON whitespace: they
are the room that lets the tail grow in place.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mcp_assay.core.model import Effect, Outcome

__all__ = ["MARK", "ROOM", "Line", "Tail", "head", "reseal", "settled", "tail"]

_json = json.JSONEncoder(allow_nan=False).encode  # made once: a line is written while a call waits for it

MARK = ', "outcome": "'
ROOM = 768
"""Bytes kept for a tail. Every field of it is bounded, so that finish() never needs more."""


@dataclass(frozen=True, slots=True)
class Line:
    """What is known before dispatch. ``args`` describes the arguments and never holds one of their values."""

    id: str
    scenario_id: str
    ts: str
    tool: str
    is_mcp: bool
    args_summary: str = ""
    justification: str | None = None
    blocked_tool: str | None = None
    mcp: str | None = None
    raw_tool: str | None = None
    verdict: str | None = None
    rule: str | None = None
    join: str | None = None
    args_digest: str | None = None
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tail:
    """What is known after: how it ended, in shapes and sizes."""

    outcome: Outcome = Outcome.PENDING
    effect: Effect = Effect.NONE
    result_shape: str | None = None
    duration_ms: int | None = None
    result_digest: str | None = None
    result: Mapping[str, Any] | None = None


def head(line: Line) -> str:
    """The JSON text of a line up to the mark. ASCII, so that bytes and characters are the same."""
    spec: dict[str, Any] = {
        "id": line.id,
        "scenario_id": line.scenario_id,
        "ts": line.ts,
        "tool": line.tool,
        "is_mcp": line.is_mcp,
        "args_summary": line.args_summary,
        "justification": line.justification,
    }
    if line.blocked_tool is not None:
        spec["blocked_tool"] = line.blocked_tool
    ours = {
        "mcp": line.mcp,
        "tool": line.raw_tool,
        "verdict": line.verdict,
        "rule": line.rule,
        "join": line.join,
        "args_digest": line.args_digest,
        "args": line.args,
    }
    return _json(spec)[:-1] + ', "assay": ' + _json(ours)[:-1]


def tail(end: Tail) -> str:
    """The JSON text from the mark to the end of the object; at most ROOM bytes, shedding detail if it must."""
    for result in (end.result, None):
        ours = {
            "outcome": end.outcome,
            "effect": end.effect,
            "duration_ms": end.duration_ms,
            "result_digest": end.result_digest,
            "result": result,
        }
        closing = ', "result_shape": ' + json.dumps(end.result_shape and end.result_shape[:160]) + "}"
        text = ", " + _json(ours)[1:] + closing
        if len(text) <= ROOM:
            return text
    return tail(Tail(outcome=end.outcome, effect=end.effect, result_shape="error:unprintable"))


def reseal(line: bytes) -> dict[str, Any] | None:
    """The entry that a damaged line still proves: its head, with outcome ``unknown``. None if the head is gone too."""
    text = line.decode("ascii", errors="replace")
    before, mark, _ = text.partition(MARK)
    if not mark:
        return None
    try:
        entry = json.loads(before + "}}")
    except ValueError:
        return None
    return entry if isinstance(entry, dict) else None


def settled(entry: Mapping[str, Any]) -> bool:
    """Whether a parsed line was finished: a torn tail may happen to parse, but not with all that finish() writes."""
    ours = entry.get("assay")
    outcome = ours.get("outcome") if isinstance(ours, dict) else None
    if outcome == Outcome.UNKNOWN:
        return True
    return outcome in set(Outcome) - {Outcome.PENDING} and isinstance(entry.get("result_shape"), str)
