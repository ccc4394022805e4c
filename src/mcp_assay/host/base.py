"""What a gateway's relay needs of the world: two ends to write to, an owner to ask, and a clock."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol

__all__ = ["Later", "Owner", "Sink", "Timer"]


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
