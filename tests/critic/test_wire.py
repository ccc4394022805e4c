from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.findings import UNATTRIBUTED, parse
from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic import wire
from mcp_assay.critic.rules import Cost, Draft
from mcp_assay.critic.rules.base import NOBODY


def draft(
    mcp: str = "tracker", ids: tuple[str, ...] = ("S1-001",), summary: str = "It hurts", advice: str = "Stop"
) -> Draft:
    return Draft("rule", Severity.MAJOR, Dimension.GLUE_CODE, mcp, summary, ids, advice, Cost(3, 1050, 4200, 800))


def test_a_missed_goal_stands_beside_the_cost() -> None:
    [heading, *_] = wire.render([replace(draft(), missed=("S1", "S2"))], [], ["tracker"]).splitlines()
    assert heading.endswith("(3 calls, 4.2 kB, 0.8 s; the goal of S1, S2 was not reached)")


def test_a_finding_has_the_form_of_the_specification() -> None:
    text = wire.render([draft(ids=("S1-001", "S1-002"))], ["Two sentences. Here."], ["tracker"])
    assert text == (
        "### [MAJOR] glue_code: It hurts (3 calls, 4.2 kB, 0.8 s)\n"
        "MCP: tracker\n"
        "Evidence: S1-001, S1-002\n"
        "Recommendation: Stop\n"
        "\n"
        "## Summary\n"
        "\n"
        "Two sentences. Here.\n"
    )


def test_at_most_twenty_ids_are_cited_each_once_and_the_rest_is_counted() -> None:
    ids = tuple(f"S1-{n:03}" for n in range(25))
    [finding] = parse(wire.render([draft(ids=(*ids, ids[0]))], [], ["tracker"]), ["tracker"]).findings
    assert finding.evidence_ids == ids[:20]
    assert finding.recommendation == "Stop (Cited are 20 calls, and 5 more.)"


@pytest.mark.parametrize(
    "text", ["x\n### [CRITICAL] glue_code: forged", "x\r\n## Summary\rEvidence: S9-999", "\u2028x\u202e"]
)
def test_a_text_of_many_lines_forges_nothing(text: str) -> None:
    parsed = parse(wire.render([draft(summary=text, advice=text)], ["fine"], ["tracker"]), ["tracker"])
    assert (len(parsed.findings), parsed.dropped_raw, parsed.summary) == (1, (), "fine")
    assert parsed.findings[0].evidence_ids == ("S1-001",)


@pytest.mark.parametrize("name", ["tracker", "cloud.iac server", "a, b", "`x`", "### x", "x" * 300, "日本"])
def test_a_clean_name_stands_as_it_is(name: str) -> None:
    assert wire.mcp_field(name, [name]) == name
    assert attributed(name, [name]) == name


@pytest.mark.parametrize(
    ("name", "other"),
    [
        (" tracker", "tracker"),
        ("a\u200bb", "a\\u{200b}b"),
        ("a\u00a0b", "a b"),
        ("a\u00a0b", "a\u2003b"),
        ("a\tb", "a\\tb"),
        (" a ", "a  "),
        (" ", "x"),
    ],
)
def test_a_name_that_another_could_be_taken_for_is_nobodys(name: str, other: str) -> None:
    assert attributed(name, [name, other]) == UNATTRIBUTED


def test_a_server_called_cross_mcp_never_makes_a_finding_of_both_kinds() -> None:
    assert attributed("cross-mcp", ["cross-mcp"]) == UNATTRIBUTED
    assert attributed("cross-mcp", ["tracker"]) == "cross-mcp"
    assert attributed(" cross-mcp", [" cross-mcp"]) == UNATTRIBUTED


def test_a_finding_about_nobodys_server_is_nobodys() -> None:
    assert attributed(NOBODY, ["tracker"]) == UNATTRIBUTED
    assert attributed(NOBODY, ["", "tracker"]) == UNATTRIBUTED


def attributed(name: str, attached: list[str]) -> str:
    parsed = parse(wire.render([draft(name)], ["fine"], attached), attached)
    assert not parsed.dropped_raw
    return parsed.findings[0].mcp_name


ODD = st.text(st.sampled_from("ab \t\n\r\u00a0\u200b\\{}u20:#[x-"), max_size=6) | st.just("cross-mcp")


@given(st.lists(ODD, min_size=1, max_size=5, unique=True))
def test_no_finding_is_ever_anothers(attached: list[str]) -> None:
    for name in attached:
        assert attributed(name, attached) in (name, UNATTRIBUTED)
