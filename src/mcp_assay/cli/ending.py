"""How a run ends: its last lines and its exit code."""

from pathlib import Path

from mcp_assay.core import inert
from mcp_assay.core.citations import extra
from mcp_assay.core.model import Disposition, Severity
from mcp_assay.core.phrases import counted
from mcp_assay.core.session import State, Status
from mcp_assay.report.coverage import Coverage
from mcp_assay.report.view import View

__all__ = ["closing", "exit_code", "next_step"]

DONE, FOUND, NOTHING_RUN = 0, 1, 4
_SAME = "go on with the same command, another --until (or none), and: --name {name} --resume"
_NEXT = {
    Status.INTERVIEWING: f"the servers are listed; {_SAME}",
    Status.SCOPING: f"every server has its disposition; {_SAME}",
    Status.SCOPED: f"the scenarios are captured and approved; {_SAME}",
    Status.CRITIQUING: "the scenarios have run; go on with: mcp-assay critique {name}{where}",
    Status.REPORTING: "the findings are in; go on with: mcp-assay report {name}{where}",
}
_PATH = 4096


def closing(state: State, view: View, report: Path) -> str:
    """The specification's closing lines, with what was exercised above them."""
    lines = ["", f"  {view.headline}", *(f"  {line}" for line in [inert.line(view.synthesis, 400)] if line), ""]
    lines += [f"  {inert.line(server.name, 30):<14} {_seen(server.coverage)}" for server in view.servers]
    lines += [
        "",
        f"Transcript: {inert.line(str(view.transcript_sha256 or 'none'))}",
        # "Print to the user: Evaluation complete: <name> …"
        f"Evaluation complete: {inert.line(state.eval_name)}",
        f"Report: {inert.line(str(report), _PATH)}",
        f"Findings: {', '.join(f'{number} {severity}' for severity, number in view.counts.items())}",
    ]
    return "\n".join(lines)


def exit_code(state: State, view: View | None, fail_on: str, *, allow_unreached: bool = False) -> int:
    """0, 1 for findings or failed expectations, 4 if there was nothing to judge; 1 wins over 4.

    ``allow_unreached`` lets single servers go without a completed call; a run without any is nothing all the same.
    """
    if view is None:
        return DONE
    failed = any(extra(entry).get("failed") for entry in state.execution)
    if failed or _severe(view, fail_on):
        return FOUND
    return NOTHING_RUN if view.servers and _unreached(view, allow_unreached=allow_unreached) else DONE


def next_step(state: State, folder: Path, where: str = "") -> str:
    """After ``--until``: where it stands and how to go on; ``where`` holds the options that say where it lies."""
    hint = _NEXT.get(state.status, "").format(name=state.eval_name, where=where)
    return f"Stopped at {state.status}: {hint}\nState: {inert.line(str(folder / 'state.json'), _PATH)}"


def _unreached(view: View, *, allow_unreached: bool) -> bool:
    """Whether no server, or not every server that may be called, has a completed call."""
    completed = [bool(server.coverage.completed) for server in view.servers]
    wanted = [done for done, server in zip(completed, view.servers, strict=True) if _wanted(server.disposition)]
    return not any(completed) or not (allow_unreached or all(wanted))


def _severe(view: View, fail_on: str) -> bool:
    if fail_on == "never":
        return False
    grave = list(Severity)[: list(Severity).index(Severity(fail_on.title())) + 1]
    return any(view.counts[severity] for severity in grave)


def _wanted(disposition: str | None) -> bool:
    return disposition != Disposition.SKIP


def _seen(seen: Coverage) -> str:
    refused = f", {seen.blocked} blocked" if seen.blocked else ""
    if not seen.calls:
        return f"not called{refused}; nothing was observed"
    tools = f"{len(seen.called)} of {counted(len(seen.offered), 'tool')} called"
    return f"{tools}; {seen.completed} of {counted(seen.calls, 'call')} completed{refused}"
