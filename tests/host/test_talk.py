"""Connections that would have their session carried, and do not behave; all else of them is in ``test_socket``."""

import os
import socket
import subprocess
import time

import pytest

from gateway_session import Session
from gateway_stage import HELLO, NAME, SERVER, address, short_folder
from host_client import Client
from mcp_assay.host.ledger import Ledger


def children(pid):
    shown = subprocess.run(["ps", "--ppid", str(pid), "-o", "pid="], capture_output=True, text=True, check=False)
    return len(shown.stdout.split())


@pytest.fixture
def session():
    safety = {"disposition": "read_only", "marks": {"echo": {"mark": "read", "tool": "unpinned"}}}
    with short_folder() as folder, Session(folder, [SERVER, folder], safety) as found:
        found.gateway.ask(HELLO)
        yield found


@pytest.mark.parametrize("sent", ["nothing", "two", "closed"])
def test_whoever_lends_something_else_is_not_served_and_all_others_are(session, sent):
    with Client(address(session.folder), "gateway", server=NAME, carry=True) as client:
        assert (client.hello["carry"], client.hello["launch"]) == (True, None)
        if sent == "nothing":
            client.socket.sendall(b"\n")
        elif sent == "two":
            socket.send_fds(client.socket, [b"\n"], [0, 1])
        if sent != "closed":
            assert client.socket.recv(1) == b""
    assert "isError" not in session.gateway.call(1, "echo")["result"]


def test_once_its_pipes_are_lent_a_gateway_has_nothing_to_say(session):
    ledger = Ledger.make()
    (stdin, ours), (reading, stdout) = os.pipe(), os.pipe()
    with Client(address(session.folder), "gateway", server=NAME, carry=True) as client:
        socket.send_fds(client.socket, [b"\n"], [stdin, stdout, 2, ledger.fd])
        client.tell({"n": 2, "do": "open", "mcp": NAME, "tool": "echo", "args": {}})
        assert client.socket.recv(1) == b""
    for fd in (stdin, ours, reading, stdout):
        os.close(fd)
    ledger.close()
    while children(session.owner.pid) > 1:  # a server that has just been started writes into the folder
        time.sleep(0.02)
    assert "isError" not in session.gateway.call(1, "echo")["result"]
