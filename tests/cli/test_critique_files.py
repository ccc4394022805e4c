"""``critique --state S --transcript T --stdout``: the rules on files from anywhere, by real processes."""

import json
from pathlib import Path
from typing import Any

import pytest

from critic_lines import Line, bare, line, outside
from mcp_assay.core.findings import Parsed, parse
from stage import Ran, Stage, contents, text_of

STATE = {"attached_mcps": [{"name": "tracker"}], "scenarios": [{"id": "S1"}], "execution": [], "status": "critiquing"}
JSON_TEXT = line("S1-001", "list_issues", result={"structured": False, "text_is_json": True})
TOOLS = [{"name": "list_issues", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"}}]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def lines(*entries: Line) -> str:
    return "".join(json.dumps(entry) + "\n" for entry in entries)


def critique(stage: Stage, transcript: object, *words: str | Path, state: object = STATE) -> Ran:
    """The command on two files; the transcript as text, or as bytes where it is none."""
    path = stage.write("t.jsonl", "")
    path.write_bytes(transcript if isinstance(transcript, bytes) else str(transcript).encode())
    return stage.run("critique", "--state", stage.write("s.json", state), "--transcript", path, "--stdout", *words)


def judged(ran: Ran) -> Parsed:
    assert (ran.code, ran.err) == (0, "")
    return parse(ran.out, ["tracker"])


def test_an_evaluation_of_ours_is_judged_from_its_files_as_it_was_from_its_folder(stage: Stage) -> None:
    server = stage.server(replies={"list_notes": {"result": text_of("Error: could not read the notes")}})
    assert stage.eval(server=server).code == 0
    folder, before = stage.folder(), contents(stage.root)
    files = ("--state", folder / "state.json", "--transcript", folder / "transcript.jsonl")
    ran = stage.run("critique", *files, "--manifests", folder / ".assay" / "manifests.json", "--stdout")
    assert (ran.code, ran.err, ran.out) == (0, "", stage.read("critic-output.md"))
    assert contents(stage.root) == before


def test_a_bare_transcript_of_another_tool_is_judged_as_far_as_it_goes(stage: Stage) -> None:
    entries = [bare(JSON_TEXT), bare(outside("S1-002", why="faster locally"))]
    found = judged(critique(stage, lines(*entries)))
    assert [(each.dimension, each.mcp_name, each.evidence_ids) for each in found.findings] == [
        ("glue_code", "unattributed", ("S1-002",))
    ]
    assert "(the transcript has the specification's fields only)." in found.summary
    assert "(driver unknown)." in found.summary
    assert "(no manifests)." in found.summary


def test_the_state_says_who_drove_which_scenario(stage: Stage) -> None:
    again = {"args_digest": "a", "result_digest": "r"}
    entries = [line(f"S{scenario}-00{n}", **again) for scenario in (1, 2) for n in (1, 2, 3)]
    driven = {**STATE, "assay": {"driver": "script"}}
    driven["execution"] = [{"scenario_id": "S2", "assay": {"driver": "claude-code"}}]
    found = judged(critique(stage, lines(*entries), state=driven))
    assert [each.evidence_ids for each in found.findings] == [("S2-001", "S2-002", "S2-003")]
    assert "(in S1: driver script)." in found.summary


@pytest.mark.parametrize("form", [{"tracker": TOOLS}, {"tracker": {"tools": TOOLS}}])
def test_manifests_come_as_we_pin_them_or_as_tools_list_has_them(stage: Stage, form: dict[str, Any]) -> None:
    assert judged(critique(stage, lines(JSON_TEXT))).findings
    found = judged(critique(stage, lines(JSON_TEXT), "--manifests", stage.write("m.json", form)))
    assert (found.findings, "no manifests" in found.summary) == ((), False)


def test_a_limitation_of_a_server_is_told_and_so_is_a_missing_manifest(stage: Stage) -> None:
    state = {**STATE, "attached_mcps": [{"name": "tracker", "assay": {"limitation": "it died"}}, {"name": "docs"}]}
    ran = critique(stage, lines(JSON_TEXT), "--manifests", stage.write("m.json", {"tracker": []}), state=state)
    assert "Manifest unreadable: tracker — it died\nManifest unreadable: docs — no manifest was pinned" in ran.out


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"\n\n",
        b"\xef\xbb\xbf" + lines(JSON_TEXT).encode().replace(b"\n", b"\r\n"),
        lines(JSON_TEXT).rstrip().encode(),
        '{"id": "S1-001", "tool": "x\u2028y"}\n'.encode(),
    ],
)
def test_lines_end_at_lf_and_a_mark_crlf_and_blank_lines_are_fine(stage: Stage, text: bytes) -> None:
    assert judged(critique(stage, text)).summary


