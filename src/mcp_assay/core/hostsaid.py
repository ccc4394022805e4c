"""What an agent's host says that the agent did: its event stream, and that held against what the gate saw.

The stream is that of Claude Code's ``--output-format stream-json``: one JSON object a line. Whatever else stands in it
is passed over, since it is a record of somebody else's and not a format of ours.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Compared", "Said", "compare", "goal", "read"]

_GOAL = re.compile(r"^\W*goal reached\W*\s*(yes|no)\b\W*(.*)$", re.IGNORECASE)
_OURS = "mcp__assay__"


@dataclass(frozen=True, slots=True)
class Said:
    """``calls`` maps the host's id of each call to its tool, those of our own server left out; ``answered`` are the ids
    of those that got an answer: the others were cut off.

    ``result`` is the last event of the kind, empty if there is none: the host did not come to its end. ``spoke`` says
    whether the model ever answered.
    """

    calls: Mapping[str, str]
    answered: Collection[str]
    result: Mapping[str, Any]
    init: Mapping[str, Any]
    spoke: bool

    @property
    def text(self) -> str:
        """The agent's last words."""
        text = self.result.get("result")
        return text if isinstance(text, str) else ""

    @property
    def unattached(self) -> dict[str, str]:
        """The servers that the host could not attach, and what it says of each."""
        servers = self.init.get("mcp_servers")
        known = [item for item in servers if isinstance(item, dict)] if isinstance(servers, list) else []
        return {str(item.get("name")): str(item.get("status")) for item in known if item.get("status") != "connected"}


@dataclass(frozen=True, slots=True)
class Compared:
    """``unreported``: ids of lines whose calls the host does not mention. ``unseen``: tools of calls that it says were
    answered, and the gate never saw.

    Both in their order; a tool stands once for each of its calls.
    """

    unreported: tuple[str, ...]
    unseen: tuple[str, ...]


def read(lines: Iterable[bytes]) -> Said:
    """The stream of one or more runs of a host, in their order. Total: never raises, whatever the lines hold."""
    calls: dict[str, str] = {}
    answered: set[str] = set()
    last: dict[str, Mapping[str, Any]] = {"result": {}, "init": {}}
    spoke = False
    for event in _events(lines):
        if event.get("type") == "assistant":
            for block in _content(event):
                spoke = spoke or not _is_made_up(event)
                if block.get("type") == "tool_use" and not str(block.get("name")).startswith(_OURS):
                    calls[str(block.get("id"))] = str(block.get("name"))
        elif event.get("type") == "user":
            answered |= {str(block.get("tool_use_id")) for block in _content(event)}
        elif event.get("type") == "result":
            last["result"] = event
        elif event.get("type") == "system" and event.get("subtype") == "init":
            last["init"] = event
            last["result"] = {}
    return Said(calls, answered, last["result"], last["init"], spoke)


def compare(said: Said, lines: Iterable[Mapping[str, Any]], elsewhere: Collection[str]) -> Compared:
    """Hold a scenario's transcript lines against the stream. Every line of a call carries the host's id of it.

    ``elsewhere`` are ids that were answered for without a line: refused outside any scenario, or housekeeping.
    """
    joins = {str(_join(line)): str(line["id"]) for line in lines if not _is_synthetic(line)}
    unreported = [name for join, name in joins.items() if join not in said.calls]
    told = [join for join in said.calls if join in said.answered]
    unseen = [said.calls[join] for join in told if join not in joins and join not in elsewhere]
    return Compared(tuple(unreported), tuple(unseen))


def goal(text: str) -> tuple[bool, str] | None:
    """Whether the goal was reached, and why, by the last line that says so; None if there is none."""
    found = [match for line in text.splitlines() if (match := _GOAL.match(line.strip()))]
    return (found[-1][1].lower() == "yes", found[-1][2].strip()) if found else None


def _events(lines: Iterable[bytes]) -> Iterator[Mapping[str, Any]]:
    for line in lines:
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict):
            yield event


def _content(event: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    message = event.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _is_made_up(event: Mapping[str, Any]) -> bool:
    """An answer that the host wrote itself, such as the words of an error."""
    message = event.get("message")
    return isinstance(message, dict) and message.get("model") == "<synthetic>"


def _join(line: Mapping[str, Any]) -> object:
    """The host's id of a line's call; a line without one is known by its own."""
    ours = line.get("assay")
    return (ours.get("join") if isinstance(ours, dict) else None) or line["id"]


def _is_synthetic(line: Mapping[str, Any]) -> bool:
    return line.get("tool") in {"__budget_abort__", "__wallclock_abort__"}
