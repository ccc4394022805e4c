"""The registry of the three tools, and the one path by which server, native eval and Promptfoo call them."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mcp_assay.policy import contracts, dossier, schema, seats
from mcp_assay.policy.compiled import compiled
from mcp_assay.policy.faults import InvalidArguments, UnknownTool

__all__ = ["TOOLS", "InvalidArguments", "ToolDef", "UnknownTool", "call_tool"]


class ToolDef(NamedTuple):  # a dataclass would cost the server a quarter of its start
    """A tool as MCP lists it. ``run`` takes arguments that satisfy ``input_schema``."""

    name: str
    title: str
    description: str
    input_schema: dict[str, Any]
    output_schema: dict[str, Any]
    annotations: dict[str, Any]
    run: Callable[[Mapping[str, Any]], dict[str, Any]]


# Same input, same output, and nothing outside is touched.
_PURE = {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True, "openWorldHint": False}


def _register(tool: ToolDef) -> ToolDef:
    # "Any keyword outside that subset throws at registration instead of being ignored."
    faults = [
        *schema.faults(tool.input_schema, f"{tool.name} input"),
        *schema.faults(tool.output_schema, f"{tool.name} output"),
    ]
    if faults:
        raise ValueError("; ".join(faults))
    return tool


TOOLS: tuple[ToolDef, ...] = (
    _register(
        ToolDef(
            "route_agent_seat",
            "Route an agent seat",
            "Routes a worker role to a cost tier, then admits or refuses its planned spend against a budget snapshot. "
            "A refusal is a result with ok false and every reason.",
            seats.INPUT_SCHEMA,
            seats.OUTPUT_SCHEMA,
            _PURE,
            seats.route,
        )
    ),
    _register(
        ToolDef(
            "evaluate_agent_response",
            "Evaluate an agent response",
            "Checks one response against a contract: anchor line, JSON block against a schema, forbidden claims, cited "
            "source lines. Each check is pass, fail or skipped, with why.",
            contracts.INPUT_SCHEMA,
            contracts.OUTPUT_SCHEMA,
            _PURE,
            contracts.evaluate,
        )
    ),
    _register(
        ToolDef(
            "dedup_and_lint_dossier",
            "Deduplicate and lint a dossier",
            "Makes URLs canonical and finds duplicates; lints a Markdown dossier for its sections, sources, bare URLs "
            "and placeholders. Give urls, markdown, or both.",
            dossier.INPUT_SCHEMA,
            dossier.OUTPUT_SCHEMA,
            _PURE,
            dossier.examine,
        )
    ),
)
_BY_NAME = {tool.name: tool for tool in TOOLS}
_TESTS = {tool.name: compiled(tool.input_schema) for tool in TOOLS}


def call_tool(name: str, arguments: object) -> dict[str, Any]:
    """The tool's structured result. Pure: the same arguments give the same result.

    Raises UnknownTool, or InvalidArguments with every problem of arguments that break the input schema.
    """
    tool = _BY_NAME.get(name)
    if tool is None:
        raise UnknownTool(f"no tool {name}; there are {', '.join(_BY_NAME)}")
    if not _fits(name, arguments) and (problems := schema.problems(tool.input_schema, arguments, "arguments")):
        raise InvalidArguments(problems)
    return tool.run(arguments)  # type: ignore[arg-type]  # the schema says that it is an object


def _fits(name: str, arguments: object) -> bool:
    try:
        return _TESTS[name](arguments)
    except RecursionError:
        return False
