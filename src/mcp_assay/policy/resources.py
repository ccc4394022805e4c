"""What a client may read: the tools' contracts, the eval's fixtures, the latest scorecard."""

import json
from collections.abc import Callable
from typing import NamedTuple

from mcp_assay.policy import fixtures
from mcp_assay.policy.tools import TOOLS

__all__ = ["RESOURCES", "ResourceDef", "read"]


class ResourceDef(NamedTuple):
    uri: str
    name: str
    title: str
    mime_type: str
    description: str


_CONTRACTS, _CASES, _SCORECARD = RESOURCES = (
    ResourceDef(
        "agent-eval://contracts/tools",
        "tool-contracts",
        "Tool contracts",
        "application/json",
        "The full input and output schemas of every tool.",
    ),
    ResourceDef(
        "agent-eval://fixtures/cases",
        "fixture-cases",
        "Fixture cases",
        "application/json",
        "The cases that pin the tools' behaviour, each with its verdict and why.",
    ),
    ResourceDef(
        "agent-eval://scorecard/latest",
        "latest-scorecard",
        "Latest scorecard",
        "text/markdown",
        "The result of the latest eval; empty until one has run.",
    ),
)


def read(uri: str, scorecard: Callable[[], str | None]) -> tuple[str, str] | None:
    """(MIME type, text) of a resource, None for an unknown URI. ``scorecard`` gives the latest one, or None."""
    if uri == _CONTRACTS.uri:
        return _CONTRACTS.mime_type, _contracts()
    if uri == _CASES.uri:
        return _CASES.mime_type, fixtures.text()
    if uri == _SCORECARD.uri:
        return _SCORECARD.mime_type, scorecard() or ""
    return None


def _contracts() -> str:
    tools = [
        {
            "name": tool.name,
            "title": tool.title,
            "description": tool.description,
            "inputSchema": tool.input_schema,
            "outputSchema": tool.output_schema,
            "annotations": tool.annotations,
        }
        for tool in TOOLS
    ]
    return json.dumps({"tools": tools}, ensure_ascii=False, indent=2)
