"""A session of the host: which it is, its heartbeat, who listens for it, and what is told of its evaluation."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from host_client import short
from mcp_assay.errors import UserError
from mcp_assay.host.sessions import Heartbeat, News, Session, Step, ancestors, is_alive, parent

__all__ = ["short"]


@pytest.mark.parametrize("found", ["", "../../etc", "a b", "x" * 65])
def test_what_is_no_id_of_a_session_is_none(tmp_path: Path, found: str) -> None:
    with pytest.raises(UserError, match="live session of Claude Code"):
        Session.current({"CLAUDE_CODE_SESSION_ID": found}, tmp_path)


def test_a_sessions_files_lie_in_the_users_state_folder(tmp_path: Path) -> None:
    environ = {"CLAUDE_CODE_SESSION_ID": "a-1", "XDG_STATE_HOME": "/state"}
    assert Session.current(environ, tmp_path).socket == Path("/state/mcp-assay/run/s-a-1.sock")
    del environ["XDG_STATE_HOME"]
    assert Session.current(environ, tmp_path).run == tmp_path / ".local/state/mcp-assay/run"


@pytest.mark.parametrize(
    ("text", "beat"),
    [("12 1700000000 0.1.0\n", Heartbeat(12, "0.1.0")), ("", None), ("x 1 0.1.0", None), ("12 1", None), (None, None)],
)
def test_a_heartbeat_is_whole_or_none(tmp_path: Path, text: str | None, beat: Heartbeat | None) -> None:
    if text is not None:
        (tmp_path / "s-a.beat").write_text(text)
    assert Session("a", tmp_path).heartbeat() == beat


def test_who_listens_is_known_from_the_system(short: Path) -> None:
    session = Session("a", short)
    assert session.owner() is None
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(session.socket))
        assert session.owner() is None
        listening.listen()
        assert session.owner() == os.getpid()
    assert session.owner() is None


def test_news_replace_each_other_and_nobody_else_reads_them(tmp_path: Path) -> None:
    session = Session("a", tmp_path / "run")
    assert session.news() is None
    session.tell(News("one", "/folder", Step.ASKING, "Start?"))
    told = News("one", "/folder", Step.ENDED, "over", 3)
    session.tell(told)
    assert session.news() == told
    file = tmp_path / "run" / "s-a.json"
    assert file.stat().st_mode & 0o777 == 0o600
    assert [file] == list(file.parent.iterdir())
    file.write_text('{"step": "dancing"}')
    assert session.news() is None


def test_our_ancestors_are_the_systems() -> None:
    line = list(ancestors())
    assert line[0] == os.getppid()
    assert os.getpid() not in line
    asked = subprocess.run(["ps", "-o", "ppid=", "-p", str(os.getppid())], capture_output=True, text=True, check=True)
    assert parent(os.getppid()) == int(asked.stdout)


def test_a_process_is_alive_until_it_is_not() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    assert is_alive(child.pid)
    child.communicate(b"\n")
    assert not is_alive(child.pid)
