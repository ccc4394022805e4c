"""Phases 5 and 6: from a sealed transcript to findings, and from findings to the report."""

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from mcp_assay import kept
from mcp_assay.clock import Clock, iso
from mcp_assay.core import citations
from mcp_assay.core.findings import Parsed, parse
from mcp_assay.core.model import Finding
from mcp_assay.core.session import State, Status
from mcp_assay.critic import run as critic
from mcp_assay.critic.evidence import Evidence
from mcp_assay.errors import CriticError, StoreError
from mcp_assay.report import machine, markdown
from mcp_assay.report.view import View, build
from mcp_assay.store import transcript
from mcp_assay.store.evaldir import EvalDir
from mcp_assay.store.keys import Keys

__all__ = ["CRITIC_OUTPUT", "Case", "critique", "report", "view"]

CRITIC_OUTPUT = "critic-output.md"
REPORT = "report.md"


class Case:
    """An evaluation whose execution is over: its folder, its state, its sealed transcript, its pinned manifests."""

    def __init__(self, folder: EvalDir, state: State) -> None:
        """Raises StoreError if the transcript is not the one whose digest was fixed when the session ended."""
        self.folder, self.state = folder, state
        sealed, found = state.assay.get("transcript_sha256"), transcript.digest(folder.fd)
        if state.attached_mcps and found != sealed:
            raise StoreError(f"{folder.shown}/transcript.jsonl has changed since the session ended; it proves nothing")
        self.entries = list(transcript.entries(folder.fd))
        self.manifests = kept.manifests(folder, state)


def critique(case: Case, keys: Keys, clock: Clock, *, given: str | None = None, source: str = "file") -> None:
    """Judge, keep the raw output, parse it, and move on. Raises CriticError if nothing in it can be parsed.

    ``given`` is a critic's output, and ``source`` says whose (``rules``, ``file``, …); without it the rules judge.
    Each parse replaces all parsed fields.
    """
    state, folder = case.state, case.folder
    if state.status is not Status.CRITIQUING:
        state.advance(Status.CRITIQUING, iso(clock.now()))
    raw, costs = (given, []) if given is not None else _judged(case)
    state.assay["critique"] = "rules" if given is None else source
    folder.save_state(keys.state, state)
    # "Before parsing, write the critic's complete response to …/critic-output.md."
    folder.write(CRITIC_OUTPUT, raw)
    parsed = parse(raw, [entry["name"] for entry in state.attached_mcps])
    _absorb(state, parsed, costs)
    if parsed.failed:
        state.advance(Status.CRITIC_FAILED, iso(clock.now()))
        state.critic_failure_path = f"{folder.shown}/{CRITIC_OUTPUT}"
        folder.save_state(keys.state, state)
        raise CriticError(
            f"the critic returned unparseable output; see {folder.path / CRITIC_OUTPUT}, "
            f"then run: mcp-assay critique {state.eval_name}"
        )
    state.critic_failure_path = None
    state.advance(Status.REPORTING, iso(clock.now()))
    folder.save_state(keys.state, state)


def report(case: Case, keys: Keys, clock: Clock) -> View:
    """Check every citation, write ``report.md`` and ``report.json``, and complete the evaluation."""
    state, folder = case.state, case.folder
    found = [_finding(entry) for entry in state.critic_findings]
    names = [entry["name"] for entry in state.attached_mcps]
    state.dangling_citations = list(citations.check(found, case.entries, state.scenarios, names))
    if state.status is Status.REPORTING:
        state.advance(Status.COMPLETE, iso(clock.now()))
    state.report_path = f"{folder.shown}/{REPORT}"
    shown = view(case)
    write(folder, shown)
    folder.save_state(keys.state, state)
    return shown


def view(case: Case) -> View:
    return build(case.state, case.entries, case.manifests)


def write(folder: EvalDir, shown: View) -> None:
    folder.write(REPORT, markdown.render(shown))
    folder.write("report.json", json.dumps(machine.render(shown), indent=2) + "\n")


def report_file(folder: EvalDir) -> Path:
    return (folder.path / REPORT).absolute()


def _judged(case: Case) -> tuple[str, list[dict[str, Any]]]:
    """The rules' output as the wire format has it, and beside it each finding's rule and cost, in the same order."""
    evidence = Evidence.of(case.state, case.entries, case.manifests)
    drafts = critic.judge(evidence)
    return critic.render(drafts, evidence), [{"rule": draft.rule, "cost": asdict(draft.cost)} for draft in drafts]


def _absorb(state: State, parsed: Parsed, costs: list[dict[str, Any]]) -> None:
    state.critic_findings = [_entry(finding) for finding in parsed.findings]
    if len(costs) == len(state.critic_findings):
        for entry, ours in zip(state.critic_findings, costs, strict=True):
            entry["assay"] = ours
    state.critic_findings_dropped_raw = list(parsed.dropped_raw)
    # "The critic_findings_dropped counter in state is len(critic_findings_dropped_raw)."
    state.critic_findings_dropped = len(parsed.dropped_raw)
    state.unmapped_mcp_names = list(parsed.unmapped)
    state.critic_summary, state.missing_critic_summary = parsed.summary, parsed.missing_summary


def _entry(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "severity": finding.severity,
        "dimension": finding.dimension,
        "summary": finding.summary,
        "mcp_name": finding.mcp_name,
        "evidence_ids": list(finding.evidence_ids),
        "recommendation": finding.recommendation,
    }


def _finding(entry: Mapping[str, Any]) -> Finding:
    known = {name: entry[name] for name in ("id", "severity", "dimension", "summary", "mcp_name", "recommendation")}
    return Finding(evidence_ids=tuple(entry["evidence_ids"]), **known)
