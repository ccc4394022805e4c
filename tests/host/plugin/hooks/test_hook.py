"""The hook's process against owners that answer, that lie, that hang, and that are not there."""

import json
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import threading
import time

import pytest

from hook_events import SESSION, listing
from hook_process import HOOK, answered, start
from host_client import short
from mcp_assay import __version__
from mcp_assay.host.hooks import EVENTS

__all__ = ["short"]

HASTE = 1  # seconds
GONE = "the evaluation that runs in this session does not answer: its owner has ended."


def ask(short, body=None, event="PreToolUse", **more):
    return answered(start(event, state=short, **more), listing("t1") if body is None else body)


@pytest.fixture
def run(short):
    folder = short / "mcp-assay" / "run"
    folder.mkdir(parents=True)
    return folder


class Owner:
    """Listens at ``path`` for one hook, whose message is then ``heard``, and answers with ``says``."""

    def __init__(self, path, says, *, reads=True, hangs=False):
        self.path, self._says, self._reads, self._hangs, self.heard = path, says, reads, hangs, b""
        self._listening = socket.socket(socket.AF_UNIX)
        self._listening.bind(str(path))
        self._listening.listen()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self):
        try:
            with self._listening.accept()[0] as talk:
                while self._reads and not self.heard.endswith(b"\n"):
                    self.heard += talk.recv(1 << 20)
                talk.sendall(self._says)
                if self._hangs:
                    self._done.wait()
        except OSError:
            pass  # the hook has gone

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._done.set()
        self._listening.close()


def test_where_no_evaluation_runs_it_says_nothing(short):
    for event in EVENTS:
        assert ask(short, event=event) == (0, "", "")


def test_event_and_answer_go_through_as_they_are(short, run):
    said = json.dumps({"hookSpecificOutput": {"permissionDecision": "deny"}}).encode()
    body = b'{\r\n "tool_input":\n {"x": "a\\nb"}}'
    with Owner(run / f"s-{SESSION}.sock", b"0 %d 4\n" % len(said) + said + b"why\n") as owner:
        assert ask(short, body) == (0, said.decode(), "why\n")
    assert owner.heard == b'PreToolUse {   "tool_input":  {"x": "a\\nb"}}\n'


def test_a_large_event_goes_through_whole(short, run):
    body = {"tool_input": {"content": "x" * 20_000_000}}
    with Owner(run / f"s-{SESSION}.sock", b"2 0 2\nno") as owner:
        assert ask(short, body) == (2, "", "no")
    assert len(owner.heard) > 20_000_000


def test_a_large_answer_comes_back_whole(short, run):
    with Owner(run / f"s-{SESSION}.sock", b"0 3000000 0\n" + b"y" * 3_000_000):
        assert ask(short) == (0, "y" * 3_000_000, "")


def test_the_session_is_the_events_where_the_host_does_not_say(short, run):
    with Owner(run / "s-other.sock", b"2 0 2\nno"):
        body = b'{"session_id":"other","tool_input":{"session_id":"' + SESSION.encode() + b'"}}'
        assert ask(short, body, CLAUDE_CODE_SESSION_ID="") == (2, "", "no")


def test_a_socket_that_the_host_was_told_of_comes_first(short, run):
    with Owner(short / "told.sock", b"2 0 2\nno"):
        assert ask(short, hooks=short / "told.sock") == (2, "", "no")


def test_the_state_folder_is_the_homes_where_none_is_named(short):
    folder = short / ".local/state/mcp-assay/run"
    folder.mkdir(parents=True)
    with Owner(folder / f"s-{SESSION}.sock", b"2 0 2\nno"):
        assert ask(short, XDG_STATE_HOME="", HOME=str(short)) == (2, "", "no")


def test_nobody_at_the_socket_that_the_host_was_told_of_refuses(short):
    code, out, err = ask(short, hooks=short / "none.sock")
    assert (code, out) == (2, "")
    assert GONE in err
    assert "`mcp-assay host stop`" in err


def test_an_owner_that_has_died_refuses(short, run):
    with socket.socket(socket.AF_UNIX) as owner:
        owner.bind(str(run / f"s-{SESSION}.sock"))
        owner.listen()
    for event in EVENTS:
        code, out, err = ask(short, event=event)
        assert (code, out) == (2, "")
        assert GONE in err


@pytest.mark.parametrize("kind", ["file", "folder", "link"])
def test_what_is_no_socket_refuses(short, run, kind):
    path = run / f"s-{SESSION}.sock"
    match kind:
        case "file":
            path.touch()
        case "folder":
            path.mkdir()
        case "link":
            path.symlink_to("nowhere")
    assert ask(short)[:2] == (2, "")


def test_a_folder_that_cannot_be_looked_into_refuses(short, run):
    (run / "s-loop").symlink_to("s-loop")
    assert ask(short, XDG_STATE_HOME=str(run / "s-loop"))[:2] == (2, "")


@pytest.mark.parametrize(
    "says",
    [
        b"",
        b"0",
        b"0 0 0",
        b"0 0\n",
        b"0 0 0 0\n",
        b"0 5 0\nxxxx",
        b"0 3 0\nxxxx",
        b"0 -1 1\n",
        b"0 1 -1\n",
        b"1 0 0\n",
        b"3 0 0\n",
        b"-1 0 0\n",
        b"0 0 0\n{",
        b"x 0 0\n",
        b"0  0\n",
        b'{"exit": 0}\n',
        b"\n0 0 0\n",
        b"\xff\xff\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
    ],
)
def test_an_answer_that_is_none_refuses(short, run, says):
    with Owner(run / f"s-{SESSION}.sock", says):
        code, out, err = ask(short)
    assert (code, out) == (2, "")
    assert err.startswith("mcp-assay: ")


