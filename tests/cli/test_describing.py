"""Collecting scenarios: typed, from a file, or a tour."""

import asyncio
from pathlib import Path

import pytest

from mcp_assay.cli.describing import describe
from mcp_assay.core.model import Manifest
from mcp_assay.core.plan import Plan
from mcp_assay.errors import UserError
from scripted import CTRL_C, Scripted

MANIFESTS = {"notes": Manifest("notes")}


def ask(person: Scripted) -> Plan:
    plan = asyncio.run(describe(person.ask, Plan(), MANIFESTS))
    assert person.left == []
    return plan


def described(plan: Plan) -> list[str]:
    return [scenario.description for scenario in plan.scenarios]


def test_the_question_and_its_examples_are_those_of_the_specification() -> None:
    person = Scripted("Look.", "")
    ask(person)
    assert (
        "What scenarios should I exercise? Describe the tasks you want me to try — "
        "I'll attempt each one using the attached MCPs and log every call I make."
    ) in person.shown
    assert '"Create a new branch, open a PR, request review."' in person.shown


@pytest.mark.parametrize(
    ("replies", "kept"),
    [
        (("Look.", ""), ["Look."]),
        ((" Look. ", "Find [x] and: more", " "), ["Look.", "Find [x] and: more"]),
        (("One\nTwo\n\nThree", ""), ["One", "Two", "Three"]),
        (tuple("12345678"), list("12345678")),
        (("a\nb\nc\nd\ne\nf\ng\nh\ni\nj",), list("abcdefgh")),
        (("1", "approve", ""), ["1", "approve"]),
    ],
)
def test_one_to_eight_are_collected_one_a_line(replies: tuple[str, ...], kept: list[str]) -> None:
    assert described(ask(Scripted(*replies))) == kept


def test_how_many_are_left_is_said_and_what_finds_no_room_is_named() -> None:
    person = Scripted("1", "2\n3\n4\n5\n6\n7\n8\nnine")
    ask(person)
    assert "up to 7 more" in person.shown
    assert "that is 8, the most that can run" in person.shown
    assert "Left out, since at most 8 can run: nine" in person.shown
    assert person.prompts == ["S1: ", "S2: "]


@pytest.mark.parametrize("answers", [("yes",), ("maybe", "y")])
def test_without_any_a_tour_is_offered(answers: tuple[str, ...]) -> None:
    person = Scripted("", *answers)
    plan = ask(person)
    assert (plan.tour, plan.scenarios) == (True, ())
    assert "call each permitted tool once" in person.shown


def test_fewer_than_one_and_no_tour_is_nothing_to_evaluate() -> None:
    with pytest.raises(UserError, match="nothing to evaluate"):
        ask(Scripted("", "no"))


def test_a_file_is_checked_when_it_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "list of mine.txt"
    file.write_text("# mine\nLook.\nFind.\n")
    person = Scripted(f"@{file}")
    assert ask(person).scenarios_file == str(file)
    assert f"2 scenarios from {file}" in person.shown
    monkeypatch.setenv("HOME", str(tmp_path))
    assert ask(Scripted("@ ~/list of mine.txt ")).scenarios_file == str(file)
    monkeypatch.chdir(tmp_path)
    assert ask(Scripted("@list of mine.txt")).scenarios_file == str(file)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.yaml", "- description: ''\n", "a.yaml:1: entry 1: description is empty"),
        ("a.json", '[{"description": "x", "targets_mcps": ["nots"]}]', "no attached MCP is named 'nots'"),
        ("a.txt", "# none\n", "nothing to evaluate"),
        ("a.txt", "x\n" * 9, "at most 8 can run"),
        ("a.txt", None, "a.txt: cannot be read"),
    ],
)
def test_what_is_wrong_with_a_file_is_said_and_asked_again(
    tmp_path: Path, name: str, text: str | None, said: str
) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    person = Scripted(f"@{tmp_path / name}", "Look.", "")
    assert described(ask(person)) == ["Look."]
    assert said in person.shown


def test_a_home_that_nobody_knows_is_a_file_that_cannot_be_read() -> None:
    person = Scripted("@~nobody-of-this-name/x", "Look.", "")
    assert described(ask(person)) == ["Look."]
    assert "home" in person.shown


@pytest.mark.parametrize("reply", ["@more.txt", "@a.txt\n@b.txt"])
def test_a_file_stands_alone(reply: str) -> None:
    first = () if "\n" in reply else ("Look.",)
    person = Scripted(*first, reply, *(() if first else ("Look.",)), "")
    assert described(ask(person)) == ["Look."]
    assert "A file stands alone" in person.shown


@pytest.mark.parametrize("replies", [(CTRL_C,), ("Look.", CTRL_C), ("", CTRL_C)])
def test_ctrl_c_leaves_the_question(replies: tuple[str, ...]) -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(Scripted(*replies))
