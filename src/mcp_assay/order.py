"""What the user asked for, how far a run goes, and where it ended."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from mcp_assay.core.model import Manifest, ServerConfig
from mcp_assay.core.plan import Plan
from mcp_assay.core.safety import Policy
from mcp_assay.core.session import State
from mcp_assay.dispatch import Connect
from mcp_assay.drivers.base import Driver
from mcp_assay.launches import Resolve
from mcp_assay.report.view import View

__all__ = ["NEEDED", "Loaders", "Order", "Phase", "Result"]


class Phase(StrEnum):
    """What ``--until`` can name: the run stops when this phase is over."""

    DISCOVERY = "discovery"
    INTERVIEW = "interview"
    SCENARIOS = "scenarios"
    EXECUTION = "execution"
    CRITIQUE = "critique"
    REPORT = "report"


_ALL = frozenset({"connect", "dispositions", "scenarios", "approval"})
NEEDED: Mapping[Phase, frozenset[str]] = dict.fromkeys(Phase, _ALL) | {
    Phase.DISCOVERY: frozenset({"connect"}),
    Phase.INTERVIEW: frozenset({"connect", "dispositions"}),
}
"""Which of the plan's answers must be there for a run that stops after a phase."""


@dataclass(frozen=True, slots=True)
class Order:
    """What the user asked for, already checked.

    ``servers`` were named on the command line and are consented to by that; without any, the hosts' configuration
    is discovered. ``base`` is the folder that holds ``mcp-evals/``. ``driver`` and ``critic`` are what the command line
    says of them, ``budgets_asked`` whether it names a budget; ``claude`` is the program of Claude Code.
    """

    name: str
    base: Path
    project: Path
    home: Path
    environ: Mapping[str, str]
    plan: Plan
    servers: tuple[ServerConfig, ...] = ()
    call_budget: int = 20
    wallclock_minutes: float = 15
    scenarios_file: Path | None = None
    until: Phase = Phase.REPORT
    driver: str | None = None
    critic: str | None = None
    claude: Path | None = None
    budgets_asked: bool = False
    require_isolation: bool = False
    notes: tuple[str, ...] = field(default=())

    def goes_to(self, phase: Phase) -> bool:
        """Whether the run is to get as far as this phase."""
        known = list(Phase)
        return known.index(self.until) >= known.index(phase)


@dataclass(frozen=True, slots=True)
class Loaders:
    """Parts that are imported only when a run needs them: what is heavy must not slow down what does without."""

    remote: Callable[[], Connect] | None = None
    explore: Callable[[Mapping[str, Manifest], Policy], Driver] | None = None
    resolve: Callable[[], Resolve] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """Where the run ended. ``view`` is there once a report is.

    ``undetermined`` are the tools that neither a rule nor a mark told, of a run that came to the interview.
    """

    state: State
    folder: Path
    view: View | None = None
    undetermined: tuple[Mapping[str, Any], ...] = ()
