"""The gate: nothing reaches a server unless it was allowed and written down first.

    open(call)  → Permit    decided, counted, and its line is on the disk: it may be sent, once
                → Refusal   a __blocked__ or abort line says why; nothing may be sent
    close(permit, reply)    the same line, completed

Only ``open`` can mint a Permit. A fault while deciding, describing or writing is a Refusal. The gate knows no server,
no protocol and no driver: whoever dispatches (a script, an agent's host, a relay) does so between open and close.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from mcp_assay.clock import Clock, iso
from mcp_assay.core import safety, summarize
from mcp_assay.core.budget import Budget
from mcp_assay.core.content import Body, read
from mcp_assay.core.entry import Line, Tail
from mcp_assay.core.model import (
    AbortReason,
    Disposition,
    Effect,
    Method,
    Outcome,
    Reply,
    Scenario,
    Tool,
    ToolCall,
    Verdict,
)
from mcp_assay.core.naming import label
from mcp_assay.core.provenance import Provenance
from mcp_assay.errors import StoreError
from mcp_assay.store.transcript import Place, Transcript

__all__ = ["Gate", "Permit", "Refusal", "Run"]

_MINT = object()


@dataclass(frozen=True, slots=True)
class Permit:
    """The right to send one call, once. ``id`` is its transcript line's."""

    id: str
    call: ToolCall
    tool: Tool | None
    verdict: Verdict | None
    place: Place
    mint: object = field(repr=False)

    def __post_init__(self) -> None:
        if self.mint is not _MINT:
            raise TypeError("only Gate.open can mint a Permit")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a call was not sent, in words that invite no retry. ``aborted`` is set if the scenario ended with it."""

    reason: str
    id: str | None = None
    aborted: AbortReason | None = None


@dataclass(slots=True)
class Run:
    """A scenario while it runs: the counters that its ``execution[]`` entry shows."""

    scenario: Scenario
    call_count: int = 0
    refusals: int = 0
    lines: int = 0
    aborted: AbortReason | None = None
    called: list[str] = field(default_factory=list)
    in_doubt: bool = False

    def next_id(self) -> str:
        # "id is <scenario_id>-<counter> where the counter is zero-padded to 3 digits"
        self.lines += 1
        return f"{self.scenario.id}-{self.lines:03d}"


class Gate:
    """One per evaluation, in the process that owns it.

    ``policy`` is replaced, never mutated, when a server says that its tools changed (``observe``).
    """

    def __init__(
        self,
        policy: safety.Policy,
        budget: Budget,
        transcript: Transcript,
        clock: Clock,
        key: bytes,
        *,
        active: Callable[[], float],
    ) -> None:
        self.policy, self.budget = policy, budget
        self.run: Run | None = None
        self.outside: list[dict[str, str]] = []
        self._transcript, self._clock, self._key, self._active = transcript, clock, key, active
        self._memory = Provenance(key, "")
        self._open: dict[str, Permit] = {}

    def begin(self, scenario: Scenario, lines: int = 0, calls: int = 0) -> Run:
        """A scenario starts, or starts over: ``lines`` and ``calls`` of it are in the transcript already."""
        self.run = Run(scenario, call_count=calls, lines=lines)
        self._memory = Provenance(self._key, scenario.description)
        return self.run

    def end(self) -> None:
        """The scenario is over: whatever comes now is outside, and its values are forgotten."""
        self.run = None
        self._memory = Provenance(self._key, "")

    def open(self, call: ToolCall) -> Permit | Refusal:
        """Decide, write down, count. Total: every fault is a Refusal."""
        decided = self._allowed(call)
        if isinstance(decided, Refusal):
            return decided
        run, allowed = decided
        if self.budget.spent(run.call_count):
            return self._abort(run, AbortReason.CALL_BUDGET)
        return self._permit(run, call, allowed)

    def again(self, permit: Permit) -> Permit | Refusal:
        """The same call once more, since its server asked for more first: decided anew, one line, counted once."""
        if self._open.get(permit.id) is not permit:
            return Refusal("this call is over")
        decided = self._allowed(permit.call)
        return decided if isinstance(decided, Refusal) else permit

    def refuse(self, call: ToolCall, reason: str) -> Refusal:
        """Write down a call that is not made, for a reason that policy does not know of.

        That a server is to be skipped is the reason before all others.
        """
        run, kept = self._going(call), safety.stricter(call.mcp, self.policy.safety) if call.mcp else None
        skipped = kept is not None and kept.disposition is Disposition.SKIP
        why = safety.SKIPPED if skipped else reason
        return run if isinstance(run, Refusal) else self._block(run, call, safety.Block(why))

    def witness(self, call: ToolCall) -> Permit | Refusal:
        """Write down a call that was made though nobody asked: it counts, and policy came too late."""
        run = self._going(call)
        return run if isinstance(run, Refusal) else self._permit(run, call, safety.Allow(None, None))

    def close(self, permit: Permit, reply: Reply) -> None:
        """Complete the permit's line. Raises ValueError if the permit is not open: it was closed before."""
        if self._open.pop(permit.id, None) is not permit:
            raise ValueError(f"{permit.id} is not open")
        effect = _effect(permit.verdict, reply.outcome)
        if self.run and effect is Effect.UNKNOWN:
            self.run.in_doubt = True
        schema, body = permit.tool.output_schema if permit.tool else None, read(reply.result)
        self._transcript.finish(permit.place, self._tail(permit, reply, effect, body))
        self._memory.remember(permit.id, reply.result, schema, body)

    def trip(self, run: Run) -> Refusal | None:
        """The session's time is over: write the one abort line, in this scenario. None if it was written before."""
        if run.aborted:
            return None
        return self._abort(run, AbortReason.WALLCLOCK)

    def observe(self, server: str, digests: Mapping[str, str]) -> None:
        """A server's tools as it lists them now: what changed or vanished is judged so from the next call on."""
        self.policy = replace(self.policy, live={**self.policy.live, server: dict(digests)})

    def described(self, call: ToolCall) -> Tool | None:
        """The tool as its server described it in the interview; None if the call is of no tool of theirs."""
        pinned = self.policy.pinned.get(call.mcp) if call.mcp and call.method is Method.CALL else None
        return pinned.get(call.tool) if pinned else None

    def _going(self, call: ToolCall) -> Run | Refusal:
        """The scenario that a call belongs to."""
        run = self.run
        if run is None or run.aborted:
            return self._outside(call, "no scenario is running" if run is None else "this scenario has been aborted")
        return run

    def _allowed(self, call: ToolCall) -> tuple[Run, safety.Allow] | Refusal:
        run = self._going(call)
        if isinstance(run, Refusal):
            return run
        if self.budget.expired(self._active()):
            return self.trip(run) or Refusal("session wallclock exceeded", aborted=run.aborted)
        decision = self._decide(call)
        return self._block(run, call, decision) if isinstance(decision, safety.Block) else (run, decision)

    def _decide(self, call: ToolCall) -> safety.Allow | safety.Block:
        try:
            return safety.decide(call, self.policy)
        except Exception:  # noqa: BLE001 - a fault while deciding means no, whatever the fault
            return safety.Block("a fault while deciding; in doubt means no")

    def _permit(self, run: Run, call: ToolCall, allowed: safety.Allow) -> Permit | Refusal:
        try:
            tool = self.described(call)
            line = self._line(run, call, tool, allowed)
            place = self._transcript.begin(line)
        except StoreError as bad:
            return self._abort_unwritten(run, str(bad))
        except Exception:  # noqa: BLE001 - a call that cannot be described cannot be logged, so it is not sent
            return self._block(run, call, safety.Block("a fault while describing the call; in doubt means no"))
        run.call_count += 1
        if call.mcp and call.mcp not in run.called:
            run.called.append(call.mcp)
        permit = Permit(line.id, call, tool, allowed.verdict, place, _MINT)
        self._open[permit.id] = permit
        return permit

    def _line(self, run: Run, call: ToolCall, tool: Tool | None, allowed: safety.Allow) -> Line:
        schema = tool.input_schema if tool else {}
        described = self._memory.describe(call.args, schema)
        summary, digest = summarize.args_summary(call.args, schema), summarize.digest(self._key, call.args)
        return Line(
            id=run.next_id(),
            scenario_id=run.scenario.id,
            ts=iso(self._clock.now()),
            tool=_label(call),
            # "is_mcp is true iff tool is a tool name starting with mcp__."
            is_mcp=call.mcp is not None,
            args_summary=summary,
            # "When is_mcp: true, justification is null."
            justification=None if call.mcp else _sentence(call.justification),
            mcp=call.mcp,
            raw_tool=call.tool,
            verdict=allowed.verdict,
            rule=allowed.rule,
            join=call.join,
            args_digest=digest,
            args=described,
        )

    def _tail(self, permit: Permit, reply: Reply, effect: Effect, body: Body) -> Tail:
        schema = permit.tool.output_schema if permit.tool else None
        try:
            return Tail(
                outcome=reply.outcome,
                effect=effect,
                result_shape=summarize.result_shape(reply, schema, body),
                duration_ms=reply.duration_ms,
                result_digest=None if reply.result is None else summarize.digest(self._key, reply.result),
                result=summarize.result_facts(reply, permit.call.args, permit.tool, body),
            )
        except Exception:  # noqa: BLE001 - the call was sent: its line is completed with what is sure
            return Tail(reply.outcome, effect, "error:undescribable", reply.duration_ms)

    def _block(self, run: Run, call: ToolCall, block: safety.Block) -> Refusal:
        run.refusals += 1
        # A driver that is refused as often as it might have called is not getting anywhere.
        aborts = block.aborts or self.budget.spent(run.refusals)
        line = Line(
            id=run.next_id(),
            scenario_id=run.scenario.id,
            ts=iso(self._clock.now()),
            tool="__blocked__",
            is_mcp=False,
            justification=block.reason,
            blocked_tool=_label(call),
            mcp=call.mcp,
            raw_tool=call.tool,
            verdict=block.verdict,
            rule=block.rule,
            join=call.join,
        )
        try:
            self._transcript.begin(line, Tail(Outcome.BLOCKED, result_shape="error:blocked"))
        except StoreError as bad:
            return self._abort_unwritten(run, str(bad))
        if aborts:
            run.aborted = AbortReason.SAFETY_ABORT
        return Refusal(block.reason, line.id, run.aborted)

    def _abort(self, run: Run, reason: AbortReason) -> Refusal:
        tool, why, shape = _ABORTS[reason]
        line = Line(run.next_id(), run.scenario.id, iso(self._clock.now()), tool, is_mcp=False, justification=why)
        run.aborted = reason
        try:
            self._transcript.begin(line, Tail(Outcome.ABORTED, result_shape=shape))
        except StoreError as bad:
            return Refusal(str(bad), aborted=reason)
        return Refusal(why, line.id, reason)

    def _abort_unwritten(self, run: Run, why: str) -> Refusal:
        """A line that cannot be written ends the scenario: a run without a log is worth nothing."""
        run.aborted = AbortReason.SAFETY_ABORT
        return Refusal(why, aborted=run.aborted)

    def _outside(self, call: ToolCall, why: str) -> Refusal:
        if len(self.outside) < _OUTSIDE_KEPT:
            self.outside.append({"ts": iso(self._clock.now()), "tool": _label(call), "reason": why})
        return Refusal(why)


_OUTSIDE_KEPT = 100
_ABORTS = {
    AbortReason.CALL_BUDGET: ("__budget_abort__", "call budget exceeded", "error:call_budget"),
    AbortReason.WALLCLOCK: ("__wallclock_abort__", "session wallclock exceeded", "error:wallclock"),
}


def _label(call: ToolCall) -> str:
    return label(call.mcp, call.tool) if call.mcp else call.tool


def _sentence(text: str | None) -> str:
    return (text or "").strip()[:500]


def _effect(verdict: Verdict | None, outcome: Outcome) -> Effect:
    """A read changes nothing; anything else did if it was answered, and nobody knows if it was not."""
    if verdict is Verdict.READ:
        return Effect.NONE
    return Effect.DONE if outcome in {Outcome.OK, Outcome.ERROR} else Effect.UNKNOWN
