"""What a server's process can reach, tried by a server that tries: in a box, and out of one.

Where bubblewrap is missing, or namespaces are forbidden, the tests that need it are skipped, and say why.
"""

import asyncio
import json
import os
import shlex
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from boxes import isolated
from mcp_assay import isolation
from mcp_assay.clock import SystemClock
from mcp_assay.core.expand import Launch
from mcp_assay.core.model import Disposition, Manifest, Safety, ServerConfig, Step, Transport
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import Approval, RawScenario
from mcp_assay.errors import StartError, UserError
from mcp_assay.interviewer import Written
from mcp_assay.orchestrator import Evaluation
from mcp_assay.order import Loaders, Order
from mcp_assay.progress import Silent
from stage import ROOT, Stage, processes, scenario, step

BURGLAR = Path(__file__).parent / "hostile" / "burglar.py"
CANARY = "canary-in-the-home"


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


# --- what cannot be had is said before anything starts ---------------------------------------------------------------


@pytest.mark.parametrize("flag", [("--isolation", "bwrap"), ("--require-isolation",)])
def test_without_bubblewrap_nothing_starts(stage: Stage, flag: tuple[str, ...]) -> None:
    stage.environ["PATH"] = str(stage.root)
    ran = stage.eval(*flag)
    assert ran.code == 2
    assert "isolation cannot be had: no bwrap (Debian: apt install bubblewrap) on the PATH" in ran.err
    assert not stage.started()
    assert not stage.folder().exists()


