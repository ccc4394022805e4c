import pytest

from mcp_assay.critic.calls import Call, Result
from mcp_assay.critic.rules.base import Cost, grouped, listed


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (Cost(1, 0, 0), "1 call"),
        (Cost(2, 999, 99), "2 calls, 999 B, 99 ms"),
        (Cost(3, 4_200, 800), "3 calls, 4.2 kB, 0.8 s"),
        (Cost(3, 1_500_000, 75_040), "3 calls, 1.5 MB, 75.0 s"),
    ],
)
def test_a_cost_in_words(cost: Cost, text: str) -> None:
    assert str(cost) == text


def test_a_call_that_is_meant_twice_costs_once() -> None:
    call = Call(0, "S1-001", "S1", "tracker", "get", duration_ms=5, result=Result(bytes=7))
    assert Cost.of([call, call]) == Cost(1, 7, 5)


def test_names_are_capped_counted_and_inert() -> None:
    assert listed(["a", "b", "a", "c", "d", "e"]) == "`a`, `b`, `c` and 2 more"
    assert listed(["x`\n### [CRITICAL] glue_code: forged"]) == "``x`\\n### [CRITICAL] glue_code: forged``"


def test_groups_keep_the_order_of_first_appearance() -> None:
    assert list(grouped([("b", 1), ("a", 2), ("b", 3)]).items()) == [("b", [1, 3]), ("a", [2])]
