"""A gateway's server: a child process in a group of its own, and how it ends."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from mcp_assay.errors import StartError
from mcp_assay.frames import Oversized, Splitter
from mcp_assay.host.base import Received, Watch
from mcp_assay.host.loop import CHUNK, Outlet

__all__ = ["Served"]

_LAST_WORDS = 0.2  # between the first sign of death and giving up: replies that are still in the pipe
_GRACES = ((None, 0.5), (signal.SIGTERM, 1.0), (signal.SIGKILL, 0.3))
"""What its group is sent, after its stdin is closed, and the seconds that it then has to be gone."""
_POLL = 0.01


class Served:
    """``input`` is where its frames go. Its stderr is the gateway's: the host shows it, as of a server of its own."""

    def __init__(self, loop: Watch, launch: Mapping[str, Any], stderr: int | None = None, chunk: int = CHUNK) -> None:
        """Start it exactly as ``launch`` says. Raises StartError, which shows neither arguments nor variables.

        ``stderr`` is the gateway's, where that is not ours; ``chunk`` is how much of it is read in one go.
        """
        self._loop, self._lines, self._chunk = loop, Splitter(), chunk
        self._process = _started(launch, stderr)
        if self._process.stdin is None or self._process.stdout is None:
            raise StartError("the server has no pipes")
        self._stdin, self._stdout = self._process.stdin, self._process.stdout
        # It may open its end of the pipe anew and take away what we were told is there.
        os.set_blocking(self._stdout.fileno(), False)
        self.input = Outlet(loop, self._stdin.fileno(), self._die)
        self._reading = self._held = self._dying = self._killed = False

    def begin(self, receive: Callable[[Received], None], lost: Callable[[str], None]) -> None:
        """From now on ``receive`` gets each line that it writes.

        When no more can come ``lost`` is told how it ended, in a phrase, perhaps more than once.
        """
        self._receive, self._lost = receive, lost
        self._reading = True
        self._loop.readable(self._stdout.fileno(), self._read)

    def hold(self, held: bool) -> None:  # noqa: FBT001 - an Outlet tells it so
        """Read no more of it for now, or go on: whoever reads what it writes is behind."""
        self._held = held
        if self._reading:
            self._loop.forget(self._stdout.fileno())
            if not held:
                self._loop.readable(self._stdout.fileno(), self._read)
        if self._dying and not held:
            self._loop.later(_LAST_WORDS, self._die)

    def look(self) -> None:
        """A child has ended; if it is this one, what it left in the pipe is still read."""
        if self._process.poll() is not None:
            self._loop.later(_LAST_WORDS, self._die)

    def end(self) -> None:
        """Close its stdin, then end the whole group, in under 2 seconds. May be called again."""
        for pause in self.ending():
            time.sleep(pause)

    def ending(self) -> Iterator[float]:
        """The same step by step, for whoever must not wait here: the seconds to be waited before the next step."""
        self._stop_reading()
        self.input.close()
        self._stdout.close()
        with suppress(OSError):
            self._stdin.close()
        for number, patience in _GRACES:
            if number is not None:
                self._signal(number)
            deadline = time.monotonic() + patience
            while self._lives():
                if time.monotonic() > deadline:
                    break
                yield _POLL
            else:
                break
        self._killed = True

    def _read(self) -> None:
        try:
            data = os.read(self._stdout.fileno(), self._chunk)
        except BlockingIOError:
            return
        for line in self._lines.feed(data) if data else self._lines.finish():
            self._receive(line if isinstance(line, Oversized) or line.endswith(b"\n") else line + b"\n")
        if not data:
            self._stop_reading()
            self._loop.later(_LAST_WORDS, self._die)

    def _die(self) -> None:
        """It will say no more: say so, and end what it left behind. Not while its last words are held up."""
        self._dying = True
        if self._held:
            return
        self._lost(f"the server {self._fate()}")
        self._stop_reading()
        self.input.close()
        self._signal(signal.SIGKILL)
        self._killed = True

    def _stop_reading(self) -> None:
        if self._reading:
            self._reading = False
            self._loop.forget(self._stdout.fileno())

    def _fate(self) -> str:
        status = self._process.poll()
        if status is None:
            return "closed its input or output"
        return f"exited with status {status}" if status >= 0 else f"was ended by signal {-status}"

    def _lives(self) -> bool:
        self._process.poll()
        return self._signal(0)

    def _signal(self, number: int) -> bool:
        """Send the group a signal; 0 only asks. False if there is no such group any more."""
        if self._killed:  # its number may be somebody else's by now
            return False
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return False
        except PermissionError:  # a member that may not be signalled
            return True
        return True


def _started(launch: Mapping[str, Any], stderr: int | None) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [launch["command"], *launch["args"]],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=launch["env"],
            cwd=launch["cwd"],
            bufsize=0,
            start_new_session=True,
        )
    except OSError as bad:
        raise StartError(f"the server cannot be started: {os.strerror(bad.errno or 0)}") from None
    except (ValueError, TypeError, KeyError):
        raise StartError("the server cannot be started: its command cannot be used") from None
