"""The official Python SDK's client: the talk to have on stdin as JSON, what it was told on stdout."""

import asyncio
import json
import sys
from typing import Any

from mcp import Client, MCPError, StdioServerParameters, stdio_client

LEGACY = "2025-11-25"
"""The one version that the client opens the handshake with."""


async def main(talk: dict[str, Any]) -> dict[str, Any]:
    if "url" in talk:
        server = talk["url"]
    else:
        command, *args = talk["command"]
        server = stdio_client(StdioServerParameters(command=command, args=args, env=talk["env"]))
    mode = "legacy" if talk["version"] == LEGACY else talk["version"]
    async with Client(server, mode=mode, read_timeout_seconds=talk["patience"]) as client:
        calls = [await client.call_tool(name, arguments) for name, arguments in talk["calls"]]
        reads = [await client.read_resource(uri) for uri in talk["uris"]]
        try:
            await client.read_resource(talk["missing"])
        except MCPError as error:
            missing = error.code
        return {
            "version": client.protocol_version,
            "tools": [_plain(tool) for tool in (await client.list_tools()).tools],
            "resources": [_plain(resource) for resource in (await client.list_resources()).resources],
            "calls": [_plain(call) for call in calls],
            "reads": [_plain(read) for read in reads],
            "missing": missing,
        }


def _plain(model: Any) -> dict[str, Any]:
    plain: dict[str, Any] = model.model_dump(mode="json", by_alias=True, exclude_none=True)
    return plain


json.dump(asyncio.run(main(json.load(sys.stdin))), sys.stdout)
