"""Whole evaluations of servers from the npm registry, each run by ``python -m mcp_assay`` with an empty HOME."""

import hashlib
import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

__all__ = ["EVERYTHING", "FILESYSTEM", "NPM", "Ran", "evaluate", "left_behind", "scenario", "step", "tree"]

ROOT = Path(__file__).parents[1]
NPM = ROOT / "build" / "npm"
_PACKAGES = NPM / "node_modules" / "@modelcontextprotocol"
FILESYSTEM = _PACKAGES / "server-filesystem" / "dist" / "index.js"
EVERYTHING = _PACKAGES / "server-everything" / "dist" / "index.js"
_PATIENCE = 60.0
_GONE_WITHIN = 2.0

Step = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ran:
    """What one evaluation left: its exit code, what it printed, and what it wrote, parsed."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = json.loads(self.read("state.json"))
        return state

    @property
    def manifests(self) -> dict[str, list[dict[str, Any]]]:
        manifests: dict[str, list[dict[str, Any]]] = json.loads(self.read(".assay/manifests.json"))
        return manifests

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.read("transcript.jsonl").splitlines()]

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def of(self, scenario_id: str) -> list[dict[str, Any]]:
        """A scenario's transcript lines."""
        return [line for line in self.lines if line["scenario_id"] == scenario_id]

    def line(self, tool: str) -> dict[str, Any]:
        """The one line of a tool, sent or refused."""
        (found,) = [line for line in self.lines if line["assay"]["tool"] == tool]
        return found

    def execution(self, scenario_id: str) -> dict[str, Any]:
        (found,) = [entry for entry in self.state["execution"] if entry["scenario_id"] == scenario_id]
        return dict(found)


def step(tool: str, expect: Mapping[str, Any] | None = None, /, **args: Any) -> Step:
    return {"tool": tool, "args": args} | ({"expect": dict(expect)} if expect is not None else {})


def scenario(*steps: Step, description: str = "try it") -> dict[str, Any]:
    return {"description": description, "steps": list(steps)}


def evaluate(
    place: Path,
    servers: Mapping[str, Sequence[object]],
    plan: Mapping[str, Any],
    environ: Mapping[str, str] | None = None,
) -> Ran:
    """Run ``mcp-assay eval`` in ``place``, whose path is part of a server's command line, and see that nothing stays.

    ``servers`` maps names to commands. HOME is ``place/home``; state and project lie beside it.
    """
    _require_installed()
    for folder in ("home", "state", "project"):
        (place / folder).mkdir(parents=True, exist_ok=True)
    plan_file = place / "plan.json"
    plan_file.write_text(json.dumps({"approval": "approve", **plan}), encoding="utf-8")
    options = ("--plan", str(plan_file), "--name", "run", "--project", str(place / "project"))
    named = [f"--server={name}={shlex.join(map(str, command))}" for name, command in servers.items()]
    ran = subprocess.run(
        [sys.executable, "-m", "mcp_assay", "eval", *options, *named],
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT / "src"),
            "HOME": str(place / "home"),
            "XDG_STATE_HOME": str(place / "state"),
            **(environ or {}),
        },
        cwd=place / "project",
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
        check=False,
    )
    left = left_behind(str(place))
    assert not left, f"still running: {left}"
    return Ran(ran.returncode, ran.stdout, ran.stderr, place / "project" / "mcp-evals" / "mcp-eval-run")


def tree(folder: Path, *, without: Path | None = None) -> dict[str, str]:
    """Everything under a folder, hashed: files by content, links by target, folders by being there."""
    return {
        str(path.relative_to(folder)): _hashed(path)
        for path in sorted(folder.rglob("*"))
        if without is None or not path.is_relative_to(without)
    }


def _hashed(path: Path) -> str:
    if path.is_symlink():
        return f"link to {path.readlink()}"
    return "folder" if path.is_dir() else hashlib.sha256(path.read_bytes()).hexdigest()


def _require_installed() -> None:
    if not (FILESYSTEM.is_file() and EVERYTHING.is_file()):
        pytest.fail("the servers from the npm registry are not installed; run: make test-clients", pytrace=False)


def left_behind(marker: str) -> list[str]:
    """The processes whose command line names the marker, once a moment has passed for the last ones to go."""
    deadline = time.monotonic() + _GONE_WITHIN
    while (found := _named(marker)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def _named(marker: str) -> list[str]:
    shown = subprocess.run(["ps", "-axww", "-o", "args="], capture_output=True, text=True, check=True).stdout
    return [line for line in shown.splitlines() if marker in line]
