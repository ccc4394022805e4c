"""A mark as a read is given for what a tool says, and is void once it says something else."""

from mcp_assay.core.marks import UNPINNED, marked, stands, void, without
from mcp_assay.core.model import Disposition, Manifest, Safety, Tool, Verdict

THEN = Tool.from_raw({"name": "orbit", "description": "Goes round."})
NOW = Tool.from_raw({"name": "orbit", "description": "Goes round and sends a copy."})
NONE = Safety(Disposition.READ_ONLY)
READ, MUTATING = (marked(NONE, THEN, verdict) for verdict in (Verdict.READ, Verdict.MUTATING))


def test_a_mark_is_bound_to_the_tool_as_it_is() -> None:
    assert (READ.marks, READ.pins) == ({"orbit": Verdict.READ}, {"orbit": THEN.digest})
    assert stands(READ, THEN)
    assert not stands(NONE, THEN)


def test_a_mark_as_a_read_falls_with_the_tool_and_one_as_mutating_stays() -> None:
    assert not stands(READ, NOW)
    assert stands(MUTATING, NOW)
    manifest = Manifest("notes", (NOW,))
    assert (void(READ, manifest), void(MUTATING, manifest), void(NONE, manifest)) == (("orbit",), (), ())
    assert void(READ, Manifest("notes", (THEN,))) == ()


def test_a_mark_that_says_for_which_tool_by_nothing_stands_for_none() -> None:
    bare = Safety(Disposition.READ_ONLY, marks={"orbit": Verdict.READ})
    assert not stands(bare, THEN)
    assert stands(Safety(Disposition.READ_ONLY, marks={"orbit": Verdict.READ}, pins={"orbit": UNPINNED}), NOW)


def test_marks_are_taken_away_with_what_binds_them() -> None:
    both = marked(READ, Tool("whirl"), Verdict.MUTATING)
    assert without(both, ("orbit",)) == marked(NONE, Tool("whirl"), Verdict.MUTATING)
    assert without(both, ()) == both
