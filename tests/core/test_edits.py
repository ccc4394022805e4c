"""Edits at the approval gate are three forms and nothing else; what is approved stays literal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.edits import Add, Drop, Rewrite, apply, parse
from mcp_assay.core.model import Scenario, Step
from mcp_assay.core.scenarios import Approval, approval

LIST = [
    Scenario("S1", "user", "one"),
    Scenario("S2", "derived", "two", ("a",), (Step("mcp__a__x"),)),
    Scenario("S3", "user", "three"),
]


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        ("drop S3", Drop(("S3",))),
        (" Drop s1, S3 and s1 ", Drop(("S1", "S3"))),
        ('"drop S2"', Drop(("S2",))),
        ("rewrite S2 to list all\n the items", Rewrite("S2", "list all the items")),
        ("rewrite s1 as: “read it”", Rewrite("S1", "read it")),
        ("add one for reading labels", Add("reading labels")),
        ("add list the labels", Add("list the labels")),
        ("drop", None),
        ("drop everything", None),
        ("drop S1 please", None),
        ("rewrite S2", None),
        ("rewrite S2 to", None),
        ("rewrite S2 to “ ”", None),
        ("add “”", None),
        ("add", None),
        ("yes", None),
        ("", None),
    ],
)
def test_what_counts_as_an_edit(text, edit):
    assert parse(text) == edit


@pytest.mark.parametrize(
    "word",
    ["yes", "ok", "sure", "sounds good", "lgtm", "proceed", ":+1:", "approve it", "approve please", "approve.", ""],
)
def test_no_friendly_word_is_an_approval_or_an_edit(word):
    assert approval(word) is Approval.EDIT
    assert parse(word) is None


def test_dropping_renumbers():
    kept, problem = apply(Drop(("S1",)), LIST)
    assert problem is None
    assert [(scenario.id, scenario.description) for scenario in kept] == [("S1", "two"), ("S2", "three")]


def test_the_last_scenario_of_the_user_cannot_be_dropped():
    kept, problem = apply(Drop(("S1", "S3")), LIST)
    assert kept == LIST
    assert "of yours must stay" in problem


def test_a_rewritten_scenario_is_the_users_and_has_no_derived_steps():
    kept, _ = apply(Rewrite("S2", "read two"), LIST)
    assert kept[1] == Scenario("S2", "user", "read two", ("a",))


def test_adding_stops_at_eight():
    eight = [Scenario(f"S{number}", "user", "x") for number in range(1, 9)]
    assert "drop one first" in apply(Add("y"), eight)[1]
    assert apply(Add("y"), eight[:7])[0][-1] == Scenario("S8", "user", "y")


def test_an_id_that_is_not_there_is_named():
    assert apply(Drop(("S9",)), LIST) == (LIST, "there is no S9")
    assert apply(Rewrite("S9", "x"), LIST) == (LIST, "there is no S9")


@given(st.text())
def test_any_text_is_read_without_complaint(text):
    edit = parse(text)
    if edit is not None:
        apply(edit, LIST)
