"""The table of rules as a whole (``rules/__init__.py``), and its reference for people."""

import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.evidence import Driver
from mcp_assay.critic.rules import RULES, Cost, Rule

ROOT = Path(__file__).parents[3]
RULES_DIR = ROOT / "src" / "mcp_assay" / "critic" / "rules"

# What the server alone made, or the words of whoever justified a step: true whoever chose the calls.
JUDGED_FOR_ALL = {
    "code-over-results",
    "error-in-success",
    "error-without-cause",
    "fallback-after-error",
    "generic-justification",
    "heavy-items",
    "json-in-text",
    "more-data-than-cursor",
    "passed-over",
    "schema-not-kept",
    "undeclared-requirement",
    "unknown-tool-considered",
    "unlimited-result",
}
# What anybody would have had to do with these servers, but our explorer, which chains values by its own lights.
JUDGED_FOR_SCRIPTS = {
    "changed-form",
    "list-then-get",
    "long-handoff",
    "refused-form",
    "renamed-field",
    "transform-between",
}


def named(rule: Rule) -> str:
    return f"{rule.dimension}/{rule.id}"


def test_every_dimension_has_three_rules_and_every_rule_its_own_name() -> None:
    assert min(Counter(rule.dimension for rule in RULES).values()) >= 3
    assert {rule.dimension for rule in RULES} == set(Dimension)
    assert len({named(rule) for rule in RULES}) == len(RULES)
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id) for rule in RULES)


def test_every_rule_says_why_in_a_sentence() -> None:
    assert all(rule.rationale[0].isupper() and rule.rationale.rstrip('"').endswith(".") for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_a_rule_judges_the_calls_of_those_drivers_of_whom_it_is_true(rule: Rule) -> None:
    if rule.id in JUDGED_FOR_ALL:
        assert rule.drivers == set(Driver)
    elif rule.id in JUDGED_FOR_SCRIPTS:
        assert rule.drivers == {Driver.SCRIPT, Driver.AGENT}
    else:
        assert rule.drivers == {Driver.AGENT}


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_a_rule_is_found_by_its_name(rule: Rule) -> None:
    assert (RULES_DIR / rule.dimension / f"{rule.id.replace('-', '_')}.py").is_file()


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_every_rule_gives_an_example_and_says_why_cost_alone_does_not_decide(rule: Rule) -> None:
    assert rule.example[0].isupper() or rule.example[0] in "`\"'0123456789"
    assert rule.example.rstrip('"').endswith(".")
    bounds = {rule.floor, rule.ceiling} - {Severity.SUGGESTION, Severity.MAJOR}
    bounds |= {Severity.MAJOR} if rule.floor is Severity.MAJOR else set()
    assert all(str(bound) in rule.weight for bound in bounds)
    assert not rule.weight or rule.weight.endswith(".")


@pytest.mark.parametrize("rule", RULES, ids=named)
def test_where_a_draft_has_bounds_of_its_own_the_rule_says_why(rule: Rule) -> None:
    source = (RULES_DIR / rule.dimension / f"{rule.id.replace('-', '_')}.py").read_text(encoding="utf-8")
    assert rule.weight or not re.search(r"at_least=|at_most=", source)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Severity.MINOR),
        ({"at_least": Severity.MAJOR}, Severity.MAJOR),
        ({"at_most": Severity.SUGGESTION}, Severity.SUGGESTION),
        ({"at_least": Severity.CRITICAL, "at_most": Severity.MINOR}, Severity.CRITICAL),
    ],
)
def test_a_drafts_bounds_go_before_the_rules_and_the_lower_one_is_the_stronger(
    given: dict[str, Severity], expected: Severity
) -> None:
    rule = replace(RULES[0], floor=Severity.MINOR, ceiling=Severity.MINOR)
    assert rule.severity(Cost(calls=10), **given) is expected


def test_the_reference_is_what_the_rules_and_their_figures_make_of_it() -> None:
    command = [sys.executable, "-m", "benchmarks.rules_reference", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
