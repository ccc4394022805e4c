import os
import posixpath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.housekeeping import CRITIC, Place, is_critic, is_own_command, is_read, touches

EVALUATION, STATE, HOME = "/w/mcp-evals/mcp-eval-one", "/people/u/.local/state/mcp-assay", "/people/u"
PLACE = Place(EVALUATION, STATE, HOME, os.path.normpath)
CWD = "/w"
INSIDE = f"{EVALUATION}/transcript.jsonl"


@pytest.mark.parametrize(
    "path",
    [
        INSIDE,
        EVALUATION,
        f"{EVALUATION}/",
        "mcp-evals/mcp-eval-one/state.json",
        "./mcp-evals//mcp-eval-one/./state.json",
        "mcp-evals/mcp-eval-two/../mcp-eval-one/state.json",
    ],
)
def test_a_read_in_the_folder_is_housekeeping_and_a_write_is_refused(path):
    assert is_read("Read", {"file_path": path, "offset": 1, "limit": 2}, CWD, PLACE)
    assert touches("Write", {"file_path": path, "content": ""}, CWD, PLACE)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/",
        "/w/mcp-evals",
        "/w/mcp-evals/mcp-eval-one2/state.json",
        "/w/mcp-evals/mcp-eval-on",
        f"{EVALUATION}/../mcp-eval-two/state.json",
        f"{EVALUATION}/..",
        "mcp-evals/mcp-eval-one/../../secret",
        "~/x",
        "~",
        "~root/x",
        f" {INSIDE}",
        "a\0b",
        None,
        7,
        ["x"],
    ],
)
def test_a_read_elsewhere_is_not(path):
    assert not is_read("Read", {"file_path": path}, CWD, PLACE)


@pytest.mark.parametrize("path", ["/w/mcp-evals", "/w/mcp-evals/mcp-eval-one2/x", "/tmp/x", "~root/x", "state.json"])
def test_a_write_elsewhere_is_not_refused_here(path):
    assert not touches("Write", {"file_path": path, "content": "x"}, CWD, PLACE)


@pytest.mark.parametrize("tool", ["Write", "Edit", "MultiEdit"])
@pytest.mark.parametrize(
    "path",
    [
        f"{STATE}/key",
        "~/.local/state/mcp-assay/run/s-1.sock",
        f" {INSIDE}\n",
        INSIDE.upper(),
        f"{EVALUATION}/new/folder/file",
        "",
        "a\0b",
        3,
        None,
    ],
)
def test_no_write_reaches_the_evaluation_or_the_keys_and_none_whose_path_cannot_be_read(tool, path):
    assert touches(tool, {"file_path": path}, CWD, PLACE)
    assert touches("NotebookEdit", {"notebook_path": path, "new_source": ""}, CWD, PLACE)


def test_a_relative_path_from_nowhere_is_neither_housekeeping_nor_written():
    assert not is_read("Read", {"file_path": "state.json"}, "", PLACE)
    assert touches("Write", {"file_path": "state.json"}, "", PLACE)
    assert is_read("Read", {"file_path": "state.json"}, EVALUATION, PLACE)


@pytest.mark.parametrize(
    ("tool", "args", "found"),
    [
        ("Read", {"file_path": f"{STATE}/key"}, True),
        ("Grep", {"path": STATE, "pattern": "."}, True),
        ("Glob", {"path": STATE, "pattern": "*"}, True),
        ("Read", {"file_path": INSIDE}, False),
        ("Grep", {"pattern": "."}, False),
        ("Bash", {"command": f"cat {STATE}/key"}, False),
        ("mcp__files__read", {"path": f"{STATE}/key"}, False),
    ],
)
def test_the_keys_are_not_read_with_the_hosts_tools(tool, args, found):
    assert touches(tool, args, CWD, PLACE) is found


@pytest.mark.parametrize(
    ("tool", "args", "cwd", "found"),
    [
        ("Grep", {"pattern": "S1", "path": EVALUATION, "output_mode": "content", "-n": True}, CWD, True),
        ("Grep", {"pattern": "S1"}, EVALUATION, True),
        ("Grep", {"pattern": "S1"}, CWD, False),
        ("Grep", {"pattern": "S1", "path": None}, EVALUATION, False),
        ("Grep", {"pattern": "S1", "path": EVALUATION, "glob": "*.md"}, CWD, True),
        ("Grep", {"pattern": "S1", "path": EVALUATION, "glob": "../*"}, CWD, False),
        ("Grep", {"pattern": "../x", "path": EVALUATION}, CWD, True),
        ("Glob", {"pattern": "**/*.json", "path": EVALUATION}, CWD, True),
        ("Glob", {"pattern": "*.json"}, EVALUATION, True),
        ("Glob", {"pattern": "/etc/*", "path": EVALUATION}, CWD, False),
        ("Glob", {"pattern": "~/*", "path": EVALUATION}, CWD, False),
        ("Glob", {"pattern": "a/../../*", "path": EVALUATION}, CWD, False),
        ("Glob", {"pattern": "{/etc/*,x}", "path": EVALUATION}, CWD, False),
        ("Glob", {"pattern": ["x"], "path": EVALUATION}, CWD, False),
        ("Read", {"file_path": INSIDE, "also": "/etc/passwd"}, CWD, False),
        ("Read", {"path": INSIDE}, CWD, False),
        ("LS", {"path": EVALUATION}, CWD, False),
        ("Edit", {"file_path": INSIDE}, CWD, False),
    ],
)
def test_what_reads_is_known_by_its_tool_and_all_of_its_arguments(tool, args, cwd, found):
    assert is_read(tool, args, cwd, PLACE) is found


