"""Phases 2 and 3 from a plan: nothing is assumed, everything missing is told at once."""

import re

import pytest

from mcp_assay import interview
from mcp_assay.core.model import Disposition, Manifest, Safety, ServerConfig, Tool, Verdict
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import Approval, RawScenario
from mcp_assay.errors import UserError

ALL = frozenset({"connect", "dispositions", "scenarios", "approval"})
SERVERS = [ServerConfig("a", "f", command="a"), ServerConfig("b", "f", command="b")]


def tool(name, **properties):
    return Tool.from_raw({"name": name, "inputSchema": {"type": "object", "properties": properties}})


FROBNICATE = tool("frobnicate")
SURFACE = {
    "a": Manifest("a", (tool("list_items"), tool("delete_item", path={"type": "string"}), FROBNICATE)),
    "b": Manifest("b", limitation="it did not start"),
}
READ_ONLY, SANDBOXED, SKIP = (Safety(kind, ("path: /s",)) for kind in Disposition)


def plan(**more):
    given = {
        "dispositions": {"a": READ_ONLY, "b": SKIP},
        "scenarios": (RawScenario("look around"),),
        "approval": Approval.APPROVE,
        "source": "plan.yaml",
    }
    return Plan(**(given | more))


def require(given, needed=ALL, **more):
    interview.require_answers(
        given, SERVERS, needed, **({"named": True, "trusted": False, "has_scenarios": False} | more)
    )


def test_a_plan_that_answers_everything_is_enough():
    require(plan())


def test_all_that_is_missing_is_told_at_once_and_names_the_plan():
    with pytest.raises(UserError) as told:
        require(Plan(source="plan.yaml"), named=False)
    text = str(told.value)
    assert text.startswith("plan.yaml")
    for key in ("dispositions: add 'a'", "dispositions: add 'b'", "connect: add 'a'", "scenarios:", "approval:"):
        assert key in text


def test_a_run_that_stops_early_needs_only_what_it_comes_to():
    require(Plan(), frozenset({"connect"}))
    with pytest.raises(UserError, match="dispositions"):
        require(Plan(), frozenset({"connect", "dispositions"}))


def test_without_a_plan_the_message_says_so():
    with pytest.raises(UserError, match="--plan FILE"):
        require(Plan())


@pytest.mark.parametrize("token", [None, Approval.EDIT])
def test_nothing_runs_without_the_literal_approval(token):
    with pytest.raises(UserError, match="approval"):
        require(plan(approval=token))


@pytest.mark.parametrize(
    ("marks", "pins", "problem"),
    [
        ({"frobnicate": Verdict.READ}, {"frobnicate": FROBNICATE.digest}, None),
        ({"frobnicate": Verdict.READ}, {"frobnicate": "unpinned"}, None),
        ({"frobnicate": Verdict.MUTATING}, {}, None),
        ({"list_items": Verdict.MUTATING}, {}, None),
        ({"list_items": Verdict.READ}, {}, None),
        ({"frobnicat": Verdict.READ}, {}, "no such tool"),
        ({"delete_item": Verdict.READ}, {}, "a mark cannot pardon"),
        ({"frobnicate": Verdict.READ}, {}, f"bind it to that: {{mark: read, tool: {FROBNICATE.digest}}}"),
        ({"frobnicate": Verdict.READ}, {"frobnicate": "sha256:older"}, None),
    ],
)
def test_marks_name_tools_that_are_there_and_pardon_none(marks, pins, problem):
    marked = plan(dispositions={"a": Safety(Disposition.READ_ONLY, marks=marks, pins=pins), "b": SKIP})
    if problem is None:
        interview.check_marks(marked, SURFACE)
    else:
        with pytest.raises(UserError, match=re.escape(problem)):
            interview.check_marks(marked, SURFACE)


def test_a_mark_that_was_for_another_form_of_the_tool_is_taken_away_and_told():
    marks, pins = {"frobnicate": Verdict.READ, "list_items": Verdict.MUTATING}, {"frobnicate": "sha256:older"}
    kept = Safety(Disposition.READ_ONLY, marks=marks, pins=pins)
    stands, notes = interview.standing(plan(dispositions={"a": kept, "gone": kept}), SURFACE)
    assert stands.dispositions["a"] == Safety(Disposition.READ_ONLY, marks={"list_items": Verdict.MUTATING})
    assert stands.dispositions["gone"] == kept
    assert notes == ("a: the mark of frobnicate as read is void: the tool is not the one it was for",)


