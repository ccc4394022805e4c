"""A session of the real Claude Code with our plugin: a user who types, and a model that does as its skill says, or not.

    with PluginSession(stage, agent) as session:
        session.types("/mcp-eval --name one")
        session.types("yes")

The prompts of one session are lines on its stdin; each is answered when the host says that its turn is over.
"""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from claude_stage import CLAUDE, PATIENCE, ClaudeStage
from scripted_model import Asked, Call, Turn

OWN = "mcp__plugin_mcp-eval_assay__"
ALLOWED = "Bash(echo:*),Read,Write,Edit,Agent,mcp__items"
SHOW = Call("Bash", {"command": "mcp-assay host show --wait 60"})
COUNTING = Path(__file__).parent / "servers" / "counting.py"
SKILL = "Another process owns the evaluation"
CRITIC = "You are an adversarial critic"


def own(name: str, **args: Any) -> Call:
    return Call(OWN + name, args)


class Agent:
    """A model that does what the skill says. ``work`` are its calls of each scenario, one a turn.

    ``instead`` may answer a turn otherwise: it gets what was said since the model spoke last.
    """

    def __init__(
        self,
        work: Mapping[str, Sequence[Call]],
        instead: Callable[[str, Asked], Turn | None] = lambda _, __: None,
        start: str = "mcp-assay host start --name one",
    ) -> None:
        self._work, self._instead, self._start = work, instead, start
        self._left: list[Call] = []
        self._runs = False
        self.heard: list[str] = []

    def __call__(self, asked: Asked) -> Turn:
        said = heard(asked)
        self.heard.append(said)
        if "Scenario S" in said:
            name = said.split("Scenario ")[1].partition(":")[0]
            self._runs, self._left = True, list(self._work.get(name, ()))
        return self._instead(said, asked) or self._skill(said, asked)

    def _skill(self, said: str, asked: Asked) -> Turn:  # noqa: PLR0911 - a row each
        if asked.spoken == 0:
            return Turn(calls=(Call("Bash", {"command": self._start}),))
        if "Only their own next prompt answers it" in said or "had not been shown yet" in said:
            return Turn("The evaluation asks you this.")
        if "has taken this prompt" in said or "It is at work" in said or "Now run: mcp-assay host show" in said:
            return Turn(calls=(SHOW,))
        if "Spawn the agent" in said:
            args = {"subagent_type": "mcp-eval:friction-critic", "description": "Audit the log"}
            prompt = said[said.index("Transcript: ") :]
            return Turn(calls=(Call("Agent", {**args, "prompt": prompt, "run_in_background": False}),))
        if "hand-back" in said:
            return Turn(calls=(SHOW,))
        if "It has ended" in said:
            return Turn("It is done.")
        if "canary" in said and "next_scenario" in said and "refused, as it must be" not in said:
            return Turn(calls=(own("canary"),))
        if "scenarios are approved" in said or "refused, as it must be" in said or "for the next one" in said:
            return Turn(calls=(own("next_scenario"),))
        if self._left:
            return Turn(calls=(self._left.pop(0),))
        if not self._runs:
            return Turn("I do not know what to do.")
        self._runs = False
        return Turn(calls=(own("finish", reached=True, why="all was tried"),))


def heard(asked: Asked) -> str:
    """What was said to the model since it spoke last."""
    since: list[str] = []
    for message in reversed(asked.messages):
        if message["role"] == "assistant":
            break
        since.insert(0, _text(message["content"]))
    return "\n".join(since)


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.get("text") or _text(block.get("content", "")) for block in content)


class PluginSession:
    """``events`` is what the host said on its stream, ``shown`` what its hooks had it show to the user."""

    def __init__(self, stage: ClaudeStage, agent: Agent, *args: str, critic: str = "## Summary\n\nFine.\n") -> None:
        self.stage, self.agent = stage, agent
        self.events: list[dict[str, Any]] = []
        stage.say({SKILL: [agent], CRITIC: [Turn(critic)]})
        words = ["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"]
        self._words = [str(CLAUDE), *words, "--permission-mode", "dontAsk", "--allowedTools", ALLOWED, *args]

    def __enter__(self) -> Self:
        self._host = subprocess.Popen(
            self._words,
            env=self.stage.environ,
            cwd=self.stage.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._patience = threading.Timer(PATIENCE, self._host.kill)
        self._patience.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._patience.cancel()
        self._host.kill()
        self._host.communicate()
        self.stage.assay("host", "stop", CLAUDE_CODE_SESSION_ID=self.id)

    def types(self, *prompts: str) -> None:
        """The user types these, each when the turn before is over."""
        assert self._host.stdin is not None
        assert self._host.stdout is not None
        for prompt in prompts:
            said = {"type": "user", "message": {"role": "user", "content": prompt}}
            self._host.stdin.write(json.dumps(said) + "\n")
            self._host.stdin.flush()
            for line in self._host.stdout:
                event = json.loads(line)
                self.events.append(event)
                if event["type"] == "result":
                    break
            else:
                raise AssertionError(f"the host ended before it answered {prompt!r}: {self.events[-3:]}")

    @property
    def init(self) -> dict[str, Any]:
        return next(event for event in self.events if event.get("subtype") == "init")

    @property
    def id(self) -> str:
        return next((event["session_id"] for event in self.events if "session_id" in event), "none")

    @property
    def shown(self) -> list[str]:
        said = [event["content"] for event in self.events if event.get("subtype") == "informational"]
        return [text.partition(" says: ")[2] for text in said]

    @property
    def folder(self) -> Path:
        return self.stage.project / "mcp-evals" / "mcp-eval-one"

    @property
    def state(self) -> dict[str, Any]:
        value = json.loads((self.folder / "state.json").read_text())
        assert isinstance(value, dict)
        return value

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "transcript.jsonl").read_text().splitlines()]


def installed(stage: ClaudeStage) -> ClaudeStage:
    """The stage with the plugin, and with a server ``items`` that counts the calls that reach it."""
    entry = {"command": sys.executable, "args": [str(COUNTING), str(received(stage)), "items"], "alwaysLoad": True}
    (stage.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"items": entry}}))
    done = stage.assay("host", "install", "claude-code", "--yes")
    assert done.returncode == 0, done.stderr
    return stage


def received(stage: ClaudeStage) -> Path:
    return stage.root / "received"


def items(tool: str, number: int, project: str = "playground") -> Call:
    return Call(f"mcp__items__{tool}", {"project": project, "number": number})
