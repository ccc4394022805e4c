"""A small event loop for one relay: pipes, sockets, timers and signals, nothing else.

Beside asyncio it halves the memory and the time to start of a process of which there is one for each server.
"""

import os
import selectors
import signal
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from heapq import heapify, heappop, heappush
from itertools import count

from mcp_assay.host.base import Watch

__all__ = ["CHUNK", "Loop", "Outlet"]

CHUNK = 64 * 1024
"""Bytes of one read. For 128 KiB and more, memory is got from the system each time, which takes longer than to read."""
_FEW_TIMERS = 256


class _Timer:
    __slots__ = ("then",)

    def __init__(self, then: Callable[[], None]) -> None:
        self.then: Callable[[], None] | None = then

    def cancel(self) -> None:
        self.then = None


class Loop:
    """Runs until ``stop``. Callbacks run one at a time, and one that raises ends the loop."""

    def __init__(self) -> None:
        # poll(), because epoll refuses plain files, which stdin may be.
        self._selector = selectors.PollSelector()
        self._timers: list[tuple[float, int, _Timer]] = []
        self._order = count()
        self._many = _FEW_TIMERS
        self._stopped = False

    def run(self) -> None:
        """Serve until stopped."""
        while not self._stopped:
            for key, _ in self._selector.select(self._next()):
                if not self._stopped:
                    key.data()
            self._due()

    def stop(self) -> None:
        self._stopped = True

    def readable(self, fd: int, then: Callable[[], None]) -> None:
        """Call this whenever there is something to read, or an end."""
        self._selector.register(fd, selectors.EVENT_READ, then)

    def writable(self, fd: int, then: Callable[[], None]) -> None:
        """Call this whenever something may be written."""
        self._selector.register(fd, selectors.EVENT_WRITE, then)

    def forget(self, fd: int) -> None:
        """Look no more. A descriptor that is not looked at does no harm."""
        with suppress(KeyError):
            self._selector.unregister(fd)

    def later(self, seconds: float, then: Callable[[], None]) -> _Timer:
        if len(self._timers) > self._many:  # most were cancelled long before they were due
            self._timers = [each for each in self._timers if each[2].then is not None]
            heapify(self._timers)
            self._many = max(_FEW_TIMERS, 2 * len(self._timers))
        timer = _Timer(then)
        heappush(self._timers, (time.monotonic() + seconds, next(self._order), timer))
        return timer

    def on_signals(self, reactions: Mapping[int, Callable[[], None]]) -> None:
        """What to call, in its turn, after each of these signals."""
        woken, wake = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in reactions:
            signal.signal(number, _ignore)

        def wakened() -> None:
            for number in set(os.read(woken, CHUNK)):
                reactions[number]()

        self.readable(woken, wakened)

    def caller(self) -> Callable[[Callable[[], None]], None]:
        """What another thread calls with what is to be called here, in that order."""
        woken, wake = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wake, False)
        waiting: deque[Callable[[], None]] = deque()

        def call(then: Callable[[], None]) -> None:
            waiting.append(then)
            with suppress(BlockingIOError):  # a full pipe wakes as well
                os.write(wake, b"\0")

        def wakened() -> None:
            os.read(woken, CHUNK)
            while waiting and not self._stopped:
                waiting.popleft()()

        self.readable(woken, wakened)
        return call

    def _next(self) -> float | None:
        """Seconds until a timer is due."""
        while self._timers and self._timers[0][2].then is None:
            heappop(self._timers)
        return max(0.0, self._timers[0][0] - time.monotonic()) if self._timers else None

    def _due(self) -> None:
        while not self._stopped and self._timers and self._timers[0][0] <= time.monotonic():
            then = heappop(self._timers)[2].then
            if then is not None:
                then()


class Outlet:
    """Bytes out to a descriptor, in order and without waiting for whoever reads them.

    ``broken`` is called, once and in its turn, when nobody reads any more; what is sent then is thrown away.
    ``blocked`` is told when something is left unread, and when it is not any more.
    """

    def __init__(
        self, loop: Watch, fd: int, broken: Callable[[], None], blocked: Callable[[bool], None] = lambda _: None
    ) -> None:
        self._loop, self._fd, self._broken, self._blocked = loop, fd, broken, blocked
        self._held: deque[memoryview] = deque()
        self._waiting: list[Callable[[], None]] = []
        self._closed = False
        self.backlog = 0
        os.set_blocking(fd, False)

    def send(self, frame: bytes) -> None:
        if self._closed:
            return
        left = memoryview(frame)
        if not self._held:
            left = left[self._written(left) :]
            if not left or self._closed:
                return
            self._loop.writable(self._fd, self._flush)
            self._blocked(True)  # noqa: FBT003 - a protocol of one word
        self._held.append(left)
        self.backlog += len(left)

    def after(self, then: Callable[[], None]) -> None:
        if self._held:
            self._waiting.append(then)
        else:
            then()

    def close(self) -> None:
        """Send no more, and throw away what was left unread."""
        self._closed = True
        self._loop.forget(self._fd)
        self._held.clear()
        self._waiting.clear()
        self.backlog = 0

    def _flush(self) -> None:
        while self._held:
            number = self._written(self._held[0])
            if self._closed:
                return
            self.backlog -= number
            self._held[0] = self._held[0][number:]
            if self._held[0]:
                return
            self._held.popleft()
        self._loop.forget(self._fd)
        self._blocked(False)  # noqa: FBT003 - a protocol of one word
        waiting, self._waiting = self._waiting, []
        for then in waiting:
            then()

    def _written(self, data: memoryview) -> int:
        try:
            return os.write(self._fd, data)
        except BlockingIOError:
            return 0
        except OSError:  # the reader has gone
            self.close()
            self._loop.later(0, self._broken)
            return 0


def _ignore(*_: object) -> None:
    """A signal only wakes the loop."""
