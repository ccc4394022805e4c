"""A person at a real terminal: what they see, with the terminal's codes taken away, and what they type.

    with Person(words, environ=..., cwd=...) as person:
        person.sees("Start notes?")
        person.types("yes")
        assert person.ends() == 0

It never waits for a time: each step waits for a text, or for the end.
"""

import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pexpect

PATIENCE = 30.0
WIDTH, HEIGHT = 400, 50
"""Wider than any line, so that no text is broken where it is looked for."""

_CODES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[=>()][A-B0]?|\x1b\][^\x07]*\x07|[\r\x00\x07]")


class Person:
    """A program in a pseudo-terminal of its own. ``term`` is what the terminal calls itself."""

    def __init__(
        self, argv: Sequence[str | Path], *, environ: Mapping[str, str], cwd: Path, term: str = "xterm-256color"
    ) -> None:
        program, *args = map(str, argv)
        # Nothing here answers when a program asks where the cursor stands; it must not wait for that.
        terminal = {"TERM": term, "PROMPT_TOOLKIT_NO_CPR": "1", "COLUMNS": str(WIDTH)}
        self._child = pexpect.spawn(
            program, args, env={**environ, **terminal}, cwd=str(cwd), dimensions=(HEIGHT, WIDTH), encoding="utf-8"
        )
        self._child.delaybeforesend = None
        self._raw, self._read = "", 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, bad: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.close(force=True)

    @property
    def shown(self) -> str:
        """All that was shown so far."""
        return _CODES.sub("", self._raw)

    def sees(self, text: str, prompt: str = "") -> str:
        """Wait until the text, and the prompt after it, are shown beyond what was seen before; returns what was new."""
        begun = self._read
        deadline = time.monotonic() + PATIENCE
        for wanted in filter(None, (text, prompt)):
            while (place := self.shown.find(wanted, self._read)) < 0:
                assert self._grows(deadline), f"{wanted!r} was not shown after:\n{self.shown[begun:]}"
            self._read = place + len(wanted)
        return self.shown[begun : self._read]

    def types(self, text: str) -> None:
        self._child.send(f"{text}\r")

    def pastes(self, text: str) -> None:
        """As terminals send what is pasted: nothing in it is taken for a key."""
        self._child.send(f"\x1b[200~{text}\x1b[201~")

    def presses(self, key: str) -> None:
        """A key together with Ctrl."""
        self._child.sendcontrol(key)

    def answers(self, *exchanges: tuple[str, str]) -> None:
        """(what is seen, what is typed then), one after the other."""
        for seen, typed in exchanges:
            self.sees(seen)
            self.types(typed)

    def ends(self) -> int:
        """Wait for the end; returns the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._grows(deadline):
            pass
        self._child.close()
        assert self._child.exitstatus is not None, f"ended by signal {self._child.signalstatus}"
        return int(self._child.exitstatus)

    def _grows(self, deadline: float) -> bool:
        """Read what comes next; False at the end."""
        try:
            self._raw += self._child.read_nonblocking(65_536, timeout=max(deadline - time.monotonic(), 0))
        except pexpect.EOF:
            return False
        except pexpect.TIMEOUT:
            raise AssertionError(f"nothing more was shown after:\n{self.shown[-2000:]}") from None
        return True
