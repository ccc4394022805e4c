"""Consent to start servers, bound to what would run."""

import asyncio
from collections.abc import Mapping

import pytest

from mcp_assay.cli.consenting import consent, pinned
from mcp_assay.cli.naming_servers import COMMAND_LINE
from mcp_assay.core.model import Disposition, Safety, ServerConfig
from mcp_assay.core.plan import Plan, unanswered
from scripted import CTRL_C, Scripted

NOTES = ServerConfig("notes", "/p/.mcp.json", command="notes-server")
FAR = ServerConfig("far", "/p/.mcp.json", url="https://example.com/mcp")
NAMED = ServerConfig("named", COMMAND_LINE, command="named-server")
BOTH = (NOTES, FAR)


def ask(person: Scripted, plan: Plan = Plan(), servers: tuple[ServerConfig, ...] = BOTH, **more: bool) -> Plan:  # noqa: B008
    answered = asyncio.run(consent(person.ask, plan, servers, **more))
    assert person.left == []
    return answered


def skipped(plan: Plan) -> set[str]:
    return {name for name in plan.dispositions if plan.skips(name)}


@pytest.mark.parametrize(
    ("replies", "started"),
    [
        (("all",), {"notes", "far"}),
        (("none",), set()),
        (("choose", "yes", "no"), {"notes"}),
        (("choose", "n", "y"), {"far"}),
        (("yes", "", "both", "All"), {"notes", "far"}),
        (("choose", "perhaps", "no", "no"), set()),
    ],
)
def test_who_may_start_is_pinned_and_who_may_not_is_skipped(replies: tuple[str, ...], started: set[str]) -> None:
    person = Scripted(*replies)
    plan = ask(person)
    digests = {server.name: server.digest for server in BOTH}
    assert (plan.connect or {}) == {name: digests[name] for name in started}
    assert skipped(plan) == {"notes", "far"} - started
    assert all(safety.notes == "The user chose not to start it." for safety in plan.dispositions.values())


def test_what_would_run_is_shown_before_it_is_asked_and_typing_ahead_does_not_count() -> None:
    person = Scripted("none")
    ask(person)
    shown = person.shown
    assert shown.index("notes-server") < shown.index("https://example.com/mcp") < shown.index("Start these 2 servers?")
    assert person.forgotten_before == [0]


def test_of_a_single_server_only_yes_or_no_is_asked() -> None:
    person = Scripted("y")
    assert ask(person, servers=(NOTES,)).connect == {"notes": NOTES.digest}
    assert "Start notes?" in person.shown


@pytest.mark.parametrize(
    ("plan", "servers", "trusted"),
    [
        (Plan(), (NAMED,), False),
        (Plan(connect={"notes": NOTES.digest}), (NOTES,), False),
        (Plan(dispositions={"notes": Safety(Disposition.SKIP)}), (NOTES,), False),
        (Plan(connect="all"), BOTH, True),
        (Plan(), (), False),
    ],
)
def test_what_is_settled_is_not_asked(plan: Plan, servers: tuple[ServerConfig, ...], *, trusted: bool) -> None:
    person = Scripted()
    assert ask(person, plan, servers, trusted=trusted) == plan
    assert person.shown == ""


@pytest.mark.parametrize("connect", ["all", None, {}, {"notes": "sha256:" + "0" * 64}])
def test_all_without_trust_and_a_changed_pin_are_asked(connect: str | Mapping[str, str] | None) -> None:
    person = Scripted("yes")
    plan = ask(person, Plan(connect=connect), (NOTES,))
    assert plan.connect == {"notes": NOTES.digest}
    assert ("it is not what the plan has pinned" in person.shown) is bool(connect and connect != "all")


def test_the_plan_that_results_answers_for_consent() -> None:
    plan = ask(Scripted("choose", "yes", "no"))
    assert not [line for line in unanswered(plan, BOTH) if line.startswith("connect")]


def test_a_server_of_the_command_line_gets_no_pin() -> None:
    assert pinned(Plan(), NAMED) == Plan()
    assert pinned(Plan(connect={"far": FAR.digest}), NOTES).connect == {"far": FAR.digest, "notes": NOTES.digest}


@pytest.mark.parametrize("replies", [(CTRL_C,), ("choose", CTRL_C), ("choose", "yes", CTRL_C)])
def test_ctrl_c_starts_nothing(replies: tuple[str, ...]) -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(Scripted(*replies))
