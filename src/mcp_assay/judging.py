"""Phases 5 and 6: from a sealed transcript to findings, and from findings to the report."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import Any

from mcp_assay import kept
from mcp_assay.clock import Clock, iso
from mcp_assay.core import citations
from mcp_assay.core.findings import Parsed, parse
from mcp_assay.core.model import Finding
from mcp_assay.core.session import State, Status
from mcp_assay.critic import model, rubric, surface
from mcp_assay.critic import run as critic
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.floor import Kept, merged
from mcp_assay.critic.rules import Draft
from mcp_assay.errors import CriticError, StoreError
from mcp_assay.report import machine, markdown
from mcp_assay.report.view import View, build
from mcp_assay.store import transcript
from mcp_assay.store.evaldir import EvalDir
from mcp_assay.store.keys import Keys

__all__ = ["CRITIC_OUTPUT", "MODEL", "RULES_OUTPUT", "Case", "brief", "critique", "prepare", "report", "view"]

CRITIC_OUTPUT = "critic-output.md"
RULES_OUTPUT = "rules-output.md"
MODEL = "claude-code"
"""The critic that is a model: whatever it says, the rules' findings stay."""
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

    @cached_property
    def ruled(self) -> tuple[str, list[dict[str, Any]]]:
        """The rules' output as the wire format has it, and beside it what else is known of each finding, in that order.

        A model's critic is shown it first, and then held to it: it is found out once.
        """
        evidence = Evidence.of(self.state, self.entries, self.manifests)
        drafts = critic.judge(evidence)
        return critic.render(drafts, evidence), [_known(draft) for draft in drafts]


def prepare(case: Case) -> None:
    """Write the rules' findings where a model's critic reads them."""
    case.folder.write(RULES_OUTPUT, case.ruled[0])


def brief(case: Case) -> str:
    """What a model's critic is told after ``prepare``: the files that it reads, and the servers."""
    return model.brief(case.folder.path.absolute(), [entry["name"] for entry in case.state.attached_mcps])


def critique(case: Case, keys: Keys, clock: Clock, *, given: str | None = None, source: str = "file") -> None:
    """Judge, keep the raw output, parse it, and move on. Raises CriticError if nothing in it can be parsed.

    ``given`` is a critic's output, and ``source`` says whose (``rules``, ``file``, ``MODEL``); without it the rules
    judge. What a model gave is merged with what the rules find. Each parse replaces all parsed fields.
    """
    state, folder = case.state, case.folder
    if state.status is not Status.CRITIQUING:
        state.advance(Status.CRITIQUING, iso(clock.now()))
    ruled, costs = case.ruled if given is None or source == MODEL else ("", [])
    raw = ruled if given is None else given
    state.assay["critique"] = "rules" if given is None else source
    state.assay["rubric"] = rubric.VERSION if ruled else None
    folder.save_state(keys.state, state)
    # "Before parsing, write the critic's complete response to …/critic-output.md."
    folder.write(CRITIC_OUTPUT, raw)
    names = [entry["name"] for entry in state.attached_mcps]
    parsed = parse(raw, names)
    if given is not None and source == MODEL:
        floor = parse(ruled, names)
        _absorb(state, parsed, merged(floor.findings, parsed.findings), costs)
        state.assay["rules_summary"] = floor.summary
    else:
        _absorb(state, parsed, [Kept(finding, place) for place, finding in enumerate(parsed.findings)], costs)
        state.assay.pop("rules_summary", None)
    if parsed.failed:
        state.advance(Status.CRITIC_FAILED, iso(clock.now()))
        state.critic_failure_path = f"{folder.shown}/{CRITIC_OUTPUT}"
        folder.save_state(keys.state, state)
        again = f"run: mcp-assay critique {state.eval_name}"
        raise CriticError(
            f"the critic returned unparseable output; see {folder.path / CRITIC_OUTPUT}, then "
            + (f"go on with the rules' findings alone, {again}" if source == MODEL else again)
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
    return build(case.state, case.entries, case.manifests, surface.describe(case.manifests or {}))


def write(folder: EvalDir, shown: View) -> None:
    folder.write(REPORT, markdown.render(shown))
    folder.write("report.json", json.dumps(machine.render(shown), indent=2) + "\n")


def report_file(folder: EvalDir) -> Path:
    return (folder.path / REPORT).absolute()


def _known(draft: Draft) -> dict[str, Any]:
    """What the wire format has no place for."""
    known: dict[str, Any] = {"rule": draft.rule, "cost": asdict(draft.cost)}
    more = {"missed": list(draft.missed), "servers": list(draft.servers)}
    return known | {key: names for key, names in more.items() if names}


def _absorb(state: State, parsed: Parsed, found: Sequence[Kept], costs: list[dict[str, Any]]) -> None:
    """Take over what was parsed. ``costs`` belong to the rules' findings, in their order."""
    state.critic_findings = [_entry(item.finding) for item in found]
    if len(costs) == sum(item.rule is not None for item in found):
        for entry, item in zip(state.critic_findings, found, strict=True):
            entry["assay"] = _origin(item, costs)
    state.critic_findings_dropped_raw = list(parsed.dropped_raw)
    # "The critic_findings_dropped counter in state is len(critic_findings_dropped_raw)."
    state.critic_findings_dropped = len(parsed.dropped_raw)
    state.unmapped_mcp_names = list(parsed.unmapped)
    state.critic_summary, state.missing_critic_summary = parsed.summary, parsed.missing_summary


def _origin(item: Kept, costs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Whose finding it is, and what only a rule knows of it."""
    if item.rule is None:
        return {"by": "model"}
    raised = {} if item.was is None else {"raised_from": item.was}
    return {"by": "rule", **costs[item.rule], **raised}


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
