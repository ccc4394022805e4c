"""The table of rules as a whole (``rules/__init__.py``), and its reference for people."""

import re
from collections import Counter
from pathlib import Path

import pytest

from mcp_assay.core.model import Dimension
from mcp_assay.critic.evidence import Driver
from mcp_assay.critic.rules import RULES, Rule

REFERENCE = (Path(__file__).parents[3] / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")
RULES_DIR = Path(__file__).parents[3] / "src" / "mcp_assay" / "critic" / "rules"

# What the server alone made, or the words of whoever justified a step: true whoever chose the calls.
JUDGED_FOR_ALL = {
    "error-in-success",
    "error-without-cause",
    "fallback-after-error",
    "generic-justification",
    "json-in-text",
    "more-data-than-cursor",
    "passed-over",
    "schema-not-kept",
    "undeclared-requirement",
    "unknown-tool-considered",
    "unlimited-result",
}
# What anybody would have had to do with these servers, but our explorer, which chains values by its own lights.
JUDGED_FOR_SCRIPTS = {"changed-form", "list-then-get", "long-handoff", "refused-form", "transform-between"}


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
def test_the_reference_describes_a_rule_as_it_is(rule: Rule) -> None:
    section = REFERENCE.partition(f"\n## {rule.dimension}\n")[2].partition("\n## ")[0]
    entry = section.partition(f"\n### {rule.id}\n")[2].partition("\n### ")[0]
    needs = "manifests" if rule.needs_manifests else "nothing"
    judges = "everybody's" if rule.drivers == set(Driver) else " ".join(sorted(rule.drivers))
    assert f"\njudges: {judges} · needs: {needs} · bare transcripts: {'no' if rule.needs_facts else 'yes'}\n" in entry
    assert " ".join(rule.rationale.split()) in " ".join(entry.split())
    assert "Example: " in entry


def test_the_reference_describes_no_other_rules() -> None:
    assert len(re.findall("^### ", REFERENCE, re.MULTILINE)) == len(RULES)
