"""Offers tools whose schemas are no schemas."""

from peer import LOOK, listed, serve

WRONG = {"type": "wishes", "properties": ["a"], "required": 5, "enum": {}, "$ref": 7, "allOf": "b", "items": [None]}

serve(
    tools=listed(
        {**LOOK, "inputSchema": WRONG, "outputSchema": WRONG},
        {"name": "get_text", "inputSchema": "none", "outputSchema": 3, "description": ["x"], "annotations": "y"},
        {"name": ""},
        {"name": {"a": 1}},
        {},
    )
)
