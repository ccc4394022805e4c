"""What of the plugin works here, one line each."""

import os
import sys
from pathlib import Path

import pytest

from stage import Ran, Stage


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    """With a Claude Code that says its version, and the plugin installed."""
    found = Stage(tmp_path)
    claude = found.write("bin/claude", "#!/bin/sh\necho '2.1.332 (Claude Code)'\n")
    claude.chmod(0o755)
    (claude.parent / "mcp-assay").symlink_to(Path(sys.executable).with_name("mcp-assay"))
    found.environ["PATH"] = f"{claude.parent}:/usr/bin:/bin"
    found.run("host", "install", "claude-code", "--yes")
    return found


def check(stage: Stage, **environ: str) -> Ran:
    return stage.run("host", "check", **environ)


def test_where_all_is_well_every_line_says_so(stage: Stage) -> None:
    found = check(stage)
    assert found.code == 0, found.out
    assert all(line.startswith("ok  ") for line in found.out.splitlines())
    assert "is 2.1.332" in found.out
    assert "enables mcp-eval@mcp-assay" in found.out


def test_in_a_session_its_heartbeat_is_looked_for(stage: Stage) -> None:
    found = check(stage, CLAUDE_CODE_SESSION_ID="s-1")
    assert found.code == 2
    assert "no  the hooks have not been seen in this session" in found.out
    run = stage.kept / "mcp-assay" / "run"
    run.mkdir(exist_ok=True)
    (run / "s-s-1.beat").write_text(f"{os.getpid()} 1 0.1.0\n")
    assert check(stage, CLAUDE_CODE_SESSION_ID="s-1").code == 0


def test_each_thing_that_is_wrong_is_named(stage: Stage) -> None:
    (stage.root / "bin" / "claude").write_text("#!/bin/sh\necho '2.0.1 (Claude Code)'\n")
    (stage.kept / "mcp-assay" / "claude-code" / "hooks" / "hook.py").write_text("pass")
    stage.write(
        "project/.claude/settings.local.json",
        {"enabledPlugins": {"mcp-eval@mcp-assay": False}, "disableAllHooks": True, "disableSideloadFlags": True},
    )
    found = check(stage)
    wrong = [line for line in found.out.splitlines() if line.startswith("no  ")]
    assert (found.code, len(wrong)) == (2, 5), found.out
    for words in ("2.0.1", "disables mcp-eval", "is not this version", "disableAllHooks", "disableSideloadFlags"):
        assert any(words in line for line in wrong)


def test_where_nothing_is_there_it_says_what_to_run(tmp_path: Path) -> None:
    bare = Stage(tmp_path)
    bare.environ["PATH"] = "/nowhere"
    found = bare.run("host", "check")
    assert found.code == 2
    assert "run: mcp-assay host install claude-code" in found.out
    assert "claude is not on your PATH" in found.out
