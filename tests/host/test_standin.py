"""Where there is no server: an empty list, and the reason at every call, in either era."""

import json

import pytest

from gateway_stage import STATELESS, call, request
from mcp_assay.frames import Oversized
from mcp_assay.host.standin import Standin
from relay_ends import End


@pytest.fixture
def ask():
    agent = End()
    standin = Standin(agent, "no process owns this evaluation")

    def asked(message):
        standin.from_agent(message if isinstance(message, Oversized | bytes) else json.dumps(message).encode())
        return agent.only() if agent.frames else None

    return asked


@pytest.mark.parametrize(
    ("version", "answered"),
    [("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2099-01-01", "2025-11-25"), (None, "2025-11-25")],
)
def test_a_handshake_agrees_on_a_version(ask, version, answered):
    result = ask(request(1, "initialize", protocolVersion=version))["result"]
    assert (result["protocolVersion"], result["capabilities"]) == (answered, {"tools": {}})


def test_there_are_no_tools(ask):
    assert ask(request(1, "tools/list"))["result"] == {"tools": []}
    stateless = ask(request(2, "tools/list", _meta=STATELESS))["result"]
    assert stateless == {"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


def test_a_stateless_host_finds_out_what_is_spoken(ask):
    result = ask(request(1, "server/discover", _meta=STATELESS))["result"]
    assert result["supportedVersions"][0] == "2026-07-28"
    assert result["resultType"] == "complete"


@pytest.mark.parametrize("meta", [None, STATELESS])
def test_every_call_is_told_why(ask, meta):
    result = ask(call(1, "anything", meta=meta))["result"]
    assert result["content"] == [{"type": "text", "text": "no process owns this evaluation"}]
    assert result["isError"] is True
    assert ("resultType" in result) == (meta is not None)


def test_other_requests_are_answered_as_by_a_server_with_tools_alone(ask):
    assert ask(request(1, "ping"))["result"] == {}
    assert ask(request(1, "resources/list"))["error"]["code"] == -32601
    assert ask(request(1, "resources/read", uri="a:b"))["error"]["message"] == "no process owns this evaluation"


def test_what_is_no_request_is_answered_only_where_it_must_be(ask):
    assert ask({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    assert ask({"jsonrpc": "2.0", "method": "tools/call"}) is None
    assert ask(b"\n") is None
    assert ask(b"{")["error"]["code"] == -32700
    assert ask(request(1.5, "tools/call"))["error"]["code"] == -32600
    assert ask(Oversized(5))["error"]["code"] == -32600
