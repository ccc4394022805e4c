"""The nouns: servers, tools, calls, what came back, what was decided, what was found.

Every class here is an immutable value. The enums' values are the words of the specification and of the files;
``str(x)`` of a member is that word.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

__all__ = [
    "AbortReason",
    "Dimension",
    "Disposition",
    "Effect",
    "Finding",
    "Manifest",
    "Match",
    "Method",
    "Outcome",
    "Reply",
    "Rules",
    "Safety",
    "Scenario",
    "ServerConfig",
    "Severity",
    "Step",
    "Tool",
    "ToolCall",
    "Transport",
    "Verdict",
    "canonical",
    "sha256",
]


def canonical(value: object) -> str:
    """The one JSON text of a value: sorted keys, no blanks, ASCII (lone surrogates stay escaped)."""
    return _CANONICAL(value)


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode  # made once: each call makes none


def sha256(value: object) -> str:
    """``sha256:<64 hex>`` of the canonical JSON of a value."""
    return "sha256:" + hashlib.sha256(canonical(value).encode()).hexdigest()


class Disposition(StrEnum):
    READ_ONLY = "read_only"
    SANDBOXED = "sandboxed"
    SKIP = "skip"


class Match(StrEnum):
    """How a sandboxed call's arguments are held against the test resources."""

    STRICT = "strict"
    LITERAL = "literal"


class Rules(StrEnum):
    """Which rules say whether a tool reads or mutates."""

    SPEC = "spec"
    EXTENDED = "extended"


class Verdict(StrEnum):
    READ = "read"
    MUTATING = "mutating"
    UNDETERMINED = "undetermined"


class Method(StrEnum):
    """What a counted call asks of a server."""

    CALL = "tools/call"
    READ_RESOURCE = "resources/read"
    GET_PROMPT = "prompts/get"
    COMPLETE = "completion/complete"


class Outcome(StrEnum):
    PENDING = "pending"
    OK = "ok"
    ERROR = "error"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    LOST = "lost"
    BLOCKED = "blocked"
    ABORTED = "aborted"
    UNKNOWN = "unknown"


class Effect(StrEnum):
    """What a call may have changed on the server's side."""

    NONE = "none"
    DONE = "done"
    UNKNOWN = "unknown"


class AbortReason(StrEnum):
    CALL_BUDGET = "call_budget"
    WALLCLOCK = "wallclock"
    SAFETY_ABORT = "safety_abort"


class Severity(StrEnum):
    """In the order of the headline, the worst first."""

    CRITICAL = "Critical"
    MAJOR = "Major"
    MINOR = "Minor"
    SUGGESTION = "Suggestion"


class Dimension(StrEnum):
    GLUE_CODE = "glue_code"
    REDUNDANT_CALLS = "redundant_calls"
    RESPONSE_SHAPE = "response_shape"
    PARAMETER_INFERENCE = "parameter_inference"
    CROSS_MCP = "cross_mcp"


class Transport(StrEnum):
    STDIO = "stdio"
    HTTP = "http"
    SSE = "sse"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """One attached server as a config file (or the command line) describes it, before any expansion.

    ``env``, ``headers`` and ``args`` may hold secrets: they are never written or printed (see ``redact``).
    """

    name: str
    source: str
    transport: Transport = Transport.STDIO
    command: str | None = None
    args: tuple[str, ...] = ()
    cwd: str | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    headers_helper: str | None = None
    line: int | None = None
    host_note: str | None = None

    @property
    def digest(self) -> str:
        """What consent to start this server is bound to: all that decides what runs, before expansion."""
        return sha256(
            {
                "command": self.command,
                "args": list(self.args),
                "cwd": self.cwd,
                "url": self.url,
                "headers": dict(self.headers),
                "headersHelper": self.headers_helper,
                "env": sorted(self.env),
            }
        )


