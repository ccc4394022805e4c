import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.policy import values

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize("value", [0, -3, 1.5, 1e308, 2**60])
def test_finite_numbers_are_numbers(value):
    assert values.is_number(value)


@pytest.mark.parametrize("value", [True, False, "1", None, [], math.inf, -math.inf, math.nan, 10**400])
def test_booleans_texts_and_what_a_double_cannot_hold_are_no_numbers(value):
    assert not values.is_number(value)
    assert not values.is_integer(value)


@pytest.mark.parametrize(("value", "integer"), [(1, True), (1.0, True), (-0.0, True), (1.5, False), (1e300, True)])
def test_an_integer_is_a_number_without_a_fraction(value, integer):
    assert values.is_integer(value) is integer


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ("1", 1, False),
        (None, False, False),
        ([1], [True], False),
        ([1], [1.0], True),
        ([1, 2], [2, 1], False),
        ({"a": 1, "b": 2}, {"b": 2.0, "a": 1}, True),
        ({"a": 1}, {"a": True}, False),
        ({}, [], False),
        ([["array"]], ["array"], False),
    ],
)
def test_keys_are_equal_exactly_for_what_json_schema_calls_equal(one, other, equal):
    assert (values.key_of(one) == values.key_of(other)) is equal


@given(JSON)
def test_every_json_value_has_a_hashable_key_equal_to_its_own(value):
    assert len({values.key_of(value), values.key_of(value)}) == 1


@given(st.integers(-(10**6), 10**6), st.integers(1, 10**4), st.integers(0, 6))
def test_multiples_of_decimals_are_found_and_near_misses_are_not(factor, step, places):
    unit = float(f"{step}e-{places}")
    assert values.is_multiple(float(f"{factor * step}e-{places}"), unit)
    assert not values.is_multiple(float(f"{factor * step * 10 + 1}e-{places + 1}"), unit) or step == 0


@pytest.mark.parametrize(
    ("value", "step", "multiple"), [(1e308, 5e-324, True), (1e308, 0.01, True), (5e-324, 1, False)]
)
def test_the_largest_quotients_are_exact_and_raise_nothing(value, step, multiple):
    assert values.is_multiple(value, step) is multiple


def test_a_number_is_taken_as_it_was_written():
    assert str(values.decimal(0.09)) == "0.09"
    assert str(values.decimal(10**30)) == "1" + "0" * 30
