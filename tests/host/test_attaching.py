"""How a host is started strictly through gateways: its file, its words."""

import json
import shlex
import tomllib
from typing import Any

import pytest

from mcp_assay.errors import UserError
from mcp_assay.host.attaching import Attached, Host, command, configuration

TWO = Attached(["notes", "a b'c"], ["/py thon", "-m", "gateway", "--server"], 60)


def file_of(host: Host, attached: Attached = TWO) -> dict[str, Any]:
    value = json.loads(configuration(host, attached) or "null")
    assert isinstance(value, dict)
    return value


def test_every_server_keeps_its_key_and_ours_stands_beside_them() -> None:
    for host in (Host.CLAUDE_CODE, Host.GEMINI):
        servers = file_of(host)["mcpServers"]
        assert list(servers) == ["notes", "a b'c", "assay"]
        assert servers["a b'c"]["command"] == "/py thon"
        assert servers["a b'c"]["args"] == ["-m", "gateway", "--server", "a b'c"]
        assert servers["notes"]["timeout"] == 90_000, "longer than a call may take"


def test_claude_code_loads_all_tools_from_the_start_and_asks_our_hooks() -> None:
    assert all(entry["alwaysLoad"] for entry in file_of(Host.CLAUDE_CODE)["mcpServers"].values())
    words = command(Host.CLAUDE_CODE, TWO, "/f.json", hooks="/h.sock", plugin="/plugin")
    assert words[:5] == ["env", "MCP_ASSAY_HOOKS=/h.sock", "claude", "--mcp-config", "/f.json"]
    assert words[5:] == ["--strict-mcp-config", "--plugin-dir", "/plugin"]
    assert "--plugin-dir" not in command(Host.CLAUDE_CODE, TWO, "/f", hooks="/h", plugin=None)


def test_gemini_is_allowed_these_servers_only() -> None:
    assert file_of(Host.GEMINI)["mcp"]["allowed"] == ["notes", "a b'c", "assay"]
    words = command(Host.GEMINI, TWO, "/f.json", hooks="/h", plugin=None)
    assert words == [
        "env",
        "GEMINI_CLI_SYSTEM_SETTINGS_PATH=/f.json",
        "gemini",
        "--allowed-mcp-server-names",
        "notes,a b'c,assay",
    ]


def test_codex_is_told_all_on_its_command_line_in_toml() -> None:
    assert configuration(Host.CODEX, TWO) is None
    odd = Attached(["notes"], ['/a "b" \\c', "é", "--server"], 5)
    words = command(Host.CODEX, odd, "", hooks="", plugin=None)
    assert words[:3] == ["codex", "exec", "--ignore-user-config"]
    told = tomllib.loads("\n".join(words[4::2]))["mcp_servers"]
    assert list(told) == ["notes", "assay"]
    assert told["notes"] == {
        "command": '/a "b" \\c',
        "args": ["é", "--server", "notes"],
        "required": True,
        "default_tools_approval_mode": "approve",
        "tool_timeout_sec": 35,
    }
    assert shlex.split(shlex.join(words)) == words


def test_a_name_that_a_host_or_we_cannot_take_is_told() -> None:
    with pytest.raises(UserError, match="Codex takes only"):
        command(Host.CODEX, TWO, "", hooks="", plugin=None)
    with pytest.raises(UserError, match="is called assay"):
        Attached(["assay"], ["x"], 1)
