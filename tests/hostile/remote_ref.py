"""Offers a tool whose schemas refer to documents elsewhere: the address is the first argument."""

import sys

from peer import LOOK, listed, reply, serve

SCHEMA = {
    "type": "object",
    "$ref": sys.argv[1],
    "properties": {"a": {"$ref": sys.argv[1]}, "b": {"$ref": "file:///etc/passwd"}},
    "$schema": sys.argv[1],
}

serve(
    call=lambda asked: reply(asked, content=[], structuredContent={"a": 1}),
    tools=listed({**LOOK, "inputSchema": SCHEMA, "outputSchema": SCHEMA}),
)
