import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.session import TRANSITIONS, State, Status, mac
from mcp_assay.errors import StoreError

KEYS = [
    "eval_name",
    "started",
    "last_updated",
    "session_started",
    "session_ended",
    "status",
    "config",
    "attached_mcps",
    "filtered_mcps",
    "safety_dispositions",
    "scenarios",
    "execution",
    "critic_findings",
    "critic_findings_dropped",
    "critic_findings_dropped_raw",
    "unmapped_mcp_names",
    "critic_summary",
    "missing_critic_summary",
    "critic_failure_path",
    "dangling_citations",
    "report_path",
    "assay",
]
MOVES = {
    ("discovering", "interviewing"),
    ("discovering", "complete"),
    ("interviewing", "scoping"),
    ("interviewing", "discovering"),
    ("scoping", "discovering"),
    ("scoping", "scoped"),
    ("scoped", "executing"),
    ("executing", "critiquing"),
    ("critiquing", "reporting"),
    ("critiquing", "critic_failed"),
    ("critic_failed", "critiquing"),
    ("reporting", "complete"),
    ("reporting", "critiquing"),
    ("complete", "critiquing"),
}


def new(**fields: Any) -> State:
    return State("e", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z", **fields)


def stored(**fields: Any) -> dict[str, Any]:
    """What a state file holds, as JSON gives it back."""
    return {**json.loads(json.dumps(new().to_json())), **fields}


@pytest.mark.parametrize("before", Status)
@pytest.mark.parametrize("after", Status)
def test_the_table_has_exactly_the_moves_of_the_phases(before: Status, after: Status) -> None:
    state = new(status=before)
    if (before.value, after.value) in MOVES:
        state.advance(after, "later")
        assert (state.status, state.last_updated) == (after, "later")
    else:
        untouched = new(status=before)
        with pytest.raises(StoreError, match=f"cannot go from {before} to {after}"):
            state.advance(after, "later")
        assert state == untouched


def test_every_status_has_a_row() -> None:
    assert set(TRANSITIONS) == set(Status)


def test_a_new_state_has_exactly_the_documented_keys_in_their_order() -> None:
    value = stored()
    assert list(value) == KEYS
    assert value["status"] == "discovering"
    assert value["config"] == {
        "call_budget_per_scenario": 20,
        "wallclock_budget_minutes": 15,
        "scenarios_file": None,
    }
    assert (value["session_started"], value["session_ended"], value["report_path"]) == (None, None, None)


def test_two_states_share_nothing() -> None:
    one, other = new(), new()
    one.attached_mcps.append({"name": "a"})
    one.config["call_budget_per_scenario"] = 1
    assert other == new()


@pytest.mark.parametrize("status", Status)
def test_what_was_written_is_read_back(status: object) -> None:
    state = new(
        status=status,
        session_started="2026-01-01T00:00:01Z",
        attached_mcps=[{"name": "a"}],
        unmapped_mcp_names=["x"],
        critic_findings_dropped=1,
        critic_findings_dropped_raw=["### [MAJOR]"],
        assay={"mac": "00"},
    )
    again = State.from_json(json.loads(json.dumps(state.to_json())), "f")
    assert again == state
    assert isinstance(again.status, Status)


def test_a_state_without_our_additions_is_read() -> None:
    value = stored()
    del value["assay"], value["critic_findings_dropped"]
    assert State.from_json(value, "f") == new()


@pytest.mark.parametrize("value", [None, [], "x", 1, {}, {"eval_name": "e"}])
def test_what_has_no_status_is_no_state(value: object) -> None:
    with pytest.raises(StoreError, match=r"^f: not an evaluation's state"):
        State.from_json(value, "f")


@pytest.mark.parametrize("status", ["running", "", None, 1, [], {}, "Complete"])
def test_an_unknown_status_is_refused(status: object) -> None:
    with pytest.raises(StoreError, match=r"^f: unknown status"):
        State.from_json(stored(status=status), "f")


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(StoreError, match=r"^f: unknown field 'extra'"):
        State.from_json(stored(extra=1), "f")


@pytest.mark.parametrize("key", ["eval_name", "started", "last_updated"])
def test_a_required_field_must_be_there(key: str) -> None:
    value = stored()
    del value[key]
    with pytest.raises(StoreError, match=f"^f: {key} "):
        State.from_json(value, "f")


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("eval_name", 1),
        ("started", None),
        ("session_started", 1),
        ("config", []),
        ("attached_mcps", {}),
        ("attached_mcps", None),
        ("attached_mcps", ["a"]),
        ("scenarios", [{}, 1]),
        ("critic_findings_dropped", True),
        ("critic_findings_dropped", "0"),
        ("critic_findings_dropped_raw", [{}]),
        ("unmapped_mcp_names", [None]),
        ("critic_summary", None),
        ("missing_critic_summary", 0),
        ("report_path", []),
        ("assay", None),
    ],
)
def test_a_field_of_the_wrong_type_is_named(key: str, wrong: object) -> None:
    with pytest.raises(StoreError, match=f"^f: {key} "):
        State.from_json(stored(**{key: wrong}), "f")


@pytest.mark.parametrize(
    ("key", "wrong"),
    [
        ("call_budget_per_scenario", None),
        ("call_budget_per_scenario", 2.5),
        ("call_budget_per_scenario", True),
        ("wallclock_budget_minutes", "15"),
        ("scenarios_file", 1),
    ],
)
def test_a_config_value_of_the_wrong_type_is_named(key: str, wrong: object) -> None:
    with pytest.raises(StoreError, match=rf"^f: config\.{key} "):
        State.from_json(stored(config={**new().config, key: wrong}), "f")


def test_part_of_a_minute_is_a_wallclock_budget() -> None:
    value = stored(config={**new().config, "wallclock_budget_minutes": 0.5})
    assert State.from_json(value, "f").config["wallclock_budget_minutes"] == 0.5


@given(st.sampled_from(KEYS), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers()))
def test_any_wrong_value_is_refused_or_read_as_it_is(key: str, value: object) -> None:
    with contextlib.suppress(StoreError):
        assert State.from_json(stored(**{key: value}), "f").to_json()[key] == value


# --- the digest -------------------------------------------------------------------------------------------------------


def test_the_digest_does_not_cover_itself_and_survives_the_file() -> None:
    state = new(attached_mcps=[{"name": "a"}])
    digest = mac(b"key", state)
    state.assay["mac"] = digest
    again = State.from_json(json.loads(json.dumps(state.to_json())), "f")
    assert mac(b"key", state) == mac(b"key", again) == digest


def test_the_digest_depends_on_the_key_and_on_every_field() -> None:
    state = new()
    digests = {mac(b"key", state), mac(b"other", state)}
    changes = {
        "eval_name": "x",
        "status": Status.SCOPED,
        "config": {"call_budget_per_scenario": 999},
        "assay": {"match": "literal"},
        "report_path": "r",
        "critic_findings_dropped": 1,
        "missing_critic_summary": True,
    }
    for item in KEYS:
        changed = new()
        default = getattr(changed, item)
        setattr(changed, item, changes.get(item, [{}] if isinstance(default, list) else "changed"))
        digests.add(mac(b"key", changed))
    assert len(digests) == len(KEYS) + 2


def test_making_the_digest_leaves_the_state_as_it_was() -> None:
    state = new(assay={"mac": "old", "x": 1})
    mac(b"key", state)
    assert state == new(assay={"mac": "old", "x": 1})
