from mcp_assay.host.hold import Hold
from relay_ends import Time


def test_time_is_held_from_the_first_question_to_the_last_answer():
    time = Time()
    hold = Hold(time.clock)
    hold.ask("a")
    time.pass_by(2)
    hold.ask(1)
    time.pass_by(3)
    assert hold.answer("a")
    assert (len(hold), hold.so_far()) == (1, 5)
    time.pass_by(1)
    assert hold.answer(1)
    time.pass_by(100)
    assert (len(hold), hold.so_far()) == (0, 6)


def test_only_what_was_asked_can_be_answered_and_once():
    hold = Hold(Time().clock)
    hold.ask(1)
    others: list[object] = ["1", True, 1.0, None, {}, [], 2]
    assert not any(hold.answer(number) for number in others)
    assert hold.answer(1)
    assert not hold.answer(1)
