"""Offers a tool whose schemas hold a pattern that takes for ever, and answers with a text that it takes for ever on."""

from peer import LOOK, listed, reply, serve

SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string", "pattern": "^(a+)+$", "default": "a" * 40 + "!"}},
    "patternProperties": {"^(a|aa)+$": {"type": "string"}},
    "propertyNames": {"pattern": "^(a*)*$"},
    "additionalProperties": False,
    "required": ["query"],
}
VALUE = "a" * 40 + "!"

serve(
    call=lambda asked: reply(asked, content=[], structuredContent={"query": VALUE, VALUE: VALUE}),
    tools=listed({**LOOK, "inputSchema": SCHEMA, "outputSchema": SCHEMA}),
)
