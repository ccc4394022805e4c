"""Settings that turn hooks, plugins or gateways off."""

import json
from pathlib import Path

import pytest

from mcp_assay.errors import InputError
from mcp_assay.host.switches import config_folder, found, read, settings_files, sideloading


def write(file: Path, value: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return file


def test_every_file_that_counts_is_looked_at_the_managed_ones_last(tmp_path: Path) -> None:
    managed = tmp_path / "managed"
    write(managed / "managed-settings.d" / "b.json", {})
    files = settings_files(tmp_path / "config", tmp_path / "p", (managed,))
    assert [str(file.relative_to(tmp_path)) for file in files] == [
        "config/settings.json",
        "p/.claude/settings.json",
        "p/.claude/settings.local.json",
        "managed/managed-settings.json",
        "managed/managed-settings.d/b.json",
    ]
    assert config_folder({"CLAUDE_CONFIG_DIR": "/c"}, tmp_path) == Path("/c")
    assert config_folder({}, tmp_path) == tmp_path / ".claude"


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"disableAllHooks": True}, "disableAllHooks"),
        ({"allowManagedHooksOnly": True}, "allowManagedHooksOnly"),
        ({"strictPluginOnlyCustomization": ["hooks"]}, "strictPluginOnlyCustomization"),
        ({"disableAllHooks": False, "strictPluginOnlyCustomization": []}, None),
        ({}, None),
    ],
)
def test_a_switch_that_is_on_is_named_with_its_file(tmp_path: Path, settings: object, named: str | None) -> None:
    file = write(tmp_path / "settings.json", settings)
    sentences = list(found([file]))
    assert bool(sentences) is (named is not None)
    assert named is None or (named in sentences[0] and str(file) in sentences[0])


def test_how_the_session_was_started_counts_too() -> None:
    assert [text.split(":")[0] for text in found([], ("claude", "--bare", "-p"))] == [
        "the session was started with --bare"
    ]


def test_a_file_that_cannot_be_read_is_told_and_hides_no_other(tmp_path: Path) -> None:
    broken = write(tmp_path / "a.json", "{")
    off = write(tmp_path / "b.json", {"disableAllHooks": True})
    first, second = found([broken, off])
    assert "a.json" in first
    assert "disableAllHooks" in second
    with pytest.raises(InputError):
        read(broken)
    assert read(tmp_path / "none.json") == {}


def test_what_forbids_gateways_is_named(tmp_path: Path) -> None:
    managed = tmp_path / "managed"
    write(managed / "managed-mcp.json", {})
    off = write(tmp_path / "s.json", {"disableSideloadFlags": True})
    fixed, flags = sideloading([off], (managed,))
    assert "managed-mcp.json" in fixed
    assert "disableSideloadFlags" in flags
    assert list(sideloading([write(tmp_path / "t.json", {})], (tmp_path / "none",))) == []
