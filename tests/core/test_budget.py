"""Budgets are hard, and a tie counts as over."""

from mcp_assay.core.budget import Budget


def test_the_call_after_the_last_one_is_too_many():
    budget = Budget(3, 60)
    assert [budget.spent(count) for count in (0, 2, 3, 4)] == [False, False, True, True]


def test_the_session_is_over_at_the_very_second():
    budget = Budget(3, 60)
    assert [budget.expired(seconds) for seconds in (0, 59.9, 60, 61)] == [False, False, True, True]
    assert [budget.left(seconds) for seconds in (0, 59, 61)] == [60, 1, 0]
