"""Between an agent's host and its server: what is allowed goes through byte for byte, and nothing passes unjudged.

Of the agent's requests, those that do something are opened with the owner of the evaluation first, which decides and
writes their line; those that only look are handed on; all others are refused. A reply goes to the agent only if it
answers something that was sent, and its call is closed after that. Sans-I/O: frames in, frames out, through the ends
that it is given.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from mcp_assay.frames import Kind, Oversized, broken_reply, classify, is_id
from mcp_assay.host import traffic
from mcp_assay.host.base import Later, Owner, Received, Sink, Timer, Unanswered
from mcp_assay.host.greeting import INITIALIZE, Greeting
from mcp_assay.host.hold import Hold, Span
from mcp_assay.host.listing import Listing
from mcp_assay.host.rounds import Paused, Rounds
from mcp_assay.host.traffic import CALL, LIST, Fault, Said, Wanted

__all__ = ["MOST_REQUESTS", "MOST_UNREAD", "Relay"]

MOST_REQUESTS = 1_000
"""Requests of either side that may wait for their answers at once."""
MOST_UNREAD = 64 * 1024 * 1024
"""Bytes that the server or the owner may leave unread."""

_PATIENCE = 60.0
_MOST_LATE = 10_000
_SHORTEST = 0.001
_UNREAD = "the server does not read what it is sent"


@dataclass(slots=True, eq=False)
class _Request:
    """One of the agent's, while it waits. ``wanted`` is None for one that is handed on without asking."""

    said: Said
    line: bytes
    wanted: Wanted | None = None
    owner: Owner | None = None
    permit: str | None = None
    paused: Paused | None = None
    is_sent: bool = False
    is_dropped: bool = False
    has_listed: bool = False
    changes: int = 0
    span: Span | None = None
    patience: float = _PATIENCE
    timer: Timer | None = None

    @property
    def seconds(self) -> float:
        """Of the server's, over all rounds of the call."""
        return (self.span.seconds() if self.span else 0.0) + (self.paused.seconds if self.paused else 0.0)


