"""The rules' findings are the floor under a model's: raised and added to, never lessened."""

import random

import pytest

from mcp_assay.core.model import Dimension, Finding, Severity
from mcp_assay.critic.floor import merged


def finding(summary="too large", severity=Severity.MINOR, name="a", ids=("S1-001",), **more):
    given = {"dimension": Dimension.RESPONSE_SHAPE, "recommendation": "page it"} | more
    return Finding("F9", severity, summary=summary, mcp_name=name, evidence_ids=ids, **given)


def test_without_a_model_they_are_as_they_were():
    (one, two) = merged([finding(), finding("too deep")], [])
    assert (one.finding.id, one.rule, one.was) == ("F1", 0, None)
    assert (two.finding.id, two.rule, two.finding.summary) == ("F2", 1, "too deep")


def test_the_model_adds_in_its_own_order_after_them():
    kept = merged([finding()], [finding("z"), finding("b")])
    assert [(item.finding.id, item.finding.summary, item.rule) for item in kept] == [
        ("F1", "too large", 0),
        ("F2", "z", None),
        ("F3", "b", None),
    ]


def test_repeating_one_with_a_higher_severity_raises_it_and_changes_no_word():
    model = finding("too  large", Severity.CRITICAL, ids=("S9-009",), recommendation="delete it")
    (kept,) = merged([finding()], [model])
    raised = ("F1", Severity.CRITICAL, Dimension.RESPONSE_SHAPE, "too large", "a", ("S1-001",), "page it")
    assert kept.finding == Finding(*raised)
    assert (kept.rule, kept.was) == (0, Severity.MINOR)


@pytest.mark.parametrize("severity", [Severity.MINOR, Severity.SUGGESTION])
def test_repeating_one_no_higher_changes_nothing(severity):
    (kept,) = merged([finding()], [finding(severity=severity)])
    assert (kept.finding.severity, kept.was) == (Severity.MINOR, None)


@pytest.mark.parametrize(
    "other",
    [{"name": "b"}, {"dimension": Dimension.GLUE_CODE}, {"summary": "too large."}],
    ids=["server", "dimension", "words"],
)
def test_what_differs_in_one_of_them_is_a_finding_of_its_own(other):
    kept = merged([finding()], [finding(severity=Severity.CRITICAL, **other)])
    assert [(item.finding.severity, item.rule) for item in kept] == [(Severity.MINOR, 0), (Severity.CRITICAL, None)]


def test_of_two_rules_findings_alike_the_first_is_raised_and_both_stay():
    kept = merged([finding(), finding(ids=("S1-002",))], [finding(severity=Severity.MAJOR)])
    assert [item.finding.severity for item in kept] == [Severity.MAJOR, Severity.MINOR]


def test_raised_twice_it_has_the_worst_and_what_the_rules_gave_is_known():
    for grades in ([Severity.CRITICAL, Severity.MAJOR], [Severity.MAJOR, Severity.CRITICAL]):
        (kept,) = merged([finding()], [finding(severity=grade) for grade in grades])
        assert (kept.finding.severity, kept.was) == (Severity.CRITICAL, Severity.MINOR)


def test_what_the_model_says_twice_is_one_finding_at_its_worst():
    (kept,) = merged([], [finding(), finding(severity=Severity.MAJOR)])
    assert kept.finding.severity is Severity.MAJOR
    assert len(merged([], [finding(), finding(ids=("S1-002",))])) == 2


def test_whatever_a_model_says_no_rules_finding_is_lost_lowered_or_reworded():
    chance = random.Random(7)
    for _ in range(500):
        made = [
            finding(
                chance.choice("xyz"),
                chance.choice(list(Severity)),
                chance.choice("ab"),
                dimension=chance.choice(list(Dimension)),
            )
            for _ in range(12)
        ]
        rules, model = made[: chance.randrange(8)], made[chance.randrange(8) :]
        kept = merged(rules, model)
        assert kept == merged(rules, model)
        assert [item.finding.id for item in kept] == [f"F{place}" for place in range(1, len(kept) + 1)]
        grades = list(Severity)
        for rule, item in zip(rules, kept, strict=False):
            assert (item.finding.summary, item.finding.evidence_ids) == (rule.summary, rule.evidence_ids)
            assert grades.index(item.finding.severity) <= grades.index(rule.severity)
        said = {(item.dimension, item.mcp_name, item.summary) for item in (*rules, *model)}
        assert {(item.finding.dimension, item.finding.mcp_name, item.finding.summary) for item in kept} == said
