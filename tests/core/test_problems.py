import pytest

from mcp_assay.core.problems import Problems, did_you_mean
from mcp_assay.errors import InputError


def test_nothing_found_is_nothing_raised() -> None:
    Problems("f").stop_if_any()


def test_one_problem_is_raised_as_itself() -> None:
    problems = Problems("f")
    problems.add("is wrong", 3, "entry 1")
    with pytest.raises(InputError) as caught:
        problems.stop_if_any()
    assert (str(caught.value), caught.value.line, caught.value.key) == ("f:3: entry 1: is wrong", 3, "entry 1")


def test_several_problems_are_told_at_once_in_the_order_of_their_lines() -> None:
    problems = Problems("f")
    problems.add("second", 9, None)
    problems.add("first", 2, "k")
    with pytest.raises(InputError) as caught:
        problems.stop_if_any()
    assert str(caught.value) == "f:2: 2 problems\n  f:2: k: first\n  f:9: second"


def test_a_near_miss_gets_a_suggestion() -> None:
    assert did_you_mean("descriptoin", ["description", "steps"]) == "; did you mean 'description'?"
    assert did_you_mean("xyz", ["description"]) == ""
