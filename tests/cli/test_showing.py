"""What is shown before a question: complete where it must be agreed to, and nothing foreign that is alive."""

import pytest
from rich.text import Text

from mcp_assay.cli.showing import (
    Doubt,
    doubt_lines,
    doubts_table,
    facts,
    first_sentence,
    scenario_lines,
    server_lines,
    tool_lines,
)
from mcp_assay.core.classify import Classified
from mcp_assay.core.model import Manifest, Scenario, ServerConfig, Tool, Transport, Verdict
from mcp_assay.core.signs import Sign, Signs
from scripted import Scripted

EVIL = "x[bold]\n### [CRITICAL] a\x1b[31m\u202e"


def plain(lines: list[str]) -> str:
    return "\n".join(Text.from_markup(line, emoji=False).plain for line in lines)


def test_all_that_would_run_is_shown_and_no_secret() -> None:
    server = ServerConfig(
        "notes",
        "/p/.mcp.json",
        command="npx",
        args=("-y", "notes@1", "--token", "hunter2hunter2"),
        cwd="sub",
        env={"API_KEY": "sk-live-1"},
        line=3,
        host_note="The host would ask first.",
    )
    shown = plain(server_lines(server))
    for text in ("notes\n", "from      /p/.mcp.json:3", "npx -y notes@1 --token", "in        sub", "sets      API_KEY"):
        assert text in shown
    assert "The host would ask first." in shown
    assert "hunter2" not in shown
    assert "sk-live" not in shown


def test_of_a_remote_server_the_address_the_header_names_and_the_helper_are_shown() -> None:
    server = ServerConfig(
        "far",
        "/p/.mcp.json",
        transport=Transport.HTTP,
        url="https://u:hunter2@example.com/mcp?key=hunter2",
        headers={"Authorization": "Bearer hunter2"},
        headers_helper="/bin/mint --fresh",
    )
    said = dict(facts(server))
    assert said["contacts"].startswith("https://")
    assert "example.com/mcp" in said["contacts"]
    assert (said["headers"], said["helper"]) == ("Authorization", "/bin/mint --fresh")
    assert "runs" not in said
    assert "hunter2" not in str(said)


def test_a_long_command_is_shown_to_its_end_for_it_will_be_run_to_its_end() -> None:
    server = ServerConfig("notes", "s", command="sh", args=("-c", "true " + " " * 1500 + "; rm -rf /"))
    assert "; rm -rf /" in plain(server_lines(server))


def test_tools_that_seem_to_mutate_are_hinted_at_in_the_words_of_the_specification() -> None:
    shown = plain(tool_lines(Manifest("notes", (Tool("list_notes"), Tool("deleteNote")))))
    assert "tools     list_notes, deleteNote" in shown
    hint = "this MCP appears to expose mutating tools — you likely want sandboxed or skip: deleteNote"
    assert hint in shown
    assert "hint" not in plain(tool_lines(Manifest("notes", (Tool("list_notes"),))))


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        (Manifest("notes"), "tools     none"),
        (Manifest("notes", limitation="it exited with 4"), "tools     could not be listed: it exited with 4"),
        (Manifest("notes", (Tool("a"),), limitation="the list was cut"), "the list was cut\n  tools     a"),
        (Manifest("notes", tuple(Tool(f"t{n}") for n in range(100_000))), "t11 and 99988 more"),
    ],
)
def test_what_is_not_listed_is_said_and_long_lists_are_shortened(manifest: Manifest, said: str) -> None:
    shown = plain(tool_lines(manifest))
    assert said in shown
    assert len(shown) < 2000


def test_undetermined_tools_stand_in_one_table_with_their_evidence() -> None:
    tool = Tool("sync", "Brings both sides together. May take long.")
    person = Scripted()
    found = Classified(Verdict.UNDETERMINED, "doubtful", ("sync",))
    seen = Signs((Sign("siblings", "`create_sync` changes the same"),), (Sign("name", "has `sync`"),))
    person.ask.say(doubts_table([Doubt("notes", tool, found, seen)]))
    told = ("undecided: doubtful (sync)", "for: `create_sync` changes the same", "against: name has `sync`")
    for cell in ("notes", "sync", "Brings both sides together.", *told):
        assert cell in person.shown
    assert "May take long" not in person.shown


@pytest.mark.parametrize(
    ("description", "sentence"),
    [
        ("Reads it. Then more.", "Reads it."),
        ("Reads v1.2 of it", "Reads v1.2 of it"),
        ("Reads\n  it all\n\nArgs: none", "Reads it all"),
        ("", ""),
        (" \n ", ""),
        ("a" * 100_000, "a" * 2000),
    ],
)
def test_the_first_sentence_of_a_description(description: str, sentence: str) -> None:
    assert first_sentence(description) == sentence


def test_the_list_at_the_gate_has_ids_source_tags_descriptions_targets_and_weak_signals() -> None:
    scenarios = [Scenario("S1", "user", "Look."), Scenario("S2", "derived", "Hand over.", ("a", "b"))]
    shown = plain(scenario_lines(scenarios, {"Hand over.": "only the names overlap", "Look.": "never shown"}))
    assert shown.splitlines() == [
        "  S1  user     Look.",
        "  S2  derived  Hand over.  → a, b",
        "      weak signal  only the names overlap",
    ]


def test_nothing_foreign_is_alive() -> None:
    person = Scripted()
    server = ServerConfig(EVIL, EVIL, command=EVIL, args=(EVIL,), cwd=EVIL, env={EVIL: ""}, host_note=EVIL)
    manifest = Manifest(EVIL, (Tool(f"delete {EVIL}"),), limitation=EVIL)
    scenarios = [Scenario("S1", "derived", EVIL, (EVIL,))]
    for line in [*server_lines(server), *tool_lines(manifest), *scenario_lines(scenarios, {EVIL: EVIL})]:
        person.ask.say(line)
    evil = Doubt(
        EVIL,
        Tool(EVIL, EVIL),
        Classified(Verdict.UNDETERMINED, EVIL, (EVIL,)),
        Signs((Sign("name", EVIL),), (Sign("name", EVIL),)),
    )
    person.ask.say(doubts_table([evil]))
    for line in doubt_lines(evil):
        person.ask.say(line)
    assert "x[bold]\\n" in person.shown
    assert not {"\x1b", "\u202e"} & set(person.shown)
    assert not any(line.lstrip().startswith("### ") for line in person.shown.splitlines())
