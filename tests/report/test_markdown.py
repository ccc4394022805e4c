import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import report_case
from mcp_assay.core.findings import parse
from mcp_assay.core.session import State
from mcp_assay.report import markdown
from mcp_assay.report.view import build

SNAPSHOT = Path(__file__).parent / "snapshots" / "report.md"
RENDERER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
FORGED = "x\n### [CRITICAL] glue_code: forged\n::error::<script>[a](javascript:x) @all `y` https://e.example **b**"


def blank(**fields: Any) -> State:
    return State("e", "2025-01-01T00:00:00Z", "2025-01-01T00:00:00Z", **fields)


def rendered(state: State, entries: Any = ()) -> str:
    return markdown.render(build(state, entries))


def headings(report: str) -> list[str]:
    return [line for line in report.split("\n") if line.startswith("#")]


def test_a_server_that_shares_a_finding_with_most_is_not_said_to_behave_well() -> None:
    state = report_case.state()
    cross = next(entry for entry in state.critic_findings if entry["mcp_name"] == "cross-mcp")
    cross["assay"] = {"servers": ["wiki", "tracker"]}
    report = rendered(state, report_case.ENTRIES)
    assert "### wiki\n\nNo findings of its own; what it shares with most servers is told once, below." in report
    assert "### mailer\n\nNo findings — surface behaved well" in report


def test_the_whole_report() -> None:
    """To renew the snapshot after an intended change, read the difference, then write the new text:

    PYTHONPATH=src:tests python -c "import report_case as case; from mcp_assay.report import markdown, view; \
        print(markdown.render(view.build(case.state(), case.ENTRIES)), end='')" > tests/report/snapshots/report.md
    """
    assert rendered(report_case.state(), report_case.ENTRIES) == SNAPSHOT.read_text(encoding="utf-8")


def test_the_sections_are_the_specified_ones_in_order() -> None:
    assert (
        headings(rendered(report_case.state(), report_case.ENTRIES))
        == [
            "# MCP Evaluation: nightly",
            "## Headline",
            "## Per-MCP Findings",
            "### tracker",
            "### cloud.iac",
            "### wiki",
            "### mailer",
            "## Unattributed Findings",
            "## Cross-MCP Friction",
            "## Skipped MCPs",
            "## Caveats",
            "## Artifacts",
            "  ```text",
        ][:-1]
    )


def test_optional_sections_are_left_out() -> None:
    found = headings(rendered(blank(attached_mcps=[report_case.server("a", ["x"])])))
    assert "## Unattributed Findings" not in found
    assert "## Skipped MCPs" not in found
    assert {"## Cross-MCP Friction", "## Caveats"} <= set(found)


@pytest.mark.parametrize(
    ("entries", "lines"),
    [
        ([report_case.line("S1-001", "mcp__a__x", "a")], ["No findings — surface behaved well in the scenarios run."]),
        (
            [],
            [
                "No findings — surface behaved well in the scenarios run.",
                "Not called in this run; nothing was observed.",
            ],
        ),
    ],
)
def test_a_server_without_findings_is_listed_and_one_never_called_says_so(entries: Any, lines: list[str]) -> None:
    report = rendered(blank(attached_mcps=[report_case.server("a", ["x"])]), entries)
    assert "### a\n\n" + "\n".join(lines) + "\n\n## Cross-MCP Friction" in report


@pytest.mark.parametrize(
    ("targets", "line"),
    [
        (["a", "b"], "Cross-MCP handoffs: none produced friction."),
        (["a"], "Cross-MCP handoffs: not exercised."),
    ],
)
def test_the_two_reasons_for_no_cross_mcp_findings_are_told_apart(targets: list[str], line: str) -> None:
    state = blank(attached_mcps=[report_case.server("a", ["x"])], scenarios=[{"id": "S1", "targets_mcps": targets}])
    assert f"## Cross-MCP Friction\n\n{line}\n" in rendered(state)


def test_nothing_attached_makes_a_minimal_report() -> None:
    state = blank(filtered_mcps=[{"name": "x", "reason": "disabled by settings.json"}], assay={"notes": ["odd file"]})
    assert rendered(state) == (
        "# MCP Evaluation: e\n\n**Date:** 2025-01-01T00:00:00Z\n**Duration:** incomplete\n**Attached MCPs:** 0\n"
        "**Scenarios run:** 0 (0 aborted)\n\n## Headline\n\nNo MCPs attached — nothing to evaluate\n\n"
        "## Skipped MCPs\n\n- `x` — filtered out at discovery: disabled by settings.json\n\n"
        "## Caveats\n\n- odd file\n\n## Artifacts\n\n- State: `state.json`\n"
    )


