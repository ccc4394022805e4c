"""A server made with the official SDK, over HTTP at /mcp and over SSE at /sse. Prints the port that it chose.

With the word ``json`` it answers over HTTP with JSON, else with event streams.
"""

import asyncio
import socket
import sys
from typing import Annotated, Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel, Field
from starlette.applications import Starlette

server = MCPServer("sdk")
cut_off: list[str] = []


@server.tool()
def read_echo(text: str) -> dict[str, str]:
    """Gives back what it is given."""
    return {"text": text}


@server.tool()
def read_headers(ctx: Context) -> dict[str, str]:
    """The headers of the request."""
    return dict(ctx.request_context.request.headers) if ctx.request_context.request else {}


@server.tool()
def read_error() -> str:
    """Fails."""
    raise ValueError("no such thing")


@server.tool()
async def read_slowly() -> str:
    """Takes its time."""
    try:
        await asyncio.sleep(20)
    except asyncio.CancelledError:
        cut_off.append("cancelled")
        raise
    return "late"


@server.tool()
def read_cut_off() -> list[str]:
    """Which calls of read_slowly were cancelled."""
    return list(cut_off)


@server.tool()
async def add_tool(ctx: Context) -> str:
    """Adds a tool and says so."""
    server.add_tool(lambda: "new", name="read_news")
    await ctx.session.send_tool_list_changed()
    return "added"


@server.tool()
async def ask_client(ctx: Context) -> dict[str, Any]:
    """Asks the client for what it does not offer."""
    try:
        await ctx.session.list_roots()
    except Exception as bad:  # noqa: BLE001 - whatever comes back is what the test wants to know
        return {"answer": str(bad)}
    return {"answer": "roots"}


class Choice(BaseModel):
    """What ``read_choice`` asks for."""

    city: str


@server.tool()
async def read_choice(ctx: Context) -> str:
    """Asks a person."""
    return str(await ctx.elicit("Which city?", Choice))


@server.tool()
def read_region(region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})]) -> str:
    """In the stateless era its argument must be in a header as well."""
    return region


@server.tool()
async def read_steps(ctx: Context) -> str:
    """Says how far it is."""
    for step in (1, 2):
        await ctx.report_progress(step, 2)
    return "done"


def main() -> None:
    app: Starlette = server.streamable_http_app(json_response="json" in sys.argv)
    app.routes.extend(server.sse_app().routes)
    listener = socket.create_server(("127.0.0.1", 0))
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(app, log_level="critical")).run(sockets=[listener])


main()
