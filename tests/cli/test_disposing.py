"""The safety interview: one MCP at a time, no default, and nothing assumed."""

import asyncio

import pytest

from mcp_assay.cli.disposing import Known, dispose, unskip
from mcp_assay.cli.naming_servers import COMMAND_LINE
from mcp_assay.core.model import Disposition, Manifest, Match, Safety, Scenario, ServerConfig, Tool
from mcp_assay.core.plan import Plan
from scripted import CTRL_C, Scripted

TEXT = {"type": "object", "properties": {"path": {"type": "string"}}}
COUNT = {"type": "object", "properties": {"count": {"type": "integer"}}}
NOTES = ServerConfig("notes", "/p/.mcp.json", command="notes-server", line=2)
FAR = ServerConfig("far", "/p/.mcp.json", command="far-server")
TOOLS = (Tool("list_notes"), Tool("write_note", input_schema=TEXT), Tool("delete_all", input_schema=COUNT))
MANIFESTS = {"notes": Manifest("notes", TOOLS), "far": Manifest("far", limitation="it exited with 4")}
QUESTION = "For notes — should I treat this as read_only, sandboxed, or skip?"
RESOURCES = (
    "Which test resources are approved? List them by identifier "
    "(e.g., repo: eval-playground, bucket: test-sandbox, path: /tmp/mcp-eval)."
)
SKIPS_FAR = Plan(dispositions={"far": Safety(Disposition.SKIP), "notes": Safety(Disposition.READ_ONLY)})
REACHES = Scenario("S2", "user", "Reach out.", ("far",))


def ask(person: Scripted, plan: Plan = Plan(), servers: tuple[ServerConfig, ...] = (NOTES,)) -> Plan:  # noqa: B008
    answered = asyncio.run(dispose(person.ask, plan, servers, MANIFESTS))
    assert person.left == []
    return answered


def reconsider(person: Scripted, far: ServerConfig = FAR, listed: tuple[Tool, ...] = ()) -> Plan:
    known = Known({"notes": NOTES, "far": far}, {"far": Manifest("far", listed)})
    answered = asyncio.run(unskip(person.ask, SKIPS_FAR, REACHES, ["far"], known))
    assert person.left == []
    return answered


@pytest.mark.parametrize("word", ["read_only", "skip"])
def test_one_of_the_three_words_is_the_disposition(word: str) -> None:
    person = Scripted(word)
    assert ask(person).dispositions["notes"] == Safety(Disposition(word))
    assert QUESTION in person.shown
    assert "sandboxed: I may exercise mutating tools, but only against test resources you specify." in person.shown


@pytest.mark.parametrize("wrong", ["", "yes", "readonly", "read-only", "sandbox", "skip it", "1", "approve"])
def test_any_other_answer_is_no_disposition_and_is_asked_again(wrong: str) -> None:
    person = Scripted(wrong, "skip")
    assert ask(person).skips("notes")
    assert "Please answer read_only, sandboxed or skip." in person.shown


def test_name_source_tools_and_the_hint_are_shown_before_the_question() -> None:
    person = Scripted("skip")
    ask(person)
    places = [person.shown.index(text) for text in ("notes\n", "/p/.mcp.json:2", "list_notes", "hint", QUESTION)]
    assert places == sorted(places)


def test_each_mcp_is_asked_about_alone_and_one_that_could_not_be_listed_too() -> None:
    person = Scripted("read_only", "skip")
    plan = ask(person, servers=(NOTES, FAR))
    assert list(plan.dispositions) == ["notes", "far"]
    first, second = person.shown.split("far  (MCP 2 of 2)")
    assert "notes  (MCP 1 of 2)" in first
    assert "could not be listed: it exited with 4" in second


def test_what_the_plan_answers_is_not_asked() -> None:
    assert ask(Scripted(), SKIPS_FAR, (NOTES, FAR)) == SKIPS_FAR


def test_under_read_only_the_tools_that_will_be_refused_are_named() -> None:
    person = Scripted("read_only")
    ask(person)
    assert "refused under read_only, since mutating: write_note, delete_all" in person.shown


