"""A transcript's lines as calls, read without trusting their form.

A transcript can come from our own gate, from hooks, or from a file that somebody else wrote. So every reader here is
total: a missing or odd field counts as unknown, and what is unknown proves nothing.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from mcp_assay.core import naming
from mcp_assay.core.citations import NEUTRAL_TOOLS
from mcp_assay.core.model import Outcome, Verdict

__all__ = ["Argument", "Call", "Result", "call_of"]

# "Each token must match the transcript id shape ^S\d+-\d+$"; an entry with another id cannot be cited.
_ID = re.compile(r"S[0-9]+-[0-9]+")
_MOST = 2**53
"""Larger sizes and durations are no measurements, and their decimal text may be refused."""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument's provenance. ``source`` is an earlier call's id or empty; ``at`` is the path in its result.

    A paging number is shown and has a ``value``; any other has a ``digest``.

    ``unexplained``: the value is telling, and neither the scenario, nor a result, nor the schema had it; ``low``: it is
    too common to say where it came from. ``listed``: the schema names it. Of a longer text that holds values of
    results, ``values`` is how many, and ``also`` has the other calls that returned some of them.
    """

    path: str
    type: str = ""
    digest: str = ""
    value: int | None = None
    source: str = ""
    at: str = ""
    via: str = ""
    unexplained: bool = False
    low: bool = False
    listed: bool = False
    values: int = 0
    also: tuple[str, ...] = ()

    @property
    def known(self) -> bool:
        """Whether the caller had the value from the scenario or from an earlier call."""
        return bool(self.source) or not (self.unexplained or self.low or self.listed)


@dataclass(frozen=True, slots=True)
class Result:
    """What came back, in sizes and yes/no; None is unknown.

    ``wraps``: the structured content is one member that only repeats the text. ``identified``: it says by what name the
    thing can be asked for again; ``echoes``: it repeats what the call had given. ``cause``: an error says why;
    ``about``: the parameters that it names.
    """

    bytes: int = 0
    tokens: int = 0
    content: tuple[str, ...] = ()
    structured: bool | None = None
    schema_valid: bool | None = None
    text_is_json: bool | None = None
    wraps: bool | None = None
    items: int | None = None
    total: int | None = None
    at_limit: bool | None = None
    next_cursor: bool | None = None
    identified: bool | None = None
    echoes: bool | None = None
    error_in_success: bool | None = None
    cause: bool | None = None
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """One transcript line. ``server`` and ``tool`` are raw names; ``server`` is empty for a non-MCP tool.

    ``bare``: the line has the specification's fields and none of ours, so next to nothing about it is known.
    """

    index: int
    id: str
    scenario: str
    server: str
    tool: str
    synthetic: bool = False
    bare: bool = False
    ts: str = ""
    justification: str = ""
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
    def served(self) -> bool:
        """Whether it gave what was asked for: no error, and none that poses as a success."""
        return self.ok and self.result.error_in_success is not True

    @property
    def completed(self) -> bool:
        """Whether the server answered, be it with an error."""
        return self.outcome in (Outcome.OK, Outcome.ERROR)

    @property
    def is_read(self) -> bool:
        return self.verdict == Verdict.READ

    @property
    def is_outside(self) -> bool:
        """Whether this was work done by a tool that is no MCP tool."""
        return not self.server and not self.synthetic

    @property
    def started(self) -> float | None:
        """Seconds since the epoch, UTC where the line names no zone; None where it gives no time."""
        try:
            time = datetime.fromisoformat(self.ts)
        except ValueError:
            return None
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def call_of(index: int, entry: object, attached: Sequence[str]) -> Call | None:
    """The call that a parsed line records; None if it cannot be cited, or attributed to one of the attached servers."""
    line = _table(entry)
    ident, label, assay = _text(line.get("id")), _text(line.get("tool")), _table(line.get("assay"))
    if not _ID.fullmatch(ident) or not label:
        return None
    server, tool = _names(label, assay, attached)
    if naming.is_mcp(label) and not server:
        return None
    result, shape = _table(assay.get("result")), line.get("result_shape")
    return Call(
        index=index,
        id=ident,
        scenario=_text(line.get("scenario_id")) or ident.partition("-")[0],
        server=server,
        tool=tool,
        synthetic=label in NEUTRAL_TOOLS,
        bare=not assay,
        ts=_text(line.get("ts")),
        justification=_text(line.get("justification")),
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
    # Too common a value to judge: that it also stood in a result, or in none, proves nothing.
    low, also = value.get("entropy") == "low", value.get("also")
    source = "" if low else _text(value.get("source"))
    return Argument(
        path=path,
        type=_text(value.get("type")),
        digest=_text(value.get("digest")),
        value=_count(value.get("value")),
        source=source if _ID.fullmatch(source) else "",
        at=_text(value.get("at")),
        via=_text(value.get("via")),
        unexplained=source == "none",
        low=low,
        listed=source in ("schema", "default"),
        values=_count(value.get("values")) or 0,
        also=tuple(filter(_ID.fullmatch, map(_text, also))) if isinstance(also, list) else (),
    )


def _result(value: Mapping[str, Any]) -> Result:
    content, about = value.get("content"), value.get("about")
    return Result(
        bytes=_count(value.get("bytes")) or 0,
        tokens=_count(value.get("est_tokens")) or 0,
        content=tuple(kind for kind in content if isinstance(kind, str)) if isinstance(content, list) else (),
        structured=_flag(value.get("structured")),
        schema_valid=_flag(value.get("schema_valid")),
        text_is_json=_flag(value.get("text_is_json")),
        wraps=_flag(value.get("wraps")),
        items=_count(value.get("items")),
        total=_count(value.get("total")),
        at_limit=_flag(value.get("at_limit")),
        next_cursor=_flag(value.get("next_cursor")),
        identified=_flag(value.get("identified")),
        echoes=_flag(value.get("echoes")),
        error_in_success=_flag(value.get("error_in_success")),
        cause=_flag(value.get("cause")),
        about=tuple(filter(None, map(_text, about))) if isinstance(about, list) else (),
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
