from typing import Any

import pytest

from mcp_assay.core.limits import call_budget, eval_name, wallclock_minutes
from mcp_assay.errors import UserError


@pytest.mark.parametrize(("value", "expected"), [("1", 1), ("20", 20), (20, 20), ("999", 999), (" 7 ", 7), ("007", 7)])
def test_a_call_budget_in_range_is_taken_as_it_is(value: Any, expected: Any) -> None:
    assert call_budget(value) == (expected, None)


@pytest.mark.parametrize("value", [1000, "1000", "9" * 9_000])
def test_a_larger_call_budget_is_clamped_and_said_so(value: Any) -> None:
    calls, note = call_budget(value)
    assert calls == 999
    assert note is not None
    assert "lowered to 999" in note
    assert len(note) < 200


@pytest.mark.parametrize("value", [0, "0", "000", -1, "-1", "", "ten", "1.5", 1.5, "1e2", True, None, "٣", "+5", "0x5"])
def test_any_other_call_budget_is_an_error(value: Any) -> None:
    with pytest.raises(UserError, match="--call-budget must be a whole number from 1 to 999"):
        call_budget(value)


@pytest.mark.parametrize(("value", "expected"), [("15", 15.0), (15, 15.0), ("0.5", 0.5), (0.01, 0.01), ("1e3", 1000.0)])
def test_a_wallclock_budget_is_a_positive_number_of_minutes(value: Any, expected: Any) -> None:
    assert wallclock_minutes(value) == expected
    assert isinstance(wallclock_minutes(15.0), int)


@pytest.mark.parametrize(
    "value", [0, "0", -1, "-0.5", "nan", "inf", "-inf", "1e999", float("inf"), "", "ten", True, None]
)
def test_any_other_wallclock_budget_is_an_error(value: Any) -> None:
    with pytest.raises(UserError, match="--wallclock-budget must be a number of minutes greater than 0"):
        wallclock_minutes(value)


@pytest.mark.parametrize("name", ["a", "7", "A.b_c-d", "20240501-101500", "x" * 64])
def test_a_name_that_is_safe_in_a_path_is_kept(name: str) -> None:
    assert eval_name(name) == name


@pytest.mark.parametrize(
    "name", ["", ".", "..", "-a", "_a", "a/b", "a\\b", "a b", "a\n", "é", "x" * 65, "\u202ea", "a\x00"]
)
def test_any_other_name_is_an_error(name: str) -> None:
    with pytest.raises(UserError, match="--name must be 1 to 64"):
        eval_name(name)
