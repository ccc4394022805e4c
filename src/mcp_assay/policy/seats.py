"""Which tier a role works at, what it costs, and whether a budget's snapshot admits it.

"Admission is a function of the caller's snapshot. The server keeps no ledger." Sums are exact in decimals: 0.2 CU spent
and 0.09 CU asked fit a share of 0.29 CU.
"""

import decimal
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

from mcp_assay.policy import values

__all__ = ["INPUT_SCHEMA", "OUTPUT_SCHEMA", "ROLES", "route"]


class Seat(NamedTuple):
    tier: str
    cu: Decimal


ROLES = {
    "grunt": Seat("cheap", Decimal("0.09")),
    "scout": Seat("mid", Decimal("0.9")),
    "mechanic": Seat("heavy", Decimal("1.8")),
    "sniper": Seat("heavy", Decimal("1.8")),
    "auditor": Seat("judgment", Decimal("3.6")),
}
MODES = ("read-only", "workspace-write")
# Sums and products of doubles are never rounded at this precision, whatever their exponents.
_EXACT = decimal.Context(prec=2_000)
_EXACT_FLOAT = 2**53

_CU = {"type": "number", "minimum": 0}
INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "role": {
            "type": "string",
            "enum": list(ROLES),
            "description": "The worker's role; tier and cost follow from it.",
        },
        "mode": {"type": "string", "enum": list(MODES), "description": "Default read-only. An auditor is never more."},
        "budget": {
            "type": "object",
            "description": "A snapshot of the window's spending, in compute units (CU).",
            "properties": {
                "usedCU": {**_CU, "description": "Already spent in the window."},
                "capacityCU": {"type": "number", "exclusiveMinimum": 0, "description": "The window's capacity."},
                "reservePct": {
                    "type": "number",
                    "minimum": 0,
                    "maximum": 100,
                    "description": "Share of the capacity held back, in percent.",
                },
                "judgmentUsedCU": {**_CU, "description": "Already spent by judgment seats. Default 0."},
                "judgmentAllowanceCU": {**_CU, "description": "What judgment seats may spend. Default 0: none."},
                "consecutiveFailures": {
                    "type": "integer",
                    "minimum": 0,
                    "description": "Failures in a row. Default 0.",
                },
                "failureThreshold": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "So many failures in a row open the circuit breaker. Default 3.",
                },
            },
            "required": ["usedCU", "capacityCU", "reservePct"],
            "additionalProperties": False,
        },
    },
    "required": ["role", "budget"],
    "additionalProperties": False,
}
OUTPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean", "description": "Whether the seat is admitted."},
        "role": {"type": "string"},
        "mode": {"type": "string"},
        "tier": {"type": "string"},
        "cu": {"type": "number", "description": "What the seat costs."},
        "agentShareCU": {"type": "number", "description": "capacityCU * (100 - reservePct) / 100."},
        "remainingCU": {
            "type": "number",
            "description": "agentShareCU - usedCU, before this seat; below 0 if overspent.",
        },
        "reasons": {
            "type": "array",
            "description": "Every reason for which the seat is refused.",
            "items": {
                "type": "object",
                "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
                "required": ["code", "message"],
            },
        },
    },
    "required": ["ok", "role", "mode", "tier", "cu", "agentShareCU", "remainingCU", "reasons"],
}


def route(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The seat's tier and cost, and every reason against it. The arguments satisfy INPUT_SCHEMA."""
    role, mode = arguments["role"], arguments.get("mode", "read-only")
    budget = arguments["budget"]
    with decimal.localcontext(_EXACT):
        seat = ROLES[role]
        used = values.decimal(budget["usedCU"])
        # "agent share = capacity * (100 - reservePct) / 100": a shift of the point, since a division could round
        share = (values.decimal(budget["capacityCU"]) * (100 - values.decimal(budget["reservePct"]))).scaleb(-2)
        reasons = [
            {"code": code, "message": message}
            for code, message in (
                *_mode_reasons(role, mode),
                *_share_reasons(seat.cu, used, share),
                *_judgment_reasons(seat, budget),
                *_breaker_reasons(budget),
            )
        ]
        return {
            "ok": not reasons,
            "role": role,
            "mode": mode,
            "tier": seat.tier,
            "cu": _json(seat.cu),
            "agentShareCU": _json(share),
            "remainingCU": _json(share - used),
            "reasons": reasons,
        }


Reasons = Iterator[tuple[str, str]]


def _mode_reasons(role: str, mode: str) -> Reasons:
    # "auditor is hard-locked to read-only": refused, since a downgrade would grant something that nobody asked for
    if role == "auditor" and mode != "read-only":
        yield "auditor_read_only", f"an auditor works read-only; ask for mode read-only instead of {mode}"


def _share_reasons(cost: Decimal, used: Decimal, share: Decimal) -> Reasons:
    if used + cost > share:
        yield (
            "reserve_floor",
            f"{_json(used)} CU used and {_json(cost)} CU for this seat exceed the agents' share of {_json(share)} CU",
        )


def _judgment_reasons(seat: Seat, budget: Mapping[str, Any]) -> Reasons:
    if seat.tier != "judgment":
        return
    used, allowance = (values.decimal(budget.get(key, 0)) for key in ("judgmentUsedCU", "judgmentAllowanceCU"))
    if used + seat.cu > allowance:
        yield (
            "judgment_allowance",
            f"{_json(used)} CU used and {_json(seat.cu)} CU for this seat exceed an allowance of {_json(allowance)} CU",
        )


def _breaker_reasons(budget: Mapping[str, Any]) -> Reasons:
    failures, threshold = int(budget.get("consecutiveFailures", 0)), int(budget.get("failureThreshold", 3))
    if failures >= threshold:
        yield (
            "circuit_open",
            f"{failures} failures in a row open the breaker at {threshold}; nothing is admitted until one succeeds",
        )


def _json(number: Decimal) -> int | float:
    integral = number == number.to_integral_value() and abs(number) <= _EXACT_FLOAT
    return int(number) if integral else float(number)