def test_links_are_followed_before_and_after_dots_are_taken(tmp_path):
    evaluation, state, elsewhere = tmp_path / "w" / "one", tmp_path / "state", tmp_path / "elsewhere" / "deep"
    for folder in (evaluation, state, elsewhere):
        folder.mkdir(parents=True)
    (evaluation / "out").symlink_to(elsewhere)
    (tmp_path / "w" / "in").symlink_to(evaluation)
    (elsewhere / "back").symlink_to(evaluation / "state.json")
    place = Place(str(evaluation), str(state), str(tmp_path), os.path.realpath)
    cwd = str(tmp_path / "w")
    assert not is_read("Read", {"file_path": "one/out/x"}, cwd, place)
    assert not is_read("Read", {"file_path": "one/out/../state.json"}, cwd, place)  # of elsewhere, to the system
    assert is_read("Read", {"file_path": "in/state.json"}, cwd, place)
    assert touches("Write", {"file_path": "in/state.json"}, cwd, place)
    assert touches("Write", {"file_path": "in/../one/new/x"}, cwd, place)
    assert touches("Write", {"file_path": "one/out/../state.json"}, cwd, place)
    assert touches("Write", {"file_path": str(elsewhere / "back")}, cwd, place)
    assert not touches("Write", {"file_path": str(elsewhere / "x")}, cwd, place)
    assert touches("Write", {"file_path": "../state/key"}, cwd, place)


@pytest.mark.parametrize(
    "command",
    [
        "mcp-assay host start --name one",
        "mcp-assay host start --name one --scenarios=some/file.yaml --call-budget 5",
        "mcp-assay host show",
        "mcp-assay host show --wait 60",
        "mcp-assay host stop",
        "mcp-assay status one",
    ],
)
def test_our_own_commands_are_housekeeping(command):
    assert is_own_command("Bash", {"command": command, "description": "go on", "timeout": 90_000})


@pytest.mark.parametrize(
    "command",
    [
        "",
        "mcp-assay",
        "mcp-assay host",
        "mcp-assay host start --server a=touch",
        "mcp-assay host start --plan p.yaml",
        "mcp-assay host install",
        "mcp-assay host start\n",
        "mcp-assay host start\nid",
        "mcp-assay  host start",
        " mcp-assay host start",
        "mcp-assay\thost start",
        "./mcp-assay host start",
        "X=1 mcp-assay host start",
        "mcp-assay status one --project /x",
        "mcp-assay host start --name 'a b'",
        "mcp-assay host start --name ~/x",
        "mcp-assay host show --wait=é",
        "mcp-assay gate one",
        "mcp-assay host show; id",
        "mcp-assay host show && id",
        "mcp-assay host show > f",
        "mcp-assay host show $(id)",
        "mcp-assay host show `id`",
        "mcp-assay host show #",
        "mcp-assay host show {a,b}",
        "mcp-assay host show *",
        "mcp-assay host show !!",
    ],
)
def test_whatever_else_a_shell_could_do_is_not(command):
    assert not is_own_command("Bash", {"command": command})


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("PowerShell", {}),
        ("Bash", {"run_in_background": True}),
        ("Bash", {"dangerouslyDisableSandbox": True}),
        ("Bash", {"command": ["mcp-assay", "host", "show"]}),
    ],
)
def test_our_commands_are_run_in_the_hosts_shell_as_it_is(tool, more):
    assert not is_own_command(tool, {"command": "mcp-assay host show"} | more)


META = "|&;<>()$`\\\"'*?[]#~%!{}^\n\r\t\0\v\f\x85\u2028\u00a0"
LEADS = st.sampled_from(["mcp-assay host start", "mcp-assay host show --wait 60", "mcp-assay status one", "mcp-assay"])


@given(LEADS, st.text(max_size=20), st.sampled_from(META), st.text(max_size=20))
def test_no_command_with_a_character_that_means_something_to_a_shell_is_housekeeping(lead, before, meta, after):
    for command in (f"{lead}{before}{meta}{after}", f"{lead} {meta}", f"{meta}{lead}", f"{lead}{meta}"):
        assert not is_own_command("Bash", {"command": command})


PARTS = st.sampled_from(["..", ".", "", "a", "mcp-evals", "mcp-eval-one", "w", "~", " ", "mcp-eval-one "])


@given(
    st.lists(PARTS, max_size=8),
    st.sampled_from(["", "/", "~/", EVALUATION + "/"]),
    st.sampled_from(["/", CWD, EVALUATION]),
)
def test_a_path_is_housekeeping_only_if_it_lies_in_the_folder_and_such_a_write_is_refused(parts, lead, cwd):
    path = lead + "/".join(parts)
    real = posixpath.normpath(posixpath.join(cwd, path))
    if is_read("Read", {"file_path": path}, cwd, PLACE):
        assert real == EVALUATION or real.startswith(EVALUATION + "/")
        assert touches("Write", {"file_path": path}, cwd, PLACE)
    elif path and (real == EVALUATION or real.startswith(EVALUATION + "/")):
        assert touches("Write", {"file_path": path}, cwd, PLACE)


@pytest.mark.parametrize(
    ("tool", "args", "found"),
    [
        ("Agent", {"subagent_type": CRITIC, "prompt": "judge"}, True),
        ("Task", {"subagent_type": CRITIC}, True),
        ("Agent", {"subagent_type": "friction-critic"}, False),
        ("Agent", {}, False),
        ("Bash", {"subagent_type": CRITIC}, False),
    ],
)
def test_the_critic_is_known_by_its_whole_name(tool, args, found):
    assert is_critic(tool, args) is found
