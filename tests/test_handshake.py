import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from mcp_assay import handshake
from mcp_assay.errors import ConnectionLost, ProtocolError, RequestTimeout, RpcError, ServerError, StartError
from mcp_assay.handshake import METHOD_NOT_FOUND, Answer, agreed, failure, hello, walk


def walked(*pages: dict[str, Any] | ServerError) -> tuple[list[str], str | None, list[Any]]:
    """The tools found, the limitation, and the parameters that were asked with."""
    left, asked = list(pages), []

    async def ask(method: str, params: Mapping[str, Any], timeout: float) -> Answer:  # noqa: ASYNC109 - what a session's request looks like
        assert method == "tools/list"
        assert 0 < timeout <= 5
        asked.append(dict(params))
        page = left.pop(0)
        if isinstance(page, ServerError):
            raise page
        return Answer(page, 10)

    found = asyncio.run(walk(ask, 5)).manifest("s", None)
    return [tool.name for tool in found.tools], found.limitation, asked


def test_the_last_protocol_version_is_offered_and_no_capability() -> None:
    offer = hello()
    assert offer["protocolVersion"] == "2025-11-25"
    assert offer["capabilities"] == {}
    assert offer["clientInfo"]["name"] == "mcp-assay"


@pytest.mark.parametrize("version", handshake.PROTOCOLS)
def test_a_known_version_is_agreed_on(version: str) -> None:
    assert agreed({"protocolVersion": version}) == version


@pytest.mark.parametrize(
    ("version", "named"),
    [
        ("2026-07-28", "2026-07-28"),
        ("\x1b[2J", "one that is no date"),
        (None, "one that"),
        (["2025-11-25"], "one that"),
    ],
)
def test_any_other_is_refused_and_only_a_date_is_repeated(version: object, named: str) -> None:
    with pytest.raises(StartError, match=named) as caught:
        agreed({"protocolVersion": version})
    assert "\x1b" not in str(caught.value)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (RpcError(METHOD_NOT_FOUND, "text of theirs"), "only the stateless protocol of 2026-07-28"),
        (RpcError(-32022, "text of theirs"), "only the stateless protocol of 2026-07-28"),
        (RpcError(-1, "text of theirs"), "the server rejected initialize (JSON-RPC error -1)"),
        (ProtocolError("answered with nothing"), "initialize failed: the server answered with nothing"),
    ],
)
def test_an_initialize_that_failed_is_told_without_their_text(bad: ServerError, words: str) -> None:
    assert words in failure(bad)
    assert "theirs" not in failure(bad)


def test_the_walk_follows_the_cursors() -> None:
    pages = ({"tools": [{"name": "a"}], "nextCursor": "c"}, {"tools": [{"name": "b"}]})
    assert walked(*pages) == (["a", "b"], None, [{}, {"cursor": "c"}])


@pytest.mark.parametrize(
    ("bad", "limitation"),
    [
        (RpcError(METHOD_NOT_FOUND, ""), "it has no tools: it does not know the method tools/list"),
        (RpcError(-5, "theirs"), "its tools could not all be listed: JSON-RPC error -5"),
        (RequestTimeout("too late"), "its tools could not all be listed within 5 s"),
    ],
)
def test_an_error_ends_the_walk_with_what_was_found(bad: ServerError, limitation: str) -> None:
    assert walked({"tools": [{"name": "a"}], "nextCursor": "c"}, bad)[:2] == (["a"], limitation)


def test_a_server_that_is_gone_is_no_limitation() -> None:
    with pytest.raises(ConnectionLost):
        walked(ConnectionLost("gone"))
