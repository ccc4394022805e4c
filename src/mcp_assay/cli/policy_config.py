"""What a client's configuration must hold to start the policy server over stdio."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

__all__ = ["CLIENTS", "NAME", "Client", "snippet"]

NAME = "agent-eval-policy"


@dataclass(frozen=True, slots=True)
class Client:
    """A client: the file that its servers stand in, the key they stand under, and whether it wants their type named."""

    file: str
    key: str = "mcpServers"
    typed: bool = False


CLIENTS: Mapping[str, Client] = {
    "claude-code": Client(".mcp.json at the project's root", typed=True),
    "claude-desktop": Client("claude_desktop_config.json (Settings, Developer, Edit Config)"),
    "cursor": Client(".cursor/mcp.json in a project, or ~/.cursor/mcp.json"),
    "vscode": Client(".vscode/mcp.json in a workspace", key="servers", typed=True),
    "codex": Client("~/.codex/config.toml", key="mcp_servers"),
}


def snippet(client: str, command: str, args: Sequence[str]) -> str:
    """The text for the client's file: TOML for Codex, JSON for the others."""
    entry = {"command": command, "args": list(args)}
    if client == "codex":
        # A JSON string is a TOML string as well, as long as nothing in it is written as a pair of surrogates.
        lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in entry.items())
        return "\n".join((f"[{CLIENTS[client].key}.{NAME}]", *lines))
    if CLIENTS[client].typed:
        entry = {"type": "stdio", **entry}
    return json.dumps({CLIENTS[client].key: {NAME: entry}}, indent=2)
