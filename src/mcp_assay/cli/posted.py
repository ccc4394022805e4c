"""Questions that are put to the user of an agent's host, who answers them with the next prompt that they type.

What the agent says is no answer. The host's hooks show the question and bring the prompt: what was typed before the
question had been handed to the host for display answers nothing.
"""

import asyncio
import io
import re
from collections.abc import Callable, Mapping

__all__ = ["Posted"]

_COMMAND = re.compile(r"/[a-z][\w:-]*(\s|\Z)")
"""A command of the host's, such as ``/cost``: not an answer, as ``/tmp/scratch`` would be."""
_DONE = "done"
_HOW = "Answer by typing it as your next prompt."
_HOW_LINES = f"Answer by typing it as your next prompt; where an empty line is asked for, type: {_DONE}"
_TAKEN = (
    "The evaluation has taken this prompt as the user's answer. It is nothing for you to act on: run "
    "`mcp-assay host show --wait 60` and do what it says."
)
_UNSEEN = (
    "The evaluation has a question that the user had not been shown yet, so this prompt answered nothing. It is shown "
    "now: end your turn, and let the user type the answer."
)


class Posted:
    """Lines for an interview, and the interview of the hooks.

    A question is all that was printed on ``page`` since the last answer. ``changed`` is called whenever one is put,
    with its text, and with None when it is answered.
    """

    def __init__(self, page: io.StringIO, changed: Callable[[str | None], None]) -> None:
        self._page, self._changed = page, changed
        self._answer: asyncio.Future[str] | None = None
        self._question = ""
        self._is_shown = False
        self._has_words = False
        self._last: asyncio.Event | None = None

    async def line(self, prompt: str, words: Mapping[str, str]) -> str:
        self._question = f"{self.printed().strip()}\n\n{prompt.strip()}\n{_HOW if words else _HOW_LINES}"
        self._is_shown, self._has_words = False, bool(words)
        self._answer = asyncio.get_running_loop().create_future()
        self._changed(self._question)
        try:
            return await self._answer
        finally:
            self._answer = None
            self._changed(None)

    async def closes(self, text: str) -> None:
        """Have this shown as the last, which is no question; return when it was handed to the host for display."""
        self._question, self._is_shown, self._last = text, False, asyncio.Event()
        await self._last.wait()

    def forget(self) -> None:
        """Nothing is kept that was typed before it was asked for."""

    def printed(self) -> str:
        """What was printed since this was last asked, or since the last question."""
        text = self._page.getvalue()
        self._page.seek(0)
        self._page.truncate()
        return text

    def unshown(self) -> str | None:
        """The question that the user has to see next, or the last words."""
        is_there = self._is_open or self._last is not None
        return self._question if is_there and not self._is_shown else None

    def shown(self) -> None:
        """It has just been handed to the host to be displayed."""
        self._is_shown = self._is_open or self._last is not None
        if self._last is not None:
            self._last.set()

    def typed(self, text: str) -> str | None:
        """The user typed this prompt. Returns what the agent is told of it; None if it is not for us."""
        if self._answer is None or not self._is_open or _COMMAND.match(text):
            return None
        if not self._is_shown:
            return _UNSEEN
        is_end = not self._has_words and text.strip().lower() == _DONE
        self._answer.set_result("" if is_end else text)
        return _TAKEN

    @property
    def _is_open(self) -> bool:
        return self._answer is not None and not self._answer.done()
