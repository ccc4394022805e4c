"""Our protocol and HTTP, with the tools and resources that the conformance suite looks for behind them.

What a tool returns is the tool's affair. That every kind of it arrives, in every version of the protocol and in that
version's form, is ours, and the policy's own tools return nothing but text and structure.
"""

import os
import re
import sys
from typing import Any

from mcp_assay.policy import http
from mcp_assay.policy.eras import Era
from mcp_assay.policy.protocol import Server
from mcp_assay.policy.wire import INVALID_PARAMS, Refusal, Request, dump

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

TEXT = {"type": "text", "text": "some text"}
IMAGE = {"type": "image", "data": PIXEL, "mimeType": "image/png"}
AUDIO = {"type": "audio", "data": SILENCE, "mimeType": "audio/wav"}
EMBEDDED = {"type": "resource", "resource": {"uri": "test://embedded", "mimeType": "text/plain", "text": "embedded"}}

RESULTS: dict[str, dict[str, Any]] = {
    "test_simple_text": {"content": [TEXT]},
    "test_image_content": {"content": [IMAGE]},
    "test_audio_content": {"content": [AUDIO]},
    "test_embedded_resource": {"content": [EMBEDDED]},
    "test_multiple_content_types": {"content": [TEXT, IMAGE, EMBEDDED]},
    "test_error_handling": {"content": [TEXT], "isError": True},
    "test_logging_tool": {"content": [TEXT]},
    "json_schema_2020_12_tool": {"content": [TEXT]},
}
# Keywords that the policy's own schemas may not have.
RICH = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {"address": {"$anchor": "place", "type": "object"}},
    "properties": {"home": {"$ref": "#/$defs/address"}},
    "allOf": [{"anyOf": [{"required": ["home"]}, {"maxProperties": 0}]}],
    "if": {"required": ["home"]},
    "then": {"maxProperties": 1},
    "else": {"maxProperties": 0},
    "additionalProperties": False,
}
SCHEMAS: dict[str, Any] = {name: {"type": "object"} for name in RESULTS} | {"json_schema_2020_12_tool": RICH}

RESOURCES = {
    "test://static-text": {"mimeType": "text/plain", "text": "some text"},
    "test://static-binary": {"mimeType": "image/png", "blob": PIXEL},
}
TEMPLATE = {"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "text/plain"}


class SuiteServer(Server):
    """Answers for the suite's tools and resources in place of the policy's."""

    def __init__(self) -> None:
        super().__init__(lambda: None)
        tools = [{"name": name, "description": name, "inputSchema": schema} for name, schema in SCHEMAS.items()]
        listed = [{"uri": uri, "name": uri} for uri in RESOURCES]
        self._methods |= {
            "tools/list": lambda *_: dump({"tools": tools}),
            "tools/call": _call,
            "resources/list": lambda *_: dump({"resources": listed}),
            "resources/templates/list": lambda *_: dump({"resourceTemplates": [TEMPLATE]}),
            "resources/read": _read,
        }


def _call(request: Request, _: Era) -> bytes:
    result = RESULTS.get(request.params["name"])
    if result is None:
        raise Refusal(INVALID_PARAMS, "Unknown tool")
    return dump(result)


def _read(request: Request, era: Era) -> bytes:
    uri = request.params["uri"]
    found = RESOURCES.get(uri)
    if match := re.fullmatch(r"test://template/([^/]+)/data", uri):
        found = {"mimeType": "text/plain", "text": f"the data of {match[1]}"}
    if found is None:
        raise Refusal(era.no_resource, "Resource not found", data={"uri": uri})
    return dump({"contents": [{"uri": uri, **found}]})


if __name__ == "__main__":
    port = int(os.environ["PORT"])
    sys.stderr.write(f"serving http://{http.HOST}:{port}{http.PATH}\n")
    http.run(SuiteServer(), port)
