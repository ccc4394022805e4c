"""The ASGI application by itself; tests/policy/test_raw_frames.py has it in a process."""

import asyncio
import json
import socket
from contextlib import closing

import pytest

from mcp_assay.policy import http
from mcp_assay.policy.protocol import Server
from mcp_assay.policy.wire import MOST_BYTES
from policy_frames import PING

HEADERS = [(b"host", b"localhost"), (b"content-type", b"application/json")]


def served(*events, headers=HEADERS, method="POST", path="/mcp"):
    """(status, headers, body, how many events were read)."""
    incoming, sent = iter(events), []
    read = 0

    async def receive():
        nonlocal read
        read += 1
        return next(incoming)

    async def send(event):
        sent.append(event)

    scope = {"type": "http", "method": method, "path": path, "headers": headers}
    asyncio.run(http.App(Server(lambda: None))(scope, receive, send))
    start, body = sent
    return start["status"], dict(start["headers"]), body["body"], read


def part(body, *, more=False):
    return {"type": "http.request", "body": body, "more_body": more}


def test_a_body_in_parts_is_one_body():
    status, headers, body, read = served(part(PING[:9], more=True), part(b"", more=True), part(PING[9:]))
    assert (status, headers[b"content-type"], read) == (200, b"application/json", 3)
    assert json.loads(body)["id"] == "next"
    assert headers[b"content-length"] == str(len(body)).encode()


def test_no_more_is_read_of_a_body_than_may_be():
    status, headers, _, read = served(*(part(b"x" * MOST_BYTES, more=True) for _ in range(5)))
    assert (status, headers[b"connection"], read) == (413, b"close", 2)


def test_half_a_body_is_not_carried_out_when_its_sender_has_gone():
    _, _, body, _ = served(part(PING, more=True), {"type": "http.disconnect"})
    assert b"result" not in body


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"headers": [(b"host", b"evil.example"), *HEADERS[1:]]}, 403),
        ({"headers": [*HEADERS, (b"host", b"evil.example")]}, 403),
        ({"headers": HEADERS[1:]}, 403),
        ({"headers": [*HEADERS, (b"origin", b"null")]}, 403),
        ({"headers": [*HEADERS, (b"origin", b"http://localhost"), (b"origin", b"http://evil.example")]}, 403),
        ({"path": "/"}, 404),
        ({"method": "GET"}, 405),
        ({"headers": HEADERS[:1]}, 415),
    ],
)
def test_what_is_refused_is_refused_before_its_body_is_read(changes, status):
    found, _, body, read = served(**changes)
    assert (found, read) == (status, 0)
    assert body.endswith(b"\n")


def test_a_port_that_is_taken_is_an_error():
    with closing(socket.create_server((http.HOST, 0))) as taken, pytest.raises(OSError):
        http.run(Server(lambda: None), taken.getsockname()[1])
