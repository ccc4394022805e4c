"""The owner runs scenarios, keeps execution[] current, and ends them all when the time is over."""

import asyncio
import json

import pytest

from mcp_assay.clock import SystemClock
from mcp_assay.core.model import AbortReason, Disposition, Manifest, Outcome, Reply, Safety, Scenario, ToolCall
from mcp_assay.core.resume import Kind, Standing
from mcp_assay.core.safety import Policy
from mcp_assay.core.session import State
from mcp_assay.drivers.base import Ended
from mcp_assay.gate import Permit
from mcp_assay.owner import Owner
from mcp_assay.progress import Silent
from mcp_assay.store.evaldir import EvalDir
from mcp_assay.store.keys import Keys
from mcp_assay.store.transcript import entries
from playbook import SURFACE, Clock

KEYS = Keys(b"s" * 32, b"v" * 32)
POLICY = Policy({"a": Safety(Disposition.READ_ONLY)}, {"a": Manifest("a", SURFACE)})
SCENARIOS = [Scenario(f"S{number}", "user", "x") for number in (1, 2, 3)]
NOW = "2026-01-01T00:00:00.000Z"


class Driver:
    """Does what it was told, scenario by scenario."""

    name = "script"

    def __init__(self, **attempts):
        self.attempts = attempts

    async def run(self, scenario, call):
        attempt = self.attempts.get(scenario.id)
        return await attempt(call) if attempt else Ended(reached=True)


def own(tmp_path, driver, clock, *, calls=20, minutes=15.0, state=None, standings=None):
    state = state or State("one", NOW, NOW)
    state.config |= {"call_budget_per_scenario": calls, "wallclock_budget_minutes": minutes}
    tmp_path.mkdir(exist_ok=True)
    with EvalDir(tmp_path, "one", create=True) as folder, Owner(folder, state, POLICY, KEYS, clock, Silent()) as owner:

        async def call(asked):
            opened = owner.gate.open(asked)
            if isinstance(opened, Permit):
                owner.persist()
                saved = folder.load_state(KEYS.state)[0]
                assert saved.execution[-1]["call_count"] == owner.gate.run.call_count
                owner.gate.close(opened, Reply(Outcome.OK, {"content": []}))
            return opened

        asyncio.run(owner.run(SCENARIOS, lambda _: driver, call, standings))
        return state, folder.load_state(KEYS.state)[0], list(entries(folder.fd))


def test_each_scenario_has_one_entry_with_the_specifications_fields(tmp_path):
    async def one(call):
        await call(ToolCall("a", "list_items"))
        return Ended(reached=True)

    async def two(call):
        await call(ToolCall("a", "create_item"))
        return Ended(reached=False, reason="no luck", failed=("step 1: no",))

    state, saved, _ = own(tmp_path, Driver(S1=one, S2=two), Clock())
    assert saved == state
    first, second, third = state.execution
    assert set(first) == {"scenario_id", "status", "call_count", "abort_reason", "started", "ended", "assay"}
    assert (first["status"], first["call_count"], first["abort_reason"]) == ("complete", 1, None)
    assert first["assay"]["called"] == ["a"]
    # A goal that was not reached is no abort.
    assert (second["status"], second["call_count"], second["abort_reason"]) == ("complete", 0, None)
    assert second["assay"] == {
        "reached": False,
        "reason": "no luck",
        "refusals": 1,
        "failed": ["step 1: no"],
        "called": [],
        "driver": "script",
    }
    assert third["assay"]["reached"] is True


def test_a_scenario_is_in_the_state_as_running_before_it_does_anything(tmp_path):
    seen = []

    async def look(call):
        state = json.loads((tmp_path / "mcp-evals/mcp-eval-one/state.json").read_text())
        seen.append([{key: value for key, value in entry.items() if key != "assay"} for entry in state["execution"]])
        return Ended(reached=True)

    own(tmp_path, Driver(S1=look, S2=look), Clock())
    fresh = {"status": "running", "call_count": 0, "abort_reason": None, "started": NOW, "ended": None}
    assert seen[0] == [{"scenario_id": "S1", **fresh}]
    assert [(entry["scenario_id"], entry["status"]) for entry in seen[1]] == [("S1", "complete"), ("S2", "running")]


