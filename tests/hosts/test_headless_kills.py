"""SIGKILL of owner, agent, gateway or hook at any instant: no call goes unlogged, and the evaluation goes on."""

import os
import random
import signal
import time
from pathlib import Path

import pytest

from claude_stage import ClaudeStage, claude_stage
from scripted_model import Call, Turn

pytestmark = pytest.mark.hosts

__all__ = ["claude_stage"]

KILLS = int(os.environ.get("MCP_ASSAY_KILLS", "8"))
PATIENCE = 30.0
LOOKS = [Turn("", (Call("mcp__a__list_items", {"number": number}),)) for number in range(8)]
FINISH = Turn("", (Call("mcp__assay__finish", {"reached": True, "why": "x"}),))
SHELL = [
    Turn("", (Call("mcp__assay__justify", {"tool": "Bash", "text": "no attached MCP covers this step: a pause"}),)),
    Turn("", (Call("Bash", {"command": "true", "description": "x"}),)),
]
SCRIPT = {f"Scenario {name}": [*LOOKS, *SHELL, FINISH, Turn("done")] for name in ("S1", "S2")}


def processes(root: Path) -> dict[str, list[int]]:
    """The processes of a run by what they are; hooks are known by their parent."""
    found: dict[str, list[int]] = {"owner": [], "agent": [], "gateway": [], "hook": []}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            ours = f"TMPDIR={root}".encode() in (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        kinds = {"owner": "eval" in words, "agent": "--strict-mcp-config" in words, "gateway": "gateway" in words}
        kinds["hook"] = any(word.endswith("hook.py") for word in words)
        for kind, is_one in kinds.items():
            if ours and is_one:
                found[kind].append(int(folder.name))
    return found


def gone(root: Path) -> bool:
    deadline = time.monotonic() + PATIENCE
    while any(processes(root).values()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(processes(root).values())


@pytest.mark.parametrize("seed", range(KILLS))
def test_whatever_is_killed_every_call_has_its_line_and_the_evaluation_goes_on(claude_stage: ClaudeStage, seed: int):
    chance = random.Random(seed)
    kind = ("owner", "agent", "gateway", "hook")[seed % 4]
    claude_stage.say(SCRIPT)
    plan = claude_stage.plan("look", "look again", allow=["Bash"])
    running = claude_stage.start(*claude_stage.arguments(plan))
    deadline = time.monotonic() + PATIENCE
    calls = chance.randrange(12)
    while len(claude_stage.calls) < calls and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(chance.random() * 0.3)
    killed = False
    while not killed and running.poll() is None and time.monotonic() < deadline:
        for victim in processes(claude_stage.root)[kind][:1]:
            os.kill(victim, signal.SIGKILL)
            killed = True
    _, told = running.communicate(timeout=PATIENCE * 2)
    assert killed, told
    assert "Traceback" not in told
    assert gone(claude_stage.root)
    unlogged(claude_stage)
    if running.returncode != 0:
        sent = len(claude_stage.calls)
        time.sleep(0.2)
        assert len(claude_stage.calls) == sent  # without its owner nothing goes on
        again = claude_stage.evaluate(plan, "--resume")
        assert again.code in (0, 4), again.err
        unlogged(claude_stage)
    ran = claude_stage.read()
    assert ran.state["status"] == "complete"
    assert len({line["id"] for line in ran.lines}) == len(ran.lines)
    assert all(line["result_shape"] for line in ran.lines if line["assay"]["outcome"] == "ok")


def unlogged(stage: ClaudeStage) -> None:
    """What a server got has a line, and what has an answer in its line was got by a server."""
    if not (stage.folder / "transcript.jsonl").exists():
        assert stage.calls == []
        return
    lines = [line for line in stage.read().lines if line["tool"] == "mcp__a__list_items"]
    answered = [line for line in lines if line["assay"]["outcome"] == "ok"]
    assert len(answered) <= len(stage.calls) <= len(lines)
