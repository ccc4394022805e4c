import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.findings import CROSS_MCP, UNATTRIBUTED, Parsed, parse
from mcp_assay.core.model import Dimension, Finding, Severity

ATTACHED = ["tracker", "cloud.iac", "a b"]


def finding(mcp: str = "MCP: tracker", evidence: str = "Evidence: S1-001", rest: str = "Recommendation: do it") -> str:
    return f"### [MAJOR] glue_code: Ids are joined by hand\n{mcp}\n{evidence}\n{rest}\n"


def one(text: str) -> Finding:
    parsed = parse(text, ATTACHED)
    assert parsed.dropped_raw == ()
    (found,) = parsed.findings
    return found


def test_every_field_of_a_finding_is_read() -> None:
    assert one(finding(evidence="Evidence: S1-001, S12-1000")) == Finding(
        "F1",
        Severity.MAJOR,
        Dimension.GLUE_CODE,
        "Ids are joined by hand",
        "tracker",
        ("S1-001", "S12-1000"),
        "do it",
    )


@pytest.mark.parametrize("severity", list(Severity))
@pytest.mark.parametrize("dimension", list(Dimension))
def test_every_severity_and_dimension_is_known(severity: Severity, dimension: Dimension) -> None:
    found = one(f"### [{severity.upper()}] {dimension}: x\nEvidence: S1-1\n")
    assert (found.severity, found.dimension) == (severity, dimension)


@pytest.mark.parametrize(
    "heading",
    [
        "### [MAJOR] glue_code:: duplicated",
        "### [MAJOR] glue_code: ",
        "### [MAJOR] glue_code:",
        "### [MAJOR] glue_code:  two blanks",
        "### [Major] glue_code: case",
        "### [BLOCKER] glue_code: unknown severity",
        "### [MAJOR] naming: unknown dimension",
        "### **[MAJOR] glue_code: bold**",
        "### MAJOR glue_code: no brackets",
        "### Overview",
        "### ",
        "### [MAJOR] glue_code: x" + " " * 10_000,
    ],
)
def test_any_other_third_level_heading_is_dropped_verbatim(heading: str) -> None:
    text = f"{heading}\nMCP: tracker\nEvidence: S1-001\n"
    parsed = parse(f"{text}## Summary\nok", ATTACHED)
    assert parsed.findings == ()
    assert parsed.heading_matches == 0
    assert parsed.dropped_raw == (text.removesuffix("\n"),)


@pytest.mark.parametrize(
    "line",
    [
        "#### [MAJOR] glue_code: x",
        " ### [MAJOR] glue_code: x",
        "###[MAJOR] glue_code: x",
        "## [MAJOR] glue_code: x",
        "###",
    ],
)
def test_only_third_level_headings_count(line: str) -> None:
    parsed = parse(f"{line}\nEvidence: S1-001\n", ATTACHED)
    assert (parsed.findings, parsed.dropped_raw, parsed.failed) == ((), (), True)


@pytest.mark.parametrize(
    "evidence",
    [
        "",
        "Evidence:",
        "Evidence: ,",
        "Evidence: `S1-001`",
        "Evidence: S1-001..S1-003",
        "Evidence: S1-001 and S1-002",
        "Evidence: S1-001, S1-002.",
        "Evidence: [S1-001]",
        "Evidence: S1-001, (see Bash)",
        "Evidence: S1-001,, S1-002",
        "Evidence: S1-001,",
        "Evidence: s1-001",
        "Evidence: S\u0661-001",
        "evidence: S1-001",
        "**Evidence:** S1-001",
        "- Evidence: S1-001",
        " Evidence: S1-001",
        "Evidence : S1-001",
    ],
)
def test_missing_or_malformed_evidence_drops_the_finding(evidence: str) -> None:
    parsed = parse(finding(evidence=evidence), ATTACHED)
    assert parsed.findings == ()
    assert parsed.heading_matches == 1
    assert parsed.dropped_raw == (finding(evidence=evidence),)
    assert not parsed.failed


@pytest.mark.parametrize("evidence", ["Evidence:S1-1", "Evidence:\tS1-1 , S2-22", "Evidence: S1-1\r"])
def test_blanks_around_ids_and_missing_padding_are_accepted(evidence: str) -> None:
    assert one(finding(evidence=evidence)).evidence_ids[0] == "S1-1"