class Relay:
    """``name`` is the server's, as the evaluation knows it.

    ``seek`` is called at each request while there is no owner, and calls ``change`` if it finds one.
    """

    def __init__(  # noqa: PLR0917 - its two ends, who decides, and the time
        self,
        name: str,
        agent: Sink,
        server: Sink,
        owner: Owner,
        later: Later,
        clock: Callable[[], float],
        seek: Callable[[], None] = lambda: None,
    ) -> None:
        self._name, self._agent, self.server, self._owner = name, agent, Greeting(server), owner
        self._later, self._clock, self._seek = later, clock, seek
        self._listing = Listing(self.server, owner, later)
        self._hold = Hold(clock)
        self._waiting: dict[str | int, _Request] = {}
        self._late: dict[str | int, None] = {}
        self._rounds = Rounds()
        self._gone: str | None = None

    @property
    def waiting(self) -> list[str | int]:
        """The ids of the agent's requests that are yet to be answered."""
        return [*self._waiting]

    # --- from the agent -----------------------------------------------------------------------------------------------

    def from_agent(self, line: bytes | Oversized) -> None:
        """Take in one line that the agent's host has written."""
        if isinstance(line, Oversized):
            self._agent.send(traffic.oversized(line))
            return
        if line.isspace():
            return
        said = traffic.read(line)
        if isinstance(said, Fault):
            self._reject(said)
        elif said.kind is Kind.REQUEST:
            self._request(said, line)
        elif said.kind is Kind.RESPONSE:
            if self._hold.answer(said.id):
                self.server.send(line)
        elif said.method == traffic.CANCELLED:
            self._cancel(said.params.get("requestId"), line)
        elif self.server.backlog < MOST_UNREAD:
            self.server.send(line)

    def _reject(self, fault: Fault) -> None:
        if fault.answer is not None:
            self._agent.send(fault.answer)

    def _request(self, said: Said, line: bytes) -> None:
        if self._owner.lost is not None:
            self._seek()
        if said.id in self._waiting or said.id in self._late or self._listing.owns(said.id):
            # Answered under this id, whoever waits for the first request would take it for the answer to that.
            self._agent.send(traffic.error(None, traffic.INVALID_REQUEST, "Invalid Request: an id that is in use"))
        elif said.method in traffic.JUDGED:
            self._judge(said, line)
        elif said.method not in traffic.PASSED:
            self._agent.send(traffic.error(said.id, traffic.UNKNOWN_METHOD, "Method not found: it is not relayed"))
        elif (why := self._gone or self._overload()) is not None:
            self._agent.send(traffic.error(said.id, traffic.INTERNAL, why))
        else:
            request = self._waiting[said.id] = _Request(said, line, changes=self._listing.changes)
            self._send(request)

    def _overload(self) -> str | None:
        if len(self._waiting) >= MOST_REQUESTS:
            return "too many requests at once"
        return _UNREAD if self.server.backlog > MOST_UNREAD else None

    def _cancel(self, number: object, line: bytes) -> None:
        request = self._waiting.get(number) if is_id(number) else None
        if request is None:
            return
        self._forget(request)
        if request.is_sent:
            self.server.send(line)
            self._close(request, "cancelled", error_text="cancelled by the agent")

    # --- judged requests ----------------------------------------------------------------------------------------------

    def _judge(self, said: Said, line: bytes) -> None:
        found = traffic.wanted(said)
        if isinstance(found, Fault):
            self._reject(found)
        elif (why := self._owner.lost or self._overload()) is not None:
            self._agent.send(traffic.refusal(said, why))
        else:
            request = self._waiting[said.id] = _Request(said, line, found, self._owner, span=self._hold.span())
            if said.is_retry:
                request.paused = self._rounds.resume(found, said.params.get("requestState"))
            request.timer = self._later(_PATIENCE, partial(self._time, request))
            if said.method == CALL and self._listing.is_stale and self._gone is None:
                self._list(request)
            else:
                self._open(request)

    def _list(self, request: _Request) -> None:
        self._listing.refresh(traffic.envelope(request.said.params), partial(self._open, request))
        if self._gone is not None:
            self._listing.fail()

    def _open(self, request: _Request) -> None:
        wanted = request.wanted
        if wanted is None or request.is_dropped:
            return
        message = {"do": "open", "mcp": self._name, "tool": wanted.tool, "args": wanted.args}
        message["kind"] = request.said.method
        if wanted.join is not None:
            message["join"] = wanted.join
        if request.paused is not None:
            message["again"] = request.paused.permit
        try:
            self._owner.ask(message, partial(self._opened, request))
        except (ValueError, RecursionError):
            self._refuse(request, "its arguments cannot be written down, so it is not sent")

    def _opened(self, request: _Request, answer: Mapping[str, Any]) -> None:
        permit = answer.get("permit")
        if isinstance(permit, str):
            request.permit = permit
            self._permitted(request, answer.get("timeout"))
        elif request.is_dropped:
            self._give_back(request)
        elif answer.get("list") is True and not request.has_listed:
            request.has_listed = True
            self._listing.change()
            self._list(request)
        else:
            why = answer.get("refused")
            self._refuse(request, why if isinstance(why, str) else "the evaluation's owner did not say yes")

    def _permitted(self, request: _Request, timeout: object) -> None:
        if request.is_dropped:
            self._close(request, "cancelled", error_text="cancelled before it was sent")
        elif self._gone is not None:
            self._fail(request, "lost", self._gone)
        else:
            request.patience = timeout if isinstance(timeout, int | float) else _PATIENCE
            request.span = self._hold.span()
            if request.timer is not None:
                request.timer.cancel()
            request.timer = self._later(max(request.patience, _SHORTEST), partial(self._time, request))
            self._send(request)

    def _send(self, request: _Request) -> None:
        self.server.send(request.line)
        request.line, request.is_sent = b"", True

    def _refuse(self, request: _Request, why: str) -> None:
        """Tell the agent that its call was not sent."""
        self._forget(request)
        self._agent.send(traffic.refusal(request.said, why))
        self._give_back(request)

    def _give_back(self, request: _Request) -> None:
        """A permit from an earlier round of the call is not needed any more: there is no next round."""
        if request.paused is not None:
            request.permit, request.span = request.paused.permit, self._hold.span()
            self._close(request, "cancelled", error_text="not gone on with")

    def _time(self, request: _Request) -> None:
        """A request's time may be over: not if it stood still meanwhile."""
        left = request.patience - (request.span.seconds() if request.span else 0.0)
        if left > 0:
            request.timer = self._later(max(left, _SHORTEST), partial(self._time, request))
        elif request.is_sent:
            self.server.send(traffic.cancellation(request.said.id, "timed out"))
            self._fail(request, "timeout", f"no answer within {round(request.patience, 2):g} s")
        else:
            self._refuse(request, "no answer of the evaluation's owner in time")

    def _fail(self, request: _Request, outcome: str, why: str) -> None:
        """The agent gets no reply of the server's but an error of ours; a call is closed then."""
        self._forget(request)
        if request.wanted is None:
            self._agent.send(traffic.error(request.said.id, traffic.INTERNAL, why))
        else:
            self._agent.send(traffic.refusal(request.said, why))
            self._agent.after(partial(self._close, request, outcome, error_text=why))

    def _forget(self, request: _Request) -> None:
        """Nobody waits for the answer any more; if one comes, it is late."""
        del self._waiting[request.said.id]
        request.is_dropped = True
        if request.timer is not None:
            request.timer.cancel()
        if request.is_sent:
            self._late[request.said.id] = None
            if len(self._late) > _MOST_LATE:
                del self._late[next(iter(self._late))]

    # --- from the server ----------------------------------------------------------------------------------------------

    def from_server(self, line: Received) -> None:
        """Take in one line that the server has written. What is no message of the protocol is dropped."""
        if isinstance(line, Unanswered):
            self._unanswered(line)
            return
        if isinstance(line, Oversized):
            self._blame(None, f"answered with a reply larger than {line.limit:,} bytes")
            return
        frame = classify(line)
        if frame.kind is Kind.RESPONSE:
            self._reply(frame.message, line)
        elif frame.kind is Kind.REQUEST:
            if is_id(frame.message["id"]) and len(self._hold) < MOST_REQUESTS:
                if frame.message["method"] != "ping":
                    self._hold.ask(frame.message["id"])
                self._agent.send(line)
        elif frame.kind is Kind.NOTIFICATION:
            self._notice(frame.message)
            self._agent.send(line)
        elif (number := broken_reply(line)) is not None:
            self._blame(number, "answered with a reply that cannot be parsed as JSON")

    def _notice(self, message: Mapping[str, Any]) -> None:
        if message["method"] == traffic.TOOLS_CHANGED:
            self._listing.change()
        elif message["method"] == traffic.CANCELLED:
            params = message.get("params")
            self._hold.answer(params.get("requestId") if isinstance(params, dict) else None)

    def _blame(self, number: int | None, why: str) -> None:
        """A reply cannot be used. If it does not say whose it is, it is that of a request which waits alone."""
        sent = [request for request in self._waiting.values() if request.is_sent and number in (None, request.said.id)]
        if len(sent) == 1:
            self._fail(sent[0], "error", why)
            del self._late[sent[0].said.id]

    def _unanswered(self, found: Unanswered) -> None:
        request = self._waiting.get(found.number)
        if found.number == self.server.number:
            self.server_lost(found.why)
        elif self._listing.owns(found.number):
            self._listing.unanswered(found.number)
        elif request is not None and request.is_sent:
            self._fail(request, found.outcome, found.why)
        self._late.pop(found.number, None)

    def _reply(self, message: Mapping[str, Any], line: bytes) -> None:
        number = message.get("id")
        if not is_id(number):
            return
        request = self._waiting.get(number)
        if request is None or not request.is_sent:
            self._unexpected(number, message, len(line))
            return
        why = traffic.as_task(message) if request.wanted is not None else None
        if why is not None:
            self._unanswered(Unanswered(request.said.id, "lost", why))
            return
        del self._waiting[request.said.id]
        if request.said.method == INITIALIZE:
            self.server.heard(request.said.params, message)
        self._agent.send(line)
        if request.wanted is not None:
            self._agent.after(partial(self._settle, request, message, len(line)))
        elif request.said.method == LIST:
            self._listing.passed(request.said.params, message, request.changes)

    def _unexpected(self, number: Any, message: Mapping[str, Any], size: int) -> None:
        if number in self._late:
            del self._late[number]
        elif number == self.server.number:
            self._greeted(message)
        elif self._listing.owns(number):
            self._listing.reply(message, size)

    def _settle(self, request: _Request, message: Mapping[str, Any], size: int) -> None:
        """The reply is with the agent: say so, unless the server only asked for more before it answers."""
        if request.timer is not None:
            request.timer.cancel()
        result, bad = message.get("result"), message.get("error")
        if bad is not None:
            code, text = (bad.get("code"), bad.get("message")) if isinstance(bad, dict) else (None, None)
            coded = {"error_code": code} if type(code) is int else {}
            self._close(request, "error", size=size, error_text=text if isinstance(text, str) else "", **coded)
        elif not isinstance(result, dict):
            self._close(request, "error", size=size, error_text="answered with a result that is no object")
        elif result.get("resultType") == "input_required" and request.wanted and request.permit:
            if request.owner is self._owner:
                self._rounds.pause(request.wanted, result.get("requestState"), Paused(request.permit, request.seconds))
        else:
            self._close(request, "error" if result.get("isError") is True else "ok", size=size, result=result)

    def _close(self, request: _Request, outcome: str, *, size: int = 0, **more: Any) -> None:
        took = round(request.seconds * 1000)
        message = {"do": "close", "permit": request.permit, "outcome": outcome, "size": size, "duration_ms": took}
        if request.owner is not self._owner or self._owner.lost is not None:
            return  # nobody else knows of this permit
        try:
            self._owner.tell({**message, **more})
        except (ValueError, RecursionError):
            self._owner.tell(message)

    # --- what begins anew ---------------------------------------------------------------------------------------------

    def change(self, owner: Owner, server: Sink | None = None) -> None:
        """Another owner decides from now on; and if ``server`` is given, that one answers."""
        if server is not None:
            self.server_lost("the server was started anew")
            self._gone, self._hold = None, Hold(self._clock)
        self._owner, self._rounds = owner, Rounds()
        self._listing.change(owner)
        if server is not None and self.server.turn(server, number := self._listing.own()):
            late = Unanswered(number, "lost", "the server did not finish initialize in time")
            self._later(_PATIENCE, partial(self._unanswered, late))

    def _greeted(self, message: Mapping[str, Any]) -> None:
        """The server has answered as it would have answered the agent, whose tools may now be others."""
        why = self.server.answered(message)
        if why is None:
            self._agent.send(traffic.CHANGED)
        else:
            self.server_lost(why)

    # --- what ends ----------------------------------------------------------------------------------------------------

    def server_lost(self, why: str) -> None:
        """The server will answer nothing any more; ``why`` is told the agent."""
        if self._gone is not None:
            return
        self._gone = why
        self.server.drop()
        for request in [request for request in self._waiting.values() if request.is_sent]:
            self._fail(request, "lost", why)
        self._late.clear()
        self._listing.fail()

    def owner_lost(self) -> None:
        """Nobody decides any more: what was not sent never is. What was sent may still be answered."""
        for request in [request for request in self._waiting.values() if not request.is_sent]:
            self._refuse(request, self._owner.lost or "the evaluation's owner has ended")
