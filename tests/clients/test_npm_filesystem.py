"""The gate in front of the filesystem server of the npm registry: allowed a wide root, held to a narrow sandbox.

The server itself would touch all of the root, so that only the gate stands between.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from npm_stage import FILESYSTEM, NPM, Ran, Step, evaluate, scenario, step, tree

pytestmark = pytest.mark.clients

MOST_SCENARIOS = 8


def fs(tool: str, expect: dict[str, Any] | None = None, /, **args: Any) -> Step:
    return step(f"mcp__filesystem__{tool}", expect, **args)


@dataclass(frozen=True, slots=True)
class World:
    """All that the server may touch is ``root``; what it may change is the sandbox in it."""

    place: Path

    @property
    def root(self) -> Path:
        return self.place / "world"

    @property
    def sandbox(self) -> Path:
        return self.root / "sandbox"

    @property
    def keep(self) -> Path:
        return self.root / "outside" / "keep.txt"

    @classmethod
    def made(cls, place: Path) -> "World":
        world = cls(place.resolve())
        for folder in ("sandbox", "sandbox-evil", "outside"):
            (world.root / folder).mkdir(parents=True)
            (world.root / folder / "keep.txt").write_text("one\ntwo\n", encoding="utf-8")
        (world.sandbox / "way-out").symlink_to(world.root / "outside")
        (world.sandbox / "far").symlink_to("way-out")
        (world.sandbox / "keep-link.txt").symlink_to("../outside/keep.txt")
        return world

    def outside(self) -> dict[str, str]:
        """All but the sandbox's contents, the home included."""
        return tree(self.root, without=self.sandbox) | tree(self.place / "home")

    def told(self, value: Any) -> Any:
        """Arguments with ``{s}`` for the sandbox and ``{w}`` for the root around it."""
        if isinstance(value, dict):
            return {key: self.told(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.told(item) for item in value]
        if not isinstance(value, str):
            return value
        return value.replace("{s}", str(self.sandbox)).replace("{w}", str(self.root))

    def run(self, *scenarios: dict[str, Any], resources: tuple[str, ...] = ("path: {s}/**",), **plan: Any) -> Ran:
        """Evaluate; ``resources`` and further answers may speak of ``{s}`` and ``{w}``."""
        held = {"disposition": "sandboxed", "test_resources": self.told(list(resources))}
        answers = {"dispositions": {"filesystem": held}, "scenarios": list(scenarios), **plan}
        return evaluate(self.place, {"filesystem": ["node", FILESYSTEM, self.root]}, answers)

    def attempt(self, tool: str, args: dict[str, Any]) -> dict[str, Any]:
        """A read outside, which shows that the server itself reaches it, then the call in question."""
        return scenario(fs("read_text_file", path=str(self.keep)), fs(tool, **self.told(args)))


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World.made(tmp_path)


def test_the_server_works_as_ever_inside_the_sandbox(world: World) -> None:
    before = world.outside()
    ran = world.run(
        scenario(
            fs("create_directory", path=f"{world.sandbox}/new/deep"),
            fs("write_file", path=f"{world.sandbox}/new/a.txt", content="hello\n"),
            fs("edit_file", path=f"{world.sandbox}/new/a.txt", edits=[{"oldText": "hello", "newText": "bye"}]),
            fs("move_file", source=f"{world.sandbox}/new/a.txt", destination=f"{world.sandbox}/new/deep/b.txt"),
            # Reads pass wherever they go, so a list of both passes too.
            fs("read_multiple_files", paths=[f"{world.sandbox}/new/deep/b.txt", str(world.keep)]),
        )
    )
    assert ran.code == 0
    assert (world.sandbox / "new/deep/b.txt").read_text() == "bye\n"
    assert [(line["assay"]["outcome"], line["assay"]["verdict"]) for line in ran.lines] == [
        *[("ok", "mutating")] * 4,
        ("ok", "read"),
    ]
    assert ran.execution("S1")["abort_reason"] is None
    assert world.outside() == before


EDITS = [{"oldText": "one", "newText": "1"}]
ESCAPES: dict[str, tuple[str, dict[str, Any]]] = {
    "parent": ("write_file", {"path": "{s}/../outside/new.txt", "content": "x"}),
    "parent of a folder that is not there": ("write_file", {"path": "{s}/no/../../outside/new.txt", "content": "x"}),
    "parent behind two slashes": ("create_directory", {"path": "{s}//../outside/new"}),
    "link to a folder": ("write_file", {"path": "{s}/way-out/new.txt", "content": "x"}),
    "link to a link": ("create_directory", {"path": "{s}/far/new"}),
    "link to a file": ("write_file", {"path": "{s}/keep-link.txt", "content": "x"}),
    "parent of a link": ("write_file", {"path": "{s}/way-out/../outside/new.txt", "content": "x"}),
    "edit through a link": ("edit_file", {"path": "{s}/keep-link.txt", "edits": EDITS}),
    "another folder": ("write_file", {"path": "{w}/outside/keep.txt", "content": "x"}),
    "another folder's new one": ("create_directory", {"path": "{w}/outside/new"}),
    "edit elsewhere": ("edit_file", {"path": "{w}/outside/keep.txt", "edits": EDITS}),
    "edit elsewhere on trial": ("edit_file", {"path": "{w}/outside/keep.txt", "edits": EDITS, "dryRun": True}),
    "another root": ("write_file", {"path": "/etc/mcp-assay-was-here", "content": "x"}),
    "prefix sibling": ("write_file", {"path": "{w}/sandbox-evil/keep.txt", "content": "x"}),
    "move out": ("move_file", {"source": "{s}/keep.txt", "destination": "{w}/outside/new.txt"}),
    "move to a prefix sibling": ("move_file", {"source": "{s}/keep.txt", "destination": "{w}/sandbox-evil/new.txt"}),
    "move in": ("move_file", {"source": "{w}/outside/keep.txt", "destination": "{s}/new.txt"}),
    "move the sandbox": ("move_file", {"source": "{s}", "destination": "{w}/moved"}),
    "move through a link": ("move_file", {"source": "{s}/keep.txt", "destination": "{s}/way-out/new.txt"}),
    "other case": ("create_directory", {"path": "{w}/SANDBOX"}),
    "other case inside": ("create_directory", {"path": "{w}/Sandbox/new"}),
    "encoded dots": ("write_file", {"path": "{s}/%2e%2e/outside/new.txt", "content": "x"}),
    "encoded slashes": ("write_file", {"path": "{s}/..%2Foutside%2Fnew.txt", "content": "x"}),
    "file URL": ("write_file", {"path": "file://{w}/outside/new.txt", "content": "x"}),
    "home": ("write_file", {"path": "~/new.txt", "content": "x"}),
    "trailing blank": ("write_file", {"path": "{s}/keep.txt ", "content": "x"}),
    "leading blank": ("write_file", {"path": " {w}/outside/new.txt", "content": "x"}),
    "relative": ("write_file", {"path": "sandbox/new.txt", "content": "x"}),
    "relative parent": ("write_file", {"path": "../world/outside/new.txt", "content": "x"}),
    "full-width dots": ("create_directory", {"path": "{s}/\uff0e\uff0e/outside/new"}),
    "backslashes": ("write_file", {"path": "{s}\\..\\outside\\new.txt", "content": "x"}),
    "null character": ("write_file", {"path": "{w}/outside/new.txt\0/../../sandbox/a", "content": "x"}),
}
ROUNDS = [list(ESCAPES)[start : start + MOST_SCENARIOS] for start in range(0, len(ESCAPES), MOST_SCENARIOS)]


@pytest.mark.parametrize("names", ROUNDS, ids=", ".join)
def test_a_call_that_would_change_what_lies_outside_is_refused(world: World, names: list[str]) -> None:
    before = world.outside()
    ran = world.run(*[world.attempt(*ESCAPES[name]) for name in names])
    assert ran.code == 0, ran.err
    for number, name in enumerate(names, 1):
        read, blocked = ran.of(f"S{number}")
        assert (read["assay"]["outcome"], blocked["tool"]) == ("ok", "__blocked__"), name
        assert blocked["blocked_tool"] == f"mcp__filesystem__{ESCAPES[name][0]}"
        entry = ran.execution(f"S{number}")
        assert (entry["status"], entry["abort_reason"], entry["call_count"]) == ("aborted", "safety_abort", 1), name
    assert world.outside() == before
    # No path, and so no argument, is told by a refusal.
    assert str(world.place) not in ran.read("transcript.jsonl")


WITHIN_REACH = (
    "parent",
    "link to a folder",
    "edit through a link",
    "another folder's new one",
    "prefix sibling",
    "move to a prefix sibling",
    "move in",
)


def test_only_the_sandbox_stands_between_the_server_and_the_rest(world: World) -> None:
    before = world.outside()
    ran = world.run(
        *[world.attempt(*ESCAPES[name]) for name in WITHIN_REACH],
        resources=("path: {w}/**",),
    )
    assert [line["assay"]["outcome"] for line in ran.lines] == ["ok"] * 14
    after = world.outside()
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed == {
        *("outside/new.txt", "outside/new", "outside/keep.txt"),
        *("sandbox-evil/keep.txt", "sandbox-evil/new.txt"),
    }


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("{s}/keep.txt", True),
        ("{s}/other.txt", False),
        # "The reverse direction — a test resource being a substring of the arg value — does not match"
        ("{s}/keep.txt.bak", False),
        ("{s}/../sandbox/keep.txt", False),
        ("{w}/sandbox-evil/keep.txt", False),
        ("{w}/outside/keep.txt", False),
    ],
)
def test_literal_compares_whole_strings_only(world: World, path: str, sent: bool) -> None:
    before = world.outside()
    attempt = world.attempt("write_file", {"path": path, "content": "written"})
    ran = world.run(attempt, resources=("{s}/keep.txt", "path: {s}/**"), match="literal")
    assert ran.line("write_file")["assay"]["outcome"] == ("ok" if sent else "blocked")
    assert ran.execution("S1")["abort_reason"] == (None if sent else "safety_abort")
    assert "match `literal`" in ran.read("report.md")
    assert world.outside() == before


