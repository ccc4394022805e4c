"""The owner's side of a host's hooks: an event comes in, an answer goes out. Which process brings it is not known here.

    PreToolUse               may this call be made? Housekeeping passes; what goes through a gateway is the gateway's;
                             for the rest the gate is asked
    PostToolUse, …Failure    what came of it
    PostToolBatch            every call of the batch has its line by now, or gets it here
    UserPromptSubmit         what the user typed, which alone answers the interview's questions
    SubagentStop             what the critic said

Each of the host's call ids ends with one line, is housekeeping, or is kept as a call outside any scenario. A fault is
a refusal. What is not refused is left to the host's own rules; only our own commands, which start no program of the
model's choice, are allowed outright.
"""

import contextlib
import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from mcp_assay.clock import Clock, SystemClock, iso
from mcp_assay.core import housekeeping
from mcp_assay.core.model import Outcome, Reply, ToolCall
from mcp_assay.core.naming import label
from mcp_assay.core.safety import NO_MCP
from mcp_assay.drivers.hosted import Hosted
from mcp_assay.errors import StoreError
from mcp_assay.gate import Permit
from mcp_assay.host.hookevent import Use, reply, uses

__all__ = ["EVENTS", "LOADER", "Answer", "Hooks", "Interview"]

LOADER = "ToolSearch"
"""The host's tool that loads the schemas of others."""

_LOADS = f"{NO_MCP}: the host loads the schemas of tools with it"
_OWN = "assay"
_PLUGIN = "plugin:mcp-eval:assay"
_OWN_TOOLS = frozenset({"canary", "finish", "justify", "next_scenario"})
_KEPT = 100  # calls outside any scenario

_NO_SCENARIO = "no scenario is running; ask for one: next_scenario of the server assay"
_UNTOUCHABLE = "the evaluation's own files are not written by the one that is evaluated, and its keys are not read"
_ONLY_READS = "the critic reads the evaluation's folder, and does nothing else"
_TWICE = "this call's id was used before (are the hooks installed twice?)"
_CANARY = "refused, as it must be: your host honours its hooks; call next_scenario again"
_FOREIGN = "this session is not the one that the evaluation runs in"
_FAULT = "a fault in the evaluation's owner; in doubt means no"
_UNKNOWN_TOOL = "the host knows no such tool"
_OURS = "of the evaluation's own"
_UNSENT = "not sent by the host"
_UNSEEN = "it ran without its hooks having asked"
_HOOKS_OFF = (
    "your host did not ask its hooks before this call, so they are off and nothing would hold it to the evaluation's "
    "rules; tell the user to turn them on (disableAllHooks, --bare, --safe-mode), and to start a new session"
)
_DISHONOURED = "your host does not honour a refusal: the evaluation does not start"


class Answer(NamedTuple):
    """What the hook's process ends with."""

    exit: int = 0
    stdout: str = ""
    stderr: str = ""


class Interview(Protocol):
    """Who waits for what the user types."""

    def unshown(self) -> str | None:
        """The text that the user must see next; None if all was shown."""

    def shown(self) -> None:
        """It has just been handed to the host to be displayed."""

    def typed(self, text: str) -> str | None:
        """The user typed this. A note for the model, or None if no question was waiting."""


