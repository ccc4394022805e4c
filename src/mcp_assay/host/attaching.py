"""How an agent's host is started strictly through our gateways: its configuration, and the words of its command.

Pure. Nothing secret stands in it: what starts a server goes from the evaluation's owner to its gateway.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mcp_assay.errors import UserError

__all__ = ["OWN", "Attached", "Host", "command", "configuration"]

OWN = "assay"
"""The server of the agent's own tools, beside the gateways."""

_SLACK = 30
"""Seconds more than a call may take, so that ours is the timeout that is told."""
_CODEX_NAME = re.compile(r"[a-zA-Z0-9_-]+")


class Host(StrEnum):
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"


@dataclass(frozen=True, slots=True)
class Attached:
    """The servers of an evaluation by their own names, the words that start the gateway of one (its name goes last),
    and the seconds that a call may take.
    """

    servers: Sequence[str]
    gateway: Sequence[str]
    call_timeout: float

    def __post_init__(self) -> None:
        if OWN in self.servers:
            raise UserError(f"a server is called {OWN}, as that of the agent's own tools is; give it another name")

    @property
    def entries(self) -> Mapping[str, tuple[str, list[str]]]:
        """By server: the program to start in its place, and its arguments."""
        program, *args = self.gateway
        return {name: (program, [*args, name]) for name in (*self.servers, OWN)}

    @property
    def patience(self) -> int:
        return int(self.call_timeout) + _SLACK


def configuration(host: Host, attached: Attached) -> str | None:
    """The file that the host reads; None if it takes all from its command line."""
    if host is Host.CODEX:
        return None
    more: dict[str, Any] = {"timeout": attached.patience * 1000}
    # All tools from the start: those behind a search would be found, or not, for reasons that are not the server's.
    more |= {"alwaysLoad": True} if host is Host.CLAUDE_CODE else {"trust": True}
    servers = {
        name: {**({"type": "stdio"} if host is Host.CLAUDE_CODE else {}), "command": program, "args": args, **more}
        for name, (program, args) in attached.entries.items()
    }
    whole: dict[str, Any] = {"mcpServers": servers}
    if host is Host.GEMINI:
        whole["mcp"] = {"allowed": list(servers)}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def command(host: Host, attached: Attached, file: str, *, hooks: str, plugin: str | None) -> list[str]:
    """The words that start the host, ``env`` first where it needs a variable.

    ``hooks`` is where the owner listens for hooks, ``plugin`` the folder of ours, if the host does not have it already.
    Raises UserError for a server whose name the host does not take.
    """
    if host is Host.CLAUDE_CODE:
        given = ["--plugin-dir", plugin] if plugin else []
        return ["env", f"MCP_ASSAY_HOOKS={hooks}", "claude", "--mcp-config", file, "--strict-mcp-config", *given]
    if host is Host.GEMINI:
        names = ",".join(attached.entries)
        return ["env", f"GEMINI_CLI_SYSTEM_SETTINGS_PATH={file}", "gemini", "--allowed-mcp-server-names", names]
    words = ["codex", "exec", "--ignore-user-config"]
    for name, (program, args) in attached.entries.items():
        if not _CODEX_NAME.fullmatch(name):
            raise UserError(f"{name}: Codex takes only letters, digits, _ and - in the name of a server")
        words += ["-c", f"mcp_servers.{name}={_toml(program, args, attached.patience)}"]
    return words


def _toml(program: str, args: Sequence[str], patience: int) -> str:
    """An inline table. TOML's strings are JSON's, but for what neither path nor name may hold."""
    listed = ",".join(json.dumps(arg, ensure_ascii=False) for arg in args)
    return (
        f"{{command={json.dumps(program, ensure_ascii=False)},args=[{listed}],required=true,"
        f'default_tools_approval_mode="approve",tool_timeout_sec={patience}}}'
    )
