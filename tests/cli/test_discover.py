"""``mcp-assay discover``: what would run and the digest that pins it, without running anything."""

from pathlib import Path

import pytest

from stage import Stage, contents


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_servers_are_listed_with_their_place_and_digest_and_nothing_is_started(stage: Stage) -> None:
    config = stage.config({"notes": stage.server()})
    before = contents(stage.root)
    ran = stage.run("discover")
    assert ran.code == 0
    assert ran.err == ""
    assert ran.out.splitlines()[0] == "notes"
    assert f"  from     {config}:1" in ran.out
    assert "  digest   sha256:" in ran.out
    assert stage.started() == []
    assert contents(stage.root) == before


def test_what_would_run_is_shown_without_its_secrets(stage: Stage) -> None:
    stage.config(
        {
            "notes": {
                "command": "serve",
                "args": ["--token", "hunter2", "--root", "/data"],
                "env": {"NOTES_KEY": "hunter3"},
            },
            "far": {
                "type": "http",
                "url": "https://me:hunter4@example.com/mcp?key=hunter5",
                "headers": {"X-Api-Key": "hunter6"},
                "headersHelper": "get-headers --password hunter7",
            },
        }
    )
    for ran in (stage.run("discover"), stage.run("discover", "--json")):
        assert "hunter" not in ran.out
        assert "serve --token" in ran.out
        assert "--root /data" in ran.out
        assert "NOTES_KEY" in ran.out
        assert "X-Api-Key" in ran.out
        assert "example.com/mcp" in ran.out
        assert "get-headers --password" in ran.out


def test_a_server_is_run_or_contacted(stage: Stage) -> None:
    stage.config({"notes": {"command": "serve"}, "far": {"type": "http", "url": "https://example.com/mcp"}})
    out = stage.run("discover").out
    assert "  runs     serve\n" in out
    assert "  contacts https://example.com/mcp\n" in out


def test_the_digest_covers_what_is_not_shown(stage: Stage) -> None:
    def digest(**entry: object) -> str:
        stage.config({"notes": {"command": "serve", **entry}})
        return str(stage.run("discover", "--json").json["attached"][0]["digest"])

    digests = {
        digest(),
        digest(args=["--token", "a"]),
        digest(args=["--token", "b"]),
        digest(env={"A": "1"}),
        digest(cwd="x"),
    }
    assert len(digests) == 5
    assert digest(args=["--token", "a"]) in digests
    # The values of variables may change, as secrets do; which variables are set may not.
    assert digest(env={"A": "2"}) in digests


def test_json_tells_the_same_to_programs(stage: Stage) -> None:
    config = stage.config({"notes": {"command": "serve", "cwd": "sub", "env": {"B": "", "A": ""}}, "off": ["x"]})
    settings = stage.write("project/.claude/settings.json", {"disabledMcpjsonServers": ["off"]})
    found = stage.run("discover", "--json").json
    [notes] = found["attached"]
    assert (notes["name"], notes["source"], notes["line"], notes["transport"]) == ("notes", str(config), 1, "stdio")
    assert (notes["runs"], notes["cwd"], notes["env"], notes["headers_helper"]) == ("serve", "sub", ["A", "B"], None)
    assert found["filtered"] == [{"name": "off", "reason": f"disabled by {settings}"}]
    assert (found["notes"], found["unreadable"]) == ([], [])


def test_filters_notes_and_unreadable_files_are_told(stage: Stage) -> None:
    stage.config({"notes": ["serve"], "off": ["x"], "bad": {}})
    stage.write("project/.claude/settings.json", {"disabledMcpjsonServers": ["off"]})
    broken = stage.write("home/.claude.json", "{")
    ran = stage.run("discover")
    assert ran.code == 0
    assert "filtered   off: disabled by " in ran.out
    assert "neither command nor url; not attached" in ran.out
    assert f"unreadable {broken}:" in ran.out


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_an_unreadable_file_alone_is_a_mistake_to_mend(stage: Stage, words: tuple[str, ...]) -> None:
    broken = stage.write("project/.mcp.json", "{")
    ran = stage.run("discover", *words)
    assert ran.code == 2
    told = ran.json["error"] if words else ran.err
    assert "not every file could be read" in told
    assert f"{broken}:" in told
    if not words:
        assert ran.out == ""


def test_nothing_attached_is_said_so(stage: Stage) -> None:
    ran = stage.run("discover")
    assert (ran.code, ran.out) == (0, "No MCPs attached — nothing to evaluate\n")
