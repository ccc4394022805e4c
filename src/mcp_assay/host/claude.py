"""Claude Code without a person: what it is started with, so that an evaluation's gateways are all that it has.

Nothing here starts it but ``require_usable``, which asks for its version.
"""

import importlib.resources
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mcp_assay.core.expand import SAFE_BASE
from mcp_assay.core.naming import collisions, fold
from mcp_assay.errors import UserError
from mcp_assay.host import switches

__all__ = [
    "NAME",
    "OLDEST",
    "agent_argv",
    "critic_argv",
    "environment",
    "gateways",
    "require_driveable",
    "require_usable",
    "settings",
    "version_of",
]

NAME = "claude-code"
"""What a plan calls it, as a driver and as a critic."""
OLDEST = (2, 1, 332)
"""The oldest version whose hooks are known to block where they fail."""
OURS = "assay"

_PATIENCE = 30.0
_RESERVED = frozenset({OURS, "workspace", "claude-in-chrome", "computer-use", "Claude Preview", "Claude Browser"})
_PLUGIN = "${CLAUDE_PLUGIN_ROOT}"
_PASSED = re.compile(
    # the way to its model, and how it signs in there
    r"ANTHROPIC_\w+|CLAUDE_CONFIG_DIR|CLAUDE_CODE_(OAUTH_TOKEN\w*|USE_\w+|SKIP_\w+_AUTH|CLIENT_\w+|MAX_RETRIES)"
    # and through the network
    r"|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)"
    # what it keeps to itself
    r"|CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC|DISABLE_(TELEMETRY|ERROR_REPORTING|AUTOUPDATER)|LC_\w+"
)
_CLOUDS: Mapping[str, str] = {
    "CLAUDE_CODE_USE_BEDROCK": r"AWS_\w+",
    "CLAUDE_CODE_USE_VERTEX": r"GOOGLE_\w+|GCLOUD_\w+|CLOUD_ML_REGION|VERTEX_\w+",
    "CLAUDE_CODE_USE_FOUNDRY": r"AZURE_\w+",
}
_SET: Mapping[str, str] = {
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",  # what it remembers of other work is no part of this
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",  # a call that goes on after its answer could not be closed
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS": "1",
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",  # an @file in a scenario is read without any hook
    "CLAUDE_CODE_MAX_RETRIES": "3",
    "DISABLE_AUTOUPDATER": "1",
}
_SYSTEM = (
    "You attempt one task with the MCP servers that are attached. Everything you call is logged. Before you call a "
    "tool that is of no MCP server, call mcp__assay__justify and say why; a call that was not justified is refused. A "
    "refused call stays refused: try another way, or say that there is none. When the task's goal is reached, or you "
    "know that it cannot be, call mcp__assay__finish and say which and why; then stop. If you cannot call it, let your "
    'last line be "Goal reached: yes" or "Goal reached: no", and why.'
)


def require_usable(
    given: Path | None,
    environ: Mapping[str, str],
    home: Path,
    project: Path,
    managed: tuple[Path, ...] = switches.MANAGED,
) -> Path:
    """The program, if it is there, new enough, and nothing forbids to start it with gateways alone.

    ``managed`` are the folders of an organisation's settings. Raises UserError that says what is in the way.
    """
    name = str(given or "claude")
    program = shutil.which(name, path=environ.get("PATH"))
    if program is None:
        install = "install it (npm install -g @anthropic-ai/claude-code)"
        raise UserError(f"Claude Code was not found as {name!r}; {install} or name it with --claude PATH")
    # With --setting-sources "" the user's own settings and the project's do not count; an organisation's always do.
    files = switches.settings_files(switches.config_folder(environ, home), project, managed)
    theirs = [file for file in files if any(folder in file.parents for folder in managed)]
    problems = [*switches.found(theirs), *switches.sideloading(theirs, managed)]
    if problems:
        raise UserError("Claude Code cannot be driven here\n" + "\n".join(f"- {problem}" for problem in problems))
    version = version_of(program, environ)
    if version < OLDEST:
        shown, needed = (".".join(map(str, numbers)) for numbers in (version, OLDEST))
        raise UserError(f"{program} is Claude Code {shown}, too old; {needed} or newer is needed")
    return Path(program).absolute()


def require_driveable(names: Sequence[str]) -> None:
    """Raises UserError if Claude Code would not attach each of these servers under a name of its own."""
    problems = [f"- {name}: it keeps this name for itself; give the server another" for name in names if _is_kept(name)]
    problems += [f"- {', '.join(group)}: it cannot tell these names apart" for group in collisions(names)]
    if problems:
        raise UserError("Claude Code cannot attach every server\n" + "\n".join(problems))


