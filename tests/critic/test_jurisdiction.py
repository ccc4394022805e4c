import pytest

from critic_lines import Line, bare, evidence, line, outside
from mcp_assay.core.model import Dimension
from mcp_assay.critic.evidence import Driver, Evidence
from mcp_assay.critic.jurisdiction import cases, obstacle, reservations
from mcp_assay.critic.rules import Rule
from mcp_assay.critic.rules.base import AGENTS, ANY, NOT_OURS


def rule(name: str, drivers: frozenset[Driver] = ANY, *, manifests: bool = False, facts: bool = True) -> Rule:
    return Rule(name, Dimension.GLUE_CODE, drivers, manifests, "Because.", lambda _: (), facts)


def why(judged: Rule, *entries: Line, **more: str | dict[str, str] | list[object]) -> str:
    return str(obstacle(judged, evidence(*entries, **more)))


TWO = [line("S1-001"), line("S2-001"), line("S3-001")]


@pytest.mark.parametrize(
    ("drivers", "said"),
    [
        ({}, "None"),
        ({"S1": "script"}, "in S1: driver script"),
        ({"S1": "script", "S3": "explore"}, "in S1, S3: drivers script, explore"),
        (dict.fromkeys(("S1", "S2", "S3"), "script"), "driver script"),
        ({"S1": "script", "S2": "explore", "S3": ""}, "drivers script, explore, unknown"),
    ],
)
def test_a_rule_is_barred_from_some_scenarios_or_from_all(drivers: dict[str, str], said: str) -> None:
    assert why(rule("x", AGENTS), *TWO, drivers=drivers) == said


def test_only_scenarios_that_have_calls_are_named() -> None:
    assert why(rule("x", AGENTS), line("S1-001"), drivers={"S2": "script"}) == "None"


def test_where_nothing_was_called_the_session_speaks() -> None:
    assert why(rule("x", AGENTS), driver="script") == "driver script"
    assert why(rule("x", AGENTS)) == "None"


def test_a_long_list_of_scenarios_is_cut_and_names_are_inert() -> None:
    entries = [line(f"S{n}-001") for n in range(12)]
    drivers = {f"S{n}": "x\n### y" for n in range(11)}
    assert why(rule("x", AGENTS), *entries, drivers=drivers) == (
        "in S0, S1, S2, S3, S4, S5, S6, S7, S8, S9 and 1 more: driver x\\n### y"
    )


def test_manifests_and_facts_are_missed_after_drivers() -> None:
    assert why(rule("x", manifests=True), line("S1-001")) == "no manifests"
    assert why(rule("x", manifests=True), line("S1-001"), tools=[]) == "None"
    assert why(rule("x", AGENTS, manifests=True), line("S1-001"), driver="script") == "driver script"
    missing = "the transcript has the specification's fields only"
    assert why(rule("x"), bare(line("S1-001"))) == missing
    assert why(rule("x", facts=False), bare(line("S1-001"))) == "None"
    assert why(rule("x"), bare(line("S1-001")), outside("S1-002")) == "None"


def test_a_rule_sees_only_what_it_may_judge() -> None:
    seen = evidence(*TWO, drivers={"S1": "script", "S2": "explore"})
    rules = [rule("all"), rule("both", NOT_OURS), rule("agents", AGENTS), rule("none", frozenset({Driver.OTHER}))]
    shown = {each.id: [call.id for call in view.calls] for each, view in cases(rules, seen)}
    assert shown == {"all": ["S1-001", "S2-001", "S3-001"], "both": ["S1-001", "S3-001"], "agents": ["S3-001"]}


def test_a_line_for_each_obstacle_names_all_its_rules() -> None:
    seen = Evidence([line("S1-001"), line("S2-001")], (), ["tracker"], None, "claude-code", {"S2": "script"})
    rules = [rule("a", AGENTS), rule("b", manifests=True), rule("c", AGENTS), rule("d")]
    assert list(reservations(rules, seen)) == [
        "Rules not judged: glue_code/a, glue_code/c (in S2: driver script).",
        "Rules not judged: glue_code/b (no manifests).",
    ]
