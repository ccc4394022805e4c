"""What the generated reference of the rules says of figures: theirs, or that there are none."""

import re

from benchmarks.rules_reference import reference

SHARE = {"hits": 49, "of": 50, "value": 0.98, "low": 0.9, "high": 1.0}
NONE = {"hits": 0, "of": 0, "value": None, "low": 0.0, "high": 1.0}


def entry(page, rule):
    return page.partition(f"\n### {rule}\n")[2].partition("\n### ")[0]


def test_without_figures_every_rule_says_so():
    page = reference({})
    assert page.count("\nMeasured: not yet.\n") == page.count("\n### ")
    assert "Nothing was measured yet." in page


def test_a_rules_figures_are_those_of_the_held_out_part():
    rules = {"glue_code/passed-over": {"precision": SHARE, "recall": {**SHARE, "hits": 45}}}
    page = reference({"date": "2026-12-01", "held_out": {"rules": rules}, "tuning": {"rules": {}}})
    measured = "\nMeasured: precision 0.98 (49 of 50), recall 0.90 (45 of 50).\n"
    assert measured in entry(page, "passed-over")
    assert "\nMeasured: not yet.\n" in entry(page, "polling")
    assert re.search(r"\(2026-12-01;\s+synthetic\)", page)


def test_of_a_rule_that_was_never_wanted_there_is_no_share():
    rules = {"glue_code/passed-over": {"precision": SHARE, "recall": NONE}}
    assert "recall not yet." in entry(reference({"held_out": {"rules": rules}}), "passed-over")
