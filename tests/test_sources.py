import os
from collections.abc import Callable
from pathlib import Path

import pytest

from mcp_assay.core.discovery import Discovery
from mcp_assay.sources import discover
from project_folders import home, root, write

__all__ = ["home", "root"]


def declare(*names: str) -> dict[str, dict[str, object]]:
    return {"mcpServers": {name: {"command": name} for name in names}}


def names(discovery: Discovery) -> list[str]:
    return [server.name for server in discovery.attached]


# --- discovery --------------------------------------------------------------------------------------------------------


def test_no_files_is_nothing_at_all(root: Path, home: Path) -> None:
    found = discover(root, home)
    assert (found.attached, found.filtered, found.notes, found.unreadable) == ((), (), (), ())


def test_all_sources_are_read_and_named(root: Path, home: Path) -> None:
    user = write(
        home / ".claude.json", {**declare("u"), "projects": {str(root): declare("l"), str(root.parent): declare("no")}}
    )
    project = write(root / ".mcp.json", declare("p", "off", "out"))
    shared = write(root / ".claude" / "settings.json", {"disabledMcpjsonServers": ["off"]})
    local = write(root / ".claude" / "settings.local.json", {"disabledMcpjsonServers": ["out"]})
    found = discover(root, home)
    assert [(server.name, server.source) for server in found.attached] == [
        ("l", str(user)),
        ("p", str(project)),
        ("u", str(user)),
    ]
    assert found.filtered == (("off", f"disabled by {shared}"), ("out", f"disabled by {local}"))
    assert found.unreadable == ()


def test_the_local_settings_scalar_wins(root: Path, home: Path) -> None:
    write(root / ".mcp.json", declare("a"))
    write(root / ".claude" / "settings.json", {"enableAllProjectMcpServers": True, "disabledMcpjsonServers": ["a"]})
    write(root / ".claude" / "settings.local.json", {"enableAllProjectMcpServers": False})
    assert names(discover(root, home)) == []


def test_the_users_own_settings_are_not_read(root: Path, home: Path) -> None:
    write(home / ".claude" / "settings.json", {**declare("s"), "disabledMcpjsonServers": ["a"]})
    write(root / ".mcp.json", declare("a"))
    assert names(discover(root, home)) == ["a"]


def test_a_config_dir_moves_the_users_file(root: Path, home: Path, tmp_path: Path) -> None:
    write(home / ".claude.json", declare("at-home"))
    moved = write(tmp_path / "conf" / ".claude.json", declare("moved"))
    found = discover(root, home, {"CLAUDE_CONFIG_DIR": str(moved.parent)})
    assert [(server.name, server.source) for server in found.attached] == [("moved", str(moved))]
    assert names(discover(root, home, {})) == ["at-home"]
    assert names(discover(root, home, {"CLAUDE_CONFIG_DIR": ""})) == ["at-home"]


def test_a_linked_config_keeps_the_path_of_the_link(root: Path, home: Path, tmp_path: Path) -> None:
    target = write(tmp_path / "main" / ".mcp.json", declare("m"))
    (root / ".mcp.json").symlink_to(target)
    assert [server.source for server in discover(root, home).attached] == [str(root / ".mcp.json")]


def test_a_project_reached_through_a_link_finds_the_key_of_its_real_path(
    root: Path, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to(root)
    write(home / ".claude.json", {"projects": {str(root): declare("l")}})
    (server,) = discover(tmp_path / "link", home).attached
    assert (server.name, server.host_note) == ("l", None)


def test_a_key_spelled_as_the_link_is_found_too(root: Path, home: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(root)
    write(home / ".claude.json", {"projects": {str(tmp_path / "link"): declare("l")}})
    assert names(discover(tmp_path / "link", home)) == ["l"]


FILES = [".claude.json", ".mcp.json", ".claude/settings.json", ".claude/settings.local.json"]


@pytest.fixture
def complete(root: Path, home: Path) -> dict[str, Path]:
    """All four files of a project and a home, each fine; maps a name to its path."""
    paths = {name: (home if name == ".claude.json" else root) / name for name in FILES}
    write(paths[".claude.json"], declare("u"))
    write(paths[".mcp.json"], declare("p"))
    write(paths[".claude/settings.json"], {})
    write(paths[".claude/settings.local.json"], {})
    return paths


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent / "nowhere")


def circular(path: Path) -> None:
    path.unlink()
    path.symlink_to(path)


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def huge(path: Path) -> None:
    os.truncate(path, 64 * 1024 * 1024 + 1)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda path: path.write_text('{\n"a": }'), ":2: not valid JSON"),
        (lambda path: path.write_bytes(b'{\n"a": "\xff"}'), ":2: not UTF-8"),
        (lambda path: path.write_text("[]"), ":1: not a JSON object"),
        (lambda path: path.write_text("[" * 100_000), ": nested too deeply"),
        (dangling, ": a symbolic link to a file that does not exist"),
        (circular, ": cannot be read"),
        (a_folder, ": not a regular file"),
        (a_pipe, ": not a regular file"),
        (huge, ": larger than 64 MiB"),
    ],
)
def test_a_file_that_cannot_be_used_is_named_once_and_hides_no_other(
    name: str, spoil: Callable[[Path], object], message: str, complete: dict[str, Path]
) -> None:
    spoil(complete[name])
    found = discover(complete[".mcp.json"].parent, complete[".claude.json"].parent)
    (note,) = found.unreadable
    assert note.startswith(f"{complete[name]}{message}")
    missing = {".claude.json": "u", ".mcp.json": "p"}.get(name)
    assert names(found) == [server for server in ("p", "u") if server != missing]


def test_a_malformed_project_entry_does_not_hide_the_users_servers(root: Path, home: Path) -> None:
    user = write(home / ".claude.json", {**declare("u"), "projects": {str(root): {"mcpServers": 7}}})
    found = discover(root, home)
    assert names(found) == ["u"]
    assert found.unreadable == (f"{user}:1: mcpServers: not a JSON object",)


def test_a_file_in_place_of_the_settings_folder_is_nothing(root: Path, home: Path) -> None:
    write(root / ".claude", "")
    assert discover(root, home).unreadable == ()


def test_nothing_is_written(complete: dict[str, Path], root: Path, home: Path) -> None:
    def snapshot() -> dict[Path, bytes]:
        return {path: path.read_bytes() for top in (root, home) for path in top.rglob("*") if path.is_file()}

    complete[".mcp.json"].write_bytes(b"\xef\xbb\xbf" + complete[".mcp.json"].read_bytes())
    before = snapshot()
    assert names(discover(root, home)) == ["p", "u"]
    assert snapshot() == before
