"""Claude Code's config files: bytes in, servers and filters out, each with the line on which it stands.

A file that is no JSON object raises InputError; a single bad entry or key is a note and never hides the others.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from mcp_assay.core.discovery import Entries, Settings, add_host_note
from mcp_assay.core.jsontext import lines_of, loads
from mcp_assay.core.model import ServerConfig, Transport
from mcp_assay.errors import InputError

__all__ = ["local_servers", "project_servers", "settings", "user_servers"]

_SERVERS, _PROJECTS = "mcpServers", "projects"
_TRANSPORTS = {
    "stdio": Transport.STDIO,
    "http": Transport.HTTP,
    "streamable-http": Transport.HTTP,
    "sse": Transport.SSE,
    "ws": Transport.OTHER,
}
_RESERVED = frozenset({"workspace", "claude-in-chrome", "computer-use", "Claude Preview", "Claude Browser"})

_SKIPS_UNTYPED = "Claude Code skips an entry that has a url but no type."
_SKIPS_RESERVED = "Claude Code keeps this name for itself and skips the entry."
_OMITS_WS = "Claude Code attaches ws servers but leaves them out of its own list of servers."
_IGNORES_PARENTS = (
    "Claude Code reads the entry of the git root alone (outside git, of the exact folder), not one of a folder above."
)


def user_servers(data: bytes, source: str) -> Entries:
    """The top-level ``mcpServers`` of ``~/.claude.json``, which need not have any."""
    return _servers(data, source, _object(data, source), ())


def project_servers(data: bytes, source: str) -> Entries:
    """The servers of ``.mcp.json``; only a top-level ``mcpServers`` counts, and its absence is noted."""
    document = _object(data, source)
    if document.get(_SERVERS) is None:
        return Entries(notes=(f"no mcpServers object in {source}",))
    return _servers(data, source, document, ())


def local_servers(data: bytes, source: str, root: str, *, windows: bool = False) -> Entries:
    """The servers of the ``projects`` entry of ``~/.claude.json`` whose key is the longest prefix of ``root``.

    ``windows`` compares folders as Windows does: either slash, either case.
    """
    projects = _table(data, source, _object(data, source), (_PROJECTS,))
    keys = _closest(projects, root, windows=windows)
    if not keys:
        return Entries()
    # of two spellings of one folder, the one that declares servers
    key = next((key for key in keys if isinstance(projects[key], dict) and projects[key].get(_SERVERS)), keys[0])
    found = _servers(data, source, _table(data, source, projects, (_PROJECTS, key)), (_PROJECTS, key))
    servers, notes = found.servers, found.notes
    if len(keys) > 1:
        notes += (f"{source}: projects: {', '.join(keys)} are the same folder; {key} was read",)
    if _folder(key, windows=windows) != _folder(root, windows=windows):
        servers = tuple(add_host_note(server, _IGNORES_PARENTS) for server in servers)
    return Entries(servers, notes)


def settings(data: bytes, source: str) -> Settings:
    """The three filter keys of a settings file. A key of the wrong type is a note and counts as absent."""
    document, lines = _object(data, source), lines_of(data, ())
    wrong = {key: message for key, (is_right, message) in _FILTERS.items() if not is_right(document.get(key))}
    if _SERVERS in document:  # "these do not themselves declare MCP servers"
        wrong[_SERVERS] = "a settings file declares no servers; move them to .mcp.json"
    enable_all, enabled, disabled = (None if key in wrong else document.get(key) for key in _FILTERS)
    return Settings(
        source,
        enable_all,
        enabled=None if enabled is None else tuple(enabled),
        disabled=tuple(disabled or ()),
        notes=tuple(str(InputError(source, wrong[key], line=lines.get(key), key=key)) for key in wrong),
    )


def _object(data: bytes, source: str) -> dict[str, Any]:
    document = loads(data, source)
    if not isinstance(document, dict):
        raise InputError(source, "not a JSON object", line=1)
    return document


def _table(data: bytes, source: str, parent: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """The object under the last key of ``path`` in ``parent``; empty if absent. InputError if it is something else."""
    value = parent.get(path[-1])
    if value is None:
        return {}
    if not isinstance(value, dict):
        line = lines_of(data, path[:-1]).get(path[-1])
        raise InputError(source, "not a JSON object", line=line, key=path[-1])
    return value


def _is_strings(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


_NOT_NAMES = "not a list of server names; ignored"
_FILTERS: Mapping[str, tuple[Callable[[object], bool], str]] = {
    "enableAllProjectMcpServers": (lambda value: isinstance(value, bool | None), "neither true nor false; ignored"),
    "enabledMcpjsonServers": (lambda value: value is None or _is_strings(value), _NOT_NAMES),
    "disabledMcpjsonServers": (lambda value: value is None or _is_strings(value), _NOT_NAMES),
}


# --- folders ----------------------------------------------------------------------------------------------------------


def _closest(projects: Mapping[str, Any], root: str, *, windows: bool) -> list[str]:
    """The keys that name the deepest folder that is, or holds, the root: more than one if it is spelled twice.

    "Match the current session's project root against the projects[] keys by longest-prefix match"
    """
    within = _folder(root, windows=windows) + "/"
    folders = {key: _folder(key, windows=windows) for key in projects if key}
    holding = {key: folder for key, folder in folders.items() if within.startswith(folder + "/")}
    longest = max(map(len, holding.values()), default=0)
    return [key for key, folder in holding.items() if len(folder) == longest]


def _folder(path: str, *, windows: bool) -> str:
    """A folder's path to compare by, without the slash at its end: the root folder is the empty text."""
    return path.replace("\\", "/").casefold().rstrip("/") if windows else path.rstrip("/")


