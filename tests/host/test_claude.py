"""What Claude Code is started with. With the real one: hosts/test_headless.py."""

import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from mcp_assay.errors import UserError
from mcp_assay.host import claude


@pytest.fixture
def program(tmp_path):
    """One that says which version it is, and is in the PATH."""

    def made(version="99.0.0 (Claude Code)"):
        path = tmp_path / "claude"
        path.write_text(f"#!/bin/sh\necho '{version}'\n")
        path.chmod(0o755)
        return path

    return made


def usable(tmp_path, given=None):
    managed = (tmp_path / "managed",)
    return claude.require_usable(given, {"PATH": f"{tmp_path}:/usr/bin:/bin"}, tmp_path, tmp_path, managed)


def test_it_is_found_in_the_path_or_where_it_is_said_to_be(tmp_path, program):
    found = program()
    assert usable(tmp_path) == found
    assert usable(Path("/nowhere"), found) == found


@pytest.mark.parametrize("version", ["2.1.331 (Claude Code)", "2.0.999", "1.9.9"])
def test_one_that_is_too_old_is_refused(tmp_path, program, version):
    program(version)
    with pytest.raises(UserError, match=r"too old; 2\.1\.332 or newer is needed"):
        usable(tmp_path)


@pytest.mark.parametrize("said", ["", "yes", "v2.1.332"])
def test_one_that_tells_no_version_is_none(tmp_path, program, said):
    program(said)
    with pytest.raises(UserError, match="does not tell the version"):
        usable(tmp_path)


def test_without_one_the_user_is_told_how_to_get_it(tmp_path):
    with pytest.raises(UserError, match="--claude PATH"):
        claude.require_usable(None, {"PATH": str(tmp_path)}, tmp_path, tmp_path)


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("managed-mcp.json", "{}", "--mcp-config is refused"),
        ("managed-settings.json", '{"disableSideloadFlags": true}', "--plugin-dir are refused"),
        ("managed-settings.json", '{"allowManagedHooksOnly": true}', "only an organisation's hooks run"),
        ("managed-settings.d/10.json", '{"disableAllHooks": true}', "no hook runs"),
    ],
)
def test_an_organisations_settings_that_forbid_it_are_told(tmp_path, program, file, text, words):
    program()
    path = tmp_path / "managed" / file
    path.parent.mkdir(parents=True)
    usable(tmp_path)
    path.write_text(text)
    with pytest.raises(UserError, match=words):
        usable(tmp_path)


def test_the_users_own_settings_do_not_count(tmp_path, program):
    program()
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude" / "settings.json").write_text('{"disableAllHooks": true}')
    assert usable(tmp_path) == tmp_path / "claude"


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["assay"], "keeps this name"),
        (["workspace"], "keeps this name"),
        (["a.b", "a_b"], r"a\.b, a_b: it cannot tell"),
    ],
)
def test_servers_that_it_would_not_attach_are_told(names, words):
    with pytest.raises(UserError, match=words):
        claude.require_driveable(names)


def test_names_that_it_can_tell_apart_are_fine():
    claude.require_driveable(["a.b", "a__b", "github"])


def test_its_environment_holds_what_it_needs_and_nothing_of_a_servers():
    environ = {
        "HOME": "/h", "PATH": "/bin", "LC_ALL": "C", "ANTHROPIC_API_KEY": "k", "CLAUDE_CODE_OAUTH_TOKEN": "t",
        "HTTPS_PROXY": "p", "NODE_EXTRA_CA_CERTS": "c",
        "GITHUB_TOKEN": "x", "AWS_SECRET_ACCESS_KEY": "x", "CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "s",
        "CLAUDE_CODE_SIMPLE": "1", "CLAUDE_CODE_SAFE_MODE": "1", "NODE_OPTIONS": "--require=x",
    }  # fmt: skip
    seen = claude.environment(environ, {"MCP_ASSAY_HOOKS": "/s"})
    passed = {"HOME", "PATH", "LC_ALL", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN", "HTTPS_PROXY"}
    assert passed | {"NODE_EXTRA_CA_CERTS"} == seen.keys() & environ.keys()
    assert seen["MCP_ASSAY_HOOKS"] == "/s"
    bedrock = claude.environment({**environ, "CLAUDE_CODE_USE_BEDROCK": "1"})
    assert bedrock["AWS_SECRET_ACCESS_KEY"] == "x"
    assert "GITHUB_TOKEN" not in bedrock


def test_each_server_has_a_gateway_under_its_own_name_and_nothing_that_starts_it():
    made = claude.gateways(["a.b", "c"], ["python", "-m", "x"], 60)["mcpServers"]
    assert list(made) == ["a.b", "c", "assay"]
    assert made["a.b"] == {
        "type": "stdio",
        "command": "python",
        "args": ["-m", "x", "--server", "a.b"],
        "alwaysLoad": True,
        "timeout": 70_000,
    }


def test_the_hooks_are_the_plugins_run_by_this_interpreter():
    hooks = claude.settings()["hooks"]
    assert {"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch"} <= hooks.keys()
    for event, groups in hooks.items():
        for hook in (hook for group in groups for hook in group["hooks"]):
            assert (hook["command"], hook["onFailure"], hook["args"][-1]) == (sys.executable, "block", event)
            assert all(Path(word).is_file() for word in hook["args"] if "/" in word)
    assert "${" not in json.dumps(hooks)


def test_an_agent_is_granted_the_servers_and_what_the_plan_allows_and_no_other_tool():
    argv = claude.agent_argv(Path("/c"), Path("/f"), ["a.b"], allow=["Bash"], turns=9, model=None)
    said = dict(pairwise(argv))
    assert (said["--tools"], said["--allowedTools"]) == ("Bash", "mcp__a_b,mcp__assay,Bash")
    assert (said["--setting-sources"], said["--permission-mode"], said["--max-turns"]) == ("", "dontAsk", "9")
    assert "--strict-mcp-config" in argv
    bare = claude.agent_argv(Path("/c"), Path("/f"), ["a"], allow=[], turns=9, model="opus")
    assert bare[bare.index("--tools") + 1] == ""
    assert bare[bare.index("--model") + 1] == "opus"
