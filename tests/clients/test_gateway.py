"""The gateway in front of the npm registry's server that has everything: what it says arrives byte for byte."""

import os
import socket
import subprocess
import time
from contextlib import contextmanager

import pytest

from far_stage import launch
from gateway_stage import (
    HELLO,
    INITIALIZED,
    STATELESS,
    FakeOwner,
    Gateway,
    address,
    call,
    gateway,
    request,
    short_folder,
)
from npm_stage import EVERYTHING

pytestmark = pytest.mark.clients

COMMAND = ["node", str(EVERYTHING), "stdio"]


@contextmanager
def direct(folder):
    """The server itself."""
    started = subprocess.Popen(
        COMMAND,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={"PATH": os.environ["PATH"]},
    )
    with started as process:
        yield Gateway(process, folder)
        process.kill()


@contextmanager
def relayed(folder):
    """The same behind a gateway, whose owner permits everything."""
    launch = {"transport": "stdio", "command": COMMAND[0], "args": COMMAND[1:], "cwd": str(folder)}
    owner = FakeOwner(address(folder), {**launch, "env": {"PATH": os.environ["PATH"]}})
    with gateway(folder, hello=False) as running:
        yield running
    owner.die()


@contextmanager
def remote(folder, transport):
    """The same over HTTP behind a gateway, its port chosen by nobody else for now."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    word, path = ("streamableHttp", "mcp") if transport == "http" else ("sse", "sse")
    started = subprocess.Popen(
        ["node", str(EVERYTHING), word],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={"PATH": os.environ["PATH"], "PORT": str(port)},
    )
    with started as process:
        try:
            until_it_listens(port)
            owner = FakeOwner(address(folder), launch(f"http://127.0.0.1:{port}/{path}", transport))
            with gateway(folder, hello=False) as running:
                yield running
            owner.die()
        finally:
            process.kill()


def until_it_listens(port):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)


def frames(meta):
    """What is said to it: its tools, and calls of which no answer depends on the time or on chance."""
    more = {"_meta": meta} if meta else {}
    return [
        request("d", "server/discover", **more),
        request("l", "tools/list", **more),
        request("r", "resources/templates/list", **more),
        call("e", "echo", meta=meta, message="\u00e9\u2028"),
        call("s", "get-sum", meta=meta, a=1.5, b=2),
        call("w", "get-structured-content", meta=meta, location="Chicago"),
        call("i", "get-tiny-image", meta=meta),
        call("x", "get-sum", meta=meta, a="no number"),
        call("n", "no-such-tool", meta=meta),
        request("p", "prompts/get", name="simple-prompt", **more),
        request("u", "resources/read", uri="demo://none", **more),
    ]


def said(server, meta):
    """The lines that answer, each with its id."""
    lines = {}
    if meta is None:
        server.send(HELLO, INITIALIZED)
        lines["hello"] = answer(server, "hello")
    for frame in frames(meta):
        server.send(frame)
        lines[frame["id"]] = answer(server, frame["id"])
    return lines


def answer(server, number):
    """The next line that answers this; notifications on the way are not looked at."""
    while True:
        line = server.line()
        if f'"id":"{number}"'.encode() in line:
            return line


@pytest.mark.parametrize("meta", [None, STATELESS], ids=["handshake", "stateless"])
def test_every_answer_is_the_server_s_own_to_the_byte(meta):
    with short_folder() as folder, direct(folder) as server:
        expected = said(server, meta)
    with short_folder() as folder, relayed(folder) as server:
        found = said(server, meta)
    assert found == expected
    if meta is None:
        assert found["l"].count(b'"inputSchema"') == 13


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_over_http_and_sse_every_answer_is_the_one_over_stdio_to_the_byte(transport):
    with short_folder() as folder, direct(folder) as server:
        expected = said(server, None)
    with short_folder() as folder, remote(folder, transport) as server:
        found = said(server, None)
    for answers in (found, expected):  # which tools it lists depends on when it has read what a client can do
        assert b'"name":"get-sum"' in answers.pop("l")
    assert found == expected