def gateways(names: Sequence[str], command: Sequence[str], call_timeout: float) -> dict[str, Any]:
    """The ``--mcp-config``: a gateway for each server under its own name, and our own tools.

    ``command`` is what starts a gateway, without its ``--server``. No entry holds what starts a server.
    """
    # The gateway's own limit comes first, so that a call that takes too long is told as one.
    entry = {"type": "stdio", "command": command[0], "alwaysLoad": True, "timeout": int(call_timeout * 1000) + 10_000}
    return {"mcpServers": {name: {**entry, "args": [*command[1:], "--server", name]} for name in (*names, OURS)}}


def settings() -> dict[str, Any]:
    """The ``--settings``: the plugin's hooks, run by this very interpreter."""
    plugin = importlib.resources.files("mcp_assay").joinpath("host/plugin")
    loaded = json.loads(plugin.joinpath("hooks/hooks.json").read_text(encoding="utf-8"))
    hooks = {event: [_here(group, str(plugin)) for group in groups] for event, groups in loaded["hooks"].items()}
    return {"disableAllHooks": False, "disableClaudeAiConnectors": True, "hooks": hooks}


def environment(environ: Mapping[str, str], more: Mapping[str, str] | None = None) -> dict[str, str]:
    """What the host sees of the user's environment: what it needs itself, and nothing that a server was granted."""
    clouds = [names for switch, names in _CLOUDS.items() if environ.get(switch)]
    passed = re.compile("|".join([_PASSED.pattern, *clouds]))
    kept = {name: value for name, value in environ.items() if name in SAFE_BASE or passed.fullmatch(name)}
    return {**_SET, **kept, **(more or {})}


def agent_argv(
    program: Path, folder: Path, names: Sequence[str], *, allow: Sequence[str], turns: int, model: str | None
) -> list[str]:
    """What attempts one scenario. ``folder`` holds ``mcp.json`` and ``settings.json``; the prompt comes on stdin."""
    granted = [f"mcp__{fold(name)}" for name in (*names, OURS)]
    return [
        *_common(program, model),
        *("--mcp-config", str(folder / "mcp.json"), "--settings", str(folder / "settings.json")),
        *("--tools", ",".join(allow)),
        *("--allowedTools", ",".join([*granted, *allow])),
        *("--max-turns", str(turns)),
        *("--include-hook-events", "--append-system-prompt", _SYSTEM),
    ]


def critic_argv(program: Path, instructions: str, model: str | None) -> list[str]:
    """What judges: it may read what lies in its current folder, and nothing else."""
    return [
        *_common(program, model or "sonnet"),
        *("--restricted", "--tools", "Read,Grep,Glob", "--max-turns", "100"),
        *("--system-prompt", instructions),
    ]


def _common(program: Path, model: str | None) -> list[str]:
    chosen = ["--model", model] if model else []
    return [
        *(str(program), "--print", "--output-format", "stream-json", "--verbose", "--no-session-persistence"),
        *("--strict-mcp-config", "--setting-sources", "", "--disable-slash-commands", "--no-chrome"),
        *("--permission-mode", "dontAsk", *chosen),
    ]


def version_of(program: str, environ: Mapping[str, str]) -> tuple[int, ...]:
    """The version that the program says it is. Raises UserError if it does not say."""
    asked = [program, "--version"]
    try:
        told = subprocess.run(
            asked, env=environment(environ), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="replace", timeout=_PATIENCE, check=False,
        ).stdout  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as bad:
        raise UserError(f"{program} cannot be run: {bad}") from None
    found = re.match(r"(\d+)\.(\d+)\.(\d+)", told)
    if found is None:
        raise UserError(f"{program} does not tell the version of a Claude Code")
    return tuple(map(int, found.groups()))


def _is_kept(name: str) -> bool:
    return fold(name) in {fold(kept) for kept in _RESERVED}


def _here(group: Mapping[str, Any], plugin: str) -> dict[str, Any]:
    """A group of hooks whose commands are found without a plugin."""
    hooks = [
        {
            **hook,
            "command": sys.executable if hook["command"] == "python3" else hook["command"],
            "args": [word.replace(_PLUGIN, plugin) for word in hook["args"]],
        }
        for hook in group["hooks"]
    ]
    return {**group, "hooks": hooks}
