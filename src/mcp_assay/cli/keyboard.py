"""The keyboard: one typed line at a time, edited and completed as people are used to, while an event loop runs."""

import sys
import termios
from collections.abc import Mapping
from typing import Protocol, TextIO, cast

from prompt_toolkit import PromptSession
from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import DummyHistory
from prompt_toolkit.input.typeahead import clear_typeahead
from prompt_toolkit.output import create_output
from rich.console import Console

__all__ = ["Keyboard", "Lines"]


class Lines(Protocol):
    """Where answers come from."""

    async def line(self, prompt: str, words: Mapping[str, str]) -> str:
        """The text typed after ``prompt``, as it was typed; ``words`` may be completed, and what each means is shown.

        Raises KeyboardInterrupt for Ctrl-C and at the end of the input.
        """

    def forget(self) -> None:
        """Drop what was typed before it was asked for: nobody agrees to what they have not seen."""


class Keyboard:
    """Lines typed at a terminal. Prompts go to the console's own stream, where the questions are printed."""

    def __init__(self, console: Console) -> None:
        # Not as the session's own output: a terminal that can do nothing (TERM=dumb) would not be noticed then.
        with create_app_session(output=create_output(stdout=cast("TextIO", console.file))):
            # Nothing is remembered: an answer must be typed, not recalled.
            self._session: PromptSession[str] = PromptSession(history=DummyHistory(), complete_while_typing=True)

    async def line(self, prompt: str, words: Mapping[str, str]) -> str:
        # No completer is left over from the question before: the session would keep it.
        self._session.completer = WordCompleter(list(words), meta_dict=words, ignore_case=True) if words else None
        try:
            return await self._session.prompt_async(prompt)
        except EOFError:
            raise KeyboardInterrupt from None

    def forget(self) -> None:
        clear_typeahead(self._session.app.input)
        if sys.stdin.isatty():
            termios.tcflush(sys.stdin, termios.TCIFLUSH)
