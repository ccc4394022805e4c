"""What a run tells whoever watches it. The command line prints it; nobody listening is a listener too."""

from typing import Any, Protocol

from mcp_assay.core.budget import Budget
from mcp_assay.core.model import Manifest, Scenario
from mcp_assay.gate import Run
from mcp_assay.owner import Listener

__all__ = ["Progress", "Silent"]


class Progress(Listener, Protocol):
    def phase(self, title: str) -> None:
        """A phase begins."""

    def note(self, text: str) -> None:
        """Something the user should know; ``text`` may hold untrusted names."""

    def server(self, manifest: Manifest) -> None:
        """A server was listed, or could not be."""


class Silent:
    """A listener that does nothing."""

    def phase(self, title: str) -> None: ...

    def note(self, text: str) -> None: ...

    def server(self, manifest: Manifest) -> None: ...

    def begins(self, scenario: Scenario, place: int, total: int) -> None: ...

    def called(self, run: Run, budget: Budget, left: float) -> None: ...

    def ends(self, scenario: Scenario, entry: dict[str, Any]) -> None: ...
