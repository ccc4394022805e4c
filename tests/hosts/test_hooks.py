"""The real Claude Code with its servers attached directly: nothing but its hooks stands before them."""

import asyncio
import contextlib
import json
import shutil
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from claude_stage import COUNTING, ClaudeStage, claude_stage
from hosted_stage import scoped
from mcp_assay.core.model import Tool
from mcp_assay.core.plan import Plan
from mcp_assay.core.session import Status
from mcp_assay.drivers.hosted import Judge
from mcp_assay.errors import UserError
from mcp_assay.executing import Execution
from mcp_assay.host import wire
from mcp_assay.host.hooks import Hooks
from mcp_assay.host.hooksocket import HookSocket
from mcp_assay.hosting import host
from mcp_assay.launches import Launches
from mcp_assay.store.evaldir import EvalDir
from scripted_model import Call, Turn

pytestmark = pytest.mark.hosts

__all__ = ["claude_stage"]

PLUGIN = Path(__file__).parents[2] / "src" / "mcp_assay" / "host" / "plugin"
LIST, CREATE, OWN = "mcp__a__list_items", "mcp__a__create_item", "mcp__assay__"
NEXT = Turn("", (Call(OWN + "next_scenario"),))
FINISH = Turn("", (Call(OWN + "finish", {"reached": True, "why": "as asked"}),))


@contextmanager
def gated(stage: ClaudeStage, *scenarios: str, **plan: Any) -> Iterator[Any]:
    """The owner of an approved evaluation, waiting for the agent; it ends with its report, or is killed."""
    made = stage.assay(*stage.arguments(stage.plan(*scenarios, driver="host", **plan), "--until", "scenarios"))
    assert made.returncode == 0, made.stderr
    named = [word for word in stage.arguments(Path("x")) if word.startswith("--server=")]
    owner = stage.start("gate", "run", *named)
    deadline = time.monotonic() + 30
    while not hooks(stage).exists():
        assert time.monotonic() < deadline
        assert owner.poll() is None, owner.communicate()
        time.sleep(0.05)
    try:
        yield owner
    finally:
        owner.kill()
        owner.communicate()


def hooks(stage: ClaudeStage) -> Path:
    return wire.hook_path(stage.state / "mcp-assay", str(stage.folder.resolve()))


def agent(
    stage: ClaudeStage, *turns: Any, name: str = "run", plugin: Path = PLUGIN, words: Sequence[str] = (), **environ: str
) -> str:
    """What the host says of a session in which its servers are attached directly."""
    program, *args = COUNTING
    servers: dict[str, Any] = {
        name: {"command": program, "args": [*args, str(stage.counted), name], "alwaysLoad": True} for name in "ab"
    }
    own = ["-m", "mcp_assay", "gateway", "--eval", name, "--server", "assay"]
    servers["assay"] = {"command": program, "args": own, "alwaysLoad": True}
    (stage.root / "mcp.json").write_text(json.dumps({"mcpServers": servers}))
    stage.say({"go on": list(turns)})
    attached = ["--mcp-config", str(stage.root / "mcp.json"), "--strict-mcp-config", "--plugin-dir", str(plugin)]
    allowed = ["--allowedTools", "mcp__a__*", "mcp__b__*", "mcp__assay__*", "Bash", "Read", "Write"]
    said = ["--output-format", "stream-json", "--verbose"]
    return stage.claude("-p", "go on", *attached, *said, *allowed, *words, **environ).stdout


def lines(stage: ClaudeStage) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (stage.folder / "transcript.jsonl").read_bytes().splitlines()]


def test_each_call_has_one_line_and_what_is_refused_reaches_nobody(claude_stage):
    state = str(claude_stage.folder / "state.json")
    with gated(claude_stage, "look", allow=["Bash", "Write"]) as owner:
        agent(
            claude_stage,
            Turn("", (Call(LIST, {"number": 0}),)),
            NEXT,
            Turn(
                "",
                (
                    Call(LIST, {"number": 1}),
                    Call(CREATE, {"number": 2}),
                    Call("mcp__b__list_items", {"number": 3}),
                    Call("Bash", {"command": "echo 4", "description": "x"}),
                    Call("Write", {"file_path": state, "content": "{}"}),
                    Call("Read", {"file_path": state}),
                    Call("nope", {}),
                    Call(LIST, {"number": 5}),
                ),
            ),
            FINISH,
            Turn("", (Call(LIST, {"number": 6}),)),
            Turn("done"),
            MCP_ASSAY_HOOKS=str(hooks(claude_stage)),
        )
        assert owner.wait(30) == 0
    assert claude_stage.calls == ["a list_items 1", "a list_items 5"]
    told = [(line["tool"], line.get("blocked_tool"), line["assay"]["outcome"]) for line in lines(claude_stage)]
    assert sorted(told, key=str) == [
        ("__blocked__", "Bash", "blocked"),
        ("__blocked__", "Write", "blocked"),
        ("__blocked__", CREATE, "blocked"),
        ("__blocked__", "mcp__b__list_items", "blocked"),
        ("__blocked__", "nope", "blocked"),
        (LIST, None, "ok"),
        (LIST, None, "ok"),
    ]
    read = [made for made, tool in claude_stage.model.made.items() if tool == "Read"]
    joins = {line["assay"]["join"] for line in lines(claude_stage)}
    assert not joins & set(read)
    kept = json.loads((claude_stage.folder / "state.json").read_bytes())
    assert (kept["assay"]["evidence"], kept["status"]) == ("hooks", "complete")
    assert {call["tool"] for call in kept["assay"]["outside_calls"]} == {LIST}
    report = (claude_stage.folder / "report.md").read_text()
    assert "calls outside the gate cannot be excluded" in report


