"""Questions and the answers that count: a line of text, some lines, or one of the words that were offered."""

from collections.abc import Mapping

from rich.console import Console, RenderableType

from mcp_assay.cli.keyboard import Lines
from mcp_assay.core.plan import Plan

__all__ = ["Ask", "either"]

_YES_OR_NO = {"yes": "", "no": ""}
_LETTERS = {"y": "yes", "n": "no"}


class Ask:
    """A console to print questions on, and lines to answer them. Each question may raise KeyboardInterrupt."""

    def __init__(self, console: Console, lines: Lines) -> None:
        self._console, self._lines = console, lines
        self.so_far: Plan | None = None

    def say(self, what: RenderableType = "") -> None:
        """Print a line of markup, in which whatever is foreign is inert already, or a table."""
        self._console.print(what, soft_wrap=isinstance(what, str))

    def warn(self, markup: str) -> None:
        self.say(f"  [yellow]note[/yellow]  {markup}")

    def forget(self) -> None:
        """Drop what was typed so far, before something is shown that must be read."""
        self._lines.forget()

    def keep(self, plan: Plan) -> Plan:
        """Note that these answers were given, so that an interruption of the next question does not lose them."""
        self.so_far = plan
        return plan

    async def line(self, prompt: str = "> ") -> str:
        """One reply, as it was typed."""
        return await self._lines.line(prompt, {})

    async def parts(self, prompt: str = "> ") -> list[str]:
        """One reply's lines (several can be pasted at once), trimmed and without blank ones."""
        typed = await self.line(prompt)
        return [part.strip() for part in typed.split("\n") if part.strip()]

    async def word(
        self, choices: Mapping[str, str], *, default: str | None = None, letters: Mapping[str, str] | None = None
    ) -> str:
        """One of the words offered, which map to what they mean ("" where that is plain).

        Case and outer blanks do not matter. An empty line is ``default``, if there is one; any other answer is asked
        for again. ``letters`` are short forms.
        """
        for word, meaning in choices.items():
            if meaning:
                self.say(f"  [bold]{word}[/bold]: {meaning}")
        shown = [f"[{word}]" if word == default else word for word in choices]
        while True:
            typed = (await self._lines.line(f"{' / '.join(shown)}: ", choices)).strip().lower()
            word = default if default and not typed else (letters or {}).get(typed, typed)
            if word in choices:
                return word
            self.say(f"  Please answer {either(choices)}.")

    async def agrees(self, question: str) -> bool:
        """A question that is answered with yes or no."""
        self.say(question)
        return await self.word(_YES_OR_NO, letters=_LETTERS) == "yes"


def either(words: Mapping[str, str]) -> str:
    """``a``, ``a or b``, ``a, b or c``."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
