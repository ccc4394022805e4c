"""fastmcp's client, in an environment of its own: the talk to have on stdin as JSON, what it was told on stdout."""

import asyncio
import json
import sys
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport, StreamableHttpTransport
from mcp import MCPError

LEGACY = "2025-11-25"
"""The one version that the client opens the handshake with."""


async def main(talk: dict[str, Any]) -> dict[str, Any]:
    if "url" in talk:
        server = StreamableHttpTransport(talk["url"])
    else:
        command, *args = talk["command"]
        server = StdioTransport(command, args, env=talk["env"], keep_alive=False)
    mode = "legacy" if talk["version"] == LEGACY else talk["version"]
    async with Client(server, mode=mode, timeout=talk["patience"]) as client:
        calls = [await client.call_tool(name, arguments, raise_on_error=False) for name, arguments in talk["calls"]]
        reads = [await client.read_resource(uri) for uri in talk["uris"]]
        try:
            await client.read_resource(talk["missing"])
        except MCPError as error:
            missing = error.code
        return {
            "version": client.protocol_version,
            "tools": [_plain(tool) for tool in await client.list_tools()],
            "resources": [_plain(resource) for resource in await client.list_resources()],
            "calls": [
                {
                    "content": [_plain(block) for block in call.content],
                    "isError": call.is_error,
                    **({} if call.structured_content is None else {"structuredContent": call.structured_content}),
                }
                for call in calls
            ],
            "reads": [{"contents": [_plain(content) for content in contents]} for contents in reads],
            "missing": missing,
        }


def _plain(model: Any) -> dict[str, Any]:
    plain: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return plain


json.dump(asyncio.run(main(json.load(sys.stdin))), sys.stdout)