def test_a_missing_summary_is_said_twice() -> None:
    report = rendered(blank(attached_mcps=[report_case.server("a", ["x"])], missing_critic_summary=True))
    assert (
        "## Headline\n\n0 Critical, 0 Major, 0 Minor, 0 Suggestion findings\n\nThe critic gave no summary.\n" in report
    )
    assert "- The critic's output has no `## Summary` block.\n" in report


def test_the_five_ways_to_name_a_server_are_all_rendered_and_counted() -> None:
    attached = ["github", "cloud.iac"]
    block = "### [MINOR] glue_code: number {}\nMCP:{}\nEvidence: S1-001\n"
    lines = [" GitHub", " cloud_iac", "", " cross-mcp", " github "]
    parsed = parse("".join(block.format(*pair) for pair in enumerate(lines)) + "## Summary\nDone.", attached)
    state = blank(
        attached_mcps=[report_case.server(name, ["x"]) for name in attached],
        critic_findings=[
            {
                "id": found.id,
                "severity": found.severity,
                "dimension": found.dimension,
                "summary": found.summary,
                "mcp_name": found.mcp_name,
                "evidence_ids": list(found.evidence_ids),
                "recommendation": found.recommendation,
            }
            for found in parsed.findings
        ],
        unmapped_mcp_names=list(parsed.unmapped),
    )
    report = rendered(state)
    assert "0 Critical, 0 Major, 5 Minor, 0 Suggestion findings" in report
    assert re.findall(r"number (\d)", report) == ["4", "0", "1", "2", "3"]
    assert re.findall(r"attributed findings to '(\w+)' which", report) == ["GitHub", "cloud_iac"]


def hostile(text: str) -> State:
    """A state in which every string that others can choose is ``text``."""
    server = report_case.server(text, [text], limitation=text, notes=[text], host_note=text, not_drivable=[text])
    finding = {
        "id": "F1",
        "severity": "Minor",
        "dimension": "glue_code",
        "summary": text,
        "mcp_name": text,
        "evidence_ids": ["S1-001"],
        "recommendation": text,
    }
    return blank(
        attached_mcps=[server, report_case.server("plain", [])],
        filtered_mcps=[{"name": text, "reason": text}],
        safety_dispositions=[{"mcp_name": text, "disposition": "skip", "notes": text}],
        scenarios=[{"id": "S1", "description": text}],
        execution=[
            report_case.ran("S1", calls=0, reached=False, reason=text),
            report_case.ran("S2", calls=0, status="aborted", reason=text),
        ],
        critic_findings=[finding, {**finding, "id": "F2", "mcp_name": "unattributed"}],
        critic_findings_dropped_raw=[text],
        unmapped_mcp_names=[text],
        critic_summary=text,
        dangling_citations=[{"finding_id": "F1", "cited_id": text, "reason": text}],
        assay={"notes": [text], "host_notes": [text], "evidence": text, "transcript_sha256": text},
    )


@pytest.mark.parametrize("text", [FORGED, "```\n## x", "  ~~~", "- a\n- b", "\u202e\u2028", "|a|b|\n|-|-|", "a\n==="])
def test_text_of_others_forges_no_structure(text: str) -> None:
    check(rendered(hostile(text)), rendered(hostile("benign")))


soup = st.text(
    alphabet=st.sampled_from("ab1 `*_~|$\\<>&;#[](){}!:/@.-+='\"\n\r\t\u202e\u2028é…w"), min_size=1, max_size=40
)


@given(soup)
def test_no_text_of_others_forges_structure(text: str) -> None:
    check(rendered(hostile("x" + text)), rendered(hostile("benign")))


def check(report: str, benign: str) -> None:
    """The report has the blocks of one with harmless words, and no live inline but our own bold."""
    assert shape(report) == shape(benign)
    assert not {"html_inline", "html_block", "link_open", "image", "em_open", "s_open", "softbreak"} & extra(
        report, benign
    )
    assert not re.search(r"^\s*::|##\w*\[", report, re.MULTILINE)
    assert "\u202e" not in report


def shape(report: str) -> list[str]:
    """The block tokens with their tags, in order."""
    return [f"{token.type} {token.tag}" for token in RENDERER.parse(report) if token.type != "inline"]


def inline_kinds(report: str) -> set[str]:
    return {child.type for token in RENDERER.parse(report) for child in token.children or []}


def extra(report: str, benign: str) -> set[str]:
    return inline_kinds(report) - inline_kinds(benign)