@pytest.mark.parametrize(("match", "sent"), [("literal", True), ("strict", False)])
def test_strict_closes_what_the_literal_rule_leaves_open(world: World, match: str, sent: bool) -> None:
    """One argument that matches lets every other through: that is the specification's rule, and why it is not ours."""
    attempt = world.attempt(*ESCAPES["move out"])
    ran = world.run(attempt, resources=("{s}/keep.txt",), match=match)
    assert (world.root / "outside" / "new.txt").exists() is sent
    assert ran.line("move_file")["assay"]["outcome"] == ("ok" if sent else "blocked")


def test_a_file_that_speaks_of_errors_is_no_failure_and_a_folder_that_was_named_no_friction(world: World) -> None:
    (world.sandbox / "a.log").write_text("Error: the disk is full\n", encoding="utf-8")
    (world.sandbox / "b.json").write_text('{"error": "the disk is full"}', encoding="utf-8")
    ran = world.run(
        scenario(
            fs("list_allowed_directories"),
            fs("read_text_file", path=f"{world.sandbox}/a.log"),
            fs("read_text_file", path=f"{world.sandbox}/b.json"),
            fs("create_directory", path=f"{world.sandbox}/new/deep"),
            fs("list_directory", path=str(world.sandbox)),
            fs("search_files", path=str(world.root), pattern="**/*.log"),
            fs("read_media_file", path=f"{world.sandbox}/a.log"),
        )
    )
    assert ran.state["critic_findings"] == []
    assert all(line["assay"]["result"]["schema_valid"] for line in ran.lines)


def test_the_published_command_line_works_and_leaves_nothing_behind(world: World) -> None:
    """``npx`` starts a shell that starts a node: all of them go, and it sees no variable but those allowed."""
    cache = {"npm_config_cache": str(NPM / "cache"), "npm_config_prefer_offline": "true"}
    plan = {
        "dispositions": {"filesystem": {"disposition": "read_only", "env": [*cache, "NODE_EXTRA_CA_CERTS"]}},
        "scenarios": [
            scenario(fs("list_directory", {"is_error": False}, path=str(world.sandbox))),
            scenario(fs("write_file", {"is_error": True}, path=f"{world.sandbox}/new.txt", content="x")),
        ],
    }
    command = ["npx", "-y", "@modelcontextprotocol/server-filesystem", world.root]
    ran = evaluate(world.place, {"filesystem": command}, plan, environ=cache)
    assert ran.code == 0, ran.err
    assert ran.line("write_file")["tool"] == "__blocked__"
    assert not (world.sandbox / "new.txt").exists()