@pytest.mark.parametrize(
    ("transcript", "said"),
    [
        (lines(JSON_TEXT) + "\n{torn", "t.jsonl:3: not valid JSON"),
        (lines(JSON_TEXT) + "\r\n[1]\n", "t.jsonl:3: not a JSON object"),
        (lines(JSON_TEXT) + '{"id": 1, "id": 2}\n', "t.jsonl:2: id: duplicate key"),
        ('{"a": "\u2028"}\n{"x": NaN}\n', "t.jsonl:2: NaN is not JSON"),
        (lines(JSON_TEXT).encode() + b'{"id": "\xff"}\n', "t.jsonl:2: not UTF-8"),
        ("[" * 100_000, "t.jsonl:1: nested too deeply"),
    ],
)
def test_a_bad_transcript_is_named_with_its_line(stage: Stage, transcript: object, said: str) -> None:
    ran = critique(stage, transcript)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("{\n torn", "s.json:2: not valid JSON"),
        ("[]", "s.json:1: not a JSON object"),
        ("{}", "s.json: attached_mcps: missing or not a list"),
        ('{\n"attached_mcps": [7]}', "s.json:2: attached_mcps: missing or not a list of objects"),
        ('{\n"attached_mcps": [{}]}', "s.json:2: attached_mcps: an entry without a name"),
        ('{"attached_mcps": [],\n\n"execution": {}}', "s.json:3: execution: missing or not a list"),
        ('{"attached_mcps": [], "scenarios": [],\n"assay": 7}', "s.json:2: assay: not an object"),
    ],
)
def test_a_bad_state_is_named_with_its_line_and_key(stage: Stage, state: str, said: str) -> None:
    ran = critique(stage, "", state=state)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


@pytest.mark.parametrize(
    ("manifests", "said"),
    [
        ("[]", "m.json:1: not a JSON object"),
        ('{\n"tracker": 7}', "m.json:2: tracker: neither a list of tools"),
        ('{"docs": [],\n"tracker": {"tools": [7]}}', "m.json:2: tracker: neither a list of tools"),
        ('{"docs": [],\n"tracker": [{}]}', "m.json:2: tracker: a tool without a name"),
    ],
)
def test_bad_manifests_are_named_with_their_line_and_server(stage: Stage, manifests: str, said: str) -> None:
    ran = critique(stage, "", "--manifests", stage.write("m.json", manifests))
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give the NAME of an evaluation, or --state and --transcript"),
        (["one", "--stdout"], "NAME and --stdout do not go together"),
        (["--stdout"], "--state, --transcript and --stdout, all three"),
        (["--state", "f", "--stdout"], "--state, --transcript and --stdout, all three"),
        (["--state", "f", "--transcript", "f"], "--state, --transcript and --stdout, all three"),
        (["--state", "f", "--transcript", "f", "--stdout", "--from", "f"], "--from has no meaning for files"),
        (["--state", "f", "--transcript", "f", "--stdout", "--fail-on", "major"], "--fail-on has no meaning"),
        (["--state", "f", "--transcript", "absent", "--stdout"], "absent"),
    ],
)
def test_options_that_do_not_go_together_are_refused(stage: Stage, words: list[str], said: str) -> None:
    stage.write("project/f", "{}")
    ran = stage.run("critique", *words)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_an_error_is_one_json_object_where_that_is_asked_for(stage: Stage) -> None:
    ran = critique(stage, "{torn", "--json")
    assert (ran.code, ran.json["exit_code"]) == (2, 2)
