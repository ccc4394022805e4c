"""What derivation puts together: a scenario before it has an id, and its steps."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mcp_assay.core import inert
from mcp_assay.core.model import Step, Tool
from mcp_assay.core.naming import label

__all__ = ["NOTHING", "Draft", "Gap", "Kind", "name", "step", "steps"]

NOTHING = "zzqx-no-such-thing-7391"
"""A query that nothing anywhere matches, so that it has no result."""


class Kind(StrEnum):
    PAGINATION = "pagination"
    EMPTY_RESULT = "empty-result"
    HANDOFF = "handoff"


@dataclass(frozen=True, slots=True)
class Draft:
    """``description`` is one inert line; ``weak`` says why the signal for it is weak, if it is."""

    kind: Kind
    servers: tuple[str, ...]
    description: str
    steps: tuple[Step, ...]
    weak: str | None = None


@dataclass(frozen=True, slots=True)
class Gap:
    """Why nothing of a kind was derived for a server, as a phrase for a person."""

    server: str
    kind: Kind
    why: str


def name(server: str, tool: Tool) -> str:
    """A tool as a description names it: inert, and short."""
    return f"{inert.line(server, 40)}.{inert.line(tool.name, 60)}"


def step(server: str, tool: Tool, args: Mapping[str, Any] | None = None, save: Mapping[str, str] | None = None) -> Step:
    """A step that holds only what is known now; what else the tool requires is filled in when it runs."""
    return Step(label(server, tool.name), dict(args or {}), dict(save or {}))


def steps(server: str, *tools: Tool) -> tuple[Step, ...]:
    """Calls that come before another, without arguments of their own."""
    return tuple(step(server, tool) for tool in tools)