# --- server entries ---------------------------------------------------------------------------------------------------


def _servers(data: bytes, source: str, parent: Mapping[str, Any], path: tuple[str, ...]) -> Entries:
    """Every usable entry of the ``mcpServers`` in ``parent``, which stands at ``path``; a note for what is not."""
    path = (*path, _SERVERS)
    table, lines = _table(data, source, parent, path), lines_of(data, path)
    servers: list[ServerConfig] = []
    notes: list[str] = []
    for name, value in table.items():
        try:
            entry = _Entry.read(source, name, value, lines.get(name))
            servers.append(entry.server())
        except InputError as bad:
            notes.append(f"{bad}; not attached")
        else:
            notes += entry.remarks()
    return Entries(tuple(servers), tuple(notes))


@dataclass(frozen=True, slots=True)
class _Entry:
    """One value of ``mcpServers``; its readers raise InputError with file, line and server. Null counts as absent."""

    source: str
    name: str
    fields: Mapping[str, Any]
    line: int | None

    @classmethod
    def read(cls, source: str, name: str, value: object, line: int | None) -> "_Entry":
        if not name.strip():
            raise InputError(source, "a server without a name", line=line)
        if not isinstance(value, dict):
            raise InputError(source, "not a JSON object", line=line, key=name)
        return cls(source, name, {key: item for key, item in value.items() if item is not None}, line)

    def server(self) -> ServerConfig:
        transport = self.transport()
        is_stdio = transport is Transport.STDIO
        server = ServerConfig(
            name=self.name,
            source=self.source,
            transport=transport,
            command=self.text("command") if is_stdio else None,
            args=self.texts("args"),
            cwd=self.text("cwd"),
            env=self.table("env"),
            url=None if is_stdio else self.text("url"),
            headers=self.table("headers"),
            headers_helper=self.text("headersHelper"),
            line=self.line,
        )
        for note in self.host_notes():
            server = add_host_note(server, note)
        return server

    def transport(self) -> Transport:
        """By ``type``, else by which of command and url is there, the command first."""
        kind = self.text("type")
        if kind is None and not self.text("command") and not self.text("url"):
            self.refuse("neither command nor url")
        transport = _TRANSPORTS.get(kind or ("stdio" if self.text("command") else "http"))
        if transport is None:
            self.refuse(f"unknown type; one of {', '.join(_TRANSPORTS)}")
        needed = "command" if transport is Transport.STDIO else "url"
        if not self.text(needed):
            self.refuse(f"no {needed}, which type {kind} needs")
        return transport

    def host_notes(self) -> list[str]:
        notes = []
        if "type" not in self.fields and not self.text("command"):
            notes.append(_SKIPS_UNTYPED)
        if self.name in _RESERVED:
            notes.append(_SKIPS_RESERVED)
        if self.text("type") == "ws":
            notes.append(_OMITS_WS)
        return notes

    def remarks(self) -> list[str]:
        """What a user may not expect of an entry that was attached."""
        remarks = []
        if self.fields.get("disabled") is True:
            remarks.append("disabled: true has no effect, only a settings file can disable a server; attached")
        if {"command", "url"} <= self.fields.keys():
            used, unused = ("command", "url") if self.transport() is Transport.STDIO else ("url", "command")
            remarks.append(f"both command and url; {used} is used, {unused} is not")
        return [str(InputError(self.source, remark, line=self.line, key=self.name)) for remark in remarks]

    def text(self, key: str) -> str | None:
        value = self.fields.get(key)
        if value is not None and not isinstance(value, str):
            self.refuse(f"{key} is not a string")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.fields.get(key, [])
        if not _is_strings(value):
            self.refuse(f"{key} is not a list of strings")
        return tuple(value)

    def table(self, key: str) -> dict[str, str]:
        value = self.fields.get(key, {})
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            self.refuse(f"{key} is not a table of strings")
        return dict(value)

    def refuse(self, message: str) -> NoReturn:
        raise InputError(self.source, message, line=self.line, key=self.name)
