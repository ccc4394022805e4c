"""python -m benchmarks.friction.example FOLDER: reports of a server with planted defects and of its clean twin.

The same goals, the same data, the same agent; written by the product as it writes every report.
"""

import asyncio
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from benchmarks.friction.play import Defect, Run, staged

from mcp_assay.clock import SystemClock
from mcp_assay.interviewer import Written
from mcp_assay.orchestrator import Evaluation
from mcp_assay.order import Loaders, Phase
from mcp_assay.progress import Silent

CLEAN = Run(
    (
        "tracker: about issues, others",
        "tracker: all issues",
        "tracker: find issue",
        "tracker: issue that is missing",
        "tracker: new issue",
    ),
    seed=2039,
)
DEFECTS = (
    Defect("cursor_removed", "tracker", "list_issues"),
    Defect("error_without_cause", "tracker", "get_issue"),
    Defect("no_batch", "tracker", "get_issue"),
    Defect("create_returns_nothing", "tracker", "create_issue"),
)


async def report(run: Run) -> str:
    """The report of a run, as the product writes it."""
    with tempfile.TemporaryDirectory() as folder:
        wanted, driver = staged(run, Path(folder))
        wanted = replace(wanted, until=Phase.REPORT, name="tracker")
        loaders = Loaders(explore=lambda *_: driver)
        result = await Evaluation(wanted, SystemClock(), Silent(), Written(frozenset(), named=True), loaders).run()
        return (result.folder / "report.md").read_text()


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, run in (("clean", CLEAN), ("with-defects", replace(CLEAN, beside=DEFECTS))):
        (folder / f"tracker-{name}.md").write_text(asyncio.run(report(run)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
