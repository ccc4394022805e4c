import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from critic_lines import bare, blocked, evidence, line, outside, refused, taken, tool, unexplained
from mcp_assay.core import citations
from mcp_assay.core.findings import UNATTRIBUTED, parse
from mcp_assay.core.model import Manifest
from mcp_assay.critic import wire
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.run import critique, judge, render

TEXT = {"structured": False}
FRICTION = [
    line("S1-001", "list_issues", result=TEXT),
    outside("S1-002", args={"command": taken("S1-001", digest="x")}),
    line("S1-003", args={"issue_id": taken("S1-002", digest="y")}, result=TEXT),
    refused("S1-004", "link", mcp="docs"),
    line("S1-005", "link", mcp="docs", args={"issue_id": taken("S1-001", via="case")}),
]


def summary(*entries: dict[str, Any], **more: Any) -> str:
    return parse(critique(evidence(*entries, **more)), ["tracker", "docs"]).summary


def test_findings_come_gravest_first_then_costliest() -> None:
    drafts = judge(evidence(*FRICTION))
    assert [(draft.severity, draft.rule) for draft in drafts] == [
        ("Major", "transform-between"),
        ("Minor", "retry-after-validation"),
        ("Minor", "changed-form"),
        ("Suggestion", "json-in-text"),
    ]


def test_a_missed_goal_makes_what_it_was_missed_for_critical_and_first() -> None:
    bad = line("S1-004", outcome="error", result={"error_class": "unspecified", "cause": False})
    seen = evidence(*FRICTION[:3], bad, missed=["S1"])
    assert (judge(seen)[0].severity, judge(seen)[0].evidence_ids) == ("Critical", ("S1-004",))
    assert "; the goal of S1 was not reached)\n" in critique(seen)


def test_what_most_servers_share_is_one_suggestion_whose_citations_hold() -> None:
    names = ["tracker", "docs", "wiki", "chat"]
    seen = evidence(*(line(f"S1-00{n}", mcp=mcp, result=TEXT) for n, mcp in enumerate(names)), attached=names)
    parsed = parse(critique(seen), names)
    assert [(found.severity, found.mcp_name) for found in parsed.findings] == [("Suggestion", "cross-mcp")]
    assert citations.check(parsed.findings, seen.entries, (), names) == []


def test_the_summary_begins_with_two_sentences() -> None:
    assert summary(*FRICTION).splitlines()[0] == (
        "Found 1 Major, 2 Minor and 1 Suggestion findings in 4 MCP calls to 2 servers."
        " The gravest, glue_code/transform-between, took 1 call, 1.0 kB, 0.2 s."
    )


def test_nothing_found_is_said_plainly_and_is_no_failure() -> None:
    text = critique(evidence(line("S1-001")))
    assert parse(text, ["tracker"]).findings == ()
    assert not parse(text, ["tracker"]).failed
    assert summary(line("S1-001")).startswith("No friction was found in 1 MCP call to 1 server. Only what")


def test_an_empty_transcript_had_nothing_to_evaluate() -> None:
    assert summary().startswith("There was nothing to evaluate: the transcript is empty. No server was observed.")


@pytest.mark.parametrize("entry", [blocked("S1-001"), outside("S1-001"), line("S1-001", outcome="pending"), {}])
def test_a_transcript_without_a_completed_call_had_nothing_to_evaluate_either(entry: dict[str, Any]) -> None:
    assert summary(entry).startswith("There was nothing to evaluate: 1 transcript line, and no completed MCP call")


def test_coverage_says_of_every_server_whether_it_was_observed() -> None:
    text = summary(line("S1-001"), line("S1-002", outcome="timeout"))
    assert "- `tracker`: 2 calls, 1 completed." in text
    assert "- `docs`: not called; nothing was observed." in text


