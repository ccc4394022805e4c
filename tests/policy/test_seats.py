import math

import pytest

from mcp_assay.policy import schema, seats


def budget(**given):
    return {"usedCU": 0, "capacityCU": 100, "reservePct": 20, **given}


def route(role="grunt", mode=None, **given):
    arguments = {"role": role, "budget": budget(**given)} | ({} if mode is None else {"mode": mode})
    assert schema.problems(seats.INPUT_SCHEMA, arguments) == []
    result = seats.route(arguments)
    assert schema.problems(seats.OUTPUT_SCHEMA, result) == []
    assert result["ok"] is (result["reasons"] == [])
    return result


def codes(result):
    return [reason["code"] for reason in result["reasons"]]


@pytest.mark.parametrize(
    ("role", "tier", "cu"),
    [
        ("grunt", "cheap", 0.09),
        ("scout", "mid", 0.9),
        ("mechanic", "heavy", 1.8),
        ("sniper", "heavy", 1.8),
        ("auditor", "judgment", 3.6),
    ],
)
def test_tier_and_cost_follow_from_the_role(role, tier, cu):
    result = route(role, judgmentAllowanceCU=3.6)
    assert (result["ok"], result["role"], result["mode"]) == (True, role, "read-only")
    assert (result["tier"], result["cu"]) == (tier, cu)
    assert (result["agentShareCU"], result["remainingCU"]) == (80, 80)


@pytest.mark.parametrize("role", ["grunt", "scout", "mechanic", "sniper"])
def test_every_role_but_the_auditor_may_write(role):
    assert route(role, "workspace-write")["mode"] == "workspace-write"


def test_an_auditor_that_asks_to_write_is_refused_not_downgraded():
    result = route("auditor", "workspace-write", judgmentAllowanceCU=9)
    assert codes(result) == ["auditor_read_only"]
    assert result["mode"] == "workspace-write"


def test_sums_are_decimal():
    result = route(usedCU=0.2, capacityCU=0.29, reservePct=0)
    assert result["ok"]
    assert result["remainingCU"] == 0.09
    assert codes(route(usedCU=0.2000000000000001, capacityCU=0.29, reservePct=0)) == ["reserve_floor"]


def test_large_numbers_are_not_rounded_together():
    assert codes(route(usedCU=1e308, capacityCU=1e308, reservePct=0)) == ["reserve_floor"]
    assert route(usedCU=1e307, capacityCU=1e308, reservePct=5e-324)["ok"]


def test_what_is_overspent_is_told_as_a_negative_rest():
    assert route(usedCU=81.5)["remainingCU"] == -1.5


@pytest.mark.parametrize(
    ("used", "allowance", "ok"), [(0, 3.6, True), (0.1, 3.6, False), (0, 0, False), (6.4, 10, True)]
)
def test_judgment_seats_need_an_allowance_of_their_own(used, allowance, ok):
    result = route("auditor", judgmentUsedCU=used, judgmentAllowanceCU=allowance)
    assert codes(result) == ([] if ok else ["judgment_allowance"])


def test_other_tiers_need_no_allowance():
    assert route("mechanic", judgmentUsedCU=50)["ok"]


@pytest.mark.parametrize(
    ("failures", "threshold", "ok"), [(2, None, True), (3, None, False), (0, 1, True), (1, 1, False), (4.0, 5, True)]
)
def test_the_breaker_opens_at_its_threshold(failures, threshold, ok):
    given = {"consecutiveFailures": failures} | ({} if threshold is None else {"failureThreshold": threshold})
    assert codes(route(**given)) == ([] if ok else ["circuit_open"])


def test_every_reason_that_holds_is_reported():
    result = route("auditor", "workspace-write", usedCU=80, consecutiveFailures=3)
    assert codes(result) == ["auditor_read_only", "reserve_floor", "judgment_allowance", "circuit_open"]
    assert result["reasons"][1]["message"] == ("80 CU used and 3.6 CU for this seat exceed the agents' share of 80 CU")


BAD = [True, False, "1", None, [], {}, -0.01, -1, math.inf, -math.inf, math.nan, 10**400]
KEYS = [
    "usedCU",
    "capacityCU",
    "reservePct",
    "judgmentUsedCU",
    "judgmentAllowanceCU",
    "consecutiveFailures",
    "failureThreshold",
]


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("value", BAD, ids=lambda value: str(value)[:8])
def test_malformed_numbers_are_refused_wherever_they_stand(key, value):
    (problem,) = schema.problems(seats.INPUT_SCHEMA, {"role": "grunt", "budget": budget(**{key: value})})[:1]
    assert problem.startswith(f"budget.{key}: ")


@pytest.mark.parametrize("key", ["usedCU", "capacityCU", "reservePct"])
def test_the_snapshot_is_required(key):
    given = budget()
    del given[key]
    assert schema.problems(seats.INPUT_SCHEMA, {"role": "grunt", "budget": given}) == [f"budget.{key}: missing"]


@pytest.mark.parametrize("key", ["cu", "tier", "UsedCU", "extra"])
def test_unknown_keys_are_refused_at_both_levels(key):
    for arguments in ({"role": "grunt", "budget": budget(**{key: 1})}, {"role": "grunt", "budget": budget(), key: 1}):
        (problem,) = schema.problems(seats.INPUT_SCHEMA, arguments)
        assert f"{key}: unknown key" in problem
