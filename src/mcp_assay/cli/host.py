"""``mcp-assay host``: evaluations in an agent's own host."""

from collections.abc import Mapping

import click

from mcp_assay.cli.lazy import Lazy

__all__ = ["host_command"]

_COMMANDS: Mapping[str, tuple[str, str]] = {
    "start": ("mcp_assay.cli.host_session", "Begin an evaluation in this session of Claude Code (/mcp-eval runs it)."),
    "show": ("mcp_assay.cli.host_session", "Say what the evaluation in this session waits for."),
    "stop": ("mcp_assay.cli.host_session", "Save the evaluation in this session and end it."),
    "tools": ("mcp_assay.cli.host_tools", "Serve the agent's own tools for this session; the plugin starts it."),
    "attach": ("mcp_assay.cli.host_attach", "Write what starts a session strictly through our gateways."),
    "install": ("mcp_assay.cli.host_install", "Add the plugin to Claude Code."),
    "uninstall": ("mcp_assay.cli.host_install", "Take the plugin out of Claude Code."),
    "check": ("mcp_assay.cli.host_check", "Say whether the plugin is there, and what would keep it from working."),
    "own": ("mcp_assay.cli.host_owner", ""),
}


@click.group("host", cls=Lazy, lazily=_COMMANDS)
def host_command() -> None:
    """Evaluate in Claude Code or another agent's host: the plugin, its sessions, and attaching to a host."""
