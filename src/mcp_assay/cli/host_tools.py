"""``host tools``: the server ``assay`` of the plugin, for whichever evaluation runs in this session of Claude Code.

The host starts it with the session, so mostly before there is an evaluation: its tools then say what to do.
"""

import os
from pathlib import Path
from typing import Any

import click

from mcp_assay.cli.places import home
from mcp_assay.host import wire
from mcp_assay.host.agent_server import AgentServer, Gone, OwnerLine
from mcp_assay.host.sessions import Session
from mcp_assay.policy import stdio
from mcp_assay.store import keys

__all__ = ["tools_command"]


@click.command("tools")
def tools_command() -> None:
    """Serve next_scenario, justify and finish on stdin and stdout, for the evaluation that runs in this session."""
    user = home(None)
    stdio.run(AgentServer(_SessionLine(Session.current(os.environ, user), keys.folder(os.environ, user))))


class _SessionLine(OwnerLine):
    """A line to the owner of the session's evaluation, which may be another one from question to question."""

    not_running = "no scenario is running; see what the evaluation waits for: mcp-assay host show --wait 60"
    afterwards = "Now run: mcp-assay host show --wait 60"

    def __init__(self, session: Session, state: Path) -> None:
        super().__init__(Path(os.devnull))
        self._session, self._state = session, state

    def ask(self, do: str, **fields: Any) -> dict[str, Any]:
        """The owner's answer. Raises Gone."""
        news = self._session.news()
        if news is None:
            raise Gone("no evaluation runs in this session; the user starts one with /mcp-eval")
        self._path = wire.socket_path(self._state, os.path.realpath(news.folder))
        return super().ask(do, **fields)
