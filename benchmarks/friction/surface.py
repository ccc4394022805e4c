"""What a laboratory server is: a world of seeded data, and tools over it that say what they are for.

A server is written once, in its clean form: what a careful author would ship. A mutator takes a surface and returns
one with exactly one defect. Neither knows a rule of the critic.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

__all__ = ["Kind", "Render", "Role", "Surface", "Tool", "ToolError", "World", "named", "said"]

World = dict[str, Any]
"""A server's data, made anew for each trajectory from a seed."""


def said(found: Mapping[str, Any]) -> dict[str, Any]:
    """A clean result: structured content, and the same as text, as the protocol recommends."""
    return {"content": [{"type": "text", "text": json.dumps(found)}], "structuredContent": dict(found)}


class ToolError(Exception):
    """What the tool tells the caller: an ``isError`` result with this text, whole."""


class Kind:
    """What a tool does, as far as trajectories and mutators have to know it."""

    LIST = "list"  # some of an entity, filtered and paged
    SEARCH = "search"  # some of an entity, by words
    GET = "get"  # one of them (or several, where ``batch`` names the parameter) by its identifier
    CREATE = "create"
    SUMMARY = "summary"  # a figure over an entity: count, sum, aggregate
    START = "start"  # begins a job and returns its identifier
    STATUS = "status"  # of a job
    PART = "part"  # a part of what a GET leaves out


@dataclass(frozen=True)
class Role:
    """What a tool is for. Names are those of the clean form's parameters and result members; "" is: it has none.

    ``items`` is the member that holds the list; ``id`` the identifier's member in an item or result, and ``id_param``
    the parameter that takes it; ``batch`` the parameter that takes several; ``cursor`` the member of a page that leads
    on, and ``cursor_param`` the parameter that takes it; ``limit`` the page size's parameter; ``filters`` map a
    parameter to the member of an item that it is held against, and ``lookups`` those that find one by a natural key;
    ``over`` are the members that a SEARCH looks through; ``shared`` maps a result's member to what other servers know
    it as (login, project, commit); ``dates`` and ``enums`` name parameters of that kind.
    """

    kind: str
    entity: str
    items: str = ""
    id: str = ""
    id_param: str = ""
    batch: str = ""
    cursor: str = ""
    cursor_param: str = ""
    limit: str = ""
    filters: Mapping[str, str] = field(default_factory=dict)
    lookups: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)
    over: tuple[str, ...] = ()
    wait: str = ""  # the parameter of a STATUS tool by which it waits for the end
    dates: tuple[str, ...] = ()
    enums: tuple[str, ...] = ()


Render = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""From the object that ``run`` returned to a CallToolResult as JSON: content, structuredContent, isError."""


@dataclass(frozen=True)
class Tool:
    """``run`` takes the world and the arguments, defaults not filled in; it returns a JSON object or raises ToolError.

    Arguments are held against ``input_schema`` first, if ``checks``; the refusal names the parameter and what it takes.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None
    run: Callable[[World, Mapping[str, Any]], Mapping[str, Any]]
    role: Role
    render: Render | None = None  # None: ``said``
    fail: Callable[[str], Mapping[str, Any]] | None = None  # from a ToolError's text to a CallToolResult
    annotations: Mapping[str, Any] = field(default_factory=dict)
    checks: bool = True


@dataclass(frozen=True)
class Surface:
    name: str
    tools: Mapping[str, Tool]
    world: Callable[[Random], World]
    resources: tuple[str, ...] = ()  # what may be changed: the server is sandboxed to these, or read_only if none
    instructions: str = ""

    def of(self, kind: str, entity: str) -> Tool | None:
        """The tool that does this, if there is one."""
        found = (tool for tool in self.tools.values() if (tool.role.kind, tool.role.entity) == (kind, entity))
        return next(found, None)

    def with_tool(self, old: str, new: Tool) -> "Surface":
        """With ``new`` in the place of the tool named ``old``."""
        changed = (new if each == old else tool for each, tool in self.tools.items())
        return replace(self, tools={tool.name: tool for tool in changed})

    def without(self, name: str) -> "Surface":
        return replace(self, tools={each: tool for each, tool in self.tools.items() if each != name})


def named(*tools: Tool) -> dict[str, Tool]:
    """A surface's tools by their names."""
    return {tool.name: tool for tool in tools}
