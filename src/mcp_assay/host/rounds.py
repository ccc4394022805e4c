"""Calls whose server asked for more before it would answer (2026-07-28): the agent goes on with them in a new request.

It is a new request with a new id, but the same call: policy decides again, and it is counted once.
"""

import json
from dataclasses import dataclass

from mcp_assay.host.traffic import Wanted

__all__ = ["Paused", "Rounds"]


@dataclass(frozen=True, slots=True)
class Paused:
    """The permit of a call between two rounds, and the seconds that the server has worked on it."""

    permit: str
    seconds: float


class Rounds:
    """The calls between two rounds. Each can be gone on with once."""

    def __init__(self) -> None:
        self._paused: list[tuple[str, Paused]] = []

    def pause(self, wanted: Wanted, state: object, paused: Paused) -> None:
        """The server asked for more; ``state`` is its ``requestState``, which the agent must send back."""
        self._paused.append((_key(wanted, state), paused))

    def resume(self, wanted: Wanted, state: object) -> Paused | None:
        """The call that a retry goes on with: the same tool, arguments and state. Any other is a call of its own."""
        key = _key(wanted, state)
        for number, (known, paused) in enumerate(self._paused):
            if known == key:
                del self._paused[number]
                return paused
        return None


def _key(wanted: Wanted, state: object) -> str:
    # As text, since 1, 1.0 and true are equal in Python.
    return json.dumps([wanted.tool, wanted.args, state], sort_keys=True)
