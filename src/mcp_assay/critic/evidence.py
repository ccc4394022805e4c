"""What a critic may rest on: the transcript's lines, read without trusting their form.

A transcript can come from our own gate, from hooks, or from a file that somebody else wrote. So every reader here is
total: a missing or odd field counts as unknown, and what is unknown proves nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import cached_property
from typing import Any

from mcp_assay.core import naming
from mcp_assay.core.citations import NEUTRAL_TOOLS
from mcp_assay.core.model import Manifest, Outcome, Tool, Verdict

__all__ = ["Argument", "Call", "Driver", "Evidence", "Result"]

# "Each token must match the transcript id shape ^S\d+-\d+$"; an entry with another id cannot be cited.
_ID = re.compile(r"S[0-9]+-[0-9]+")
_MOST = 2**53
"""Larger sizes and durations are no measurements, and their decimal text may be refused."""


class Driver(StrEnum):
    """Who chose the calls, as far as it matters to a judge."""

    SCRIPT = "script"  # the user wrote the sequence down
    EXPLORE = "explore"  # our own explorer chose
    AGENT = "agent"  # a model chose, whatever host it ran in
    OTHER = "other"  # unknown to us

    @classmethod
    def of(cls, name: str) -> "Driver":
        """From the state's driver name. A name that we do not know gets no benefit of the doubt: OTHER."""
        return _DRIVERS.get(name, cls.OTHER)


