"""The list at the gate: own scenarios first, then what the manifests suggest, never more than eight."""

import pytest

from mcp_assay.core.model import Disposition, Manifest, Safety, Tool
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import RawScenario
from mcp_assay.errors import UserError
from mcp_assay.proposing import Propose

LIMIT = {"limit": {"type": "integer"}, "offset": {"type": "integer"}}
LIST = Tool.from_raw({"name": "list_items", "inputSchema": {"type": "object", "properties": LIMIT}})
PATH = {"type": "object", "properties": {"path": {"type": "string"}}}
WRITE = Tool.from_raw({"name": "delete_item", "inputSchema": PATH})
SURFACE = {"a": Manifest("a", (LIST, WRITE)), "b": Manifest("b", (LIST,))}
SAFETY = {"a": Safety(Disposition.READ_ONLY), "b": Safety(Disposition.SKIP)}


def propose(is_person=False, scenarios=1, **plan):
    own = tuple(RawScenario(f"look {number}") for number in range(scenarios))
    answers = Plan(**({"scenarios": own, "dispositions": SAFETY} | plan))
    return Propose(answers, SAFETY, SURFACE, calls=20, is_person=is_person)


def listed(proposer):
    return proposer.with_derived(proposer.users(None).scenarios).scenarios


def test_a_plan_gets_derived_scenarios_only_if_it_asks_for_them():
    assert {scenario.source for scenario in listed(propose())} == {"user"}
    assert {scenario.source for scenario in listed(propose(derive="unpinned"))} == {"user", "derived"}


def test_a_person_is_always_shown_proposals():
    assert {scenario.source for scenario in listed(propose(is_person=True))} == {"user", "derived"}


def test_ids_go_on_and_no_skipped_server_is_proposed_for():
    found = listed(propose(derive="unpinned"))
    assert [scenario.id for scenario in found] == [f"S{number}" for number in range(1, len(found) + 1)]
    assert all("b" not in scenario.targets_mcps for scenario in found)


def test_a_full_list_gets_nothing_derived():
    assert {scenario.source for scenario in listed(propose(derive="unpinned", scenarios=8))} == {"user"}


def test_what_could_not_be_derived_is_said_with_the_reason():
    proposer = propose(derive="unpinned")
    gaps = proposer.with_derived(proposer.users(None).scenarios).gaps
    assert any(gap.startswith("a: ") for gap in gaps)
    assert not any(gap.startswith("b: ") for gap in gaps)


def test_tours_stand_in_for_scenarios_that_the_user_has_not():
    taken = propose(scenarios=0, tour=True).users(None)
    (tour,) = taken.scenarios
    assert (tour.source, tour.targets_mcps, tour.entry) == ("user", ("a",), 0)
    assert {step.tool for step in tour.steps} == {"mcp__a__list_items"}


def test_tools_that_lack_the_same_thing_share_one_note():
    def wants(name, parameter):
        schema = {"type": "object", "properties": {parameter: {"type": "string"}}, "required": [parameter]}
        return Tool.from_raw({"name": name, "inputSchema": schema})

    tools = (LIST, wants("read_wibble", "wibble"), wants("show_wibble", "wibble"), wants("read_wobble", "wobble"))
    proposer = Propose(Plan(tour=True), {"a": SAFETY["a"]}, {"a": Manifest("a", tools)}, calls=20, is_person=False)
    assert proposer.users(None).notes == (
        "a: read_wibble, show_wibble cannot be called: nothing here supplies `wibble`.",
        "a: read_wobble cannot be called: nothing here supplies `wobble`.",
    )


def test_own_scenarios_win_over_tours():
    assert propose(tour=True).users(None).scenarios[0].description == "look 0"


def test_a_surface_that_offers_nothing_to_call_is_nothing_to_evaluate():
    proposer = Propose(Plan(tour=True), {"b": SAFETY["b"]}, {"b": SURFACE["b"]}, calls=20, is_person=False)
    with pytest.raises(UserError, match="nothing to evaluate"):
        proposer.users(None)


def test_only_an_unpinned_list_holds_up_a_plan():
    proposer = propose(derive="unpinned")
    assert proposer.is_pinned(proposer.with_derived(proposer.users(None).scenarios))
    other = propose(derive="sha256:" + "0" * 64)
    assert not other.is_pinned(other.with_derived(other.users(None).scenarios))
