"""A mutator plants one defect at one place, it comes up, and the calls that show it are known."""

from collections import Counter

import pytest
from benchmarks.friction.catalog import SERVERS, surface
from benchmarks.friction.mutators import MUTATORS
from benchmarks.friction.run import Part, runs
from benchmarks.friction.serve import described
from benchmarks.friction.surface import Kind

from lab import played

# What changes beside the tool at which a defect is planted: its list, a tool more, or one less.
BESIDE = {"own_id_form": "list", "renamed_identifier": "list", "no_summary": "gone"}
MORE = {"duplicate_tools", "split_details", "call_order", "same_data_twice"}


def test_there_are_enough_kinds_in_every_dimension():
    measured = Counter(kind.dimension for kind in MUTATORS.values() if not kind.held_back)
    assert len(measured) == 5
    assert min(measured.values()) >= 4
    assert measured.total() >= 24
    assert {kind.kind for kind in MUTATORS.values() if kind.held_back} == {
        "split_details",
        "text_cut",
        "case_sensitive_search",
    }


@pytest.mark.parametrize("kind", [kind for kind in MUTATORS if MUTATORS[kind].mcp != ""])
def test_a_defect_changes_its_tool_and_nothing_else(kind):
    planted = [(name, tool) for name in SERVERS for tool in MUTATORS[kind].targets(surface(name))]
    assert planted
    for name, tool in planted:
        clean, mutated = surface(name), surface(name, kind, tool)
        at = clean.of(Kind.LIST, clean.tools[tool].role.entity).name if BESIDE.get(kind) == "list" else tool
        kept = set(clean.tools) - {at}
        assert all(mutated.tools[other] is clean.tools[other] for other in kept)
        assert (at in mutated.tools) is (BESIDE.get(kind) != "gone" and "." not in at)
        assert bool(set(mutated.tools) - set(clean.tools)) is (kind in MORE)
        if at in mutated.tools:
            assert (mutated.tools[at] is clean.tools[at]) is (kind == "duplicate_tools")
        assert {tool.name for tool in mutated.tools.values()} == set(mutated.tools)
        assert all(described(tool) for tool in mutated.tools.values())


@pytest.mark.parametrize("kind", MUTATORS)
def test_a_defect_comes_up_and_what_shows_it_was_called(kind):
    for run in runs(Part("any", SERVERS, range(2), clean=0, mutated=1), [kind]):
        for one in played(run):
            name = run.defect.server or run.servers[0]
            expected = MUTATORS[kind].expected(surface(name), run.defect.tool, one.made)
            if expected:
                assert expected <= {made.id for made in one.made}
                return
    pytest.fail("it never came up")


UNSEEN = ("split_details", "text_cut", "case_sensitive_search")
MADE_NECESSARY = ("enum_in_prose", "required_not_marked", "call_order", "date_format", "unsupplied_identifier")


@pytest.mark.parametrize(
    "kind", [*MADE_NECESSARY, "no_lookup", "no_batch", "no_filter", "csv_in_text", "epoch_dates", *UNSEEN]
)
def test_without_the_defect_there_is_nothing_to_cite(kind):
    """What is made in vain or in addition because of a defect is not made on a clean server."""
    for run in runs(Part("any", SERVERS[:4], range(1), clean=1, mutated=0), []):
        for name in run.servers:
            for tool in MUTATORS[kind].targets(surface(name)):
                assert not any(MUTATORS[kind].expected(surface(name), tool, one.made) for one in played(run))