@dataclass(frozen=True)  # no slots: its digest is kept
class Tool:
    """One tool as its server's manifest describes it. ``raw`` is the whole tool object, as it came."""

    name: str
    description: str = ""
    input_schema: Mapping[str, Any] = field(default_factory=dict)
    output_schema: Mapping[str, Any] | None = None
    annotations: Mapping[str, Any] = field(default_factory=dict)
    raw: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def digest(self) -> str:
        """Of the tool as it came. Every call of it asks whether this is still the same."""
        return sha256(self.raw)

    @classmethod
    def from_raw(cls, raw: Mapping[str, Any]) -> "Tool":
        """From a ``tools/list`` entry; fields of the wrong type count as absent. A nameless entry is refused.

        Raises ValueError if there is no name.
        """
        name = raw.get("name")
        if not isinstance(name, str) or not name:
            raise ValueError("a tool without a name")

        def table(key: str) -> Mapping[str, Any] | None:
            value = raw.get(key)
            return value if isinstance(value, dict) else None

        description = raw.get("description")
        return cls(
            name=name,
            description=description if isinstance(description, str) else "",
            input_schema=table("inputSchema") or {},
            output_schema=table("outputSchema"),
            annotations=table("annotations") or {},
            raw=raw,
        )


@dataclass(frozen=True, slots=True)
class Manifest:
    """The tools that one server offered, pinned at discovery.

    ``limitation`` says why the list is empty or short, in words that hold no text of the server's.
    """

    server: str
    tools: tuple[Tool, ...] = ()
    limitation: str | None = None
    notes: tuple[str, ...] = ()
    protocol: str | None = None

    @property
    def digest(self) -> str:
        return sha256([dict(tool.raw) for tool in self.tools])

    def get(self, tool: str) -> Tool | None:
        return next((known for known in self.tools if known.name == tool), None)


@dataclass(frozen=True, slots=True)
class Safety:
    """What the user decided about one server. ``marks`` maps a tool's name to the verdict the user gave it.

    ``network``: an isolated server may use it. ``pins`` binds a mark to the tool as it was when it was given (see
    ``marks``).
    """

    disposition: Disposition
    test_resources: tuple[str, ...] = ()
    notes: str = ""
    match: Match = Match.STRICT
    marks: Mapping[str, Verdict] = field(default_factory=dict)
    network: bool = False
    pins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Step:
    """One scripted call. ``tool`` is ``mcp__<server>__<tool>`` or a non-MCP tool such as ``Bash``."""

    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    save: Mapping[str, str] = field(default_factory=dict)
    expect: Mapping[str, Any] = field(default_factory=dict)
    justification: str | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """``source`` is ``user`` or ``derived``; ids are ``S1``, ``S2``, … in list order.

    ``entry`` is its 1-based place in the file that holds its steps; 0 if no file does.
    """

    id: str
    source: str
    description: str
    targets_mcps: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    entry: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call before the gate: raw names, raw arguments. ``mcp`` is None for a tool that is no MCP tool.

    ``label`` is the name that the transcript shows: ``mcp__<server>__<tool>``, or the tool's own. Where ``method`` is
    not that of a tool's call, ``tool`` is the method's own name.
    """

    mcp: str | None
    tool: str
    args: Mapping[str, Any] = field(default_factory=dict)
    justification: str | None = None
    join: str | None = None
    method: Method = Method.CALL


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a dispatched call.

    ``result`` is the MCP result object where there is one; ``error_code`` and ``error_text`` describe a JSON-RPC
    error or a local failure; ``size`` is the reply's length in bytes; ``schema_valid`` is None where not judged.
    """

    outcome: Outcome
    result: Mapping[str, Any] | None = None
    error_code: int | None = None
    error_text: str = ""
    size: int = 0
    duration_ms: int = 0
    schema_valid: bool | None = None

    @property
    def is_error(self) -> bool:
        return self.outcome is not Outcome.OK


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding, parsed from the critic's markdown. ``id`` is ``F1``, ``F2``, … in order of acceptance."""

    id: str
    severity: Severity
    dimension: Dimension
    summary: str
    mcp_name: str
    evidence_ids: tuple[str, ...]
    recommendation: str
