"""A stage for the whole program: a project with its servers and its plan, on which the real command is run.

    stage = Stage(tmp_path)
    ran = stage.eval(name="one", servers={"notes": stage.server()})
    assert ran.code == 0

Every run is a process with a home, a state folder and a working directory of its own.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
STAGEHAND = Path(__file__).parent / "servers" / "stagehand.py"
PATIENCE = 30.0

QUERY = {"type": "object", "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "default": 10}}}
NOTE = {"type": "object", "properties": {"path": {"type": "string"}, "text": {"type": "string"}}}
TOOLS: list[dict[str, Any]] = [
    {"name": "list_notes", "description": "Lists the notes.", "inputSchema": QUERY},
    {"name": "read_note", "description": "Shows one note.", "inputSchema": NOTE},
    {"name": "write_note", "description": "Writes a note.", "inputSchema": NOTE},
]


def step(tool: str, **more: Any) -> dict[str, Any]:
    """A step of a scenario; ``args``, ``save``, ``expect`` and ``justification`` as the plan has them."""
    return {"tool": tool, **more}


def scenario(description: str, *steps: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"description": description, "steps": list(steps), **more}


LOOK = scenario("Look at the notes.", step("mcp__notes__list_notes", args={"query": "plum"}))


def text_of(*texts: str, **more: Any) -> dict[str, Any]:
    """The result of a call whose content is these texts."""
    return {"content": [{"type": "text", "text": text} for text in texts], **more}


@dataclass(frozen=True)
class Ran:
    """What a command came to."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """Standard output as the one JSON object that it must be."""
        value = json.loads(self.out)
        assert isinstance(value, dict), self.out
        return value


class Stage:
    def __init__(self, root: Path) -> None:
        self.root, self.project = root, root / "project"
        self.home, self.kept = root / "home", root / "kept"
        for folder in (self.project, self.home, self.kept):
            folder.mkdir(exist_ok=True)
        self.environ: dict[str, str] = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_STATE_HOME": str(self.kept),
            "PYTHONPATH": str(ROOT / "src"),
            "PYTHONWARNINGS": "error",
            "LANG": "C.UTF-8",
        }

    def copy_to(self, root: Path) -> "Stage":
        """Another stage with the same folders; cheaper than playing the same run again."""
        shutil.copytree(self.root, root, dirs_exist_ok=True)
        return Stage(root)

    # --- what stands on it -------------------------------------------------------------------------------------------

    def server(self, name: str = "notes", tools: Sequence[Mapping[str, Any]] = TOOLS, **spec: Any) -> list[str]:
        """The command of a server that does as told (see ``servers/stagehand.py``) and marks that it was started."""
        path = self.root / f"{name}.spec.json"
        path.write_text(json.dumps({"tools": list(tools), "mark": str(self.mark(name)), **spec}))
        return [sys.executable, "-S", str(STAGEHAND), str(path)]

    def mark(self, name: str = "notes") -> Path:
        """The file that the server leaves behind once it was started: a line with its process's id for each start."""
        return self.root / f"{name}.started"

    def plan(self, *scenarios: Mapping[str, Any], **answers: Any) -> Path:
        """A plan that answers everything about one read-only server ``notes``, changed by what is given.

        None takes an answer away.
        """
        complete = {
            "dispositions": {"notes": "read_only"},
            "scenarios": list(scenarios or [LOOK]),
            "approval": "approve",
        }
        given = {key: value for key, value in {**complete, **answers}.items() if value is not None}
        return self.write("plan.json", given)

    def config(self, servers: Mapping[str, Sequence[str] | Mapping[str, Any]]) -> Path:
        """The project's ``.mcp.json``: a command, or a whole entry, for each server."""
        return self.write("project/.mcp.json", {"mcpServers": entries(servers)})

    def write(self, name: str, value: object) -> Path:
        """A file under the stage's root: text as it is, anything else as JSON."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return path

    # --- what is played ----------------------------------------------------------------------------------------------

    def run(self, *words: str | Path, cwd: Path | None = None, **environ: str) -> Ran:
        """``mcp-assay WORDS`` in the project's folder, to its end."""
        process = self.start(*words, cwd=cwd, **environ)
        try:
            out, err = process.communicate(timeout=PATIENCE)
        finally:
            process.kill()
        return Ran(process.returncode, out, err)

    def start(self, *words: str | Path, cwd: Path | None = None, **environ: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [sys.executable, "-m", "mcp_assay", *map(str, words)],
            cwd=cwd or self.project,
            env={**self.environ, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def eval(
        self, *words: str | Path, name: str = "one", plan: Path | None = None, server: Sequence[str] | None = None
    ) -> Ran:
        """``mcp-assay eval`` with a plan and one server that is named on the command line as ``notes``."""
        return self.run(*self.eval_words(*words, name=name, plan=plan, server=server))

    def eval_words(
        self, *words: str | Path, name: str = "one", plan: Path | None = None, server: Sequence[str] | None = None
    ) -> list[str | Path]:
        named = f"notes={shlex.join(server or self.server())}"
        return ["eval", "--name", name, "--plan", plan or self.plan(), "--server", named, *words]

    # --- what is left ------------------------------------------------------------------------------------------------

    def folder(self, name: str = "one") -> Path:
        return self.project / "mcp-evals" / f"mcp-eval-{name}"

    def state(self, name: str = "one") -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self.folder(name) / "state.json").read_bytes())
        return value

    def lines(self, name: str = "one") -> list[dict[str, Any]]:
        """The transcript's lines, parsed."""
        text = (self.folder(name) / "transcript.jsonl").read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def read(self, file: str, name: str = "one") -> str:
        return (self.folder(name) / file).read_text(encoding="utf-8")

    def started(self, name: str = "notes") -> list[int]:
        """The ids of the processes that the server was started as."""
        mark = self.mark(name)
        return [int(line) for line in mark.read_text().split()] if mark.exists() else []


def entries(servers: Mapping[str, Sequence[str] | Mapping[str, Any]]) -> dict[str, Any]:
    """Entries of ``mcpServers``, from commands or as given."""
    return {
        name: entry if isinstance(entry, Mapping) else {"command": entry[0], "args": list(entry[1:])}
        for name, entry in servers.items()
    }


def contents(*folders: Path) -> dict[str, bytes]:
    """Every file under the folders, links not followed."""
    return {
        str(path): path.read_bytes()
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


def wait_for(what: Path, *, text: str = "", patience: float = PATIENCE) -> None:
    """Until a file is there, not empty, and holds the text."""
    deadline = time.monotonic() + patience
    while not (what.exists() and what.stat().st_size and text in what.read_text(encoding="utf-8")):
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.01)


def lives(pid: int) -> bool:
    """Whether a process runs; one that has ended and was not yet waited for does not."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def processes(word: str) -> list[int]:
    """The processes whose command line holds a word, our own not counted."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if word.encode() in command and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


def interrupted(process: "subprocess.Popen[str]", number: int = signal.SIGINT) -> Ran:
    """The command after a signal to it alone."""
    process.send_signal(number)
    try:
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return Ran(process.returncode, out, err)
