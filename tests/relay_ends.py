"""The ends of a relay in memory, for a test that is a conversation: what is sent is kept, and time moves when told."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from mcp_assay.frames import encode
from mcp_assay.host.relay import Relay

Message = dict[str, Any]


class End:
    """Where frames go. With ``is_read`` false nobody reads them: what is to come after them waits."""

    def __init__(self) -> None:
        self.frames: list[bytes] = []
        self.backlog = 0
        self.is_read = True
        self._waiting: list[Callable[[], None]] = []

    def send(self, frame: bytes) -> None:
        self.frames.append(frame)

    def after(self, then: Callable[[], None]) -> None:
        if self.is_read:
            then()
        else:
            self._waiting.append(then)

    def read(self) -> None:
        """Whoever is at the other end reads it all."""
        self.is_read, waiting = True, self._waiting
        for then in waiting:
            then()

    def take(self) -> list[Message]:
        """What was sent since the last time."""
        taken, self.frames = self.frames, []
        return [json.loads(frame) for frame in taken]

    def only(self) -> Message:
        (message,) = self.take()
        return message


class Asked:
    """An owner who answers when the test does."""

    def __init__(self) -> None:
        self.told: list[Message] = []
        self.asked: list[tuple[Message, Callable[[Mapping[str, Any]], None]]] = []
        self.lost: str | None = None

    def ask(self, message: Mapping[str, Any], then: Callable[[Mapping[str, Any]], None]) -> None:
        encode(message)
        self.asked.append((dict(message), then))

    def tell(self, message: Mapping[str, Any]) -> None:
        encode(message)
        self.told.append(dict(message))

    def answer(self, **answer: Any) -> Message:
        """Answer what was asked first; what it was."""
        message, then = self.asked.pop(0)
        then(answer)
        return message

    def take(self) -> list[Message]:
        taken, self.told = self.told, []
        return taken


class Time:
    """A clock that a test moves on, and what is to happen at its times."""

    def __init__(self) -> None:
        self.now = 100.0
        self.timers: list[_Timer] = []

    def clock(self) -> float:
        return self.now

    def later(self, seconds: float, then: Callable[[], None]) -> "_Timer":
        self.timers.append(_Timer(self.now + seconds, then))
        return self.timers[-1]

    def pass_by(self, seconds: float) -> None:
        until = self.now + seconds
        while due := sorted((each for each in self.timers if each.at <= until), key=lambda each: each.at):
            self.timers.remove(due[0])
            self.now = max(self.now, due[0].at)
            if due[0].then is not None:
                due[0].then()
        self.now = until


class _Timer:
    def __init__(self, at: float, then: Callable[[], None]) -> None:
        self.at = at
        self.then: Callable[[], None] | None = then

    def cancel(self) -> None:
        self.then = None


class Conversation:
    """A relay between ends in memory. ``listed`` begins it after the tools were listed once."""

    def __init__(self, *, listed: bool = True, seek: Callable[[], None] = lambda: None) -> None:
        self.agent, self.server, self.owner, self.time = End(), End(), Asked(), Time()
        self.relay = Relay("srv", self.agent, self.server, self.owner, self.time.later, self.time.clock, seek)
        if listed:
            self.agent_says(id="l", method="tools/list")
            self.server_says(id="l", result={"tools": [{"name": "echo"}]})
            for end in (self.agent, self.server, self.owner):
                end.take()

    def agent_says(self, **message: Any) -> bytes:
        line = encode({"jsonrpc": "2.0", **message})
        self.relay.from_agent(line)
        return line

    def server_says(self, **message: Any) -> bytes:
        line = encode({"jsonrpc": "2.0", **message})
        self.relay.from_server(line)
        return line

    def call(self, number: Any = 1, tool: str = "echo", **params: Any) -> bytes:
        return self.agent_says(id=number, method="tools/call", params={"name": tool, "arguments": {}, **params})

    def sent(self, number: Any = 1, permit: str = "S1-001", **params: Any) -> bytes:
        """A call that has been permitted and handed on."""
        line = self.call(number, **params)
        self.owner.answer(permit=permit, timeout=60.0)
        assert self.server.frames.pop() == line
        return line
