"""What to do with an evaluation that is there already is asked, never guessed."""

import asyncio
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from mcp_assay.core.plan import Plan
from mcp_assay.core.session import State, Status
from mcp_assay.errors import UserError
from mcp_assay.existing import plan_of, settle, sha256_of
from mcp_assay.interviewer import Existing
from mcp_assay.store.evaldir import EvalDir

KEY = b"k" * 32
NOW = "2026-01-01T00:00:00.000Z"


@dataclass(frozen=True)
class Place:
    base: Path
    name: str = "one"


class Person:
    """Answers with what was prepared, and remembers what was offered."""

    def __init__(self, answer):
        self.answer, self.offered, self.default = answer, None, None

    async def existing(self, question, choices, default):
        self.offered, self.default, self.question = [choice for choice, _ in choices], default, question
        return self.answer


def stored(tmp_path, status, **fields):
    with EvalDir(tmp_path, "one", create=True) as folder:
        folder.save_state(KEY, State("one", NOW, NOW, status=status, **fields))


def decide(tmp_path, answer):
    person = Person(answer)
    with ExitStack() as stack:
        found = asyncio.run(settle(Place(tmp_path), KEY, person, stack, NOW))
        return person, found.state


def test_a_fresh_folder_asks_nothing(tmp_path):
    person, state = decide(tmp_path, None)
    assert (person.offered, state) == (None, None)


@pytest.mark.parametrize("status", [Status.SCOPED, Status.EXECUTING, Status.CRITIC_FAILED, Status.REPORTING])
def test_an_unfinished_one_can_be_resumed_or_restarted(tmp_path, status):
    stored(tmp_path, status)
    person, state = decide(tmp_path, Existing.RESUME)
    assert person.offered == [Existing.RESUME, Existing.RESTART, Existing.LEAVE]
    assert state.status is status


@pytest.mark.parametrize("status", [Status.DISCOVERING, Status.INTERVIEWING, Status.SCOPING])
def test_an_unfinished_interview_lists_the_servers_anew(tmp_path, status):
    stored(tmp_path, status)
    assert decide(tmp_path, Existing.RESUME)[1].status is Status.DISCOVERING


def test_a_finalized_one_can_only_be_replaced_or_left(tmp_path):
    stored(tmp_path, Status.COMPLETE)
    person, state = decide(tmp_path, Existing.RESTART)
    assert (person.offered, state) == ([Existing.RESTART, Existing.LEAVE], None)
    assert "finalized" in person.question
    with pytest.raises(UserError, match="another --name"):
        decide(tmp_path, Existing.LEAVE) if stored(tmp_path, Status.COMPLETE) is None else None


def test_a_critic_that_answered_before_a_crash_offers_three_options_and_parsing_first(tmp_path):
    stored(tmp_path, Status.CRITIQUING)
    (tmp_path / "mcp-evals/mcp-eval-one/critic-output.md").write_text("x")
    person, _ = decide(tmp_path, Existing.REPARSE)
    assert person.offered == [Existing.REPARSE, Existing.RECRITIQUE, Existing.RESTART]
    assert person.default is Existing.REPARSE


@pytest.mark.parametrize("text", ["{", "[]", '{"status": "scoped"}'])
def test_a_state_that_cannot_be_read_can_be_put_aside_and_is_never_overwritten(tmp_path, text):
    with EvalDir(tmp_path, "one", create=True) as folder:
        (folder.path / "state.json").write_text(text)
    person, state = decide(tmp_path, Existing.RESTART)
    assert (person.offered, state) == ([Existing.RESTART, Existing.LEAVE], None)
    (old,) = (tmp_path / "mcp-evals").glob("mcp-eval-one~*/state.json")
    assert old.read_text() == text


def test_the_plan_that_was_approved_is_the_one_to_go_on_with(tmp_path):
    text = "approval: approve\n"
    with EvalDir(tmp_path, "one", create=True) as folder:
        folder.write("plan.yaml", text)
        state = State("one", NOW, NOW, status=Status.SCOPED)
        state.assay["plan"] = {"file": "plan.yaml", "sha256": sha256_of(text)}
        assert plan_of(Plan(), state, folder).approval == "approve"
        with pytest.raises(UserError, match="not the plan that was approved"):
            plan_of(Plan(source="other.yaml", sha256="sha256:other"), state, folder)
        folder.write("plan.yaml", text + "allow: [Bash]\n")
        with pytest.raises(UserError, match="not the plan that was approved"):
            plan_of(Plan(), state, folder)
