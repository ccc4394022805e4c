"""A view as ``report.md``: the specification's structure, headings and sentences, and nothing alive in between."""

from collections.abc import Collection, Iterator, Sequence

from mcp_assay.core import inert
from mcp_assay.report.caveats import Caveat
from mcp_assay.report.view import Reported, Server, Skipped, View

__all__ = ["render"]

_TEXT = 2000
"""Characters of one text of the critic that are shown; the parser's own limits keep the rest in ``state.json``."""


def render(view: View) -> str:
    """The whole report. Pure: the same view gives the same text."""
    parts = [*_opening(view), *(_evaluation(view) if view.servers else ()), *_rest(view)]
    return "\n\n".join(parts) + "\n"


def _opening(view: View) -> Iterator[str]:
    names = ", ".join(inert.markdown(server.name) for server in view.servers)
    yield f"# MCP Evaluation: {inert.markdown(view.name)}"
    yield "\n".join(
        [
            f"**Date:** {inert.markdown(view.date)}",
            f"**Duration:** {view.duration}",
            f"**Attached MCPs:** {len(view.servers)}" + (f" — {names}" if names else ""),
            f"**Scenarios run:** {view.scenarios} ({view.aborted} aborted)",
        ]
    )
    yield "## Headline"
    yield view.headline
    if view.servers:
        yield inert.prose(view.synthesis, _TEXT) or "The critic gave no summary."


def _evaluation(view: View) -> Iterator[str]:
    yield "## Per-MCP Findings"
    shared = {name for item in view.findings for name in item.servers}
    for server in view.servers:
        yield f"### {inert.markdown(server.name)}"
        yield _findings(server.findings) or _nothing_found(server, shared)
    if view.unattributed:
        yield "## Unattributed Findings"
        yield _findings(view.unattributed)
    yield "## Cross-MCP Friction"
    # "if no scenario targeted ≥2 MCPs, say "not exercised"; otherwise say "none produced friction.""
    handoffs = "none produced friction" if view.handoffs else "not exercised"
    yield _findings(view.cross_mcp) or f"Cross-MCP handoffs: {handoffs}."


def _nothing_found(server: Server, shared: Collection[str]) -> str:
    if server.name in shared:
        return "No findings of its own; what it shares with most servers is told once, below."
    lines = ["No findings — surface behaved well in the scenarios run."]
    if not server.coverage.calls:
        lines.append("Not called in this run; nothing was observed.")
    return "\n".join(lines)


def _findings(items: Sequence[Reported]) -> str:
    return "\n\n".join(map(_finding, items))


def _finding(item: Reported) -> str:
    finding = item.finding
    return "\n".join(
        [
            f"- **[{finding.severity}] {finding.dimension}:** {inert.prose(finding.summary, _TEXT)}",
            f"  - Evidence: {', '.join(map(inert.code, finding.evidence_ids))}",
            f"  - Recommendation: {inert.prose(finding.recommendation, _TEXT) or 'none given'}",
        ]
    )


def _rest(view: View) -> Iterator[str]:
    # "Omit this section if no MCPs were skipped or filtered." and "Omit this section if empty."
    if view.skipped:
        yield "## Skipped MCPs"
        yield "\n".join(map(_skipped, view.skipped))
    if view.caveats:
        yield "## Caveats"
        yield "\n".join(map(_caveat, view.caveats)).rstrip("\n")
    yield "## Artifacts"
    yield "\n".join(_artifacts(view))


def _skipped(item: Skipped) -> str:
    if item.filtered:
        return f"- {inert.code(item.name)} — filtered out at discovery: {inert.prose(item.note)}"
    return f"- {inert.code(item.name)} — disposition: `skip`. {inert.prose(item.note)}".rstrip()


def _caveat(caveat: Caveat) -> str:
    lines = [f"- {inert.prose(caveat.text, _TEXT)}"]
    for text in caveat.raw:
        lines += ["", *inert.block(text, indent="  ")]
    return "\n".join([*lines, ""] if caveat.raw else lines)


def _artifacts(view: View) -> Iterator[str]:
    if view.servers:
        yield f"- Transcript: `transcript.jsonl` ({view.entries} entries)"
    yield "- State: `state.json`"
    if view.servers:
        yield (
            "- Critic raw output: `critic-output.md` (full critic response; only the `## Summary` block is mirrored"
            " into `state.json` under `critic_summary`)"
        )
