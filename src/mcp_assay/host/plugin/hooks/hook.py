"""hook.py EVENT: brings one hook event of Claude Code to the evaluation's owner, and its answer back.

It decides nothing. Where no evaluation is bound to the session it says nothing, and everything goes on as without it.
Where one is, no answer means no: it ends with 2, which refuses a call, on any fault of its own or of the owner's.

It runs twice for each call of a tool, so it imports next to nothing. It is run with -I -S, by any Python from 3.8 on.
"""

import _signal  # type: ignore[import-not-found]
import _socket
import os
import sys
import time

VERSION = "0.1.0"
MOST = 32 * 1024 * 1024
PATIENCE = {"PreToolUse": 50}
"""Seconds; less than hooks.json gives, since there are hosts that let a call pass if its hook took too long."""
LITTLE = 8  # seconds for any other event
CHUNK = 1 << 20
LONGEST = 64  # characters of a session's id
GONE = (
    "the evaluation that runs in this session does not answer: its owner has ended. "
    "`mcp-assay host stop`, run in a terminal, lets go of the session."
)
TAKEN = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"


class Refused(Exception):
    """Why nobody could be asked."""


def main(event: str) -> int:
    allow(PATIENCE.get(event, LITTLE))
    given = everything()
    path = os.environ.get("MCP_ASSAY_HOOKS")
    if not path:
        named = session(given)
        if event == "SessionStart":
            beat(named)
        path = named + ".sock"
        if not is_there(path):
            return 0
    answer = ask(path, event.encode() + b" " + given.replace(b"\n", b" ").replace(b"\r", b" ") + b"\n")
    head, end, rest = answer.partition(b"\n")
    code, out, err = (int(number) for number in head.split(b" "))
    if not end or code not in (0, 2) or min(out, err) < 0 or len(rest) != out + err:
        raise Refused(GONE)
    say(1, rest[:out])
    say(2, rest[out:])
    allow(0)
    return code


def allow(seconds: int) -> None:
    """End this with a refusal after so many seconds; 0 takes that back."""
    if hasattr(_signal, "alarm"):  # where there is none, there are no owners either
        _signal.signal(_signal.SIGALRM, late)
        _signal.alarm(seconds)


def late(_number: int, _frame: object) -> None:
    raise Refused("nobody answered in time; " + GONE)


def everything() -> bytes:
    """The event, from stdin."""
    parts, size = [b""], 0
    while True:
        data = os.read(0, CHUNK)
        if not data:
            return b"".join(parts)
        size += len(data)
        if size > MOST:
            raise Refused("the event is too large")
        parts.append(data)


def session(given: bytes) -> str:
    """What the session's files begin with, in the user's state folder."""
    found = os.environ.get("CLAUDE_CODE_SESSION_ID")
    if not found:
        # What stands inside a text has its quotes escaped, and the host says its own first.
        found = given.partition(b'"session_id":"')[2].partition(b'"')[0].decode()
    if not 0 < len(found) <= LONGEST or found.strip(TAKEN):
        raise Refused("this session has no id that could be one")
    state = os.environ.get("XDG_STATE_HOME") or os.path.join(os.path.expanduser("~"), ".local", "state")
    return os.path.join(state, "mcp-assay", "run", "s-" + found)


def is_there(path: str) -> bool:
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def beat(named: str) -> None:
    """Say that the session runs its hooks: the host's process, when, and which version of this."""
    os.makedirs(os.path.dirname(named), 0o700, exist_ok=True)
    file = os.open(named + ".beat", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o600)
    say(file, b"%d %d %s\n" % (os.getppid(), time.time(), VERSION.encode()))


def ask(path: str, message: bytes) -> bytes:
    """All that the owner answers, until it hangs up."""
    try:
        owner = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        owner.connect(path)
        if hasattr(_socket, "SO_PEERCRED"):
            peer = owner.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)
            if int.from_bytes(peer[4:8], sys.byteorder) != os.getuid():
                raise Refused("another user's process answers for this evaluation")
        owner.sendall(message)
        parts = [b""]
        while True:
            data = owner.recv(CHUNK)
            if not data:
                return b"".join(parts)
            parts.append(data)
    except OSError:
        raise Refused(GONE) from None


def say(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]


def run(event: str) -> int:
    try:
        return main(event)
    except Refused as why:
        return refuse(str(why))
    except BaseException as fault:  # whatever it is: in doubt means no
        return refuse("a fault in the evaluation's hook (" + type(fault).__name__ + "); in doubt means no")


def refuse(why: str) -> int:
    allow(0)
    say(2, b"mcp-assay: " + why.encode() + b"\n")
    return 2


if __name__ == "__main__":
    try:
        os._exit(run(sys.argv[1]))
    finally:
        os._exit(2)