def test_once_the_owner_is_dead_nothing_is_called(claude_stage):
    with gated(claude_stage, "look") as owner:

        def dies(_: object) -> Turn:
            owner.kill()
            owner.wait()
            return Turn("", (Call(LIST, {"number": 2}), Call("Bash", {"command": "echo x", "description": "x"})))

        listed = Turn("", (Call(LIST, {"number": 1}),))
        said = agent(claude_stage, NEXT, listed, dies, Turn("done"), MCP_ASSAY_HOOKS=str(hooks(claude_stage)))
    assert claude_stage.calls == ["a list_items 1"]
    assert "its owner has ended" in said


# --- in a session of its own ------------------------------------------------------------------------------------------

SESSION = "11111111-2222-4333-8444-555555555555"
CANARY = Turn("", (Call(OWN + "canary"),))


def _judge() -> Judge:
    return lambda *_: None


class Bound:
    """An owner in this process for the host's session. ``error`` is what it ended with, ``state`` what it left."""

    def __init__(self, stage: ClaudeStage) -> None:
        self.error: BaseException | None = None
        self._stage, self._ready = stage, threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()))

    async def _run(self) -> None:
        state = self._stage.state / "mcp-assay"
        with EvalDir(self._stage.project, "one", create=True) as folder:
            of = scoped(folder, [Tool.from_raw({"name": "list_items"})], plan=Plan())
            of.state.config["wallclock_budget_minutes"] = 1
            self.state = of.state
            hooks = Hooks(folder.path, state, session=SESSION, note=lambda _: None)
            launches = Launches([], {}, allowed={}, folder="/", timeout=1, enclose={}, resolve=None)
            path = wire.socket_path(state, str(folder.path.resolve()))
            async with HookSocket(state / "run" / f"s-{SESSION}.sock", hooks):
                self._ready.set()
                self._over = asyncio.ensure_future(host(Execution(of), launches, path, _judge, hooks=hooks))
                self._loop = asyncio.get_running_loop()
                try:
                    await self._over
                except (UserError, asyncio.CancelledError) as end:
                    self.error = end

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(30)
        return self

    def __exit__(self, *_: object) -> None:
        if self._thread.is_alive():
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._over.cancel)
        self._thread.join()


def bound(stage: ClaudeStage, *turns: Turn, **more: Any) -> tuple[Bound, list[str]]:
    """What came of it, and what the model was told after each of its turns."""
    words = ["--session-id", SESSION, *more.pop("words", ())]
    with Bound(stage) as owner:
        agent(stage, *turns, Turn("done"), name="one", words=words, **more)
    return owner, [text for text, _ in stage.model.asked[-1].results]


def test_a_session_whose_host_refuses_the_canary_has_its_evaluation(claude_stage):
    owner, told = bound(claude_stage, NEXT, CANARY, NEXT, Turn("", (Call(LIST, {"number": 1}),)), FINISH)
    assert "call the tool canary" in told[0]
    assert "refused, as it must be" in told[1]
    assert told[2].startswith("Scenario S1")
    assert claude_stage.calls == ["a list_items 1"]
    assert owner.error is None
    assert (owner.state.assay["evidence"], owner.state.assay["canary"]) == ("hooks", "refused")


def test_with_its_hooks_off_a_session_gets_no_scenario(claude_stage):
    off = ["--settings", json.dumps({"disableAllHooks": True})]
    owner, told = bound(claude_stage, NEXT, CANARY, NEXT, words=off)
    assert "your host did not ask its hooks" in told[0]
    assert "does not honour a refusal" in told[1]
    assert owner.state.status is Status.SCOPED


def test_a_host_that_does_as_it_likes_gets_no_evaluation(claude_stage):
    """Its hook asks the owner, and what the owner says is lost on the way."""
    plugin = claude_stage.root / "deaf"
    shutil.copytree(PLUGIN, plugin)
    hook = plugin / "hooks" / "hook.py"
    hook.write_text(hook.read_text().replace("    say(1, rest[:out])\n", ""))
    owner, told = bound(claude_stage, NEXT, CANARY, NEXT, plugin=plugin)
    assert "call the tool canary" in told[0]
    assert "does not honour a refusal" in told[1]
    assert str(owner.error) == "your host does not honour a refusal: the evaluation does not start"
    assert (owner.state.status, owner.state.assay["notes"]) == (Status.SCOPED, [str(owner.error)])
    assert claude_stage.calls == []
