"""The ``host`` driver: an agent in its own host makes the calls. A scenario is over when the agent says so.

Here the scenarios that the owner runs one after another meet the clients that talk to it: the agent asks for one,
gateways and hooks open and close calls, the agent says how it ended.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from mcp_assay.core.model import Manifest, Method, Outcome, Reply, Scenario, Tool, ToolCall, canonical
from mcp_assay.drivers.base import Call, Ended
from mcp_assay.errors import AssayError, StoreError
from mcp_assay.gate import Gate, Permit, Refusal

__all__ = ["HOST", "Hosted", "Judge", "Unlisted"]

Judge = Callable[[str, Tool, Mapping[str, Any], int], bool | None]
"""Whether a result of so many bytes is what the tool's output schema promised; None where that is not judged."""

HOST = "host"
"""What a plan calls this driver."""

_PATIENCE = 2.0
"""Seconds for the calls of a scenario that has ended to be closed: replies that are on their way."""
_MOST_SAID = 1_000  # justifications that wait for their calls
_LONGEST = 500  # characters of what the agent says of how it ended


class Unlisted:
    """In place of a permit: the server's tools have not been listed in this scenario, so nothing can be decided."""


def _likeness(call: ToolCall) -> str:
    return canonical([call.mcp, call.tool, call.args])


def _unjudged(server: str, tool: Tool, result: Mapping[str, Any], size: int) -> bool | None:  # noqa: ARG001 - a Judge
    return None


