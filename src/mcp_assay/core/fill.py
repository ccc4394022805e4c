"""Arguments for a tool: what is given, and for each other required parameter the best value that is at hand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_assay.core.harvest import Harvest
from mcp_assay.core.model import Tool
from mcp_assay.core.parameters import Parameter, parameters
from mcp_assay.core.resources import from_resources
from mcp_assay.core.sample import identifies, is_query, samples

__all__ = ["Filled", "fill"]


@dataclass(frozen=True, slots=True)
class Filled:
    """The arguments, and the names of required parameters for which nothing had a value."""

    args: Mapping[str, Any]
    missing: tuple[str, ...] = ()


def fill(
    server: str,
    tool: Tool,
    given: Mapping[str, Any],
    *,
    resources: Sequence[str] = (),
    harvest: Harvest | None = None,
) -> Filled:
    """Complete the given arguments. Only required parameters are filled in, and those that a test resource is for.

    ``harvest`` is that of the tool's own server.
    """
    args, missing = dict(given), []
    for parameter in parameters(tool):
        if parameter.name in args:
            continue
        covered = from_resources(parameter, tool, server, resources)
        at_hand = _at_hand(parameter, tool, harvest) if parameter.required else ()
        value = _first([covered, at_hand])
        if value is not _NOTHING:
            args[parameter.name] = value
        elif parameter.required:
            missing.append(parameter.name)
    return Filled(args, tuple(missing))


_NOTHING = object()


def _first(sources: Iterable[Iterable[Any]]) -> Any:
    return next((value for source in sources for value in source), _NOTHING)


def _at_hand(parameter: Parameter, tool: Tool, harvest: Harvest | None) -> Iterator[Any]:
    """An identifier is best taken from a result, where it is sure to be there; anything else from the schema."""
    if harvest is not None and is_query(parameter):
        yield from harvest.names(parameter)
    is_chosen = "enum" in parameter.schema or "const" in parameter.schema
    seen = iter(()) if harvest is None or is_chosen else harvest.candidates(parameter, tool)
    sources = (seen, samples(parameter)) if identifies(parameter) else (samples(parameter), seen)
    for source in sources:
        yield from source
