"""The keyboard at a real terminal: keys, completion, pasting, and what was typed too early."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from person import Person
from stage import Stage

PROGRAM = """
import asyncio, sys, time
from mcp_assay.cli.console import stderr
from mcp_assay.cli.keyboard import Keyboard

async def main():
    keyboard = Keyboard(stderr())
    while True:
        typed = await keyboard.line("word: ", {"read_only": "it only reads", "sandboxed": "it may change something"})
        print("got", repr(typed))
        if typed == "forget":
            print("busy")
            sys.stdin.readline()  # as long as it takes until something is typed; the rest of it waits in the terminal
            keyboard.forget()
        typed = await keyboard.line("free: ", {})
        print("got", repr(typed))

try:
    asyncio.run(main())
except KeyboardInterrupt:
    print("interrupted")
    sys.exit(130)
"""


@pytest.fixture
def person(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Person]:
    term = getattr(request, "param", "xterm-256color")
    argv = [sys.executable, "-c", PROGRAM]
    with Person(argv, environ=Stage(tmp_path).environ, cwd=tmp_path, term=term) as someone:
        someone.sees("word:")
        yield someone


both_terminals = pytest.mark.parametrize("person", ["xterm-256color", "dumb"], indirect=True)


@both_terminals
def test_lines_are_read_as_they_were_typed(person: Person) -> None:
    person.types("  Ünï ")
    person.sees("got '  Ünï '", "free:")
    person.types("")
    person.sees("got ''", "word:")


@both_terminals
def test_ctrl_c_ends_it(person: Person) -> None:
    person.types("one")
    person.sees("free:")
    person.presses("c")
    person.sees("interrupted")
    assert person.ends() == 130


def test_ctrl_d_ends_it_too(person: Person) -> None:
    person.presses("d")
    person.sees("interrupted")
    assert person.ends() == 130


def test_an_answer_is_typed_and_never_recalled(person: Person) -> None:
    person.types("approve")
    person.sees("free:")
    person.types("\x1b[A")  # the key that points up
    person.sees("got ''")


def test_what_is_pasted_is_one_reply_whatever_lines_it_has(person: Person) -> None:
    person.pastes("one\r\ntwo\nthree")
    person.types("")
    person.sees("got 'one\\ntwo\\nthree'")


def test_words_are_completed_and_what_they_mean_is_shown(person: Person) -> None:
    person.presses("i")  # the tabulator
    person.sees("it may change something")
    person.types("\x1b[B" * 2)  # the key that points down
    person.sees("got 'sandboxed'", "free:")
    person.presses("i")
    person.types("sand")
    person.sees("got", "sand")
    assert "it only reads" not in person.sees("word:")


def test_what_was_typed_before_it_was_asked_for_is_dropped(person: Person) -> None:
    person.types("forget")
    person.sees("busy")
    person.pastes("\rapprove\rapprove")
    person.sees("free:")
    person.types("late")
    person.sees("got 'late'")