_DRIVERS: Mapping[str, Driver] = {
    "script": Driver.SCRIPT,
    "explore": Driver.EXPLORE,
    **dict.fromkeys(
        ("agent", "claude-code", "codex", "cursor", "gateway", "gemini", "hooks", "host", "import", "model"),
        Driver.AGENT,
    ),
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument's provenance. ``source`` is an earlier call's id or empty; ``at`` is the path in its result."""

    path: str
    type: str = ""
    digest: str = ""
    source: str = ""
    at: str = ""
    via: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What came back, in sizes and yes/no; None is unknown."""

    bytes: int = 0
    structured: bool | None = None
    schema_valid: bool | None = None
    text_is_json: bool | None = None
    items: int | None = None
    total: int | None = None
    at_limit: bool | None = None
    next_cursor: bool | None = None
    error_in_success: bool | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One transcript line. ``server`` and ``tool`` are raw names; ``server`` is empty for a non-MCP tool."""

    index: int
    id: str
    scenario: str
    server: str
    tool: str
    synthetic: bool = False
    ts: str = ""
    verdict: str = ""
    outcome: str = ""
    error_class: str = ""
    args_digest: str = ""
    result_digest: str = ""
    duration_ms: int = 0
    args: tuple[Argument, ...] = ()
    result: Result = Result()

    @property
    def ok(self) -> bool:
        return self.outcome == Outcome.OK

    @property
    def completed(self) -> bool:
        """Whether the server answered, be it with an error."""
        return self.outcome in (Outcome.OK, Outcome.ERROR)

    @property
    def is_read(self) -> bool:
        return self.verdict == Verdict.READ

    @property
    def started(self) -> float | None:
        """Seconds since the epoch, UTC where the line names no zone; None where it gives no time."""
        try:
            time = datetime.fromisoformat(self.ts)
        except ValueError:
            return None
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


@dataclass(frozen=True)  # not slotted: the cached properties below need somewhere to live
class Evidence:
    """All that the rules may look at. ``entries`` are parsed transcript lines in order; ``manifests`` may be absent."""

    entries: Sequence[Mapping[str, Any]]
    scenarios: Sequence[Mapping[str, Any]] = ()
    attached: Sequence[str] = ()
    manifests: Mapping[str, Manifest] | None = None
    driver: str = ""

    @cached_property
    def calls(self) -> tuple[Call, ...]:
        """The lines that can be cited and attributed, synthetic ones included, in order; of equal ids the first."""
        found: dict[str, Call] = {}
        for index, entry in enumerate(self.entries):
            call = _call(index, _table(entry), self.attached)
            if call is not None:
                found.setdefault(call.id, call)
        return tuple(found.values())

    @property
    def unreadable(self) -> int:
        """How many lines are no usable call: no id, an id used before, no tool, or a server that cannot be told."""
        return len(self.entries) - len(self.calls)

    @cached_property
    def mcp_calls(self) -> tuple[Call, ...]:
        return tuple(call for call in self.calls if call.server)

    @cached_property
    def _by_id(self) -> Mapping[str, Call]:
        return {call.id: call for call in self.calls}

    def source(self, call: Call, argument: Argument) -> Call | None:
        """The earlier call whose result held the argument's value, if the transcript has it."""
        found = self._by_id.get(argument.source)
        return found if found is not None and found.index < call.index else None

    def sourced(self, call: Call) -> Iterator[tuple[Argument, Call]]:
        """The arguments of a call that came from earlier calls, each with that call."""
        for argument in call.args:
            origin = self.source(call, argument)
            if origin is not None:
                yield argument, origin

    def described(self, call: Call) -> Tool | None:
        """The called tool as its server's pinned manifest has it, if there is one."""
        manifest = (self.manifests or {}).get(call.server)
        if manifest is None:
            return None
        folded = (tool for tool in manifest.tools if naming.fold(tool.name) == call.tool)
        return manifest.get(call.tool) or next(folded, None)


def _call(index: int, entry: Mapping[str, Any], attached: Sequence[str]) -> Call | None:
    ident, label, assay = _text(entry.get("id")), _text(entry.get("tool")), _table(entry.get("assay"))
    if not _ID.fullmatch(ident) or not label:
        return None
    server, tool = _names(label, assay, attached)
    if naming.is_mcp(label) and not server:
        return None
    result, shape = _table(assay.get("result")), entry.get("result_shape")
    return Call(
        index=index,
        id=ident,
        scenario=_text(entry.get("scenario_id")) or ident.partition("-")[0],
        server=server,
        tool=tool,
        synthetic=label in NEUTRAL_TOOLS,
        ts=_text(entry.get("ts")),
        verdict=_text(assay.get("verdict")),
        outcome=_text(assay.get("outcome")) or _shape_outcome(shape),
        error_class=_text(result.get("error_class")) or _shape_class(shape),
        args_digest=_text(assay.get("args_digest")),
        result_digest=_text(assay.get("result_digest")),
        duration_ms=_count(assay.get("duration_ms")) or 0,
        args=tuple(_argument(path, _table(value)) for path, value in _table(assay.get("args")).items()),
        result=_result(result),
    )


def _names(label: str, assay: Mapping[str, Any], attached: Sequence[str]) -> tuple[str, str]:
    """Raw server and tool: as the line gives them, else by the longest attached name that fits. ("", label) if none."""
    if not naming.is_mcp(label):
        return "", label
    server, tool = _text(assay.get("mcp")), _text(assay.get("tool"))
    if server in attached and tool:
        return server, tool
    return naming.split(label, attached) or ("", label)


def _argument(path: str, value: Mapping[str, Any]) -> Argument:
    # Too common a value to judge: that it also stood in a result proves nothing.
    source = "" if value.get("entropy") == "low" else _text(value.get("source"))
    return Argument(
        path=path,
        type=_text(value.get("type")),
        digest=_text(value.get("digest")),
        source=source if _ID.fullmatch(source) else "",
        at=_text(value.get("at")),
        via=_text(value.get("via")),
    )


def _result(value: Mapping[str, Any]) -> Result:
    return Result(
        bytes=_count(value.get("bytes")) or 0,
        structured=_flag(value.get("structured")),
        schema_valid=_flag(value.get("schema_valid")),
        text_is_json=_flag(value.get("text_is_json")),
        items=_count(value.get("items")),
        total=_count(value.get("total")),
        at_limit=_flag(value.get("at_limit")),
        next_cursor=_flag(value.get("next_cursor")),
        error_in_success=_flag(value.get("error_in_success")),
    )


def _shape_class(shape: object) -> str:
    # "If the call errored, set result_shape: "error:<class>"."
    return shape.removeprefix("error:") if isinstance(shape, str) and shape.startswith("error:") else ""


def _shape_outcome(shape: object) -> str:
    """What a line without our own fields says. "the file may contain an entry with result_shape: null": unknown."""
    if not isinstance(shape, str):
        return Outcome.UNKNOWN
    return Outcome.ERROR if shape.startswith("error:") else Outcome.OK


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _flag(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _count(value: object) -> int | None:
    return value if type(value) is int and 0 <= value <= _MOST else None


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
