from mcp_assay.host.hold import Hold
from relay_ends import Time


def test_time_is_held_from_the_first_question_to_the_last_answer():
    time = Time()
    hold = Hold(time.clock)
    early = hold.span()
    time.pass_by(1)
    hold.ask("a")
    time.pass_by(2)
    hold.ask(1)
    late = hold.span()
    time.pass_by(3)
    assert hold.answer("a")
    assert (len(hold), early.seconds(), late.seconds()) == (1, 1, 0)
    time.pass_by(1)
    assert hold.answer(1)
    time.pass_by(100)
    assert (len(hold), early.seconds(), late.seconds()) == (0, 101, 100)


def test_only_what_was_asked_can_be_answered_and_once():
    hold = Hold(Time().clock)
    hold.ask(1)
    others: list[object] = ["1", True, 1.0, None, {}, [], 2]
    assert not any(hold.answer(number) for number in others)
    assert hold.answer(1)
    assert not hold.answer(1)
