"""From what the config files declare to what is attached: filters, precedence, and what to tell the user about it.

Pure: the files are read elsewhere (``sources``) and parsed by the host's module (``hosts``).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mcp_assay.core.model import ServerConfig
from mcp_assay.core.naming import collisions

__all__ = ["Discovery", "Entries", "Settings", "add_host_note", "alike", "resolve"]

_DENIED_THERE = "Claude Code lets a denylist win over enableAllProjectMcpServers and does not attach this server."


@dataclass(frozen=True, slots=True)
class Entries:
    """What one file declares in one scope: servers in file order, and a note for each entry that cannot be used."""

    servers: tuple[ServerConfig, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """The three keys of one settings file that filter the servers of ``.mcp.json``; None and () where absent."""

    source: str
    enable_all: bool | None = None
    enabled: tuple[str, ...] | None = None
    disabled: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Discovery:
    """``attached`` in order of precedence; ``filtered`` holds (name, reason); the rest are sentences for the user.

    ``unreadable`` names files that could not be used: with any of them an empty ``attached`` does not mean "no MCPs".
    """

    attached: tuple[ServerConfig, ...] = ()
    filtered: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()


def resolve(
    local: Entries, project: Entries, user: Entries, settings: Sequence[Settings] = (), unreadable: Iterable[str] = ()
) -> Discovery:
    """Filter the project's servers, then keep one entry a name: local before project before user.

    ``settings`` are the project's settings files, the shared one first: a later file's scalar wins over an earlier's.
    """
    active, filtered = _filter(project.servers, settings)
    attached, shadowed = _deduplicate([*local.servers, *active, *user.servers])
    notes = (*local.notes, *project.notes, *user.notes, *(note for part in settings for note in part.notes))
    return Discovery(attached, filtered, (*notes, *shadowed, *alike(attached)), tuple(dict.fromkeys(unreadable)))


def add_host_note(server: ServerConfig, note: str) -> ServerConfig:
    """The server with one more sentence about what its host does otherwise."""
    return replace(server, host_note=note if server.host_note is None else f"{server.host_note} {note}")


def _filter(
    servers: Iterable[ServerConfig], settings: Sequence[Settings]
) -> tuple[list[ServerConfig], tuple[tuple[str, str], ...]]:
    # "if enableAllProjectMcpServers is true, ignore the allow/deny lists"
    enable_all = next((part.enable_all for part in reversed(settings) if part.enable_all is not None), False)
    active, filtered = [], []
    for server in servers:
        deciding = _excluding(server.name, settings)
        if enable_all:
            denied = any(server.name in part.disabled for part in settings)
            active.append(add_host_note(server, _DENIED_THERE) if denied else server)
        elif deciding:
            filtered.append((server.name, f"disabled by {' and '.join(deciding)}"))
        else:
            active.append(server)
    return active, tuple(filtered)


def _excluding(name: str, settings: Sequence[Settings]) -> list[str]:
    """The settings files that keep a server of this name out.

    "otherwise a server is active iff it appears in enabledMcpjsonServers (or the list is absent/empty — then default
    is active) and does not appear in disabledMcpjsonServers"
    """
    if denying := [part.source for part in settings if name in part.disabled]:
        return denying
    allowed = any(name in (part.enabled or ()) for part in settings)
    return [] if allowed else [part.source for part in settings if part.enabled]


def _deduplicate(servers: Iterable[ServerConfig]) -> tuple[tuple[ServerConfig, ...], list[str]]:
    """The first entry of each name, whole, and a note for every other one."""
    kept: dict[str, ServerConfig] = {}
    notes = []
    for server in servers:
        winner = kept.setdefault(server.name, server)
        if winner is not server:
            notes.append(_shadow(server, winner))
    return tuple(kept.values()), notes


def _shadow(loser: ServerConfig, winner: ServerConfig) -> str:
    if loser.source == winner.source:  # both scopes of one file: only the lines tell them apart
        return f"{loser.name} in {loser.source}:{loser.line} is shadowed by {winner.source}:{winner.line}"
    return f"{loser.name} in {loser.source} is shadowed by {winner.source}"


def alike(servers: Iterable[ServerConfig]) -> list[str]:
    """A note for each group of servers that a host cannot tell apart."""
    return [
        f"{', '.join(group)}: a host gives the tools of these servers the same names; the stricter disposition holds"
        for group in collisions(server.name for server in servers)
    ]
