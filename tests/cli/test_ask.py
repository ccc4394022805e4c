"""Questions whose answers count only if they are among those offered."""

import asyncio

import pytest
from rich.table import Table

from mcp_assay.cli.ask import either
from scripted import CTRL_C, Scripted

CHOICES = {"read_only": "it only reads", "skip": ""}


@pytest.mark.parametrize("typed", ["skip", "  SKIP ", "Skip"])
def test_a_word_counts_whatever_its_case_and_outer_blanks(typed: str) -> None:
    assert asyncio.run(Scripted(typed).ask.word(CHOICES)) == "skip"


@pytest.mark.parametrize("wrong", ["", "  ", "ski", "skip it", "skip.", "read only", "readonly", "y", "1"])
def test_anything_else_is_asked_again_and_there_is_no_default(wrong: str) -> None:
    person = Scripted(wrong, "read_only")
    assert asyncio.run(person.ask.word(CHOICES)) == "read_only"
    assert "Please answer read_only or skip." in person.shown
    assert person.prompts == ["read_only / skip: "] * 2


def test_what_the_words_mean_is_shown_once() -> None:
    person = Scripted("no", "never", "skip")
    asyncio.run(person.ask.word(CHOICES))
    assert person.shown.count("read_only: it only reads") == 1


@pytest.mark.parametrize(("typed", "word"), [("", "skip"), (" ", "skip"), ("read_only", "read_only")])
def test_an_empty_line_is_the_default_where_there_is_one(typed: str, word: str) -> None:
    person = Scripted(typed)
    assert asyncio.run(person.ask.word(CHOICES, default="skip")) == word
    assert person.prompts == ["read_only / [skip]: "]


@pytest.mark.parametrize(("typed", "agreed"), [("y", True), ("yes", True), ("YES", True), ("n", False), ("no", False)])
def test_yes_and_no_may_be_letters(typed: str, *, agreed: bool) -> None:
    assert asyncio.run(Scripted(typed).ask.agrees("Start it?")) is agreed


@pytest.mark.parametrize("typed", ["", "ok", "sure", "yes please", "maybe"])
def test_only_yes_is_yes(typed: str) -> None:
    person = Scripted(typed, "no")
    assert asyncio.run(person.ask.agrees("Start it?")) is False
    assert "Please answer yes or no." in person.shown


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        ("one", ["one"]),
        (" one \n\n two\r\n", ["one", "two"]),
        ("", []),
        (" \n ", []),
        ("a\u2028b", ["a\u2028b"]),
    ],
)
def test_several_lines_can_be_pasted_and_only_a_line_feed_ends_one(typed: str, parts: list[str]) -> None:
    assert asyncio.run(Scripted(typed).ask.parts()) == parts


def test_ctrl_c_ends_every_kind_of_question() -> None:
    person = Scripted(*[CTRL_C] * 4)
    ask = person.ask
    for question in (ask.line(), ask.parts(), ask.word(CHOICES), ask.agrees("Start it?")):
        with pytest.raises(KeyboardInterrupt):
            asyncio.run(question)


def test_a_table_keeps_to_the_width_of_the_screen_and_a_line_does_not_break() -> None:
    person = Scripted()
    table = Table()
    table.add_column("text")
    table.add_row("word " * 60)
    person.ask.say(table)
    assert max(map(len, person.shown.splitlines())) <= 100
    person.ask.say("x" * 300)
    assert "x" * 300 in person.shown


@pytest.mark.parametrize(("words", "said"), [("a", "a"), ("ab", "a or b"), ("abc", "a, b or c")])
def test_words_in_a_sentence(words: str, said: str) -> None:
    assert either(dict.fromkeys(words, "")) == said
