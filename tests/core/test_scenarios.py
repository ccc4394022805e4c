from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.model import Disposition, Scenario
from mcp_assay.core.scenarios import Approval, RawScenario, approval, drop_skipped, from_text, from_values, numbered
from mcp_assay.errors import InputError, UserError


def line_of(path: tuple[str | int, ...]) -> int:
    """A file in which entry N stands on line N + 1 and each key below it on the same line."""
    return int(path[0]) + 2 if path else 1


def complaints(value: object) -> str:
    with pytest.raises(InputError) as caught:
        from_values(value, "s.yaml", line_of)
    return str(caught.value)


# --- plain text ---


def test_plain_text_is_one_scenario_per_line_without_comments_and_blank_lines() -> None:
    text = "  find two rows \n\n# not this\n  # nor this\nsum them # up\r\n\t\n"
    found = from_text(text, "s.txt")
    assert [(item.description, item.line, item.entry) for item in found] == [
        ("find two rows", 1, 1),
        ("sum them # up", 5, 2),
    ]
    assert all(item.targets_mcps == () for item in found)


def test_plain_text_lines_end_at_a_line_feed_and_nowhere_else() -> None:
    assert [item.description for item in from_text("a\u2028b\x0bc\x85d", "s.txt")] == ["a\u2028b\x0bc\x85d"]


def test_plain_text_does_not_sniff_other_formats() -> None:
    assert from_text('[{"description": "x"}]', "s.conf")[0].description == '[{"description": "x"}]'


# --- loaded values ---


def test_a_list_of_objects_becomes_scenarios() -> None:
    found = from_values(
        [{"description": " x "}, {"description": "y", "targets_mcps": ["b", "a", "b"]}], "s.json", line_of
    )
    assert found == [
        RawScenario("x", source="s.json", entry=1, line=2),
        RawScenario("y", ("b", "a"), source="s.json", entry=2, line=3),
    ]


@pytest.mark.parametrize(
    ("entry", "word"),
    [
        ("just text", "must be an object"),
        (None, "must be an object"),
        ([], "must be an object"),
        ({}, "description is missing"),
        ({"Search": "list open items"}, "description is missing"),
        ({"description": ""}, "description is empty"),
        ({"description": " \n"}, "description is empty"),
        ({"description": None}, "description must be a string"),
        ({"description": 42}, "description must be a string"),
        ({"description": True}, "description must be a string"),
        ({"description": ["x"]}, "description must be a string"),
        ({"description": object()}, "description must be a string"),
        ({"description": "x", "targets_mcps": "a"}, "targets_mcps must be a list of strings"),
        ({"description": "x", "targets_mcps": [False]}, "targets_mcps must be a list of strings"),
        ({"description": "x", "targets_mcps": None}, "targets_mcps must be a list of strings"),
        ({"description": "x", "target_mcps": ["a"]}, "did you mean 'targets_mcps'?"),
        ({"description": "x", "steps": 5}, "steps must be a list"),
    ],
)
def test_a_bad_entry_is_named_with_its_file_and_line(entry: Any, word: str) -> None:
    message = complaints([{"description": "fine"}, entry])
    assert "s.yaml:3: entry 2: " in message
    assert word in message


def test_all_bad_entries_are_named_at_once() -> None:
    message = complaints([{"description": 1}, {"description": "ok"}, {}, "x"])
    assert message.startswith("s.yaml:2: 3 problems")
    assert [f"entry {number}" in message for number in (1, 2, 3, 4)] == [True, False, True, True]


@pytest.mark.parametrize("value", [{"description": "x"}, {"scenarios": []}, "x", 5])
def test_what_is_no_list_is_refused(value: Any) -> None:
    assert "s.yaml:1: must be a list of scenarios" in complaints(value)


@pytest.mark.parametrize("value", [None, []])
def test_an_empty_file_stops_with_nothing_to_evaluate(value: Any) -> None:
    with pytest.raises(UserError, match="fewer than 1 scenario: nothing to evaluate"):
        from_values(value, "s.yml", line_of)
    with pytest.raises(UserError, match="nothing to evaluate"):
        from_text("# only this\n", "s.txt")


# --- numbers and names ---


def raw(count: int) -> list[RawScenario]:
    return [RawScenario(f"d{number}", source="s.txt", entry=number, line=number) for number in range(1, count + 1)]


def test_ids_are_given_in_order() -> None:
    assert [item.id for item in numbered(raw(8), [])] == [f"S{number}" for number in range(1, 9)]
    assert numbered(raw(1), [], "derived")[0].source == "derived"


def test_more_than_eight_or_none_is_an_error() -> None:
    with pytest.raises(UserError, match=r"s\.txt: 9 scenarios; at most 8"):
        numbered(raw(9), [])
    with pytest.raises(UserError, match="nothing to evaluate"):
        numbered([], [])


def test_targets_must_be_attached() -> None:
    item = RawScenario("x", ("tracker", "notse", "zzz"), source="s.yaml", entry=3, line=7)
    with pytest.raises(InputError) as caught:
        numbered([item], ["tracker", "notes"])
    message = str(caught.value)
    assert "s.yaml:7: entry 3: targets_mcps: no attached MCP is named 'notse'; did you mean 'notes'?" in message
    assert "'zzz'; attached: tracker, notes" in message
    assert numbered([RawScenario("x", ("notes",))], ["notes"])[0].targets_mcps == ("notes",)


def test_a_steps_tool_must_name_an_attached_mcp() -> None:
    def with_tool(tool: str) -> list[RawScenario]:
        return from_values([{"description": "x", "steps": [{"tool": tool}]}], "s.yaml", line_of)

    assert numbered(with_tool("mcp__my_notes__add"), ["my notes"])[0].steps[0].tool == "mcp__my_notes__add"
    with pytest.raises(InputError, match=r"s\.yaml:2: entry 1: step 1: 'mcp__other__add' names no attached MCP"):
        numbered(with_tool("mcp__other__add"), ["my notes"])


# --- skip ---


def test_scenarios_that_target_a_skipped_mcp_are_dropped_and_the_rest_renumbered() -> None:
    scenarios = [
        Scenario("S1", "user", "a", ("x", "y")),
        Scenario("S2", "user", "b", ("y",)),
        Scenario("S3", "user", "c"),
    ]
    kept, dropped = drop_skipped(scenarios, {"x": Disposition.SKIP, "y": Disposition.READ_ONLY})
    assert [(item.id, item.description) for item in kept] == [("S1", "b"), ("S2", "c")]
    assert [item.id for item in dropped] == ["S1"]


# --- approval ---


@pytest.mark.parametrize("token", ["approve", " Approve\n", "APPROVE"])
def test_the_token_approve_approves(token: str) -> None:
    assert approval(token) is Approval.APPROVE


@pytest.mark.parametrize("token", ["user-only", "\tUser-Only "])
def test_the_token_user_only_drops_the_derived_ones(token: str) -> None:
    assert approval(token) is Approval.USER_ONLY


@pytest.mark.parametrize(
    "token",
    [
        "",
        "yes",
        "ok",
        "sure",
        "lgtm",
        "proceed",
        "approve it",
        "approve.",
        "approve please",
        "'approve'",
        "user only",
        "edit",
        "\u0430pprove",
    ],
)
def test_everything_else_is_an_edit_request(token: str) -> None:
    assert approval(token) is Approval.EDIT


@given(st.text())
def test_no_other_text_ever_approves(token: str) -> None:
    if token.strip().lower() not in ("approve", "user-only"):
        assert approval(token) is Approval.EDIT
