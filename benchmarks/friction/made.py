"""What was done, and the records that came back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcp_assay.core.model import Outcome, Reply

__all__ = ["Item", "Made", "items"]


class Item(dict[str, Any]):
    """A record, as a result gave it; ``source`` is the id of that call."""

    source: str = ""


@dataclass(frozen=True)
class Made:
    """One call as it was made. ``because``: the ids of the calls whose outcome made it necessary; ``why``: how."""

    id: str
    server: str  # "" for a step that is no MCP call
    tool: str
    args: Mapping[str, Any]
    reply: Reply | None  # None: refused by the gate
    because: tuple[str, ...] = ()
    why: str = ""

    @property
    def ok(self) -> bool:
        return self.reply is not None and self.reply.outcome is Outcome.OK

    @property
    def refused(self) -> bool:
        """Whether the server answered with an error that it had a reason for: "too many requests" is none."""
        return self.reply is not None and not self.ok and not self.is_busy

    @property
    def is_busy(self) -> bool:
        return self.text.startswith("Too many requests")

    @property
    def reads_as_failure(self) -> bool:
        """Whether it says that it failed, whatever its flag says."""
        if not self.ok:
            return True
        found, said = self.data, self.text.lower()
        told = "error" in found or found.get("ok") is False or found.get("status") == "error"
        return told or (not found and said.startswith(("error", "failed", "could not")))

    @property
    def data(self) -> dict[str, Any]:
        """The result as an object: structured, or out of its text."""
        result = self.reply.result if self.reply and self.reply.result else {}
        if isinstance(result.get("structuredContent"), dict):
            return dict(result["structuredContent"])
        try:
            found = json.loads(self.text)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {"items": found}

    @property
    def text(self) -> str:
        result = self.reply.result if self.reply and self.reply.result else {}
        texts = [part.get("text", "") for part in result.get("content", ()) if isinstance(part, dict)]
        return "\n".join(texts) or (self.reply.error_text or "" if self.reply else "")


def items(made: Made, member: str) -> list[Item]:
    """The records of a result: its member of this name, else the first list in it."""
    found = made.data.get(member) if member else None
    if not isinstance(found, list):
        found = next((value for value in made.data.values() if isinstance(value, list)), ())
    return sourced(made, [each for each in found if isinstance(each, dict)])


def sourced(made: Made, records: Sequence[Mapping[str, Any]]) -> list[Item]:
    """The records as items of this call."""
    given = [Item(record) for record in records]
    for item in given:
        item.source = made.id
    return given
