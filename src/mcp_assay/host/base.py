"""What a gateway's relay needs of the world: two ends to write to, an owner to ask, and a clock."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from mcp_assay.frames import Oversized

__all__ = ["FarEnd", "Later", "Owner", "Received", "Sink", "Timer", "Unanswered", "Watch"]


class Sink(Protocol):
    """Where frames go, in order. Nothing here waits."""

    @property
    def backlog(self) -> int:
        """How many bytes whoever is at the other end has left unread."""
        ...

    def send(self, frame: bytes) -> None: ...

    def after(self, then: Callable[[], None]) -> None:
        """Call this once all that was sent so far has been handed over, at once if it has."""
        ...


@dataclass(frozen=True, slots=True)
class Unanswered:
    """Stands where the reply to a request would: there will be none, and why. ``outcome`` is how its call ends."""

    number: str | int
    outcome: str
    why: str


Received = bytes | Oversized | Unanswered
"""What comes from a server: a line, or what stands for one that cannot be had."""


class FarEnd(Protocol):
    """A server, wherever it is. Nothing here waits but ``end``."""

    @property
    def input(self) -> Sink:
        """Where its frames go."""
        ...

    def begin(self, receive: Callable[[Received], None], lost: Callable[[str], None]) -> None:
        """From now on ``receive`` gets what it says. ``lost`` is told, in a phrase, when it will say no more."""
        ...

    def hold(self, held: bool) -> None:  # noqa: FBT001 - an Outlet tells it so
        """Read no more of it for now, or go on: whoever reads what it says is behind."""
        ...

    def look(self) -> None:
        """A child process has ended, perhaps this one."""
        ...

    def end(self) -> None:
        """It is not needed any more. Takes less than 2 seconds, and may be called again."""
        ...


class Owner(Protocol):
    """The process that owns the evaluation. Both raise ValueError for what cannot be said: infinities, too much."""

    @property
    def lost(self) -> str | None:
        """Why nobody will answer any more; None while somebody does."""
        ...

    def ask(self, message: Mapping[str, Any], then: Callable[[Mapping[str, Any]], None]) -> None:
        """Ask, and hand on the answer. If the owner is lost first, no answer comes."""
        ...

    def tell(self, message: Mapping[str, Any]) -> None:
        """Say something and do not wait for an answer."""
        ...


class Timer(Protocol):
    def cancel(self) -> None: ...


Later = Callable[[float, Callable[[], None]], Timer]
"""Calls something after so many seconds, unless it is cancelled."""


class Watch(Protocol):
    """What a loop does for a relay's ends. A descriptor is watched for one thing only."""

    def readable(self, fd: int, then: Callable[[], None], /) -> None: ...

    def writable(self, fd: int, then: Callable[[], None], /) -> None: ...

    def forget(self, fd: int, /) -> None: ...

    def later(self, seconds: float, then: Callable[[], None], /) -> Timer: ...
