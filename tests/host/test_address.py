"""Where a socket may be, and who is at its other end. With clients: test_socket.py, test_hooksocket.py."""

import socket
import stat

import pytest

from host_client import short
from mcp_assay.errors import StoreError
from mcp_assay.host.address import bound, is_ours

__all__ = ["short"]


def test_a_socket_listens_in_a_folder_of_this_users_alone(short):
    path = short / "new" / "x.sock"
    (short / "new").mkdir(mode=0o755)
    with bound(path):
        assert [stat.S_IMODE(found.stat().st_mode) for found in (path, path.parent)] == [0o600, 0o700]


def test_what_is_no_socket_or_no_folder_stays(short):
    (short / "file").touch()
    (short / "link").symlink_to(short / "elsewhere")
    for path, why in (
        (short / "file", "it is no socket"),
        (short / "link", "it is no socket"),
        (short / "file" / "x.sock", "cannot listen"),
        (short / ("x" * 200), "cannot listen"),
    ):
        with pytest.raises(StoreError, match=why):
            bound(path)
    assert (short / "file").exists()


def test_a_folder_that_is_a_link_is_not_used(short):
    (short / "real").mkdir()
    (short / "run").symlink_to(short / "real")
    with pytest.raises(StoreError, match="not a folder of this user's"):
        bound(short / "run" / "x.sock")


def test_a_process_of_this_users_is_ours():
    here, there = socket.socketpair()
    with here, there:
        assert is_ours(here)
