"""The approval gate: two words, literally; and edits that are read mechanically."""

import asyncio
from dataclasses import replace

import pytest

from mcp_assay.cli.approving import approve
from mcp_assay.core.derive import list_digest
from mcp_assay.core.model import Scenario, Step
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import Approval, RawScenario
from mcp_assay.interviewer import Proposal
from scripted import CTRL_C, Scripted

LOOK = Scenario("S1", "user", "Look.", ("notes",), (Step("mcp__notes__list_notes"),))
WALK = Scenario("S2", "derived", "Walk past the first page.", ("notes",))
HAND = Scenario("S3", "derived", "Hand an issue over.", ("notes", "far"))
LIST = (LOOK, WALK, HAND)
PLAN = Plan(scenarios=(RawScenario("Look.", ("notes",), LOOK.steps),))
QUESTION = """\
Approve this scenario list? Reply with exactly one of:

• approve — proceed with this list as-is
• user-only — drop all derived scenarios and proceed with user scenarios only
• An edit request: describe the changes ("drop S3", "rewrite S2 to ...", "add one for ...")

Any other response will be treated as an edit request. Execution does not start until you type approve or user-only.
"""
AGAIN = "Describe the specific edit"
NO_APPROVAL = [
    "yes", "ok", "sure", "sounds good", "lgtm", "LGTM", "proceed", ":+1:", "approve it", "Approve it", "approve please",
    "approved", "approve.", "approve!", '"approve"', "`approve`", "app rove", "aprove", "y", "", "  ", "go", "1",
    "true", "user only", "user_only", "useronly", "user-only please", "approve user-only", "approve\napprove",
    "\u0430pprove", "approve S1", "all", "I approve", "approve —", "approve\u200b", "drop", "drop everything",
    "rewrite S2", "S2",
]  # fmt: skip


def ask(person: Scripted, *scenarios: Scenario, plan: Plan = PLAN, **more: object) -> tuple[Plan, list[Scenario]]:
    proposal = replace(Proposal(scenarios or LIST), **more)
    plan, kept = asyncio.run(approve(person.ask, plan, proposal))
    assert person.left == []
    return plan, list(kept)


@pytest.mark.parametrize("typed", ["approve", " APPROVE ", "Approve\n"])
def test_approve_takes_the_list_as_it_is(typed: str) -> None:
    plan, kept = ask(Scripted(typed))
    assert kept == list(LIST)
    assert plan == replace(PLAN, approval=Approval.APPROVE, derive=list_digest([WALK, HAND]))


@pytest.mark.parametrize("typed", ["user-only", " User-Only "])
def test_user_only_drops_what_was_derived(typed: str) -> None:
    plan, kept = ask(Scripted(typed))
    assert kept == [LOOK]
    assert plan == replace(PLAN, approval=Approval.USER_ONLY)


@pytest.mark.parametrize("typed", NO_APPROVAL)
def test_nothing_else_approves_and_the_question_is_asked_again(typed: str) -> None:
    person = Scripted(typed, "user-only")
    assert ask(person)[1] == [LOOK]
    assert AGAIN in person.shown


def test_the_full_list_and_the_literal_question_are_shown_before_the_answer_and_typing_ahead_does_not_count() -> None:
    person = Scripted("approve")
    ask(person)
    assert QUESTION in person.shown
    assert person.shown.index("S1  user     Look.") < person.shown.index("S3  derived") < person.shown.index("Approve")
    assert person.forgotten_before == [0]


@pytest.mark.parametrize(
    ("edit", "kept"),
    [
        ("drop S2", [("S1", "user", "Look."), ("S2", "derived", "Hand an issue over.")]),
        ("drop S2, s3", [("S1", "user", "Look.")]),
        ("add one for the archive", [*((s.id, s.source, s.description) for s in LIST), ("S4", "user", "the archive")]),
        (
            "rewrite S2 to look twice",
            [("S1", "user", "Look."), ("S2", "user", "look twice"), ("S3", "derived", "Hand an issue over.")],
        ),
    ],
)
def test_an_edit_renumbers_and_the_list_is_shown_and_asked_about_again(
    edit: str, kept: list[tuple[str, str, str]]
) -> None:
    person = Scripted(edit, "approve")
    _, after = ask(person)
    assert [(item.id, item.source, item.description) for item in after] == kept
    assert person.shown.count("Approve this scenario list?") == 2
    assert all(f"{name:<3} {source:<8} {text}" in person.shown.rpartition("Approve")[0] for name, source, text in kept)
    assert person.forgotten_before == [0, 1]