class Hosted:
    """One for all scenarios of a session. ``left`` says how many have yet to begin.

    ``attended``: an agent is started for each scenario, so none ever asks for another one.

    ``remaining`` gives the session's seconds, ``timeout`` is what one call may take of them.
    """

    name = HOST

    def __init__(
        self,
        gate: Gate,
        remaining: Callable[[], float],
        *,
        left: int,
        timeout: float,
        judge: Judge = _unjudged,
        patience: float = _PATIENCE,
    ) -> None:
        self.left = left
        self._gate, self._remaining, self._timeout = gate, remaining, timeout
        self._judge, self._patience = judge, patience
        self.attended = self.finished = False
        self._scenario: Scenario | None = None
        self._end: asyncio.Future[Ended] | None = None
        self._over: str | None = None
        self._abandoned: AssayError | None = None
        self._open: dict[str, Permit] = {}
        self._listed: set[str] = set()
        self._seen: set[str] = set()  # the host's ids of calls
        self._reads: Counter[str] = Counter()  # what was asked without one
        self._lent: dict[str, Permit] = {}  # by the host's id of the call
        self._said: dict[str, deque[str]] = {}
        self._asking = 0
        self._asked, self._news = asyncio.Event(), asyncio.Event()

    # --- the owner's side ---------------------------------------------------------------------------------------------

    async def first(self) -> None:
        """Return when the agent asks for a scenario. Raises what the session was abandoned for."""
        await self._asked.wait()
        if self._abandoned is not None:
            raise self._abandoned

    async def turn(self, _: Scenario) -> None:
        """Return when the agent asks for the next scenario: what it calls in between belongs to none."""
        await self._asked.wait()

    async def run(self, scenario: Scenario, call: Call) -> Ended:  # noqa: ARG002 - the calls come from clients
        """Wait until the agent has finished the scenario, or the gate has aborted it."""
        self.left -= 1
        self.finished = False
        self._listed.clear()
        self._lent.clear()
        self._said.clear()
        self._scenario, self._end = scenario, asyncio.get_running_loop().create_future()
        self._tell()
        try:
            ended = await self._end
            await self._settled()
            return ended
        finally:
            self._scenario = self._end = None
            self._cut()

    def close(self, why: str) -> None:
        """Every scenario has been attempted: whoever asks for another is told so."""
        self._over = why
        self._tell()

    # --- the clients' side --------------------------------------------------------------------------------------------

    @property
    def running(self) -> Scenario | None:
        """The scenario that calls belong to now."""
        return self._scenario if self._end is not None and not self._end.done() else None

    async def next(self) -> Scenario | str:
        """The scenario that is running, else the next one once it does, else why there is none."""
        if self.attended and self.running is None:
            return "each agent attempts one scenario"
        self._asking += 1
        self._asked.set()
        try:
            while self.running is None and self._over is None:
                await self._news.wait()
        finally:
            self._asking -= 1
            if not self._asking:
                self._asked.clear()
        return self.running or self._over or ""

    def justify(self, tool: str, text: str) -> str | None:
        """Keep the reason for the next call of a tool that is no MCP tool. Returns why not, if it is not kept."""
        if self.running is None:
            return "no scenario is running"
        if sum(map(len, self._said.values())) >= _MOST_SAID:
            return "too many justifications wait for their calls"
        self._said.setdefault(tool, deque()).append(text)
        return None

    def finish(self, *, reached: bool | None, why: str) -> bool:
        """The agent is done with the scenario, or whoever started it says so. False if none is running."""
        if self.running is None:
            return False
        self.finished = True
        self._finish(Ended(reached=reached, reason=why.strip()[:_LONGEST] or None))
        self._gate.end()
        return True

    def listed(self, server: str) -> None:
        """The gate has been told what the server offers now."""
        self._listed.add(server)

    def open(self, call: ToolCall, *, needs_list: bool = False) -> Permit | Refusal | Unlisted:
        """Ask the gate, if the server's tools have been listed where they need to be."""
        if needs_list and call.method is Method.CALL and self._lacks_list(str(call.mcp)):
            return Unlisted()
        # A hook asked while there was no gateway; there is one now. It is the same call, with one line.
        lent = self._lent.pop(call.join, None) if call.join else None
        return self._ask(call) if lent is None or lent.id not in self._open else self.again(lent, call)

    def ask(self, call: ToolCall) -> Permit | Refusal:
        """Ask the gate about a call that passes no gateway, as far as is known."""
        opened = self._ask(call)
        if isinstance(opened, Permit) and call.join:
            self._lent[call.join] = opened
        return opened

    def _ask(self, call: ToolCall) -> Permit | Refusal:
        """A call of a tool that is no MCP tool takes the justification that was given for it."""
        if call.mcp is None and (said := self._said.get(call.tool)):
            call = replace(call, justification=said.popleft())
        return self._opened(call, self._gate.open(call))

    def refuse(self, call: ToolCall, why: str) -> Refusal:
        """A call that is not made, for a reason that the gate need not be asked about: its line says so."""
        refused = self._gate.refuse(call, why)
        self._opened(call, refused)
        return refused

    def witness(self, call: ToolCall) -> None:
        """A call that was made without having been asked for: it has its line, and what came of it is unknown."""
        opened = self._opened(call, self._gate.witness(call))
        if isinstance(opened, Permit):
            self.closed(opened, Reply(Outcome.UNKNOWN, error_text="not asked for"))

    def knows(self, join: str) -> bool:
        """Whether a call that its host knows by this id has come to the gate, in this session or before."""
        return join in self._seen

    def remember(self, joins: Iterable[str | None]) -> None:
        """Calls that came to the gate before this session."""
        self._seen.update(join for join in joins if join)

    def has_seen(self, call: ToolCall) -> bool:
        """Whether a gateway has brought the call to the gate that its host knows by this id.

        Hosts give no id to what is no tool's call: then one with the same arguments is taken for it, and for no other.
        """
        if call.join in self._seen:
            return True
        found = call.method is not Method.CALL and self._reads[_likeness(call)] > 0
        self._reads[_likeness(call)] -= found
        return found

    @property
    def pinned(self) -> Mapping[str, Manifest]:
        """The servers' tools as they were in the interview."""
        return self._gate.policy.pinned

    def again(self, permit: Permit, call: ToolCall) -> Permit | Refusal:
        """Ask the gate about the same call once more."""
        if replace(call, join=None, justification=None) != replace(permit.call, join=None, justification=None):
            return Refusal("this is not the call that the permit is for")
        return self._opened(call, self._gate.again(permit))

    def timeout(self) -> float:
        """Seconds that a call which starts now may take."""
        return min(self._timeout, self._remaining())

    def closed(self, permit: Permit, reply: Reply) -> None:
        """Complete the call's line, unless its scenario has been over for too long."""
        if self._open.pop(permit.id, None) is not permit:
            return
        tool, result = self._gate.described(permit.call), reply.result
        if tool is not None and result is not None and reply.outcome is Outcome.OK:
            kept = self._judge(str(permit.call.mcp), tool, result, reply.size)
            reply = replace(reply, schema_valid=kept)
        self._gate.close(permit, reply)
        self._tell()

    def abandon(self, why: AssayError) -> None:
        """No scenario is to begin."""
        self._abandoned = why
        self._asked.set()

    def fail(self, bad: StoreError) -> None:
        """What must be written cannot be: the session ends with that."""
        if self._end is not None and not self._end.done():
            self._end.set_exception(bad)

    # --- between them -------------------------------------------------------------------------------------------------

    def _lacks_list(self, server: str) -> bool:
        known = self._gate.policy.pinned.get(server)
        return self.running is not None and known is not None and server not in self._listed

    def _opened(self, call: ToolCall, opened: Permit | Refusal) -> Permit | Refusal:
        if call.join:
            self._seen.add(call.join)
        else:
            self._reads[_likeness(call)] += 1
        if isinstance(opened, Permit):
            self._open[opened.id] = opened
        elif opened.aborted is not None:
            self._finish(Ended(reached=False, reason=opened.reason))
        return opened

    def _finish(self, ended: Ended) -> None:
        if self._end is not None and not self._end.done():
            self._end.set_result(ended)

    async def _settled(self) -> None:
        """Give the replies that are on their way time to be told of."""
        try:
            async with asyncio.timeout(self._patience):
                while self._open:
                    await self._news.wait()
        except TimeoutError:
            pass

    def _cut(self) -> None:
        """Whatever is still open ends with its scenario."""
        outcome = Outcome.TIMEOUT if self._remaining() <= 0 else Outcome.CANCELLED
        for permit in list(self._open.values()):
            self.closed(permit, Reply(outcome, error_text="cut off"))

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