class Hooks:
    """One per evaluation. ``folder`` is the evaluation's, ``state`` the user's state folder.

    ``session`` is the host's session that the evaluation is bound to; None where whoever started the agent vouches that
    its hooks come here. ``note`` tells the screen.
    """

    def __init__(
        self,
        folder: Path,
        state: Path,
        *,
        session: str | None,
        interview: Interview | None = None,
        note: Callable[[str], None],
        clock: Clock | None = None,
    ) -> None:
        self.session = session
        self.hosted: Hosted | None = None  # in Phase 4
        self.gateways: Callable[[], Collection[str]] = tuple
        self.critic: Callable[[str], None] | None = None  # while a critic of the host's is awaited
        self.outside: list[dict[str, str]] = []
        self.refused_canary = self.canary_ran = False
        self._remark = note
        self._opened: Callable[[str | None], None] = _unheard
        self._interview, self._note, self._clock = interview, note, clock or SystemClock()
        real = os.path.realpath
        self._place = housekeeping.Place(real(folder), real(state), real(Path.home()), real)
        self._free: dict[str, str] = {}  # housekeeping, and which tool of ours
        self._passed: dict[str, ToolCall] = {}  # left to a gateway
        self._permits: dict[str, Permit] = {}
        self._settled: set[str] = set()  # have their line, or are outside

    def answer(self, event: str, body: Mapping[str, Any]) -> Answer:
        """The answer to an event. Total: any fault refuses."""
        try:
            if self.session is not None and body.get("session_id") != self.session:
                return Answer(2, stderr=_FOREIGN) if event == "PreToolUse" else Answer()
            return EVENTS[event](self, body)
        except StoreError as bad:
            if self.hosted is not None:
                self.hosted.fail(bad)
            return Answer(2, stderr=str(bad))
        except Exception as fault:  # noqa: BLE001 - whatever the fault: in doubt means no
            self._note(f"{event}: {_FAULT} ({type(fault).__name__})")
            return Answer(2, stderr=_FAULT)

    def start(self, join: str | None) -> Mapping[str, Any] | None:
        """What answers the agent's call for a scenario in the place of one; None if it may have one.

        ``join`` is the host's id of that call. A host in whose session the evaluation runs has to show first that it
        asks its hooks, and honours what they say.
        """
        if self.session is None:
            return None
        if self.canary_ran:
            return {"refused": _DISHONOURED}
        if self._free.get(join or "") != "next_scenario":
            return {"refused": _HOOKS_OFF}
        return None if self.refused_canary else {"canary": True}

    def has_answered(self, join: str) -> bool:
        """Whether the call that the host knows by this id was answered for: by a line, or as one that has none."""
        return any(join in known for known in (self._free, self._passed, self._permits, self._settled))

    def escaped(self) -> str:
        """The canary ran. Returns what that means."""
        self.canary_ran = True
        return _DISHONOURED

    @contextlib.contextmanager
    def during(
        self,
        hosted: Hosted,
        *,
        gateways: Callable[[], Collection[str]],
        remark: Callable[[str], None],
        opened: Callable[[str | None], None],
    ) -> Iterator[None]:
        """While this is entered, calls are those of Phase 4.

        ``gateways`` gives the servers that a gateway stands before now. ``remark`` takes a note for the Caveats.
        ``opened`` is called after each line that came by hooks, with the attached server that was called, if any was.
        """
        self.hosted, self.gateways, self._remark, self._opened = hosted, gateways, remark, opened
        try:
            yield
        finally:
            self.hosted, self.gateways, self._remark, self._opened = None, tuple, self._note, _unheard

    # --- before a call ------------------------------------------------------------------------------------------------

    def _before(self, event: Mapping[str, Any]) -> Answer:  # noqa: PLR0911 - a row each
        use = Use.of(event)
        call = self._call(use)
        if use.agent == housekeeping.CRITIC:
            return self._pass(use) if self._reads(use) else self._refuse(call, _ONLY_READS)
        if self.has_answered(use.id) or (self.hosted is not None and self.hosted.knows(use.id)):
            return self._refuse(call, _TWICE)
        own = self._own(use)
        if own is not None:
            self._free[use.id] = own
            return _deny(_CANARY) if own == "canary" else _decided("allow", _OURS)
        if housekeeping.is_own_command(use.tool, use.args):
            return self._pass(use, allowed=True)
        if self._reads(use) or (self.critic is not None and housekeeping.is_critic(use.tool, use.args)):
            return self._pass(use)
        if housekeeping.touches(use.tool, use.args, use.cwd, self._place):
            return self._refuse(call, _UNTOUCHABLE)
        if call.mcp is not None and call.mcp in self.gateways():
            self._passed[use.id] = call
            return Answer()
        return self._open(call)

    def _pass(self, use: Use, *, allowed: bool = False) -> Answer:
        self._free[use.id] = use.tool if allowed else ""
        return _decided("allow", _OURS) if allowed else Answer()

    def _open(self, call: ToolCall) -> Answer:
        if self.hosted is None:
            return self._refuse(call, _NO_SCENARIO)
        if call.tool == LOADER and call.mcp is None:
            call = replace(call, justification=_LOADS)
        opened = self.hosted.ask(call)
        self._opened(call.mcp if call.mcp in self.hosted.pinned else None)
        if isinstance(opened, Permit):
            self._permits[str(call.join)] = opened
            return Answer()
        self._settled.add(str(call.join))
        self._note(f"refused: {_named(call)}: {opened.reason}")
        return _deny(_NO_SCENARIO if opened.id is None and opened.aborted is None else opened.reason)

    def _refuse(self, call: ToolCall, why: str) -> Answer:
        """Refuse what the gate is not asked about. It has its line, unless its id has one already."""
        self._line(call, why)
        self._note(f"refused: {_named(call)}: {why}")
        return _deny(why)

    # --- after it -----------------------------------------------------------------------------------------------------

    def _after(self, event: Mapping[str, Any]) -> Answer:
        use = Use.of(event)
        self._begun_before(use)
        if use.id in self._free:
            return self._shown() if self._free[use.id] == "Bash" else Answer()
        permit = self._permits.pop(use.id, None)
        if permit is not None:
            self._settled.add(use.id)
            if self.hosted is not None:
                self.hosted.closed(permit, reply(use, event))
        elif use.id not in self._settled and self._logged(use):
            self._settled.add(use.id)
        elif use.id not in self._settled and "tool_response" in event:
            self._witness(self._passed.get(use.id) or self._call(use))
        return Answer()

    def _begun_before(self, use: Use) -> None:
        """The command that started the owner was begun when there was none to ask."""
        if not self.has_answered(use.id) and housekeeping.is_own_command(use.tool, use.args):
            self._free[use.id] = use.tool

    def _batch(self, event: Mapping[str, Any]) -> Answer:
        for use in uses(event):
            self._settle(use)
        return Answer()

    def _settle(self, use: Use) -> None:
        """Whatever became of a call, it has its line after this, and is over."""
        self._begun_before(use)
        own = self._free.pop(use.id, None)
        if own is not None:
            self.refused_canary |= own == "canary" and not self.canary_ran
            self._settled.add(use.id)
            return
        permit = self._permits.pop(use.id, None)
        if permit is not None:
            self._settled.add(use.id)
            if self.hosted is not None:
                self.hosted.closed(permit, Reply(Outcome.CANCELLED, error_text=_UNSENT))
            return
        is_over = use.id in self._settled or self._logged(use)
        passed = self._passed.pop(use.id, None)
        self._settled.add(use.id)
        if is_over:
            return
        if passed is not None:
            self._line(passed, _UNSENT)
        elif isinstance(use.response, str) and use.response.startswith("<tool_use_error>"):
            self._line(self._call(use), _UNKNOWN_TOOL)
        else:
            self._witness(self._call(use))

    def _logged(self, use: Use) -> bool:
        """Whether the line of a call was written by a gateway that it was left to, or by an owner before this one."""
        if self.hosted is None:
            return False
        call = self._passed.get(use.id)
        return self.hosted.knows(use.id) if call is None else self.hosted.has_seen(call)

    def _line(self, call: ToolCall, why: str) -> None:
        """The line of a call that was not made, or its place among those outside any scenario."""
        self._settled.add(str(call.join))
        if self.hosted is not None:
            self.hosted.refuse(call, why)
            self._opened(None)
        elif len(self.outside) < _KEPT:
            self.outside.append({"ts": iso(self._clock.now()), "tool": _named(call), "reason": why})

    def _witness(self, call: ToolCall) -> None:
        """The line of a call that was made though nobody was asked."""
        self._settled.add(str(call.join))
        self._remark(f"{_named(call)} was called though neither a hook nor a gateway had been asked before")
        if self.hosted is None:
            self._line(call, _UNSEEN)
            return
        self.hosted.witness(call if call.mcp else replace(call, justification=_UNSEEN))
        self._opened(call.mcp)

    # --- the user and the critic --------------------------------------------------------------------------------------

    def _prompt(self, event: Mapping[str, Any]) -> Answer:
        text = event.get("prompt")
        if self._interview is None or "agent_id" in event or event.get("source", "user") != "user":
            return Answer()
        note = self._interview.typed(text) if isinstance(text, str) else None
        coming = self._coming()
        context = "\n\n".join(filter(None, [note, coming]))
        said: dict[str, Any] = {"systemMessage": coming} if coming else {}
        if context:
            said["hookSpecificOutput"] = {"hookEventName": "UserPromptSubmit", "additionalContext": context}
        return Answer(stdout=json.dumps(said)) if said else Answer()

    def _shown(self) -> Answer:
        coming = self._coming()
        return Answer(stdout=json.dumps({"systemMessage": coming})) if coming else Answer()

    def _coming(self) -> str | None:
        coming = self._interview.unshown() if self._interview else None
        if coming and self._interview:
            self._interview.shown()
        return coming

    def _stopped(self, event: Mapping[str, Any]) -> Answer:
        said = event.get("last_assistant_message")
        if self.critic is not None and event.get("agent_type") == housekeeping.CRITIC and isinstance(said, str):
            self.critic(said)
        return Answer()

    def _nothing(self, _: Mapping[str, Any]) -> Answer:
        return Answer()

    # --- what a call is -----------------------------------------------------------------------------------------------

    def _call(self, use: Use) -> ToolCall:
        return use.call(self.hosted.pinned if self.hosted else {})

    def _reads(self, use: Use) -> bool:
        return housekeeping.is_read(use.tool, use.args, use.cwd, self._place)

    def _own(self, use: Use) -> str | None:
        """Which of our server's tools this is. A server under evaluation that has its name is not ours."""
        attached = self.hosted.pinned if self.hosted else {}
        for name in (_OWN, _PLUGIN):
            tool = use.tool.removeprefix(label(name, ""))
            if tool not in _OWN_TOOLS or use.tool != label(name, tool) or name in attached:
                continue
            if use.server in (None, name) and (name == _OWN or use.source in (None, "plugin")):
                return tool
        return None


EVENTS: Mapping[str, Callable[[Hooks, Mapping[str, Any]], Answer]] = {
    "PreToolUse": Hooks._before,  # noqa: SLF001 - the table of its methods
    "PostToolUse": Hooks._after,  # noqa: SLF001
    "PostToolUseFailure": Hooks._after,  # noqa: SLF001
    "PostToolBatch": Hooks._batch,  # noqa: SLF001
    "UserPromptSubmit": Hooks._prompt,  # noqa: SLF001
    "SubagentStop": Hooks._stopped,  # noqa: SLF001
    "SessionStart": Hooks._nothing,  # noqa: SLF001
}
"""Every event that our hooks bring, and what answers it."""


def _unheard(_: str | None) -> None:
    """Nobody wants to know."""


def _deny(reason: str) -> Answer:
    return _decided("deny", reason)


def _decided(decision: str, reason: str) -> Answer:
    said = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": reason}
    return Answer(stdout=json.dumps({"hookSpecificOutput": said}))


def _named(call: ToolCall) -> str:
    return label(call.mcp, call.tool) if call.mcp else call.tool
