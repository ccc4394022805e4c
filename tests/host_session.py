"""A session of Claude Code as its hooks see it, without Claude Code: its events come from here, over the real socket.

session = HostSession(stage)
session.begins("--name", "one")
session.types("read_only")
assert "Approve this" in session.shown
"""

import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from stage import PATIENCE, Ran, Stage

ID = "0b5e55ed-0000-4000-8000-000000000001"


class Answered(NamedTuple):
    """What a hook's process would have ended with."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        value = json.loads(self.out) if self.out else {}
        assert isinstance(value, dict)
        return value

    @property
    def denied(self) -> str | None:
        """Why the call may not be made, if so."""
        decision = self.json.get("hookSpecificOutput", {})
        return decision["permissionDecisionReason"] if decision.get("permissionDecision") == "deny" else None


class HostSession:
    """``shown`` is what its user was shown last."""

    def __init__(self, stage: Stage, session: str = ID) -> None:
        self.stage, self.id, self.shown = stage, session, ""
        self.run = stage.kept / "mcp-assay" / "run"
        self.socket = self.run / f"s-{session}.sock"
        self._numbers = count(1)

    def beats(self, pid: int | None = None) -> None:
        """The hook of the session's start has run, in a process of this host."""
        self.run.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self.run / f"s-{self.id}.beat").write_text(f"{pid or os.getpid()} {int(time.time())} 0.1.0\n")

    def assay(self, *words: str) -> Ran:
        """A command that the agent runs with Bash, with what the hooks make of it."""
        command = " ".join(("mcp-assay", *words))
        use = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": f"toolu_{next(self._numbers)}"}
        if self.socket.exists():
            answered = self.event("PreToolUse", **use)
            assert (answered.code, answered.denied) == (0, None), answered
        ran = self.stage.run(*words, CLAUDE_CODE_SESSION_ID=self.id)
        if self.socket.exists():
            # After the event the host shows the user what a hook asks it to.
            said = self.event("PostToolUse", **use, tool_response={"stdout": ran.out})
            self.shown = said.json.get("systemMessage", self.shown)
        return ran

    def begins(self, *words: str) -> Ran:
        self.beats()
        return self.assay("host", "start", *words)

    def waits(self) -> Ran:
        return self.assay("host", "show", "--wait", "20")

    def types(self, prompt: str) -> Answered:
        """The user types a prompt, and the agent does what it is told about it."""
        answered = self.event("UserPromptSubmit", prompt=prompt)
        if "hookSpecificOutput" in answered.json:
            self.shown = ""
            self.waits()
        return answered

    def event(self, event: str, **fields: Any) -> Answered:
        body = {"session_id": self.id, "cwd": str(self.stage.project), "hook_event_name": event, **fields}
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(PATIENCE)
            line.connect(str(self.socket))
            line.sendall(event.encode() + b" " + json.dumps(body).encode() + b"\n")
            with line.makefile("rb") as answer:
                code, out, err = map(int, answer.readline().split())
                return Answered(code, answer.read(out).decode(), answer.read(err).decode())

    def begun(self) -> bool:
        """Wait until an owner has said something."""
        return self._comes(lambda: self.socket.exists() and (self.run / f"s-{self.id}.json").exists())

    def is_over(self) -> bool:
        """Wait until the owner is gone."""
        return self._comes(lambda: not self.socket.exists())

    def _comes(self, what: Callable[[], bool]) -> bool:
        deadline = time.monotonic() + PATIENCE
        while not what() and time.monotonic() < deadline:
            time.sleep(0.05)
        return what()

    def state(self, name: str = "one") -> dict[str, Any]:
        file = self.stage.project / "mcp-evals" / f"mcp-eval-{name}" / "state.json"
        value = json.loads(file.read_text())
        assert isinstance(value, dict)
        return value

    @property
    def log(self) -> str:
        file: Path = self.stage.kept / "mcp-assay" / "owner.log"
        return file.read_text() if file.exists() else ""


@pytest.fixture
def session(short: Path) -> Iterator[HostSession]:
    """A session whose project has a server ``notes``, and no evaluation yet."""
    stage = Stage(short)
    stage.config({"notes": stage.server()})
    found = HostSession(stage)
    yield found
    if found.socket.exists():
        stage.run("host", "stop", CLAUDE_CODE_SESSION_ID=ID)