def test_an_aborted_scenario_does_not_end_the_others(tmp_path):
    async def greedy(call):
        for _ in range(3):
            await call(ToolCall("a", "list_items"))
        return Ended(reached=True)

    state, _, lines = own(tmp_path, Driver(S1=greedy), Clock(), calls=2)
    assert [entry["abort_reason"] for entry in state.execution] == ["call_budget", None, None]
    assert (state.execution[0]["call_count"], state.execution[0]["assay"]["reached"]) == (2, False)
    assert lines[-1]["tool"] == "__budget_abort__"


def test_the_wallclock_aborts_the_running_scenario_and_all_that_follow(tmp_path):
    clock = Clock()

    async def slow(call):
        clock.seconds += 61
        await call(ToolCall("a", "list_items"))
        return Ended(reached=True)

    state, saved, lines = own(tmp_path, Driver(S2=slow), clock, minutes=1)
    assert saved == state
    assert [entry["abort_reason"] for entry in state.execution] == [None, "wallclock", "wallclock"]
    last = state.execution[2]
    assert (last["status"], last["call_count"], last["started"]) == ("aborted", 0, last["ended"])
    assert [line["tool"] for line in lines] == ["__wallclock_abort__"]
    assert lines[0]["scenario_id"] == "S2"


def test_a_session_that_is_over_between_scenarios_is_written_into_the_next_one(tmp_path):
    clock = Clock()

    async def last_second(call):
        clock.seconds += 59.999
        return Ended(reached=True)

    class Slow(Clock):
        """Every look at the clock takes a moment."""

        def monotonic(self):
            clock.seconds += 0.0004
            return clock.seconds

    state, _, lines = own(tmp_path, Driver(S1=last_second), Slow(), minutes=1)
    assert [line["scenario_id"] for line in lines] == [
        entry["scenario_id"] for entry in state.execution if entry["abort_reason"] == "wallclock"
    ][:1]
    assert {entry["abort_reason"] for entry in state.execution[1:]} == {"wallclock"}


def test_the_timer_ends_a_scenario_in_which_nothing_is_called(tmp_path):
    async def asleep(call):
        await asyncio.sleep(60)

    state, _, lines = own(tmp_path, Driver(S1=asleep), SystemClock(), minutes=0.1 / 60)
    assert [entry["abort_reason"] for entry in state.execution] == ["wallclock"] * 3
    assert [line["id"] for line in lines] == ["S1-001"]


def test_a_tie_goes_to_the_wallclock(tmp_path):
    clock = Clock()

    async def exactly(call):
        clock.seconds += 60
        return Ended(reached=True)

    state, _, _ = own(tmp_path, Driver(S1=exactly), clock, minutes=1)
    assert (state.execution[0]["status"], state.execution[0]["abort_reason"]) == ("aborted", "wallclock")


def test_calls_after_an_abort_are_kept_in_the_state(tmp_path):
    async def stubborn(call):
        await call(ToolCall("a", "frobnicate"))
        await call(ToolCall("a", "list_items"))
        return Ended(reached=True)

    state, _, _ = own(tmp_path, Driver(S1=stubborn), Clock())
    assert [call["tool"] for call in state.assay["outside_calls"]] == ["mcp__a__list_items"]
    assert state.execution[0]["abort_reason"] == "safety_abort"


def test_a_bug_in_a_driver_ends_the_run_loudly(tmp_path):
    async def broken(call):
        raise RuntimeError("a bug of ours")

    with pytest.raises(RuntimeError):
        own(tmp_path, Driver(S1=broken), Clock())


def interrupted(*ids, **assay):
    """A state in which these scenarios were running or done when the process was killed."""
    state = State("one", NOW, NOW)
    state.assay |= assay
    for scenario in ids:
        entry = {"scenario_id": scenario, "status": "running", "call_count": 1, "abort_reason": None, "started": NOW}
        ours: dict[str, object] = {"reached": None, "reason": None, "refusals": 0, "failed": []}
        state.execution.append({**entry, "ended": None, "assay": ours})
    return state