@pytest.mark.parametrize(
    ("replies", "kept"),
    [
        (("repo: eval-playground", ""), ("repo: eval-playground",)),
        (("repo: a/b, bucket: c ,d", ""), ("repo: a/b", "bucket: c", "d")),
        (("one", "two", "one", ""), ("one", "two")),
        (("one\ntwo, three\n", ""), ("one", "two", "three")),
        (("", " ", ",", "path: /tmp/x/**", ""), ("path: /tmp/x/**",)),
        (("Ünï [bold] Repo", ""), ("Ünï [bold] Repo",)),
    ],
)
def test_test_resources_are_kept_verbatim_and_at_least_one_is_needed(
    replies: tuple[str, ...], kept: tuple[str, ...]
) -> None:
    person = Scripted("sandboxed", *replies)
    assert ask(person).dispositions["notes"] == Safety(Disposition.SANDBOXED, kept)
    assert RESOURCES in person.shown
    assert all(f"\n    {resource}\n" in person.shown for resource in kept)
    assert ("At least one is needed" in person.shown) is (not replies[0].strip())


def test_what_sandboxed_does_not_do_and_what_can_never_match_is_said() -> None:
    person = Scripted("sandboxed", "path: /tmp/x", "")
    ask(person)
    assert "restricts the arguments of calls, not what the server's process does" in person.shown
    assert "no parameter of delete_all can name a test resource" in person.shown


def test_under_a_literal_match_the_strict_warning_is_not_given_and_the_match_is_kept() -> None:
    person = Scripted("sandboxed", "x", "")
    plan = ask(person, Plan(match=Match.LITERAL))
    assert plan.dispositions["notes"].match is Match.LITERAL
    assert "can name a test resource" not in person.shown


@pytest.mark.parametrize("replies", [(CTRL_C,), ("sandboxed", CTRL_C), ("sandboxed", "x", CTRL_C), ("nope", CTRL_C)])
def test_ctrl_c_leaves_the_interview_anywhere(replies: tuple[str, ...]) -> None:
    with pytest.raises(KeyboardInterrupt):
        ask(Scripted(*replies))


# --- a scenario that targets a skip MCP ------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", ["drop", "DROP ", "", "yes", "keep", "change it", "skip", "c"])
def test_whatever_is_not_change_drops_the_scenario_at_once_and_says_so(answer: str) -> None:
    person = Scripted(answer)
    assert reconsider(person) == SKIPS_FAR
    assert "S2 “Reach out.” targets far, which is to be skipped." in person.shown
    neither = answer.strip().lower() != "drop"
    assert ("That is neither drop nor change: it is dropped." in person.shown) is neither
    assert neither or "Dropped." in person.shown


def test_a_changed_disposition_keeps_the_scenario_and_consent_to_start_is_asked_first() -> None:
    person = Scripted("change", "yes", "read_only")
    plan = reconsider(person)
    assert plan.dispositions["far"] == Safety(Disposition.READ_ONLY)
    assert plan.connect == {"far": FAR.digest}
    assert person.shown.index("far-server") < person.shown.index("it must be started")


@pytest.mark.parametrize("replies", [("change", "no"), ("change", "yes", "skip")])
def test_without_consent_or_with_skip_again_the_scenario_is_dropped_all_the_same(replies: tuple[str, ...]) -> None:
    person = Scripted(*replies)
    assert reconsider(person) == SKIPS_FAR
    assert "It stays skipped, so the scenario is dropped." in person.shown


def test_a_server_that_was_listed_already_needs_no_second_consent_and_shows_its_tools() -> None:
    person = Scripted("change", "read_only")
    plan = reconsider(person, FAR, listed=TOOLS)
    assert plan.connect is None
    assert "list_notes, write_note" in person.shown


def test_a_server_of_the_command_line_needs_no_second_consent() -> None:
    person = Scripted("change", "sandboxed", "repo: x", "")
    plan = reconsider(person, far=ServerConfig("far", COMMAND_LINE, command="far-server"))
    assert plan.dispositions["far"].test_resources == ("repo: x",)
    assert plan.connect is None


@pytest.mark.parametrize("replies", [(CTRL_C,), ("change", CTRL_C), ("change", "yes", CTRL_C)])
def test_ctrl_c_leaves_this_question_too(replies: tuple[str, ...]) -> None:
    with pytest.raises(KeyboardInterrupt):
        reconsider(Scripted(*replies))
