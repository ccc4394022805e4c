"""Attaching a session strictly through gateways, from an approved evaluation."""

import json
import shlex
from pathlib import Path

import pytest

from host_client import short
from stage import Stage

__all__ = ["short"]


@pytest.fixture
def stage(short: Path) -> Stage:
    """With an evaluation ``one`` that is approved, and a secret in the environment of its server."""
    found = Stage(short)
    [program, *args] = found.server()
    found.config({"notes": {"command": program, "args": args, "env": {"TOKEN": "s3cret"}}})
    plan = found.plan({"description": "Look."}, driver="host", connect="all")
    done = found.run("eval", "--plan", plan, "--name", "one", "--until", "scenarios", "--trust-config")
    assert done.code == 0, done.err
    return found


def test_the_file_is_the_users_alone_and_holds_no_secret(stage: Stage) -> None:
    done = stage.run("host", "attach", "--eval", "one")
    assert done.code == 0, done.err
    words = started(done.out)
    assert words[0] == "env"
    assert words[1].startswith("MCP_ASSAY_HOOKS=")
    assert words[1].endswith("-h.sock")
    file = Path(words[words.index("--mcp-config") + 1])
    assert file.stat().st_mode & 0o777 == 0o600
    assert stage.kept in file.parents
    servers = json.loads(file.read_text())["mcpServers"]
    assert list(servers) == ["notes", "assay"]
    assert "s3cret" not in file.read_text()
    assert servers["notes"]["args"][-2:] == ["--server", "notes"]
    plugin = Path(words[words.index("--plugin-dir") + 1])
    assert (plugin / "hooks" / "hooks.json").is_file()
    assert "mcp-assay gate one" in done.out


def test_a_plugin_that_is_installed_is_not_loaded_twice(stage: Stage) -> None:
    stage.run("host", "install", "claude-code", "--yes")
    assert "--plugin-dir" not in stage.run("host", "attach", "--eval", "one").out


def test_places_are_said_again_and_quoted(stage: Stage) -> None:
    odd = stage.root / "it's here"
    stage.project.rename(odd)
    done = stage.run("host", "attach", "--eval", "one", "--project", odd, cwd=stage.root)
    assert done.code == 0, done.err
    gate = next(line for line in done.out.splitlines() if "mcp-assay gate" in line)
    assert shlex.split(gate) == ["mcp-assay", "gate", "one", "--project", str(odd)]


@pytest.mark.parametrize(("host", "program"), [("codex", "codex"), ("gemini", "gemini")])
def test_other_hosts_are_told_what_is_not_checked(stage: Stage, host: str, program: str) -> None:
    done = stage.run("host", "attach", "--eval", "one", "--host", host)
    assert done.code == 0
    assert program in started(done.out)
    assert "neither checked nor logged" in done.err


def test_what_cannot_be_attached_is_told(stage: Stage) -> None:
    missing = stage.run("host", "attach", "--eval", "two")
    assert missing.code == 2
    assert "two" in missing.err
    plan = stage.plan({"description": "Look."}, connect="all")
    stage.run("eval", "--plan", plan, "--name", "three", "--until", "interview", "--trust-config")
    early = stage.run("host", "attach", "--eval", "three")
    assert early.code == 2
    assert "scoping" in early.err


def test_settings_that_forbid_it_are_an_error_before_anything_is_written(stage: Stage) -> None:
    stage.write("home/.claude/settings.json", {"disableSideloadFlags": True})
    refused = stage.run("host", "attach", "--eval", "one")
    assert refused.code == 2
    assert "disableSideloadFlags" in refused.err
    assert not (stage.kept / "mcp-assay" / "attach").exists()


def started(out: str) -> list[str]:
    """The words that start the host."""
    return shlex.split(out.split("In another")[1].split("\n\n")[1])
