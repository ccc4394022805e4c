"""The plugin in Claude Code's settings and beside the user's keys: what is changed, what is shown, what is kept."""

import json
import sys
from pathlib import Path

import pytest

from mcp_assay import __version__
from person import Person
from stage import Stage

HAND_MADE = """\
{
    "model" : "opus",   "env": {"A": "1"},

    "enabledPlugins": {
        "other@market": true
    }
}
"""


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def user_settings(stage: Stage) -> Path:
    return stage.home / ".claude" / "settings.json"


def copy(stage: Stage) -> Path:
    return stage.kept / "mcp-assay" / "claude-code"


def test_the_plugin_is_copied_and_enabled_and_the_rest_of_the_file_is_as_it_was(stage: Stage) -> None:
    file = stage.write("home/.claude/settings.json", HAND_MADE)
    file.chmod(0o640)
    done = stage.run("host", "install", "claude-code", "--yes")
    assert done.code == 0, done.err
    text = file.read_text()
    kept = HAND_MADE.rstrip("}\n").rstrip()
    assert text.startswith(kept.removesuffix("}").rstrip())
    assert file.stat().st_mode & 0o777 == 0o640
    settings = json.loads(text)
    assert settings["enabledPlugins"] == {"other@market": True, "mcp-eval@mcp-assay": True}
    source = settings["extraKnownMarketplaces"]["mcp-assay"]["source"]
    assert source == {"source": "directory", "path": str(copy(stage))}
    assert '+        "mcp-eval@mcp-assay": true' in done.out
    assert list(file.parent.iterdir()) == [file], "nothing is backed up unasked"


def test_the_copy_names_its_programs_by_where_they_are(stage: Stage) -> None:
    stage.run("host", "install", "claude-code", "--yes")
    plugin = json.loads((copy(stage) / ".claude-plugin" / "plugin.json").read_text())
    assert plugin["mcpServers"]["assay"]["command"] == sys.executable
    assert plugin["mcpServers"]["assay"]["alwaysLoad"] is True
    assert plugin["version"] == __version__
    hooks = json.loads((copy(stage) / "hooks" / "hooks.json").read_text())["hooks"]
    found = [hook for groups in hooks.values() for group in groups for hook in group["hooks"]]
    assert {hook["command"] for hook in found} == {sys.executable}
    assert {hook["onFailure"] for hook in found} == {"block"}
    names = (
        "skills/mcp-eval/SKILL.md",
        "agents/friction-critic.md",
        ".claude-plugin/marketplace.json",
        "hooks/hook.py",
    )
    assert all((copy(stage) / name).is_file() for name in names)


def test_a_second_run_changes_nothing_and_a_stale_copy_is_replaced(stage: Stage) -> None:
    stage.run("host", "install", "claude-code", "--yes")
    before = user_settings(stage).read_text()
    assert "Nothing to change" in stage.run("host", "install", "claude-code").out
    (copy(stage) / "hooks" / "hook.py").write_text("pass")
    (copy(stage) / "more").write_text("x")
    again = stage.run("host", "install", "claude-code", "--yes")
    assert "Replace the plugin's copy" in again.out
    assert user_settings(stage).read_text() == before
    assert (copy(stage) / "hooks" / "hook.py").read_text() != "pass"
    assert not (copy(stage) / "more").exists()
    assert [item.name for item in copy(stage).parent.iterdir()] == ["claude-code"]


def test_nobody_at_a_terminal_agrees_to_nothing(stage: Stage) -> None:
    refused = stage.run("host", "install", "claude-code")
    assert refused.code == 2
    assert "--yes" in refused.err
    assert not user_settings(stage).exists()
    assert not copy(stage).exists()


@pytest.mark.parametrize(("answer", "is_done"), [("y", True), ("n", False), ("", False)])
def test_a_person_is_shown_the_change_and_asked(stage: Stage, answer: str, is_done: bool) -> None:
    words = [sys.executable, "-m", "mcp_assay", "host", "install", "claude-code"]
    with Person(words, environ=stage.environ, cwd=stage.project) as person:
        person.sees("mcp-eval@mcp-assay", "Do this?")
        person.types(answer)
        assert person.ends() == (0 if is_done else 2)
    assert user_settings(stage).exists() is is_done


def test_a_project_gets_it_in_its_own_local_settings(stage: Stage) -> None:
    done = stage.run("host", "install", "claude-code", "--project", "--yes")
    assert done.code == 0, done.err
    assert (stage.project / ".claude" / "settings.local.json").exists()
    assert not user_settings(stage).exists()


@pytest.mark.parametrize(
    ("text", "line"), [('{\n  "a": 1,\n}', "3"), ('{\n "a": 1,\n "a": 2}', "3"), ("[]", "1"), ('{"a": NaN}', "1")]
)
def test_a_settings_file_that_is_broken_is_named_with_its_line_and_left_alone(
    stage: Stage, text: str, line: str
) -> None:
    file = stage.write("home/.claude/settings.json", text)
    for command in ("install", "uninstall"):
        refused = stage.run("host", command, "claude-code", "--yes")
        assert refused.code == 2
        assert f"settings.json:{line}" in refused.err
    assert file.read_text() == text
    assert not copy(stage).exists()


def test_a_settings_file_that_is_a_link_stays_one(stage: Stage) -> None:
    real = stage.write("dotfiles/claude.json", "{}")
    user_settings(stage).parent.mkdir()
    user_settings(stage).symlink_to(real)
    stage.run("host", "install", "claude-code", "--yes")
    assert user_settings(stage).is_symlink()
    assert "mcp-eval@mcp-assay" in real.read_text()


@pytest.mark.parametrize("before", [HAND_MADE, "{}\n", '{"a": 1}'])
def test_uninstalling_undoes_it(stage: Stage, before: str) -> None:
    file = stage.write("home/.claude/settings.json", before)
    stage.run("host", "install", "claude-code", "--yes")
    done = stage.run("host", "uninstall", "claude-code", "--yes")
    assert done.code == 0
    assert json.loads(file.read_text()) == json.loads(before)
    assert before != HAND_MADE or file.read_text() == before
    assert not copy(stage).exists()
    assert "Nothing to change" in stage.run("host", "uninstall", "claude-code").out
