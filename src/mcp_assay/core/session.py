"""The evaluation's state: the status table, its transitions, and the codec of ``state.json``.

The table below is the whole truth about which phase may follow which; the diagram in the docs is drawn from it.
"""

import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import Any

from mcp_assay.core.model import canonical
from mcp_assay.errors import StoreError

__all__ = ["TRANSITIONS", "State", "Status", "mac"]


class Status(StrEnum):
    DISCOVERING = "discovering"
    INTERVIEWING = "interviewing"
    SCOPING = "scoping"
    SCOPED = "scoped"
    EXECUTING = "executing"
    CRITIQUING = "critiquing"
    CRITIC_FAILED = "critic_failed"
    REPORTING = "reporting"
    COMPLETE = "complete"


TRANSITIONS: Mapping[Status, frozenset[Status]] = {
    # "If all discovery yields zero entries, … write status: "complete" with an empty attached_mcps[]."
    Status.DISCOVERING: frozenset({Status.INTERVIEWING, Status.COMPLETE}),
    # An interview that is resumed lists the servers anew: what it asked about may have changed since.
    Status.INTERVIEWING: frozenset({Status.SCOPING, Status.DISCOVERING}),
    Status.SCOPING: frozenset({Status.SCOPED, Status.DISCOVERING}),
    Status.SCOPED: frozenset({Status.EXECUTING}),
    Status.EXECUTING: frozenset({Status.CRITIQUING}),
    Status.CRITIQUING: frozenset({Status.REPORTING, Status.CRITIC_FAILED}),
    # "The user can inspect critic-output.md and rerun Phase 5"
    Status.CRITIC_FAILED: frozenset({Status.CRITIQUING}),
    # A critique may be run again on what was already judged; each parse replaces all parsed fields.
    Status.REPORTING: frozenset({Status.COMPLETE, Status.CRITIQUING}),
    Status.COMPLETE: frozenset({Status.CRITIQUING}),
}


@dataclass(slots=True)
class State:
    """``state.json``, field for field and in the specification's order; ours is all in ``assay``.

    Timestamps are ISO 8601 in UTC. The lists hold plain JSON objects of the specification's shapes.
    """

    eval_name: str
    started: str
    last_updated: str
    session_started: str | None = None
    session_ended: str | None = None
    status: Status = Status.DISCOVERING
    config: dict[str, Any] = field(
        default_factory=lambda: {
            "call_budget_per_scenario": 20,
            "wallclock_budget_minutes": 15,
            "scenarios_file": None,
        }
    )
    attached_mcps: list[dict[str, Any]] = field(default_factory=list)
    filtered_mcps: list[dict[str, Any]] = field(default_factory=list)
    safety_dispositions: list[dict[str, Any]] = field(default_factory=list)
    scenarios: list[dict[str, Any]] = field(default_factory=list)
    execution: list[dict[str, Any]] = field(default_factory=list)
    critic_findings: list[dict[str, Any]] = field(default_factory=list)
    critic_findings_dropped: int = 0
    critic_findings_dropped_raw: list[str] = field(default_factory=list)
    unmapped_mcp_names: list[str] = field(default_factory=list)
    critic_summary: str = ""
    missing_critic_summary: bool = False
    critic_failure_path: str | None = None
    dangling_citations: list[dict[str, Any]] = field(default_factory=list)
    report_path: str | None = None
    assay: dict[str, Any] = field(default_factory=dict)

    def advance(self, status: Status, now: str) -> None:
        """Move to the next status. Raises StoreError, leaving the state untouched, if the table has no such move."""
        if status not in TRANSITIONS[self.status]:
            raise StoreError(f"{self.eval_name}: cannot go from {self.status} to {status}")
        self.status, self.last_updated = status, now

    def to_json(self) -> dict[str, Any]:
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @classmethod
    def from_json(cls, value: object, source: str) -> "State":
        """Read what ``to_json`` wrote. Raises StoreError naming the file and the field that is missing or wrong.

        "Validate: must be valid JSON with a status field." Fields unknown to us are refused too: a state that we
        cannot read whole must not be written back without them.
        """
        if not isinstance(value, dict) or "status" not in value:
            raise StoreError(f"{source}: not an evaluation's state (no status field); move it away to start anew")
        known = [item.name for item in fields(cls)]
        for key in value:
            if key not in known:
                raise StoreError(f"{source}: unknown field {key!r}")
        for key in ("eval_name", "started", "last_updated"):
            if not isinstance(value.get(key), str):
                raise StoreError(f"{source}: {key} is missing or not a string")
        try:
            status = Status(value["status"])
        except ValueError:
            raise StoreError(f"{source}: unknown status {value['status']!r}") from None
        state = cls(**{**value, "status": status})
        wrong = next(_wrong(state), None)
        if wrong is not None:
            raise StoreError(f"{source}: {wrong} is missing or has the wrong type")
        return state


_TEXTS = frozenset({"critic_findings_dropped_raw", "unmapped_mcp_names"})
_CONFIG: Mapping[str, tuple[type, ...]] = {
    "call_budget_per_scenario": (int,),
    "wallclock_budget_minutes": (int, float),
    "scenarios_file": (str, type(None)),
}


def _wrong(state: State) -> Iterator[str]:
    """The names of fields, and of keys of the config, whose value has a type that their readers do not expect."""
    blank = State("", "", "", status=state.status)
    for item in fields(State):
        value = getattr(state, item.name)
        if not _alike(getattr(blank, item.name), value) or not _holds(item.name, value):
            yield item.name
    for key, types in _CONFIG.items():
        if type(state.config.get(key)) not in types:
            yield f"config.{key}"


def _alike(default: object, value: object) -> bool:
    """Whether a value has the type of the field's default; a field that may be null is null or a string."""
    return value is None or isinstance(value, str) if default is None else type(value) is type(default)


def _holds(name: str, value: object) -> bool:
    """Whether a list holds what its readers expect in it: texts or objects."""
    kind = str if name in _TEXTS else dict
    return not isinstance(value, list) or all(isinstance(item, kind) for item in value)


def mac(key: bytes, state: State) -> str:
    """The keyed digest over the whole state but for the digest itself: what a cloned folder cannot forge."""
    body = state.to_json()
    body["assay"] = {name: value for name, value in state.assay.items() if name != "mac"}
    return hmac.digest(key, canonical(body).encode(), "sha256").hex()
