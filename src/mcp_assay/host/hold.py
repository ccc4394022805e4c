"""How long a server has been waiting for its client: while it waits, no call's time runs."""

from collections.abc import Callable

from mcp_assay.frames import is_id

__all__ = ["Hold", "Span"]


class Hold:
    """The requests of a server to its client that have no answer yet, such as an elicitation that a person reads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._asked: set[str | int] = set()
        self._total = self._since = 0.0

    def __len__(self) -> int:
        return len(self._asked)

    def ask(self, number: str | int) -> None:
        """The server asks."""
        if not self._asked:
            self._since = self._clock()
        self._asked.add(number)

    def answer(self, number: object) -> bool:
        """The client answers, or the server gives up. Whether there was such a request."""
        if not is_id(number) or number not in self._asked:
            return False
        self._asked.remove(number)
        if not self._asked:
            self._total += self._clock() - self._since
        return True

    def span(self) -> "Span":
        """What counts the server's time from now on."""
        return Span(self._clock, self._so_far)

    def _so_far(self) -> float:
        return self._total + (self._clock() - self._since if self._asked else 0.0)


class Span:
    """Seconds since some moment, without those in which the server waited."""

    def __init__(self, clock: Callable[[], float], waited: Callable[[], float]) -> None:
        self._clock, self._waited = clock, waited
        self._began = clock() - waited()

    def seconds(self) -> float:
        return self._clock() - self._waited() - self._began
