"""python -m benchmarks.friction.serve SERVER WORLD [KIND TOOL]...: a laboratory server over stdio, on the official SDK.

``WORLD`` is the seed of its data; ``KIND`` and ``TOOL`` plant that defect there.
"""

import asyncio
import sys
from collections.abc import Mapping
from random import Random
from typing import Any

import jsonschema
from benchmarks.friction.catalog import surface
from benchmarks.friction.surface import Surface, Tool, ToolError, World, said
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


def build(served: Surface, world: World) -> Server[Any]:
    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult.model_validate({"tools": [described(tool) for tool in served.tools.values()]})

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return types.CallToolResult.model_validate(answer(served, world, params.name, params.arguments or {}))

    return Server(
        served.name, on_list_tools=list_tools, on_call_tool=call_tool, instructions=served.instructions or None
    )


def described(tool: Tool) -> dict[str, Any]:
    """The tool as it is listed."""
    listed = {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
    if tool.output_schema is not None:
        listed["outputSchema"] = tool.output_schema
    if tool.annotations:
        listed["annotations"] = tool.annotations
    return listed


def answer(served: Surface, world: World, name: str, args: Mapping[str, Any]) -> dict[str, Any]:
    """The CallToolResult of one call."""
    tool = served.tools.get(name)
    if tool is None:
        return failed(f"There is no tool {name}.")
    if busy(world):
        return failed("Too many requests; try again in 50 milliseconds.")
    try:
        if tool.checks:
            check(tool, args)
        found = tool.run(world, args)
    except ToolError as why:
        return dict(tool.fail(str(why))) if tool.fail else failed(str(why))
    return dict(tool.render(found)) if tool.render else said(found)


def failed(why: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": why}], "isError": True}


def busy(world: World) -> bool:
    """Whether it is one of the few calls that come too fast; which, the world's seed says."""
    world["_left"] = world.get("_left", 0) - 1
    return bool(world["_left"] == 0)


def check(tool: Tool, args: Mapping[str, Any]) -> None:
    """Hold the arguments against the input schema. Raises ToolError naming the parameter and what it takes."""
    for bad in jsonschema.Draft202012Validator(tool.input_schema).iter_errors(dict(args)):
        where = ".".join(str(part) for part in bad.absolute_path)
        raise ToolError(f"Invalid arguments: {where + ': ' if where else ''}{bad.message}.")


async def main(name: str, world: str, *defect: str) -> None:
    served, rng = surface(name, *defect), Random(int(world))
    made = served.world(rng)
    made["_left"] = rng.randint(1, 400)
    server = build(served, made)
    async with stdio_server() as (reading, writing):
        await server.run(reading, writing, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