@pytest.mark.parametrize(
    ("line", "name", "unmapped"),
    [
        ("MCP: tracker", "tracker", ()),
        ("MCP: tracker ", "tracker", ()),
        ("MCP:tracker", "tracker", ()),
        ("MCP: cloud.iac", "cloud.iac", ()),
        ("MCP: a b", "a b", ()),
        ("MCP: cross-mcp", CROSS_MCP, ()),
        ("MCP:", UNATTRIBUTED, ()),
        ("", UNATTRIBUTED, ()),
        ("**MCP:** tracker", UNATTRIBUTED, ()),
        ("MCP: Tracker", UNATTRIBUTED, ("Tracker",)),
        ("MCP: cloud_iac", UNATTRIBUTED, ("cloud_iac",)),
        ("MCP: Cross-MCP", UNATTRIBUTED, ("Cross-MCP",)),
        ("MCP: `tracker`", UNATTRIBUTED, ("`tracker`",)),
        ("MCP: unattributed", UNATTRIBUTED, ("unattributed",)),
    ],
)
def test_the_server_is_attributed_by_the_table(line: str, name: str, unmapped: tuple[str, ...]) -> None:
    parsed = parse(finding(mcp=line), ATTACHED)
    assert [found.mcp_name for found in parsed.findings] == [name]
    assert parsed.unmapped == unmapped


def test_the_first_of_each_field_wins_even_if_empty() -> None:
    found = one(finding(mcp="MCP:\nMCP: tracker", rest="Recommendation:\nRecommendation: no\nEvidence: nonsense"))
    assert (found.mcp_name, found.recommendation, found.evidence_ids) == (UNATTRIBUTED, "", ("S1-001",))


def test_a_missing_recommendation_is_empty() -> None:
    assert one(finding(rest="")).recommendation == ""


def test_deeper_headings_and_hashes_in_prose_do_not_end_a_block() -> None:
    found = one("### [MINOR] response_shape: Unsorted\nMCP: tracker\n#### Why\nsee ### here\nEvidence: S2-003\n")
    assert found.evidence_ids == ("S2-003",)


@pytest.mark.parametrize("heading", ["### x", "## x"])
def test_the_next_second_or_third_level_heading_ends_a_block(heading: str) -> None:
    parsed = parse(f"### [MINOR] response_shape: x\n{heading}\nEvidence: S2-003\n", ATTACHED)
    assert parsed.findings == ()


def test_carriage_returns_at_line_ends_vanish() -> None:
    text = (
        "### [MAJOR] glue_code: x  \r\nMCP: tracker\r\nEvidence: S1-001, S1-002\r\nRecommendation: y\r\n\r\n"
        "## Summary\r\nok [MAJOR]\r\n"
    )
    found = one(text)
    assert (found.summary, found.mcp_name, found.evidence_ids) == ("x", "tracker", ("S1-001", "S1-002"))
    assert found.recommendation == "y"
    assert parse(text, ATTACHED).summary == "ok [Major]"


def test_only_line_feeds_end_a_line() -> None:
    found = one("\ufeff### [MAJOR] glue_code: a\u2028### [MAJOR] b\x0b\x85c\nEvidence: S1-001\n")
    assert found.summary == "a\u2028### [MAJOR] b\x0b\x85c"


def test_ids_count_accepted_findings_only() -> None:
    parsed = parse(finding() + finding(evidence="") + finding(), ATTACHED)
    assert [found.id for found in parsed.findings] == ["F1", "F2"]
    assert (len(parsed.dropped_raw), parsed.heading_matches) == (1, 3)


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        (
            "## Summary\n\n  One [CRITICAL], two [MINOR].\n[SUGGESTION] \n\n",
            "One [Critical], two [Minor].\n[Suggestion]",
        ),
        ("## Summary  \t\nx", "x"),
        ("## Summary\nx\n## Other\ny", "x"),
        ("## Summary\nx\n## Summary\ny", "x"),
        ("## Summary\nx\n#### deeper\ny", "x\n#### deeper\ny"),
        ("## Summary\n[critical] [BLOCKER] CRITICAL", "[critical] [BLOCKER] CRITICAL"),
        ("## Summary", ""),
    ],
)
def test_the_summary_runs_to_the_next_second_level_heading(text: str, summary: str) -> None:
    parsed = parse(text, ATTACHED)
    assert (parsed.summary, parsed.missing_summary) == (summary, False)