def test_an_owner_that_does_not_read_refuses(short, run):
    with Owner(run / f"s-{SESSION}.sock", b"", reads=False):
        assert ask(short, {"x": "y" * 5_000_000})[:2] == (2, "")


@pytest.fixture
def hasty(tmp_path):
    """The hook with less patience."""
    text, changed = re.subn(r"^LITTLE = \d+", f"LITTLE = {HASTE}", HOOK.read_text(), flags=re.MULTILINE)
    assert changed == 1
    script = tmp_path / HOOK.name
    script.write_text(text)
    return script


@pytest.mark.parametrize("where", ["reading", "answering", "saying nothing"])
def test_an_owner_that_hangs_refuses_before_the_host_loses_patience(short, run, hasty, where):
    says = {"answering": b"0 10 0\nabc"}.get(where, b"")
    with Owner(run / f"s-{SESSION}.sock", says, reads=where != "reading", hangs=True):
        began = time.monotonic()
        body = {"x": "y" * 5_000_000} if where == "reading" else {}
        code, out, err = answered(start("PostToolUse", state=short, script=hasty), body)
        assert (code, out) == (2, "")
        assert "in time" in err
        assert time.monotonic() - began > HASTE / 2


def test_a_host_that_never_says_its_event_gets_a_refusal(short, hasty):
    process = start("PostToolUse", state=short, script=hasty)
    assert process.wait(12) == 2
    process.communicate()


def test_its_patience_is_less_than_its_hosts():
    patience = HOOK.read_text()
    limits = json.loads((HOOK.parent / "hooks.json").read_text())["hooks"]
    assert limits.keys() == EVENTS.keys()
    for event, ((group,),) in ((event, [groups]) for event, groups in limits.items()):
        (hook,) = group["hooks"]
        ours = re.search(rf'"{event}": (\d+)', patience) or re.search(r"^LITTLE = (\d+)", patience, re.MULTILINE)
        assert ours is not None
        assert int(ours[1]) < hook["timeout"]
        assert (group["matcher"], hook["type"], hook["onFailure"]) == ("*", "command", "block")
        assert hook["args"] == ["-I", "-S", "${CLAUDE_PLUGIN_ROOT}/hooks/hook.py", event]


def test_an_event_that_is_too_large_refuses(short):
    process = start("PreToolUse", state=short)
    code, out, err = answered(process, b" " * (32 * 1024 * 1024 + 1))
    assert (code, out) == (2, "")
    assert "too large" in err


@pytest.mark.parametrize("session", ["../x", "a/b", "a" * 65, "é", "a b", "a\n"])
def test_an_id_that_could_be_a_path_refuses(short, session):
    code, _, err = ask(short, CLAUDE_CODE_SESSION_ID=session)
    assert code == 2
    assert "no id that could be one" in err
    assert ask(short, {}, CLAUDE_CODE_SESSION_ID="")[0] == 2


@pytest.mark.parametrize(
    ("words", "more"), [([], {}), (["PreToolUse"], {"preexec_fn": lambda: os.close(0)})], ids=["event", "stdin"]
)
def test_without_an_event_or_stdin_it_refuses(words, more):
    done = subprocess.run([sys.executable, "-I", "-S", HOOK, *words], env={}, capture_output=True, check=False, **more)
    assert (done.returncode, done.stdout) == (2, b"")


@pytest.mark.parametrize("end", [1, 2])
def test_a_host_that_does_not_listen_gets_a_refusal(short, run, end):
    with Owner(run / f"s-{SESSION}.sock", b"0 1 1\nxy"):
        process = start("PreToolUse", state=short)
        (process.stdout if end == 1 else process.stderr).close()
        process.stdin.write(b"{}")
        process.stdin.close()
        assert process.wait(20) == 2
        (process.stderr if end == 1 else process.stdout).close()


def test_a_session_that_starts_leaves_a_heartbeat(short):
    assert ask(short, event="SessionStart") == (0, "", "")
    folder = short / "mcp-assay" / "run"
    beat = folder / f"s-{SESSION}.beat"
    pid, when, version = beat.read_text().split()
    assert (int(pid), version) == (os.getpid(), __version__)
    assert abs(int(when) - time.time()) < 60
    assert stat.S_IMODE(beat.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert ask(short, event="SessionStart") == (0, "", "")
    assert len(beat.read_text().splitlines()) == 1


def test_a_heartbeat_follows_no_link(short, run):
    (run / f"s-{SESSION}.beat").symlink_to(short / "target")
    assert ask(short, event="SessionStart")[0] == 2
    assert not (short / "target").exists()


def test_a_hook_that_is_told_to_end_says_nothing(short, run):
    with Owner(run / f"s-{SESSION}.sock", b"", hangs=True) as owner:
        process = start("PreToolUse", state=short)
        process.stdin.write(b"{}")
        process.stdin.close()
        while not owner.heard:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) != 0
        assert process.stdout.read() == b""
        process.stdout.close()
        process.stderr.close()
