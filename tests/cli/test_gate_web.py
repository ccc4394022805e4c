"""A whole evaluation with an agent in its own host and servers over HTTP: the owner, a gateway each, and the report."""

import json
import subprocess
import sys
from contextlib import ExitStack

import pytest

from far_stage import sdk_server
from gateway_stage import EVAL, HELLO, INITIALIZED, STATELESS, Gateway, address, command, environ, short_folder
from host_client import Client, owning
from mcp_assay.store.evaldir import place

TOKEN = "t0k3n-of-the-user"
PLAN = {
    "driver": "host",
    "connect": "all",
    "approval": "approve",
    "call_budget": 50,
    "dispositions": {"http": "read_only", "sse": "read_only", "off": "skip"},
    "scenarios": [{"description": "look"}],
}


def entries(base):
    headers = {"Authorization": "Bearer ${MY_TOKEN}"}
    return {
        "http": {"type": "http", "url": f"{base}/mcp", "headers": headers},
        "sse": {"type": "sse", "url": f"{base}/sse", "headers": headers},
        "off": {"type": "http", "url": f"{base}/mcp", "headers": headers},
    }


@pytest.fixture
def started():
    """Starts gateways, and ends them as their host does."""
    with ExitStack() as stack:

        def start(folder, server):
            words = command(folder, server)
            # The user's variable is the owner's to know: a gateway has it from there.
            process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ(folder)
            )
            stack.callback(process.communicate)
            return Gateway(process, folder)

        yield start


def test_servers_over_http_and_sse_are_evaluated_behind_their_gateways(started):
    with short_folder() as folder, sdk_server() as base:
        user = {**environ(folder), "MY_TOKEN": TOKEN}
        (folder / ".mcp.json").write_text(json.dumps({"mcpServers": entries(base)}))
        (folder / "plan.json").write_text(json.dumps(PLAN))
        made = ["eval", "--plan", "plan.json", "--name", EVAL, "--until", "scenarios", "--trust-config"]
        words = [sys.executable, "-P", "-m", "mcp_assay", *made, "--project", str(folder)]
        done = subprocess.run(words, cwd=folder, env=user, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        with owning(["gate", EVAL, "--project", str(folder)], address(folder), user, folder) as owner:
            with Client(address(folder), "agent") as agent:
                agent.ask("next")
                for server in ("http", "sse"):
                    gateway = started(folder, server)
                    gateway.ask(HELLO)
                    gateway.send(INITIALIZED)
                    seen = gateway.call(1, "read_headers")["result"]["structuredContent"]
                    assert seen["authorization"] == f"Bearer {TOKEN}"
                    assert gateway.call(2, "add_tool")["result"]["isError"] is True
                stateless = started(folder, "http")
                assert stateless.call(1, "read_echo", meta=STATELESS, text="x")["result"]["resultType"] == "complete"
                skipped = started(folder, "off").call(1, "read_echo", text="x")["result"]
                assert skipped["content"][0]["text"] == "MCP disposition is 'skip'"
                agent.ask("finish", reached=True, why="looked")
            owner.communicate(timeout=30)
        lines = [json.loads(line) for line in (place(folder, EVAL) / "transcript.jsonl").read_bytes().splitlines()]
        assert [(line["tool"], line["assay"]["outcome"]) for line in lines] == [
            ("mcp__http__read_headers", "ok"),
            ("__blocked__", "blocked"),
            ("mcp__sse__read_headers", "ok"),
            ("__blocked__", "blocked"),
            ("mcp__http__read_echo", "ok"),
            ("__blocked__", "blocked"),
        ]
        assert (lines[-1]["blocked_tool"], lines[-1]["justification"]) == (
            "mcp__off__read_echo",
            "MCP disposition is 'skip'",
        )
        kept = b"".join(path.read_bytes() for path in place(folder, EVAL).rglob("*") if path.is_file())
        assert TOKEN.encode() not in kept