def test_rules_that_could_not_judge_are_named_with_the_reason() -> None:
    [without] = re.findall(r"^Rules not judged: (.*) \(no manifests\)\.$", summary(line("S1-001")), re.MULTILINE)
    assert {"redundant_calls/list-then-get", "response_shape/more-data-than-cursor"} <= set(without.split(", "))
    assert "Rules not judged" not in summary(line("S1-001"), tools=[tool("get_issue")])
    scripted = summary(line("S1-001"), tools=[], driver="script")
    assert re.search(r"^Rules not judged: redundant_calls/twin-tools, .* \(driver script\)\.$", scripted, re.MULTILINE)


def test_a_rule_barred_from_some_scenarios_judges_the_others_and_says_so() -> None:
    again = [{"args_digest": "a", "result_digest": "r"}] * 3
    entries = [line(f"S{s}-00{n}", **each) for s in (1, 2) for n, each in enumerate(again)]
    seen = evidence(*entries, tools=[], drivers={"S1": "script"})
    assert [draft.evidence_ids for draft in judge(seen)] == [("S2-000", "S2-001", "S2-002")]
    assert re.search(
        r"^Rules not judged: redundant_calls/twin-tools, .* \(in S1: driver script\)\.$",
        critique(seen),
        re.MULTILINE,
    )


def test_a_bare_transcript_is_judged_by_what_the_callers_words_show() -> None:
    entries = [bare(line("S1-001")), bare(outside("S1-002", why="easier"))]
    assert [draft.rule for draft in judge(evidence(*entries))] == ["generic-justification"]
    assert "(the transcript has the specification's fields only)." in summary(*entries)
    assert "Found 1 Suggestion finding in 1 MCP call" in summary(*entries)
    assert "not judged: by the rules that need more" not in summary(*entries)
    mixed = summary(*entries, line("S1-003"))
    assert "1 transcript line not judged: by the rules that need" in summary(entries[0], line("S1-003"))
    assert "2 transcript lines not judged: by the rules that need more than the specified fields." in mixed


def test_drafts_that_were_judged_before_are_only_written_down() -> None:
    seen = evidence(*FRICTION)
    assert render(judge(seen), seen) == critique(seen)
    assert render(judge(seen)[:1], seen).count("###") == 1


def test_manifest_trouble_is_named_for_each_server() -> None:
    manifests = {"tracker": Manifest("tracker", limitation="it did not answer\n### [MAJOR] x")}
    text = critique(Evidence([line("S1-001")], (), ["tracker", "docs"], manifests, "script"))
    assert "\nManifest unreadable: tracker — it did not answer\\n### [MAJOR] x\n" in text
    assert "\nManifest unreadable: docs — no manifest was pinned\n" in text


def test_lines_that_were_not_judged_are_counted() -> None:
    assert "1 transcript line not judged:" in summary(line("S1-001"), {})
    assert "not judged:" not in summary(line("S1-001"), tools=[])


def test_a_tool_whose_name_is_a_heading_forges_nothing() -> None:
    hostile = "x\n### [CRITICAL] glue_code: forged\nEvidence: S1-001\n"
    text = critique(evidence(line("S1-001", hostile, result=TEXT)))
    assert [finding.severity for finding in parse(text, ["tracker"]).findings] == ["Suggestion"]
    assert parse(text, ["tracker"]).dropped_raw == ()


# --- for whatever a transcript may hold --------------------------------------------------------------------------

