import dataclasses
import json

import pytest

from mcp_assay.policy import evals
from mcp_assay.policy.faults import PolicyError

SUITE = evals.load()
CARD = evals.run_evals(SUITE)
# Category: (cases, should accept, should reject), as the specification's table has them.
BASELINE = {
    "Seat routing": (10, 5, 5),
    "Budget admission (reserve, judgment, breaker, accounting bypasses)": (19, 5, 14),
    "Input schema compliance": (4, 0, 4),
    "Evidence acceptance": (4, 4, 0),
    "Hallucination rejection": (13, 0, 13),
    "Dossier dedup and lint": (14, 3, 11),
    "Total": (64, 17, 47),
}


def test_the_baseline_is_the_specified_table():
    assert SUITE.version == CARD.version == 2
    assert {row.category: (row.cases, row.should_accept, row.should_reject) for row in CARD.baseline} == BASELINE


def test_nothing_is_missed():
    assert CARD.misses == ()
    for row in (*CARD.baseline, *CARD.all):
        assert (row.passed, row.false_accepts, row.false_rejects) == (row.cases, 0, 0)


@pytest.mark.parametrize("case", SUITE.cases, ids=lambda case: case.id)
def test_every_case_says_what_it_pins_and_why_and_could_fail(case):
    assert case.pins
    assert len(case.why) > 10
    other = dataclasses.replace(case, expect="reject" if case.expect == "accept" else "accept")
    card = evals.run_evals(evals.Fixtures(2, (other,)))
    assert [miss.kind for miss in card.misses] == [f"false {case.expect}"]


def test_no_two_cases_are_the_same_call():
    calls = [json.dumps([case.tool, case.arguments], sort_keys=True) for case in SUITE.cases]
    assert len(set(calls)) == len(calls)


def case(**given):
    fields = {
        "id": "one",
        "category": "Seat routing",
        "tool": "route_agent_seat",
        "arguments": {"role": "scout", "budget": {"usedCU": 0, "capacityCU": 10, "reservePct": 0}},
        "expect": "accept",
        "pins": "p",
        "why": "w",
    }
    return {**fields, **given}


def card(*cases):
    return evals.run_evals(evals.load(json.dumps({"version": 7, "cases": cases})))


@pytest.mark.parametrize(
    ("exact", "passes"),
    [
        ({}, True),
        ({"tier": "mid", "reasons": []}, True),
        ({"cu": 0.9}, True),
        ({"ok": 1}, False),
        ({"tier": "heavy"}, False),
        ({"reasons": [{"code": "x"}]}, False),
        ({"unheard": None}, False),
        ({"tier": ["mid"]}, False),
        ({"tier": {}}, False),
    ],
)
def test_a_result_must_say_what_the_case_names(exact, passes):
    misses = card(case(exact=exact)).misses
    assert [miss.kind for miss in misses] == ([] if passes else ["differs"])


def test_misses_are_counted_by_kind_and_shown():
    refused = case(id="two", arguments={})
    wrong = card(case(expect="reject"), refused, case(id="three", baseline=True, exact={"tier": "x"}))
    assert [(miss.id, miss.kind) for miss in wrong.misses] == [
        ("one", "false accept"),
        ("two", "false reject"),
        ("three", "differs"),
    ]
    row = evals.Row("Seat routing", 0, 3, 2, 1, 1, 1)
    assert wrong.all[0] == row
    assert wrong.all[-1] == dataclasses.replace(row, category="Total")
    assert wrong.baseline[0] == evals.Row("Seat routing", 0, 1, 1, 0, 0, 0)
    text = evals.scorecard_markdown(wrong)
    assert "| Seat routing | 0/3 | 2 | 1 | 1 | 1 |" in text
    assert '- two: false reject; the tool said `{"ok": false, "invalid": ["role: missing", "budget: missing"]}`' in text


def test_the_scorecard_is_written_for_people_and_machines_and_has_no_date(tmp_path):
    folder = tmp_path / "evals" / "results"
    evals.write_scorecard(CARD, folder)
    first = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    evals.write_scorecard(CARD, folder)
    assert first == {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert json.loads(first["scorecard.json"])["baseline"][-1]["cases"] == 64
    assert "| **Total** | **64/64** | **17** | **47** | **0** | **0** |" in first["scorecard.md"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        ("{}", "cannot be read: 'cases'"),
        (json.dumps({"version": 2, "cases": [case(weight=1)]}), "case one: unknown keys weight"),
        (json.dumps({"version": 2, "cases": [case(category="Other")]}), "case one: its category"),
        (json.dumps({"version": 2, "cases": [case(expect="maybe")]}), "case one: its category or what it expects"),
        (json.dumps({"version": 2, "cases": [{"id": "x"}]}), "missing"),
        (json.dumps({"version": 2, "cases": []}), "no fixtures"),
        (json.dumps({"version": 2, "cases": [case(), case()]}), "same id"),
    ],
)
def test_fixtures_that_cannot_be_used_are_told(text, why):
    with pytest.raises(PolicyError, match=why):
        evals.load(text)


def test_a_case_for_a_tool_that_does_not_exist_is_told():
    with pytest.raises(PolicyError, match="no tool nope"):
        card(case(tool="nope"))
