"""A gateway with the real owner behind it, and an agent that has asked for its first scenario."""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from gateway_stage import EVAL, NAME, Gateway, address, command, environ
from mcp_assay.host import wire
from mcp_assay.host.client import Blocking, NoOwnerError, connect
from mcp_assay.store import transcript
from mcp_assay.store.evaldir import place

US = [sys.executable, "-P", "-m", "mcp_assay"]


class Session:
    """An approved evaluation in a folder of its own; its owner, an agent and a gateway, all of them running."""

    def __init__(self, folder: Path, server: Sequence[object], safety: Mapping[str, Any]) -> None:
        self.folder = folder
        plan = {
            "driver": "host",
            "dispositions": {NAME: safety},
            "approval": "approve",
            "call_budget": 999,
            "scenarios": [{"description": "try it"}, {"description": "try it again"}],
        }
        (folder / "plan.json").write_text(json.dumps(plan))
        words = shlex.join(map(str, [sys.executable, "-S", *server]))
        named = [f"--server={NAME}={words}", "--project", str(folder)]
        made = [*US, "eval", "--plan", "plan.json", "--name", EVAL, "--until", "scenarios", *named]
        subprocess.run(made, cwd=folder, env=environ(folder), check=True, capture_output=True)
        self._own = [*US, "gate", EVAL, *named]
        self._begin()
        self.gateway = Gateway(self._started(command(folder), stdin=subprocess.PIPE), folder)

    def _begin(self) -> None:
        self.owner = self._started(self._own, stdin=subprocess.DEVNULL)
        self.agent = self._agent()
        self.agent.ask("hello", role="agent", version=wire.VERSION)
        assert "scenario" in self.agent.ask("next")

    def begin_anew(self) -> None:
        """Another owner in the place of the one that has ended, and another agent, before the same gateway."""
        self.agent.__exit__()
        self.owner.stdout.close()
        self._begin()

    def _started(self, words: list[str], stdin: int) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            words,
            cwd=self.folder,
            env=environ(self.folder),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def _agent(self) -> Blocking:
        deadline = time.monotonic() + 20
        while True:
            try:
                return Blocking(connect(address(self.folder)))
            except NoOwnerError:
                assert time.monotonic() < deadline
                time.sleep(0.02)

    def lines(self) -> list[dict[str, Any]]:
        """The log after recovery."""
        folder = os.open(place(self.folder, EVAL), os.O_RDONLY)
        try:
            transcript.recover(folder)
            return list(transcript.entries(folder))
        finally:
            os.close(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.agent.__exit__()
        for process in (self.owner, self.gateway.process):
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(BrokenPipeError):
                        pipe.close()
