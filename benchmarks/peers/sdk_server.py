"""The smallest server that the official SDK can make: one tool, over stdio, or ``--http PORT`` stateless with JSON."""

import asyncio
import sys
from typing import Any

import uvicorn
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

RESULT = types.CallToolResult(
    content=[types.TextContent(type="text", text='{"ok":true}')], structured_content={"ok": True}
)
TOOL = types.Tool(name="route_agent_seat", input_schema={"type": "object"})


async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[TOOL])


async def call_tool(_context: Any, _params: Any) -> types.CallToolResult:
    return RESULT


SERVER: Server[Any] = Server("smallest", on_list_tools=list_tools, on_call_tool=call_tool)


async def serve() -> None:
    async with stdio_server() as (incoming, outgoing):
        await SERVER.run(incoming, outgoing, SERVER.create_initialization_options())


if __name__ == "__main__":
    if sys.argv[1:2] == ["--http"]:
        app = SERVER.streamable_http_app(json_response=True, stateless_http=True)
        uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="critical")
    else:
        asyncio.run(serve())
