"""Which pipes can be lent, and how they get to the owner."""

import os
import socket
import subprocess
import sys

import pytest

from mcp_assay.host.ledger import Ledger
from mcp_assay.host.lending import LENT, lend

ASK = "from mcp_assay.host.lending import can_lend; import sys; sys.stderr.write(str(can_lend()))"


@pytest.mark.parametrize(
    ("stdin", "stdout", "can"),
    [("pipe", "pipe", "True"), ("file", "pipe", "False"), ("pipe", "file", "False"), ("socket", "socket", "True")],
)
def test_pipes_and_sockets_can_be_lent_and_files_cannot(tmp_path, stdin, stdout, can):
    ours, theirs = socket.socketpair()
    with ours, theirs, (tmp_path / "file").open("w+b") as file:
        ends = {"pipe": subprocess.PIPE, "file": file, "socket": theirs}
        command = [sys.executable, "-P", "-c", ASK]
        with subprocess.Popen(command, stdin=ends[stdin], stdout=ends[stdout], stderr=subprocess.PIPE) as process:
            assert process.communicate()[1].decode() == can


def test_the_owner_gets_the_pipes_and_the_ledger_itself():
    ours, theirs = socket.socketpair()
    ledger = Ledger.make()
    with ours, theirs:
        lend(ours, ledger)
        _, fds, _, _ = socket.recv_fds(theirs, 1, LENT)
    assert [os.fstat(fd).st_ino for fd in fds] == [os.fstat(fd).st_ino for fd in (0, 1, 2, ledger.fd)]
    for fd in (*fds, ledger.fd):
        os.close(fd)
