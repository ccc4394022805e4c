import json
import tomllib

import pytest

from mcp_assay.cli.policy_config import CLIENTS, NAME, snippet

COMMAND, ARGS = r"C:\Program Files\größe\python.exe", ["-P", 'a "quoted" word', "\U0001f600"]


@pytest.mark.parametrize("client", CLIENTS)
def test_each_client_gets_a_snippet_that_it_can_parse(client):
    text = snippet(client, COMMAND, ARGS)
    document = tomllib.loads(text) if client == "codex" else json.loads(text)
    entry = document[CLIENTS[client].key][NAME]
    assert (entry["command"], entry["args"]) == (COMMAND, ARGS)


def test_the_keys_are_those_that_each_client_reads():
    keys = {client: CLIENTS[client].key for client in CLIENTS}
    assert keys == {
        "claude-code": "mcpServers",
        "claude-desktop": "mcpServers",
        "cursor": "mcpServers",
        "vscode": "servers",
        "codex": "mcp_servers",
    }
    assert [client for client in CLIENTS if '"type": "stdio"' in snippet(client, "x", [])] == ["claude-code", "vscode"]
