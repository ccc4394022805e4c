"""What turns hooks, plugins or gateways off in Claude Code: the settings that say so, read and never changed."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mcp_assay.core import jsontext
from mcp_assay.errors import InputError

__all__ = ["MANAGED", "config_folder", "found", "read", "settings_files", "sideloading"]

MANAGED = (Path("/etc/claude-code"), Path("/Library/Application Support/ClaudeCode"))
"""Where an organisation's settings lie, on Linux and on macOS."""

_OFF: Mapping[str, str] = {
    "disableAllHooks": "no hook runs",
    "allowManagedHooksOnly": "only an organisation's hooks run",
    "strictPluginOnlyCustomization": "only what an organisation admits can be added",
}
_FLAGS = {"--bare": "no hook and no plugin is loaded", "--safe-mode": "no hook and no plugin is loaded"}


def config_folder(environ: Mapping[str, str], home: Path) -> Path:
    """The user's own ``.claude``."""
    return Path(environ.get("CLAUDE_CONFIG_DIR") or home / ".claude")


def settings_files(config: Path, project: Path, managed: tuple[Path, ...] = MANAGED) -> list[Path]:
    """Every file whose settings count for a session in the project, that of the highest rank last."""
    own = [config / "settings.json"]
    own += [project / ".claude" / name for name in ("settings.json", "settings.local.json")]
    for folder in managed:
        own += [folder / "managed-settings.json", *sorted((folder / "managed-settings.d").glob("*.json"))]
    return own


def read(file: Path) -> dict[str, Any]:
    """A settings file; empty if there is none. Raises InputError naming the line of what is wrong with it."""
    try:
        data = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as bad:
        raise InputError(str(file), f"cannot be read: {bad.strerror}") from None
    value = jsontext.loads(data, str(file)) if data.strip() else {}
    if not isinstance(value, dict):
        raise InputError(str(file), "not a JSON object", line=1)
    return value


def found(files: list[Path], argv: tuple[str, ...] = ()) -> Iterator[str]:
    """A sentence for each switch that is on; ``argv`` is how the host was started."""
    for flag in argv:
        if flag in _FLAGS:
            yield f"the session was started with {flag}: {_FLAGS[flag]}"
    for file in files:
        try:
            settings = read(file)
        except InputError as bad:
            yield f"{bad}; the host may take it for no settings at all"
            continue
        for name, effect in _OFF.items():
            # Lists that name what is restricted restrict something too.
            if settings.get(name):
                yield f"{file} sets {name}: {effect}"


def sideloading(files: list[Path], managed: tuple[Path, ...] = MANAGED) -> Iterator[str]:
    """A sentence for whatever forbids a session that is attached strictly through gateways."""
    for folder in managed:
        if (folder / "managed-mcp.json").exists():
            yield f"{folder / 'managed-mcp.json'} fixes the MCP servers: --mcp-config is refused"
    for file in files:
        try:
            if read(file).get("disableSideloadFlags"):
                yield f"{file} sets disableSideloadFlags: --mcp-config and --plugin-dir are refused"
        except InputError as bad:
            yield str(bad)
