"""The real Claude Code, from npm, in an empty HOME with a key that opens nothing, and a model that is scripted."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from npm_stage import Ran
from scripted_model import Script, ScriptedModel

__all__ = ["CLAUDE", "COUNTING", "ClaudeStage", "claude_stage"]

ROOT = Path(__file__).parents[1]
CLAUDE = ROOT / "build" / "hosts" / "node_modules" / ".bin" / "claude"
"""Installed by ``make test-hosts``."""

COUNTING = (sys.executable, "-S", str(Path(__file__).parent / "servers" / "counting.py"))
PATIENCE = 60.0


class ClaudeStage:
    """A place with an empty home, a state folder and a project, and an endpoint for the host to talk to.

    ``environ`` is what a process here sees. Its paths are short, since sockets' addresses are.
    """

    def __init__(self, place: Path, model: ScriptedModel) -> None:
        self.root, self.model = place, model
        self.home, self.state, self.project = place / "home", place / "state", place / "project"
        for folder in (self.home, self.state, self.project):
            folder.mkdir()
        self.environ = {
            "PATH": f"{CLAUDE.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.state),
            "PYTHONPATH": str(ROOT / "src"),
            "TMPDIR": str(place),
            "ANTHROPIC_API_KEY": "dummy",
            "ANTHROPIC_BASE_URL": model.url,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            "DISABLE_AUTOUPDATER": "1",
        }

    def say(self, script: Script) -> None:
        """Give the model its script."""
        self.model.script = dict(script)

    def claude(self, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the host itself to its end; ``more`` is added to its environment."""
        return self.run([str(CLAUDE), *args], more)

    def assay(self, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
        """Run ``mcp-assay`` to its end."""
        return self.run([sys.executable, "-m", "mcp_assay", *args], more)

    def plan(self, *scenarios: str | Mapping[str, Any], **answers: Any) -> Path:
        """A plan for the servers ``a`` and ``b``, driven by the host; None takes an answer away."""
        told = [item if isinstance(item, Mapping) else {"description": item} for item in scenarios]
        complete = {
            "dispositions": {"a": "read_only", "b": "skip"},
            "scenarios": told,
            "approval": "approve",
            "driver": "claude-code",
        }
        path = self.root / "plan.json"
        given = {key: value for key, value in {**complete, **answers}.items() if value is not None}
        path.write_text(json.dumps(given), encoding="utf-8")
        return path

    def arguments(self, plan: Path, *more: str) -> list[str]:
        """What evaluates the servers ``a`` and ``b``, which count what they get, by that plan."""
        named = [f"--server={name}={shlex.join([*COUNTING, str(self.counted), name])}" for name in "ab"]
        return ["eval", "--plan", str(plan), "--name", "run", *named, *more]

    def evaluate(self, plan: Path, *more: str, **environ: str) -> Ran:
        ran = self.assay(*self.arguments(plan, *more), **environ)
        return Ran(ran.returncode, ran.stdout, ran.stderr, self.folder)

    def read(self) -> Ran:
        """What the evaluation has left, whoever ran it."""
        return Ran(0, "", "", self.folder)

    @property
    def folder(self) -> Path:
        """The evaluation's."""
        return self.project / "mcp-evals" / "mcp-eval-run"

    @property
    def counted(self) -> Path:
        return self.root / "counted"

    @property
    def calls(self) -> list[str]:
        """What reached the servers: ``a list_items 1``."""
        return self.counted.read_text().splitlines() if self.counted.exists() else []

    def run(self, argv: Sequence[str], more: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(argv, **self._given(more), capture_output=True, timeout=PATIENCE, check=False)

    def start(self, *args: str, **more: str) -> subprocess.Popen[str]:
        """Start ``mcp-assay`` as the leader of a process group of its own."""
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "start_new_session": True}
        started: subprocess.Popen[str] = subprocess.Popen(
            [sys.executable, "-m", "mcp_assay", *args], **self._given(more), **pipes
        )
        return started

    def _given(self, more: Mapping[str, str]) -> dict[str, Any]:
        return {
            "env": {**self.environ, **more},
            "cwd": self.project,
            "stdin": subprocess.DEVNULL,
            "text": True,
        }


@pytest.fixture
def claude_stage() -> Iterator[ClaudeStage]:
    """Fails, rather than skips, if the host is not installed: whoever asks for this marker wants it."""
    if not CLAUDE.is_file():
        pytest.fail("Claude Code is not installed here; run: make test-hosts", pytrace=False)
    with (
        tempfile.TemporaryDirectory(prefix="ma-", dir="/tmp", ignore_cleanup_errors=True) as place,
        ScriptedModel({}) as model,
    ):
        yield ClaudeStage(Path(place), model)