def test_an_undetermined_tool_comes_with_its_signs_and_the_digest_that_binds_a_mark():
    (found,) = interview.undetermined(plan(), SURFACE)
    assert found == {
        "mcp": "a", "tool": "frobnicate", "digest": FROBNICATE.digest, "read": [], "mutating": []
    }  # fmt: skip
    told = list(interview.advice(plan(), SURFACE, [found | {"read": ["one", "two"]}], detailed=True))
    assert told[-3:] == [
        "a: frobnicate: for a read: one; two",
        "a: frobnicate: against: nothing",
        f"a: frobnicate: to mark it: {{mark: read or mutating, tool: {FROBNICATE.digest}}}",
    ]
    assert list(interview.advice(plan(), SURFACE, [found]))[-1].startswith("--until interview tells")


def test_advice_for_read_only_names_mutating_and_undetermined_tools():
    told = list(interview.advice(plan(), SURFACE))
    assert any("delete_item" in line and "refused" in line for line in told)
    assert any("frobnicate" in line and "aborts" in line for line in told)
    assert not any(line.startswith("b") for line in told)


def test_advice_for_a_sandbox_names_tools_that_could_never_match():
    told = list(interview.advice(plan(dispositions={"a": SANDBOXED, "b": SKIP}), SURFACE))
    assert any("frobnicate" in line and "always be refused" in line for line in told)
    assert not any("delete_item" in line for line in told)


@pytest.mark.parametrize(("entry", "named"), [("one", True), ("/srv/box", False)])
def test_a_tool_that_no_listed_resource_fits_is_named_too(entry, named):
    surface = {"a": Manifest("a", (tool("write_item", body={"type": "string"}, place={"type": "string"}),))}
    told = interview.advice(plan(dispositions={"a": Safety(Disposition.SANDBOXED, (entry,))}), surface)
    assert any("write_item can name a test resource" in line for line in told) is named


def test_a_scenario_that_targets_a_skip_mcp_is_dropped_and_said_so():
    both = (RawScenario("one", ("a",)), RawScenario("two", ("b",)), RawScenario("three"))
    taken = interview.scenarios(plan(scenarios=both), None, SURFACE)
    assert [(kept.id, kept.description) for kept in taken.scenarios] == [("S1", "one"), ("S2", "three")]
    assert taken.notes == ("A scenario was dropped because it targets a skip MCP: two",)


def test_when_every_scenario_is_dropped_there_is_nothing_to_evaluate():
    with pytest.raises(UserError, match="nothing to evaluate"):
        interview.scenarios(plan(scenarios=(RawScenario("two", ("b",)),)), None, SURFACE)


def test_a_file_on_the_command_line_wins_over_the_plans(tmp_path):
    path = tmp_path / "s.txt"
    path.write_text("from the file\n")
    taken = interview.scenarios(plan(), path, SURFACE)
    assert taken.scenarios[0].description == "from the file"
    assert taken.sha256.startswith("sha256:")


def test_a_step_with_a_slip_of_the_pen_is_told_before_anything_runs(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("- description: x\n  steps:\n    - tool: mcp__a__list_item\n")
    with pytest.raises(UserError, match=r"a offers no list_item.*list_items"):
        interview.scenarios(plan(), path, SURFACE)


def test_the_state_keeps_argument_names_and_no_argument(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("- description: x\n  steps:\n    - tool: mcp__a__delete_item\n      args: {path: CANARY}\n")
    taken = interview.scenarios(plan(), path, SURFACE)
    entry = interview.entry(taken.scenarios[0], taken)
    assert entry["assay"]["steps"] == [{"tool": "mcp__a__delete_item", "args": ["path"]}]
    assert "CANARY" not in str(entry)


def test_the_state_does_not_grow_with_the_number_of_steps(tmp_path):
    path = tmp_path / "s.yaml"
    path.write_text("- description: x\n  steps:\n" + "    - {tool: mcp__a__list_items, args: {limit: 1}}\n" * 40)
    taken = interview.scenarios(plan(), path, SURFACE)
    ours = interview.entry(taken.scenarios[0], taken)["assay"]
    assert (ours["steps"], ours["step_count"]) == ([{"tool": "mcp__a__list_items", "args": ["limit"]}], 40)