@pytest.mark.parametrize(
    "text", ["", "## summary\nx", "### Summary\nx", "## Summary: x", " ## Summary\nx", "##  Summary\nx"]
)
def test_no_other_heading_is_the_summary(text: str) -> None:
    parsed = parse(text, ATTACHED)
    assert (parsed.summary, parsed.missing_summary) == ("", True)


def test_a_heading_inside_the_summary_is_kept_there_and_recorded() -> None:
    parsed = parse(finding() + "## Summary\n### sub\nstill summary\n## Other\nno\n", ATTACHED)
    assert parsed.summary == "### sub\nstill summary"
    assert parsed.dropped_raw == ("### sub\nstill summary",)
    assert len(parsed.findings) == 1


def test_a_finding_after_the_summary_is_not_lost() -> None:
    assert one("## Summary\nAll told: bad.\n\n" + finding()).mcp_name == "tracker"


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ("", True),
        ("I could not find anything.", True),
        ("## Summary\n \n", True),
        ("## Summary\nNothing to flag.", False),
        ("### attempt", False),
        (finding(), False),
    ],
)
def test_a_run_failed_only_if_nothing_usable_came(text: str, failed: bool) -> None:
    assert parse(text, ATTACHED).failed is failed


def test_blanks_without_end_do_not_hold_the_parser() -> None:
    line = "### [MAJOR] glue_code: x" + " " * 1_000_000 + "y"
    began = time.process_time()
    assert len(parse(line, ATTACHED).dropped_raw) == 1
    assert time.process_time() - began < 1


lines = st.sampled_from(
    [
        "### [MAJOR] glue_code: x",
        "### nonsense",
        "## Summary",
        "## Other",
        "#### deeper",
        "MCP: tracker",
        "MCP: nobody",
        "MCP: cross-mcp",
        "Evidence: S1-001",
        "Evidence: oops",
        "Recommendation: y",
        "prose\r",
        "",
    ],
)


@given(st.lists(lines, max_size=25).map("\n".join))
def test_every_third_level_heading_ends_in_exactly_one_place(text: str) -> None:
    parsed = parse(text, ATTACHED)
    headings = [line for line in text.split("\n") if line.startswith("### ")]
    assert len(parsed.findings) + len(parsed.dropped_raw) == len(headings)
    assert all(raw in text for raw in parsed.dropped_raw)
    assert {found.mcp_name for found in parsed.findings} <= {*ATTACHED, CROSS_MCP, UNATTRIBUTED}


# "Parse by heading using this exact regex, applied in multiline mode": the expression as the specification prints it.
PRINTED = re.compile(
    r"^### \[(CRITICAL|MAJOR|MINOR|SUGGESTION)\] "
    r"(glue_code|redundant_calls|response_shape|parameter_inference|cross_mcp): (\S.*?)\s*$",
    re.MULTILINE,
)
pieces = st.sampled_from(
    ["### ", "#### ", "[MAJOR] ", "[Major] ", "[MINOR]", "glue_code", "cross_mcp", "naming", ":", ": ", " ", "\t", "\r",
     "\n", "\u2028", "x", "y z", "## "],
)  # fmt: skip
headings = st.builds("### [MAJOR] glue_code: {}{}".format, st.lists(pieces, max_size=4).map("".join), pieces)


@given(st.lists(pieces | headings, max_size=12).map("".join))
def test_the_headings_found_are_those_of_the_specifications_expression(text: str) -> None:
    evident = "".join(f"{line}\nEvidence: S1-001\n" for line in text.split("\n"))
    found = parse(evident, ATTACHED)
    printed = [match.groups() for match in PRINTED.finditer(evident)]
    assert found.heading_matches == len(printed)
    assert [(item.severity.upper(), item.dimension, item.summary) for item in found.findings] == printed


@given(st.text())
def test_any_text_is_parsed(text: str) -> None:
    assert isinstance(parse(text, ATTACHED), Parsed)
