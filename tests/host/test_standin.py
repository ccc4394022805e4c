"""Where there is no server: an empty list, and the reason at every call, in either era."""

import json
from typing import Any

import pytest

from gateway_stage import STATELESS, call, request
from mcp_assay.host.standin import Absent, Standin
from relay_ends import Time


@pytest.fixture
def ask():
    time, said = Time(), list[Any]()
    standin = Standin(time.later, "no process owns this evaluation")
    standin.begin(said.append, said.append)

    def asked(message):
        standin.send(json.dumps(message).encode() + b"\n")
        assert said == []  # whoever sends has to be done with that first
        time.pass_by(0)
        return json.loads(said.pop()) if said else None

    return asked


@pytest.mark.parametrize(
    ("version", "answered"),
    [("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2099-01-01", "2025-11-25"), (None, "2025-11-25")],
)
def test_a_handshake_agrees_on_a_version(ask, version, answered):
    result = ask(request(1, "initialize", protocolVersion=version))["result"]
    assert (result["protocolVersion"], result["capabilities"]) == (answered, {"tools": {"listChanged": True}})


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


def test_what_is_no_request_is_not_answered(ask):
    assert ask({"jsonrpc": "2.0", "method": "notifications/initialized"}) is None
    assert ask({"jsonrpc": "2.0", "id": 1, "result": {}}) is None


def test_an_absent_owner_says_why_and_nothing_else():
    owner = Absent("gone")
    owner.tell({})
    owner.ask({}, lambda _: pytest.fail("it answers"))
    assert owner.lost == "gone"
