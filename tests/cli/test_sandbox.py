"""``sandbox check``: the decision of the gate on one call, explained argument by argument."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PLAY = ("--resource", "repo: acme/play")
PAIR = {"owner": "acme", "repo": "play"}


def check(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mcp_assay", "sandbox", "check", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, check=False, timeout=60)


def args(**given: Any) -> tuple[str, str]:
    return "--args", json.dumps(given)


def told(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    return {each["argument"]: each for each in json.loads(done.stdout)["arguments"] if each["given"]}


def test_an_allowed_call_says_what_holds_each_argument() -> None:
    done = check(*PLAY, *args(**PAIR, issue_number=3, title="hello", name="n"))
    assert done.returncode == 0, done.stderr
    lines = dict(line.split(maxsplit=1) for line in done.stdout.splitlines())
    assert "covered by the entry repo: acme/play" in lines["repo"]
    assert "lies within repo" in lines["issue_number"]
    assert "addresses nothing" in lines["title"]
    assert "beside owner" in lines["name"]
    assert done.stdout.splitlines()[-1].startswith("allowed: ")


def test_an_owner_and_a_repository_are_listed_as_one_address() -> None:
    apart = ("--resource", "owner: acme", "--resource", "repo: play")
    refused = check(*apart, *args(**PAIR))
    assert refused.stdout.count("to allow it: list acme/play") == 2
    assert check(*apart, "--resource", "acme/play", *args(**PAIR)).returncode == 0


def test_a_refused_call_says_what_to_list_and_that_allows_it() -> None:
    given = args(**PAIR, assignees=["bob"], branch="main", x="/srv/box")
    done = check(*PLAY, *given)
    assert done.returncode == 1
    assert "to allow it: list assignee: bob" in done.stdout
    assert "to allow it: list /srv/box" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("refused: argument assignees[]")
    assert check(*PLAY, *given, "--resource", "assignee: bob", "--resource", "/srv/box").returncode == 0


def test_a_part_without_its_place_names_the_places_that_would_hold_it() -> None:
    done = check("--resource", "user: me", *args(user="me", branch="main"))
    assert done.returncode == 1
    assert "repository" in done.stdout


def test_json_holds_the_same_decision() -> None:
    done = check(*PLAY, *args(**PAIR, channel_id="C9"), "--json")
    body = json.loads(done.stdout)
    assert (done.returncode, body["ok"], body["match"]) == (1, False, "strict")
    arguments = told(done)
    assert arguments["repo"]["hold"] == "covered"
    assert arguments["repo"]["by"] == "repo: acme/play"
    assert (arguments["channel_id"]["hold"], arguments["channel_id"]["allow"]) == ("loose", "list channel: C9")
    assert arguments["channel_id"]["why"]


def test_literal_is_the_specifications_rule() -> None:
    given = args(**PAIR, channel_id="C9")
    assert check(*PLAY, *given, "--match", "literal").returncode == 0
    assert check(*PLAY, *args(repo="play-production"), "--match", "literal").returncode == 1


@pytest.mark.parametrize("saved", [False, True])
def test_the_schemas_defaults_count_from_a_schema_or_from_a_whole_tool(tmp_path: Path, *, saved: bool) -> None:
    schema: dict[str, Any] = {"type": "object", "properties": {"database": {"type": "string", "default": "production"}}}
    path = tmp_path / "tool.json"
    path.write_text(json.dumps({"name": "t", "inputSchema": schema} if saved else schema))
    done = check(*PLAY, *args(**PAIR), "--tool-schema", str(path))
    assert done.returncode == 1
    assert "from the schema" in done.stdout


def test_arguments_come_from_a_file_or_from_stdin(tmp_path: Path) -> None:
    path = tmp_path / "args.json"
    path.write_text(json.dumps(PAIR))
    assert check(*PLAY, "--args", f"@{path}").returncode == 0
    assert check(*PLAY, "--args", "-", stdin=json.dumps(PAIR)).returncode == 0


def test_links_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "link").symlink_to("/etc")
    listed = ("--resource", f"{tmp_path}/box/**")
    assert check(*listed, *args(path=f"{tmp_path}/box/a")).returncode == 0
    assert check(*listed, *args(path=f"{tmp_path}/box/link/passwd")).returncode == 1


@pytest.mark.parametrize(
    "bad",
    [
        ("--args", "{"),
        ("--args", "[]"),
        ("--args", '{"a": 1, "a": 2}'),
        ("--args", '{"a": NaN}'),
        ("--args", "@/no/such/file"),
        ("--args", "{}", "--tool-schema", "/no/such/file"),
        ("--args", "{}", "--match", "loose"),
        (),
    ],
)
def test_bad_input_is_an_error_of_the_user(bad: tuple[str, ...]) -> None:
    done = check(*PLAY, *bad)
    assert done.returncode == 2
    assert done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_values_are_inert_and_bounded() -> None:
    done = check(*PLAY, *args(**PAIR, channel="\x1b[31m\n::error::x" + "y" * 5000))
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert not any(line.startswith("::") for line in done.stdout.splitlines())
    assert max(map(len, done.stdout.splitlines())) < 1000
