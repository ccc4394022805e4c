"""Which tools of a server can be called at all, and what has to be called before.

A required parameter is supplied by its schema, by a test resource, or by an earlier result: ``get_issue`` needs the
number of an issue, so ``list_issues`` comes first. A tool with a parameter that nothing supplies cannot be driven.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_assay.core import inert
from mcp_assay.core.addressing import noun
from mcp_assay.core.entities import lists, looks, nouns, subject
from mcp_assay.core.fill import fill
from mcp_assay.core.model import Tool
from mcp_assay.core.parameters import Parameter, parameters
from mcp_assay.core.sample import identifies

__all__ = ["Chain", "Supply"]

_LONGEST = 3  # calls that come before
_WAYS = 3  # kept for one entity

Way = tuple[Tool, ...]
"""Calls in order, of which the last returns what is wanted."""


@dataclass(frozen=True, slots=True)
class Chain:
    """``before`` are the tools to call first, in order; ``missing`` is the parameter that nothing supplies, or None."""

    before: tuple[Tool, ...] = ()
    missing: str | None = None

    @property
    def why(self) -> str:
        """Why the tool cannot be driven, in words."""
        return f"nothing here supplies `{inert.line(self.missing or '', 60)}`"


class Supply:
    """The tools of one server that may be called, as suppliers of each other's parameters."""

    def __init__(self, server: str, tools: Iterable[Tool], resources: Sequence[str] = ()) -> None:
        self._server, self._resources = server, tuple(resources)
        self._ways: dict[str, list[Way]] = {}
        self._learn([tool for tool in tools if lists(tool, server)])

    def chain(self, tool: Tool, given: Mapping[str, Any] | None = None) -> Chain:
        """What comes before a call of this tool with these arguments."""
        args = given or {}
        missing = fill(self._server, tool, args, resources=self._resources).missing
        before: dict[str, Tool] = {}
        for parameter in parameters(tool):
            name = parameter.name
            if name in args or not (name in missing or _prefers_seen(parameter)):
                continue
            way = self._way(parameter, tool)
            if way is not None:
                before |= {earlier.name: earlier for earlier in way}
            elif name in missing:
                return Chain(missing=name)
        return Chain(tuple(before.values()))

    def _learn(self, listing: list[Tool]) -> None:
        """Find the ways to each entity, the short ones first: each round builds on those that are known by then."""
        for _ in range(_LONGEST):
            chains = [(tool, self.chain(tool)) for tool in listing]
            able = [(tool, chain) for tool, chain in chains if chain.missing is None]
            for tool, chain in able:
                for entity in nouns(tool, self._server):
                    ways = self._ways.setdefault(entity, [])
                    if len(ways) < _WAYS:
                        ways.append((*chain.before, tool))
            if not able:
                return
            known = {tool.name for tool, _ in able}
            listing = [tool for tool in listing if tool.name not in known]

    def _way(self, parameter: Parameter, tool: Tool) -> Way | None:
        """The shortest way to a result that names what the parameter asks for. A tool does not supply itself."""
        ways = [way for entity in self._entities(parameter, tool) for way in self._ways.get(entity, ())]
        return min((way for way in ways if all(step.name != tool.name for step in way)), key=len, default=None)

    def _entities(self, parameter: Parameter, tool: Tool) -> list[str]:
        spoken = subject(parameter.name)
        entities = list(spoken.entity[-1:])
        if not entities and spoken.identifier:
            entities = sorted(nouns(tool, self._server))
        if noun([parameter.name]).owns:
            entities.append("repo")  # whoever lists repositories says whose they are
        if spoken.identifier == "path" and looks(tool, self._server):
            entities.append("dir")  # files lie in folders
        return entities


def _prefers_seen(parameter: Parameter) -> bool:
    """An identifier that the schema only shows an example of is better taken from a result."""
    return parameter.required and identifies(parameter) and "examples" in parameter.schema
