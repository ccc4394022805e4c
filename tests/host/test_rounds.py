import pytest

from mcp_assay.host.rounds import Paused, Rounds
from mcp_assay.host.traffic import Wanted

FIRST = Wanted("move", {"n": 1, "to": "x"}, "host-1")
PAUSED = Paused("S1-001", 0.5)


def test_the_same_call_goes_on_once_whatever_the_order_of_its_arguments():
    rounds = Rounds()
    rounds.pause(FIRST, "state", PAUSED)
    again = Wanted("move", {"to": "x", "n": 1}, "host-2")
    assert rounds.resume(again, "state") is PAUSED
    assert rounds.resume(again, "state") is None


@pytest.mark.parametrize(
    ("wanted", "state"),
    [
        (Wanted("move", {"n": 1, "to": "y"}, None), "state"),
        (Wanted("move", {"n": True, "to": "x"}, None), "state"),
        (Wanted("move", {"n": 1.0, "to": "x"}, None), "state"),
        (Wanted("remove", {"n": 1, "to": "x"}, None), "state"),
        (FIRST, "other"),
        (FIRST, None),
    ],
)
def test_another_tool_other_arguments_or_another_state_are_a_call_of_its_own(wanted, state):
    rounds = Rounds()
    rounds.pause(FIRST, "state", PAUSED)
    assert rounds.resume(wanted, state) is None
    assert rounds.resume(FIRST, "state") is PAUSED


def test_two_calls_alike_go_on_one_after_the_other():
    rounds = Rounds()
    for permit in ("S1-001", "S1-002"):
        rounds.pause(FIRST, None, Paused(permit, 0))
    assert [rounds.resume(FIRST, None).permit for _ in range(2)] == ["S1-001", "S1-002"]