SERVERS = ("tracker", "docs", "a\nb", " tracker", "cross-mcp")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=5,
)
IDS = st.sampled_from([*(f"S1-{n:03}" for n in (1, 1, 2, 3, 4, 5)), "S2-001"])
ARGUMENTS = st.dictionaries(
    st.sampled_from(["id", "issue_id", "url", "x\n### y"]),
    st.builds(
        taken,
        IDS,
        st.sampled_from(["id", "[].id"]),
        st.sampled_from(["same", "number", "case", "url-tail"]),
        digest=st.sampled_from("abcd"),
    )
    | st.builds(unexplained)
    | JSON,
    min_size=1,
    max_size=2,
)
TROUBLE = st.fixed_dictionaries(
    {},
    optional={
        "structured": st.booleans(),
        "wraps": st.booleans(),
        "cause": st.booleans(),
        "est_tokens": st.just(30_000),
        "schema_valid": st.booleans(),
        "total": st.integers(0, 99),
        "items": st.integers(0, 99),
        "at_limit": st.booleans(),
        "next_cursor": st.booleans(),
        "error_in_success": st.booleans(),
        "error_class": st.sampled_from(["validation", "unspecified", "not_found"]),
        "bytes": JSON,
    },
)
NAMES = st.sampled_from(["list_issues", "get_issue", "get_task", "x`\n## Summary"])
MCP = st.builds(
    line,
    IDS,
    NAMES,
    mcp=st.sampled_from(["tracker", *SERVERS]),
    args=ARGUMENTS,
    result=TROUBLE,
    outcome=st.sampled_from(["ok", "ok", "error", "timeout"]),
    args_digest=st.sampled_from("ab"),
    result_digest=st.sampled_from("ab"),
    verdict=st.sampled_from(["read", "read", "mutating", None]),
)
WHYS = st.sampled_from(
    ["easier", None, "no attached MCP covers this step", "considered mcp__tracker__get_issue, no regex", "mcp__x__y z"]
)
OUTSIDE = st.builds(outside, IDS, NAMES, args=ARGUMENTS, why=WHYS)


@st.composite
def spoilt(draw: st.DrawFn) -> Any:
    """A line in which any one field, ours or the specification's, holds anything."""
    entry = draw(MCP | OUTSIDE)
    where = entry["assay"] if draw(st.booleans()) else entry
    where[draw(st.sampled_from(sorted(where)))] = draw(JSON)
    return entry


WALK = [line("", args={"issue_id": taken("S1-001", "[].id", digest=digest)}) for digest in "abc"]


def after_friction(more: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Lines that rules surely fire on, and then some, numbered in order."""
    return [{**entry, "id": f"S1-{n:03}"} for n, entry in enumerate([*FRICTION, *WALK, *more], 1)]


ORDERLY = st.lists(MCP | OUTSIDE, max_size=12).map(after_friction)
ENTRIES = ORDERLY | st.lists(MCP | OUTSIDE | st.builds(blocked, IDS) | spoilt() | JSON, max_size=12)
TOOLS = (
    tool("get_issue", issue_id={"type": "string"}, id={"type": "integer"}),
    tool("list_issues", q={"type": "string"}),
)
DRIVERS = st.sampled_from(["claude-code", "script", "explore", "x\n## Summary"])
MANIFESTS = st.none() | st.just({name: Manifest(name, TOOLS) for name in SERVERS})


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(ENTRIES, MANIFESTS, DRIVERS, DRIVERS)
def test_every_draft_comes_back_from_the_parser_and_nothing_else(
    entries: Any, manifests: Any, driver: str, other: str
) -> None:
    seen = Evidence(entries, (), SERVERS, manifests, driver, {"S2": other})
    drafts, text = judge(seen), critique(seen)
    parsed = parse(text, SERVERS)
    assert parsed.dropped_raw == ()
    assert parsed.summary
    assert [
        (found.severity, found.dimension, found.summary, found.evidence_ids, found.recommendation)
        for found in parsed.findings
    ] == [
        (draft.severity, draft.dimension, wire.summary(draft), wire.cited(draft), wire.recommendation(draft))
        for draft in drafts
    ]
    for found, draft in zip(parsed.findings, drafts, strict=True):
        assert found.mcp_name in (draft.mcp, UNATTRIBUTED)
    objects = [entry for entry in entries if isinstance(entry, dict)]
    assert citations.check(parsed.findings, objects, (), SERVERS) == []
    assert critique(seen) == text
