"""A person in a script: the replies that will be typed, one for each prompt, and everything that was shown.

person = Scripted("maybe", "read_only")
plan = asyncio.run(dispose(person.ask, Plan(), servers, manifests))
assert "Please answer" in person.shown
"""

import io
from collections.abc import Mapping

from rich.console import Console

from mcp_assay.cli.ask import Ask

CTRL_C = "\x03"


class Scripted:
    """Lines that were thought of before. One question too many fails the test; so should a reply that is left."""

    def __init__(self, *replies: str) -> None:
        self.left = list(replies)
        self.prompts: list[str] = []
        self.console = Console(file=io.StringIO(), width=100, emoji=False, highlight=False, soft_wrap=True)
        self.forgotten_before: list[int] = []

    @property
    def ask(self) -> Ask:
        return Ask(self.console, self)

    @property
    def shown(self) -> str:
        text: str = self.console.file.getvalue()  # type: ignore[attr-defined]
        return text

    async def line(self, prompt: str, words: Mapping[str, str]) -> str:
        self.prompts.append(prompt)
        assert self.left, f"nothing was to be asked any more, and now {prompt!r} after:\n{self.shown[-600:]}"
        reply = self.left.pop(0)
        if reply == CTRL_C:
            raise KeyboardInterrupt
        return reply

    def forget(self) -> None:
        self.forgotten_before.append(len(self.prompts))