def test_where_namespaces_are_forbidden_nothing_starts(stage: Stage) -> None:
    refusing = stage.write("bin/bwrap", "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    refusing.chmod(0o755)
    stage.environ["PATH"] = f"{refusing.parent}:{stage.environ['PATH']}"
    ran = stage.eval("--require-isolation")
    assert ran.code == 2
    assert "bwrap says 'bwrap: No permissions to create new namespace'" in ran.err
    assert not stage.started()


def test_required_and_none_contradict_each_other(stage: Stage) -> None:
    ran = stage.eval("--require-isolation", plan=stage.plan(isolation="none"))
    assert ran.code == 2
    assert "contradict each other" in ran.err


def boxes(root: Path, *, required: bool = False) -> isolation.Boxes:
    box = isolation.Bubblewrap("bwrap", "prlimit", frozenset(), frozenset({str(root)}), (), str(root))
    return isolation.Boxes(box, required=required)


LOCAL = ServerConfig("a", "t", command="x")
REMOTE = ServerConfig("b", "t", transport=Transport.HTTP, url="http://h/")


def test_a_remote_server_cannot_be_isolated(tmp_path: Path) -> None:
    assert set(boxes(tmp_path).make([LOCAL, REMOTE], {})) == {"a"}
    assert set(boxes(tmp_path, required=True).make([LOCAL], {})) == {"a"}
    with pytest.raises(UserError, match="isolation cannot be had for b: a remote server does not run here"):
        boxes(tmp_path, required=True).make([LOCAL, REMOTE], {})


@isolated
def test_a_remote_server_is_refused_before_anything_starts_if_isolation_is_required(stage: Stage) -> None:
    stage.config({"far": {"type": "http", "url": "http://127.0.0.1:9/"}, "notes": stage.server()})
    answers = {"dispositions": {"far": "read_only", "notes": "read_only"}, "connect": "all"}
    ran = stage.run("eval", "--name", "one", "--plan", stage.plan(**answers), "--trust-config", "--require-isolation")
    assert ran.code == 2
    assert "isolation cannot be had for far" in ran.err
    assert not stage.started()


# --- what a box is made of -------------------------------------------------------------------------------------------


def boxed(root: Path, *args: str, safety: Safety | None = None, command: str = sys.executable) -> list[str]:
    """The words that put a launch in a box whose home is ``root/home`` and whose project is ``root/home/project``."""
    home = root / "home"
    (home / "project").mkdir(parents=True, exist_ok=True)
    private = frozenset({str(root), str(root / "home" / "state")})
    box = isolation.Bubblewrap("bwrap", "prlimit", frozenset({str(home)}), private, (), str(home / "project"))
    return list(box.around(safety, Launch(command, args, env={"PATH": "/usr/bin:/bin"}), str(home)).args)


def test_a_command_that_is_not_there_is_a_start_that_fails(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="not there or not on the PATH"):
        boxed(tmp_path, command="no-such-command")


@pytest.mark.parametrize(("named", "shown"), [("data", True), (".", False), ("..", False), ("state", False)])
def test_a_folder_that_an_argument_names_is_shown_unless_it_is_a_home_or_holds_one(
    tmp_path: Path, named: str, *, shown: bool
) -> None:
    for name in ("data", "state"):
        (tmp_path / "home" / name).mkdir(parents=True)
    words = boxed(tmp_path, named)
    folder = os.path.normpath(tmp_path / "home" / named)
    assert (["--ro-bind", folder, folder] in [words[at : at + 3] for at in range(len(words))]) is shown


def test_the_limits_stand_between_the_box_and_the_command(tmp_path: Path) -> None:
    words = boxed(tmp_path, "-V")
    inside = words[words.index("--") + 1 :]
    assert inside[0] == "prlimit"
    assert inside[-3:] == ["--", sys.executable, "-V"]
    assert {"--data=4294967296", "--nofile=4096", "--nproc=4096", "--fsize=1073741824", "--core=0"} < set(inside)


@pytest.mark.parametrize(
    ("entry", "writable"),
    [
        ("path: {home}/data/**", "{home}/data"),
        ("{home}/data", "{home}/data"),
        ("path: data/**", "{home}/data"),
        ("file: data/../data", "{home}/data"),
        ("repo: data/x", None),
        ("path: ../other", None),
        ("path: {home}/none", None),
        ("path: /**", None),
        ("https://example.com/", None),
    ],
)
def test_which_test_resources_are_paths_that_can_be_opened(tmp_path: Path, entry: str, writable: str | None) -> None:
    (tmp_path / "home" / "data").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    home = str(tmp_path / "home")
    words = boxed(tmp_path, safety=Safety(Disposition.SANDBOXED, (entry.format(home=home),)))
    opened = [words[at + 1] for at, word in enumerate(words) if word == "--bind"]
    assert opened == ([] if writable is None else [writable.format(home=home)])


def test_only_a_sandboxed_server_has_anything_opened(tmp_path: Path) -> None:
    assert "--bind" not in boxed(tmp_path, safety=Safety(Disposition.READ_ONLY, (f"path: {tmp_path}",)))


@pytest.mark.parametrize(
    ("now", "before", "opened"),
    [
        (Safety(Disposition.READ_ONLY), None, False),
        (Safety(Disposition.SKIP, network=True), None, False),
        (Safety(Disposition.READ_ONLY, network=True), None, True),
        (Safety(Disposition.SANDBOXED, ("a",)), None, True),
        (Safety(Disposition.SANDBOXED, ("a",)), Safety(Disposition.SANDBOXED, ("a",)), False),
    ],
)
def test_a_box_is_made_anew_only_if_it_is_to_hold_more(
    tmp_path: Path, now: Safety, before: Safety | None, *, opened: bool
) -> None:
    made = boxes(tmp_path)
    made.make([LOCAL], {} if before is None else {"a": before})
    assert made.outgrown([LOCAL], {"a": now}) == ([LOCAL] if opened else [])
    assert isolation.Boxes(None, required=False).outgrown([LOCAL], {"a": now}) == []


# --- what the burglar gets -------------------------------------------------------------------------------------------


@contextmanager
def listening() -> Iterator[tuple[int, list[object]]]:
    """A listener on the loopback: its port, and whom it has heard from."""
    heard: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(20)

        def accept() -> None:
            while True:
                try:
                    connection, peer = server.accept()
                except OSError:
                    return
                heard.append(peer)
                connection.close()

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield server.getsockname()[1], heard
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


class Break:
    """An evaluation of the burglar on a stage, and what it says it got."""

    def __init__(self, stage: Stage, port: int, **answers: Any) -> None:
        self.stage, self.port = stage, port
        self.allowed, self.other = stage.root / "allowed", stage.root / "other"
        for folder in (self.allowed, self.other):
            folder.mkdir()
        self.canary = stage.write("home/canary.txt", CANARY)
        self.code = stage.write("project/code.txt", "code")
        self.report = stage.write("project/mcp-evals/mcp-eval-before/report.md", "an older report")
        self.answers = {"dispositions": {"evil": "read_only"}} | answers
        self.loot: dict[str, str] = {}

    @property
    def key(self) -> Path:
        return self.stage.kept / "mcp-assay" / "key"

    def orders(self, **more: Any) -> dict[str, Any]:
        transcript = self.stage.folder() / "transcript.jsonl"
        files = {"transcript": transcript, "canary": self.canary, "report": self.report}
        read = files | {"key": self.key, "code": self.code}
        write = files | {"code": self.code, "allowed": self.allowed / "new", "other": self.other / "new"}
        shown = {"read": read, "write": write, "home": self.stage.home}
        return json.loads(json.dumps(shown, default=str)) | {"port": self.port} | more

    def into(self, *words: str, **more: Any) -> "Break":
        """Run it. The loot is what the answer holds; the transcript keeps no values, so a step writes it down."""
        out = self.stage.root / "loot.json"
        keep = "printf %s '${loot}' > " + shlex.quote(str(out))
        plan = self.stage.plan(
            scenario(
                "Break in.",
                step("mcp__evil__get_thing", save={"loot": "$"}),
                step("Bash", args={"command": keep}, justification="no attached MCP covers this step"),
            ),
            allow=["Bash"],
            **self.answers,
        )
        burglar = [sys.executable, "-S", str(BURGLAR), json.dumps(self.orders(**more))]
        named = ("--server", f"evil={shlex.join(burglar)}")
        self.ran = self.stage.run("eval", "--name", "one", "--plan", plan, *named, *words)
        assert self.ran.code == 0, self.ran.err
        self.loot = json.loads(out.read_text(encoding="utf-8"))
        return self


def caveat(stage: Stage) -> str:
    return next(line for line in stage.read("report.md").splitlines() if "Process isolation: " in line)


@isolated
def test_in_a_box_the_burglar_gets_nothing(stage: Stage) -> None:
    with listening() as (port, heard):
        got = Break(stage, port).into("--isolation", "bwrap", greed=6 << 30)
    failed = {name for name, what in got.loot.items() if what.startswith("failed: ")}
    # Its home is there, empty and in memory: what it writes to it is gone with it.
    assert failed == got.loot.keys() - {"read code", "home", "write canary", "daemon"}
    assert got.loot["home"] == "[]"
    assert got.loot["read code"] == "done: code"
    assert got.loot["daemon"] == "done: 0"
    assert not heard
    assert (got.canary.read_text(), got.code.read_text(), got.report.read_text()) == (
        CANARY,
        "code",
        "an older report",
    )
    assert not any(got.allowed.iterdir())
    assert not any(got.other.iterdir())
    assert not processes(str(stage.root))
    assert stage.state()["assay"]["isolation"] == "bwrap"
    assert "Process isolation: `bwrap` (" in caveat(stage)
    assert "None of them had the network." in caveat(stage)
    assert stage.run("verify", "one").code == 0


def test_without_one_it_gets_all_of_it_and_the_report_says_so(stage: Stage) -> None:
    with listening() as (port, heard):
        got = Break(stage, port).into()
    for pid in processes(str(stage.root)):
        os.kill(pid, 9)
    assert {name for name, what in got.loot.items() if what.startswith("failed: ")} == set()
    assert len(heard) == 1
    assert got.canary.read_text() == f"{CANARY}forged\n"
    assert stage.state()["assay"]["isolation"] == "none"
    assert (
        "Process isolation: `none` (a server's process was not restricted: it could read and change what you can, this "
        "evaluation included, reach the network, and leave processes behind)."
    ) in caveat(stage)


@isolated
def test_what_the_plan_grants_can_be_reached_and_no_more(stage: Stage) -> None:
    allowed = {"disposition": "sandboxed", "test_resources": [f"path: {stage.root}/allowed/**"], "network": True}
    with listening() as (port, heard):
        got = Break(stage, port, dispositions={"evil": allowed}, isolation="bwrap").into()
    assert got.loot["connect"] == "done: connected"
    assert len(heard) == 1
    assert got.loot["write allowed"] == "done: 7"
    assert (got.allowed / "new").read_text() == "forged\n"
    assert got.loot["write other"].startswith("failed: ")
    assert got.loot["write code"].startswith("failed: ")
    assert "With the network: `evil`." in caveat(stage)


@isolated
def test_a_resource_that_holds_the_evaluation_does_not_open_it(stage: Stage) -> None:
    everything = {"disposition": "sandboxed", "test_resources": [f"path: {stage.root}/**"]}
    with listening() as (port, _):
        got = Break(stage, port, dispositions={"evil": everything}, isolation="bwrap").into()
    sealed = [got.loot[f"{deed} {what}"] for deed in ("read", "write") for what in ("transcript", "report")]
    assert all(what.startswith("failed: ") for what in [*sealed, got.loot["read key"]])
    assert got.loot["write code"] == "done: 7"


@isolated
def test_a_relative_resource_is_taken_from_the_server_s_folder(stage: Stage) -> None:
    relative = {"disposition": "sandboxed", "test_resources": ["path: code.txt", "path: no/such/file"]}
    with listening() as (port, _):
        got = Break(stage, port, dispositions={"evil": relative}, isolation="bwrap").into()
    assert got.loot["write code"] == "done: 7"
    assert got.loot["write allowed"].startswith("failed: ")


@isolated
def test_a_box_that_cannot_be_built_is_a_start_that_fails_and_says_so(stage: Stage) -> None:
    sealed = stage.project / "mcp-evals" / "mcp-eval-old"
    sealed.mkdir(parents=True)
    stage.config({"notes": {"command": sys.executable, "args": ["-c", "1"], "cwd": str(sealed)}})
    plan = stage.plan(connect="all")
    words = ("eval", "--name", "one", "--plan", plan, "--trust-config", "--isolation", "bwrap", "--until", "discovery")
    assert stage.run(*words).code == 0
    [server] = stage.state()["attached_mcps"]
    assert server["assay"]["limitation"] == "its box could not be built: bwrap refused its folders, or its command"


# --- an evaluation that goes on --------------------------------------------------------------------------------------


@isolated
def test_an_evaluation_goes_on_in_the_isolation_that_it_was_begun_in(stage: Stage) -> None:
    assert stage.eval("--isolation", "bwrap", "--until", "interview").code == 0
    other = stage.eval("--isolation", "none", "--resume")
    assert other.code == 2
    assert "begun with --isolation bwrap; start anew with --restart" in other.err
    ran = stage.eval("--resume")
    assert ran.code == 0, ran.err
    assert "Process isolation: `bwrap`" in caveat(stage)


class Late(Written):
    """Somebody who says what may be changed only once the servers run."""

    def __init__(self, safety: Safety) -> None:
        super().__init__(frozenset(), named=True)
        self._given = {"evil": safety}

    async def consent(self, plan: Plan, servers: Sequence[ServerConfig]) -> Plan:
        return plan

    async def dispose(self, plan: Plan, servers: Sequence[ServerConfig], manifests: Mapping[str, Manifest]) -> Plan:
        return replace(plan, dispositions=self._given)


@isolated
def test_a_server_whose_box_is_opened_by_a_later_answer_is_started_anew_in_it(stage: Stage) -> None:
    allowed = stage.root / "allowed"
    allowed.mkdir()
    orders = {"home": str(stage.home), "read": {}, "write": {"allowed": str(allowed / "new")}, "port": 9}
    evil = ServerConfig("evil", "t", command=sys.executable, args=("-S", str(BURGLAR), json.dumps(orders)))
    task = RawScenario("Break in.", steps=(Step("mcp__evil__get_thing"),))
    plan = Plan(isolation="bwrap", scenarios=(task,), approval=Approval.APPROVE)
    order = Order("one", stage.project, stage.project, stage.home, stage.environ, plan, (evil,))
    late = Late(Safety(Disposition.SANDBOXED, (f"path: {allowed}/**",)))
    asyncio.run(Evaluation(order, SystemClock(), Silent(), late, Loaders()).run())
    assert (allowed / "new").read_text(encoding="utf-8") == "forged\n"
    assert not processes(str(stage.root))


# --- real servers ----------------------------------------------------------------------------------------------------

GIT = ROOT / ".demo" / "mcp-server-git" / "bin" / "mcp-server-git"


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for words in (["init", "--quiet"], ["config", "user.name", "T"], ["config", "user.email", "t@example.com"]):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    (folder / "notes.md").write_text("notes", encoding="utf-8")
    return folder


def commits(folder: Path) -> int:
    log = ["git", "-C", str(folder), "log", "--oneline"]
    return len(subprocess.run(log, capture_output=True, text=True, check=False).stdout.splitlines())


@isolated
@pytest.mark.skipif(not GIT.exists(), reason="the demo's servers are not installed (make demo)")
def test_a_real_server_can_change_the_repository_it_was_given_and_no_other(stage: Stage) -> None:
    given, other = repository(stage.home / "given"), repository(stage.home / "other")

    def commit(where: Path, **expect: Any) -> list[dict[str, Any]]:
        path = str(where)
        return [
            step("mcp__git__git_add", args={"repo_path": path, "files": ["notes.md"]}, expect=expect),
            step("mcp__git__git_commit", args={"repo_path": path, "message": "notes.md"}, expect=expect),
        ]

    # Held to no more than the literal rule, both calls pass the gate: what stops the second is the box.
    git = {"disposition": "sandboxed", "match": "literal", "test_resources": [f"path: {given}", "notes.md"]}
    plan = stage.plan(
        scenario("Commit here.", *commit(given)),
        scenario("Commit there.", *commit(other, is_error=True)),
        dispositions={"git": git},
        isolation="bwrap",
    )
    ran = stage.run("eval", "--name", "one", "--plan", plan, "--server", f"git={GIT}")
    assert ran.code == 0, ran.err
    assert [line["assay"]["outcome"] for line in stage.lines()] == ["ok", "ok", "error", "error"]
    assert (commits(given), commits(other)) == (1, 0)
    assert not (other / ".git" / "index").exists()
