"""Tools that no rule could tell are marked by the person who reads what they say, and by nobody else."""

import asyncio

import pytest

from mcp_assay.cli.marking import mark
from mcp_assay.core.marks import marked
from mcp_assay.core.model import Disposition, Manifest, Safety, Tool, Verdict
from mcp_assay.core.plan import Plan
from mcp_assay.interview import check_marks
from scripted import CTRL_C, Scripted

ORBIT, PING, FROB = Tool("orbit", "Brings both sides together. At length."), Tool("ping"), Tool("frobnicate")
MANIFESTS = {
    "notes": Manifest("notes", (Tool("list_notes"), Tool("write_note"), ORBIT, PING)),
    "far": Manifest("far", (FROB,)),
    "off": Manifest("off", (Tool("whirl"),)),
}
READS, MUTATES = Verdict.READ, Verdict.MUTATING


def answered() -> dict[str, Safety]:
    return {
        "notes": Safety(Disposition.READ_ONLY),
        "far": Safety(Disposition.SANDBOXED, ("x",)),
        "off": Safety(Disposition.SKIP),
    }


def ask(person: Scripted, plan: Plan | None = None, manifests: dict[str, Manifest] = MANIFESTS) -> Plan:
    found = asyncio.run(mark(person.ask, plan or Plan(dispositions=answered()), manifests))
    assert person.left == []
    return found


def marks(plan: Plan) -> dict[str, Verdict]:
    return {tool: verdict for safety in plan.dispositions.values() for tool, verdict in safety.marks.items()}


@pytest.mark.parametrize(
    ("replies", "expected"),
    [
        (("read",), {"orbit": READS, "ping": READS, "frobnicate": READS}),
        (("mutating",), {"orbit": MUTATES, "ping": MUTATES, "frobnicate": MUTATES}),
        (("leave",), {}),
        (("yes", "", "all", "approve", "leave"), {}),
        (("each", "read", "mutating", "leave"), {"orbit": READS, "ping": MUTATES}),
        (("each", "no", "read", "leave", "leave"), {"orbit": READS}),
    ],
)
def test_all_at_once_or_one_by_one(replies: tuple[str, ...], expected: dict[str, Verdict]) -> None:
    plan = ask(Scripted(*replies))
    assert marks(plan) == expected
    check_marks(plan, MANIFESTS)


def test_one_table_holds_the_undetermined_tools_of_all_servers_that_may_be_called_and_no_others() -> None:
    person = Scripted("leave")
    ask(person)
    assert "3 tools that may read or mutate; no rule could tell:" in person.shown
    assert "Brings both sides together." in person.shown
    assert all(name in person.shown for name in ("orbit", "ping", "frobnicate"))
    assert not any(name in person.shown for name in ("write_note", "list_notes", "whirl"))


def test_one_by_one_each_tool_is_shown_with_what_it_says() -> None:
    person = Scripted("each", "leave", "leave", "leave")
    ask(person)
    assert "notes: orbit\n  Brings both sides together.\n" in person.shown
    assert "far: frobnicate\n  it says nothing about itself\n" in person.shown


def test_what_speaks_for_and_against_is_shown_with_the_tool() -> None:
    ping = Tool("ping", "Returns the pings.", {"properties": {"body": {}}})
    person = Scripted("each", "leave")
    ask(person, manifests={"notes": Manifest("notes", (ping, Tool("create_ping")))})
    assert "notes: ping\n  Returns the pings.\n" in person.shown
    assert "  for: description says `Returns the pings`; `create_ping` changes the same\n" in person.shown
    assert "  against: accepts `body` to store or send\n" in person.shown


def test_what_is_marked_already_is_kept_and_not_asked_again() -> None:
    person = Scripted("mutating")
    given = answered()
    plan = ask(person, Plan(dispositions={**given, "notes": marked(given["notes"], ORBIT, READS)}))
    assert marks(plan) == {"orbit": READS, "ping": MUTATES, "frobnicate": MUTATES}
    assert "orbit" not in person.shown


def test_a_mark_that_was_given_for_another_form_of_the_tool_is_asked_for_again() -> None:
    person = Scripted("mutating")
    given = answered()
    before = marked(given["notes"], Tool("orbit", raw={"name": "orbit"}), READS)
    plan = ask(person, Plan(dispositions={**given, "notes": before}))
    assert marks(plan)["orbit"] is MUTATES
    assert "orbit" in person.shown


def test_without_doubts_nothing_is_asked() -> None:
    plan = Plan(dispositions={"notes": Safety(Disposition.READ_ONLY)})
    assert ask(Scripted(), plan, {"notes": Manifest("notes", (Tool("list_notes"),))}) == plan


def test_nobody_marks_what_they_have_not_seen() -> None:
    many = {"notes": Manifest("notes", tuple(Tool(f"whirl{number}") for number in range(70)))}
    person = Scripted("read", "leave")
    plan = ask(person, manifests=many)
    assert len(marks(plan)) == 30
    assert "70 tools that may read or mutate (1-30 of 70)" in person.shown
    assert "(31-60 of 70)" in person.shown
    assert "whirl60" not in person.shown


@pytest.mark.parametrize("replies", [(CTRL_C,), ("each", CTRL_C), ("each", "read", CTRL_C)])
def test_ctrl_c_leaves_the_table_and_each_tool(replies: tuple[str, ...]) -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(Scripted(*replies))