@pytest.mark.parametrize(
    ("edit", "said"), [("drop S9", "there is no S9"), ("drop S1", "at least one scenario of yours must stay")]
)
def test_an_edit_that_cannot_be_changes_nothing_and_says_why(edit: str, said: str) -> None:
    person = Scripted(edit, "approve")
    assert ask(person)[1] == list(LIST)
    assert f"nothing was changed: {said}" in person.shown


def test_user_only_after_edits_keeps_every_scenario_that_is_the_users_and_numbers_them_through() -> None:
    _, kept = ask(Scripted("add one for the archive", "user-only"))
    assert [(item.id, item.description) for item in kept] == [("S1", "Look."), ("S2", "the archive")]


# --- the plan that would have answered so ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "edited"),
    [
        (PLAN, False),
        (Plan(scenarios_file="/x/s.yaml"), False),
        (Plan(tour=True), False),
        (Plan(scenarios_file="/x/s.yaml"), True),
        (Plan(tour=True), True),
    ],
)
def test_the_users_list_is_written_out_only_if_it_was_edited(plan: Plan, *, edited: bool) -> None:
    after, _ = ask(Scripted(*(["add one for the archive"] if edited else []), "approve"), plan=plan)
    if not edited:
        assert (after.scenarios, after.scenarios_file, after.tour) == (plan.scenarios, plan.scenarios_file, plan.tour)
        return
    assert (after.scenarios_file, after.tour) == (None, False)
    assert [(item.description, item.steps) for item in after.scenarios] == [("Look.", LOOK.steps), ("the archive", ())]


def test_the_digest_in_the_plan_is_that_of_the_derived_scenarios_that_stayed() -> None:
    assert ask(Scripted("drop S3", "approve"))[0].derive == list_digest([WALK])
    assert ask(Scripted("drop S2, S3", "approve"))[0].derive is None
    assert ask(Scripted("approve"), LOOK, plan=replace(PLAN, derive="unpinned"))[0].derive is None


# --- weak signals, and what could not be derived ---------------------------------------------------------------------

WEAK = {"S3": "only their names overlap"}


@pytest.mark.parametrize(
    ("replies", "kept"),
    [
        (("keep", "approve"), ["S1", "S2", "S3"]),
        (("drop", "approve"), ["S1", "S2"]),
        (("", "yes", "approve", "ok", "keep", "approve"), ["S1", "S2", "S3"]),
    ],
)
def test_a_scenario_on_a_weak_signal_is_on_the_list_only_if_it_was_accepted_by_itself(
    replies: tuple[str, ...], kept: list[str]
) -> None:
    person = Scripted(*replies)
    assert [scenario.id for scenario in ask(person, weak=WEAK)[1]] == kept
    assert "weak signal  only their names overlap" in person.shown.partition("Approve this")[0]
    assert person.shown.count("weak signal  ") == len(kept) - 1


def test_what_is_dropped_as_weak_leaves_no_gap_in_the_ids() -> None:
    _, kept = ask(Scripted("drop", "approve"), weak={"S2": "why"})
    assert [(item.id, item.description) for item in kept] == [("S1", "Look."), ("S2", "Hand an issue over.")]


def test_what_could_not_be_derived_is_listed_with_its_reasons() -> None:
    person = Scripted("approve")
    ask(person, gaps=tuple(f"notes: pagination: reason {number}" for number in range(20)))
    assert "notes: pagination: reason 0\n" in person.shown
    assert "and 8 more" in person.shown


@pytest.mark.parametrize("replies", [(CTRL_C,), ("keep", CTRL_C), ("keep", "drop S2", CTRL_C), ("keep", "ok", CTRL_C)])
def test_ctrl_c_approves_nothing(replies: tuple[str, ...]) -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(Scripted(*replies), weak=WEAK)