def test_what_is_done_stays_done_and_reads_start_over_with_their_counters_going_on(tmp_path):
    async def again(call):
        await call(ToolCall("a", "list_items"))
        return Ended(reached=True)

    before = interrupted("S1", "S2")
    before.execution[0] |= {"status": "complete", "call_count": 4}
    stands = {"S1": Standing(Kind.DONE, 4, 4), "S2": Standing(Kind.AGAIN, 3, 2), "S3": Standing(Kind.FRESH)}
    state, _, lines = own(tmp_path, Driver(S2=again), Clock(), state=before, standings=stands)
    assert [(entry["status"], entry["call_count"]) for entry in state.execution] == [
        ("complete", 4),
        ("complete", 3),
        ("complete", 0),
    ]
    assert [line["id"] for line in lines] == ["S2-004"]


def test_a_scenario_that_was_cut_off_in_a_mutation_is_never_repeated(tmp_path):
    async def never(call):
        raise AssertionError("repeated")

    stands = {"S1": Standing(Kind.CUT, 3, 2)}
    state, _, lines = own(tmp_path, Driver(S1=never), Clock(), state=interrupted("S1"), standings=stands)
    first = state.execution[0]
    assert (first["status"], first["abort_reason"], first["call_count"]) == ("aborted", None, 2)
    assert first["assay"]["reason"] == "interrupted"
    assert lines == []


def test_an_abort_line_that_outlived_its_entry_closes_it(tmp_path):
    stands = {"S1": Standing(Kind.ENDED, 3, 2, AbortReason.CALL_BUDGET)}
    state, _, _ = own(tmp_path, Driver(), Clock(), state=interrupted("S1"), standings=stands)
    assert [entry["abort_reason"] for entry in state.execution] == ["call_budget", None, None]
    stands = {"S1": Standing(Kind.ENDED, 1, 0, AbortReason.WALLCLOCK)}
    state, _, lines = own(tmp_path / "x", Driver(), Clock(), state=interrupted("S1"), standings=stands)
    assert [entry["abort_reason"] for entry in state.execution] == ["wallclock"] * 3
    assert lines == []


def test_the_wallclock_counts_active_time_only(tmp_path):
    stands = {"S1": Standing(Kind.AGAIN, 1, 1)}
    nearly = interrupted("S1", active_seconds=59.0)
    state, _, _ = own(tmp_path, Driver(), Clock(), state=nearly, standings=stands, minutes=1)
    assert {entry["status"] for entry in state.execution} == {"complete"}
    state, _, _ = own(
        tmp_path / "x", Driver(), Clock(), state=interrupted("S1", active_seconds=60.0), standings=stands, minutes=1
    )
    assert {entry["abort_reason"] for entry in state.execution} == {"wallclock"}


def test_a_scenario_waits_for_its_turn_while_the_sessions_time_goes_on(tmp_path):
    async def never(scenario):
        if scenario.id == "S2":
            await asyncio.Event().wait()

    with EvalDir(tmp_path, "one", create=True) as folder:
        state = State("one", NOW, NOW)
        state.config["wallclock_budget_minutes"] = 0.005
        with Owner(folder, state, POLICY, KEYS, SystemClock(), Silent()) as owner:
            asyncio.run(owner.run(SCENARIOS, lambda _: Driver(), None, turn=never))
    assert [entry["abort_reason"] for entry in state.execution] == [None, "wallclock", "wallclock"]


def test_time_that_is_held_is_not_counted(tmp_path):
    clock = Clock()
    with EvalDir(tmp_path, "one", create=True) as folder:
        state = State("one", NOW, NOW, assay={"active_seconds": 5, "outside_calls": [{"tool": "x"}]})
        with Owner(folder, state, POLICY, KEYS, clock, Silent()) as owner:
            owner.hold()
            clock.seconds = 100
            assert owner.active() == 5
            owner.start()
            clock.seconds = 103
            assert owner.active() == 8
            owner.persist()
            assert state.assay["outside_calls"] == [{"tool": "x"}]
