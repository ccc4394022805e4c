"""A written plan answers only what it says, and approves only the list whose digest it names."""

import asyncio

import pytest

from mcp_assay.core.derive import list_digest
from mcp_assay.core.model import Scenario, Step
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import Approval
from mcp_assay.errors import UserError
from mcp_assay.interviewer import Existing, Proposal, Written

OWN = Scenario("S1", "user", "mine")
DERIVED = Scenario("S2", "derived", "walk the pages", ("a",), (Step("mcp__a__list", {"limit": 2}),))
BOTH = Proposal((OWN, DERIVED))
CHOICES = [(Existing.RESUME, "go on"), (Existing.RESTART, "anew"), (Existing.LEAVE, "leave")]


def written(existing=None):
    return Written(frozenset(), named=True, existing=existing)


def approve(proposal=BOTH, **answers):
    plan = Plan(**({"approval": Approval.APPROVE} | answers))
    return asyncio.run(written().approve(plan, proposal))[1]


def test_a_list_without_derived_scenarios_needs_only_the_literal_token():
    assert approve(Proposal((OWN,))) == (OWN,)


def test_user_only_drops_what_was_derived():
    assert approve(approval=Approval.USER_ONLY) == (OWN,)


@pytest.mark.parametrize("derive", ["unpinned", list_digest([DERIVED])])
def test_derived_scenarios_are_approved_by_their_digest_or_openly_unpinned(derive):
    assert approve(derive=derive) == (OWN, DERIVED)


@pytest.mark.parametrize("derive", [None, "sha256:" + "0" * 64])
def test_another_list_than_the_approved_one_does_not_run(derive):
    with pytest.raises(UserError, match=list_digest([DERIVED])):
        approve(derive=derive)


def existing(flag, choices, default):
    return asyncio.run(written(flag).existing("here is one", choices, default))


@pytest.mark.parametrize("flag", [Existing.RESUME, Existing.RESTART])
def test_a_flag_answers_what_to_do_with_an_existing_one(flag):
    assert existing(flag, CHOICES, Existing.RESUME) is flag


@pytest.mark.parametrize("flag", [None, Existing.REPARSE])
def test_without_a_fitting_flag_it_is_an_error_that_names_the_flags(flag):
    with pytest.raises(UserError, match="--resume or --restart"):
        existing(flag, CHOICES, Existing.RESUME)


def test_resuming_a_critique_takes_the_default_of_parsing_again():
    three = [(Existing.REPARSE, ""), (Existing.RECRITIQUE, ""), (Existing.RESTART, "")]
    assert existing(Existing.RESUME, three, Existing.REPARSE) is Existing.REPARSE


def test_a_digest_of_a_part_of_the_list_approves_that_part_again():
    other = Scenario("S3", "derived", "find nothing", ("a",), (Step("mcp__a__search", {"q": "zz"}),))
    kept = approve(Proposal((OWN, DERIVED, other)), derive=list_digest([other]))
    assert [(scenario.id, scenario.description) for scenario in kept] == [("S1", "mine"), ("S2", "find nothing")]
