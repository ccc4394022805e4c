"""Which of the host's own tools an agent may use."""

import asyncio

import pytest

from mcp_assay.cli.permitting import permit
from mcp_assay.core.plan import Plan
from scripted import Scripted


def ask(person: Scripted, plan: Plan = Plan()) -> tuple[str, ...]:  # noqa: B008 - frozen
    found = asyncio.run(permit(person.ask, plan))
    assert person.left == []
    return found.allow


@pytest.mark.parametrize(
    ("typed", "allowed"),
    [("none", ()), (" NONE ", ()), ("Read, Grep", ("Read", "Grep")), ("Read\nRead,", ("Read",)), ("X_1", ("X_1",))],
)
def test_tools_are_named_or_none_is_answered(typed: str, allowed: tuple[str, ...]) -> None:
    assert ask(Scripted(typed)) == allowed


@pytest.mark.parametrize("typed", ["", "all of them", "mcp__notes__list", "Read, none", "Bash(*)", "*"])
def test_anything_else_is_asked_again(typed: str) -> None:
    person = Scripted(typed, "none")
    assert ask(person) == ()
    assert "Please name tools, or answer none" in person.shown


def test_with_a_shell_it_is_said_what_cannot_be_excluded() -> None:
    person = Scripted("Bash")
    assert ask(person) == ("Bash",)
    assert "calls that pass around the gate cannot be excluded" in person.shown


def test_what_a_plan_allows_is_not_asked_again() -> None:
    assert ask(Scripted(), Plan(allow=("Read",))) == ("Read",)
