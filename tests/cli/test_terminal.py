"""The terminal as an interviewer: what it asks, what it leaves alone, and that each answer is a plan."""

import asyncio
from pathlib import Path

import pytest

from mcp_assay.cli.terminal import Terminal
from mcp_assay.core.model import Disposition, Manifest, Scenario, ServerConfig, Tool, Verdict
from mcp_assay.core.plan import Plan, unanswered
from mcp_assay.core.scenarios import RawScenario
from mcp_assay.interviewer import Existing, Interviewer, Proposal
from mcp_assay.planfile import parse_plan, write_plan
from scripted import CTRL_C, Scripted

NOTES = ServerConfig("notes", "/p/.mcp.json", command="notes-server")
FAR = ServerConfig("far", "/p/.mcp.json", command="far-server")
MANIFESTS = {
    "notes": Manifest("notes", (Tool("list_notes"), Tool("orbit"))),
    "far": Manifest("far", limitation="not started: its disposition is 'skip'"),
}
CHOICES = ((Existing.REPARSE, "parse again"), (Existing.RECRITIQUE, "judge again"), (Existing.RESTART, "start anew"))


def terminal(person: Scripted, **more: object) -> Terminal:
    return Terminal(person.console, lines=person, **more)


def test_it_is_an_interviewer_and_a_person() -> None:
    asked: Interviewer = terminal(Scripted())
    assert asked.is_person


async def interview(asked: Interviewer, servers: tuple[ServerConfig, ...]) -> Plan:
    plan = await asked.consent(Plan(), servers)
    plan = await asked.dispose(plan, servers, MANIFESTS)
    plan = await asked.describe(plan, MANIFESTS)
    listed = [Scenario(f"S{place}", "user", item.description) for place, item in enumerate(plan.scenarios, 1)]
    plan, _ = await asked.approve(plan, Proposal(tuple(listed)))
    return plan


def test_a_whole_interview_leaves_a_plan_that_answers_everything_and_survives_its_file() -> None:
    person = Scripted("choose", "yes", "no", "read_only", "read", "Look at the notes: all.", "", "approve")
    plan = asyncio.run(interview(terminal(person), (NOTES, FAR)))
    assert person.left == []
    assert unanswered(plan, (NOTES, FAR)) == []
    assert {name: safety.disposition for name, safety in plan.dispositions.items()} == {
        "notes": Disposition.READ_ONLY,
        "far": Disposition.SKIP,
    }
    assert plan.dispositions["notes"].marks == {"orbit": Verdict.READ}
    again = parse_plan(write_plan(plan).encode(), "plan.yaml")
    assert (again.dispositions, again.connect, again.approval) == (plan.dispositions, plan.connect, plan.approval)
    assert [item.description for item in again.scenarios] == ["Look at the notes: all."]


@pytest.mark.parametrize(
    ("typed", "choice"), [(("",), "reparse"), (("restart",), "restart"), (("2", "resume", "recritique"), "recritique")]
)
def test_what_to_do_with_an_existing_evaluation_has_a_default_and_anything_unknown_is_asked_again(
    typed: tuple[str, ...], choice: str
) -> None:
    person = Scripted(*typed)
    asked = terminal(person).existing("It is\nthere [already].", CHOICES, Existing.REPARSE)
    assert asyncio.run(asked) is Existing(choice)
    assert "It is\nthere [already]." in person.shown
    assert "recritique: judge again" in person.shown
    assert person.prompts[0] == "[reparse] / recritique / restart: "


def test_what_the_command_line_says_about_it_is_not_asked_unless_it_is_not_offered() -> None:
    said = terminal(Scripted(), existing=Existing.RESTART).existing("There.", CHOICES, Existing.REPARSE)
    assert asyncio.run(said) is Existing.RESTART
    unoffered = terminal(Scripted(""), existing=Existing.RESUME).existing("There.", CHOICES, Existing.REPARSE)
    assert asyncio.run(unoffered) is Existing.REPARSE


@pytest.mark.parametrize(
    ("plan", "has_scenarios"),
    [
        (Plan(scenarios=(RawScenario("Look."),)), False),
        (Plan(scenarios_file="/x/list.txt"), False),
        (Plan(tour=True), False),
        (Plan(), True),
    ],
)
def test_scenarios_that_are_there_are_not_asked_for(plan: Plan, *, has_scenarios: bool) -> None:
    asked = terminal(Scripted(), has_scenarios=has_scenarios)
    assert asyncio.run(asked.describe(plan, MANIFESTS)) == plan


def test_trust_on_the_command_line_lets_all_count() -> None:
    plan = Plan(connect="all")
    assert asyncio.run(terminal(Scripted(), trusted=True).consent(plan, (NOTES, FAR))) == plan


def test_a_skipped_server_that_is_wanted_after_all_is_shown_again_before_it_is_started() -> None:
    person = Scripted("none", "change", "yes", "read_only")
    asked = terminal(person)
    plan = asyncio.run(asked.consent(Plan(), (NOTES, FAR)))
    shown = len(person.shown)
    changed = asyncio.run(asked.unskip(plan, Scenario("S1", "user", "Reach.", ("far",)), ["far"]))
    assert "far-server" in person.shown[shown:]
    assert changed.connect == {"far": FAR.digest}
    assert not changed.skips("far")


def test_only_the_servers_that_are_asked_about_have_their_tools_marked() -> None:
    person = Scripted("read_only")
    plan = asyncio.run(terminal(person).dispose(Plan(), (FAR,), MANIFESTS))
    assert set(plan.dispositions) == {"far"}
    assert "orbit" not in person.shown


def test_ctrl_c_reaches_the_caller() -> None:
    with pytest.raises(KeyboardInterrupt):
        asyncio.run(terminal(Scripted(CTRL_C)).existing("There.", CHOICES, Existing.REPARSE))


def test_a_scenarios_file_of_the_answers_is_where_the_person_said(tmp_path: Path) -> None:
    file = tmp_path / "mine.txt"
    file.write_text("Look.\n")
    plan = asyncio.run(terminal(Scripted(f"@{file}")).describe(Plan(), MANIFESTS))
    assert parse_plan(write_plan(plan).encode(), "/elsewhere/plan.yaml").scenarios_file == str(file)
