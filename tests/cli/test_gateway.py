"""The command that a host starts: what it is given, and which of our two servers it becomes."""

import json
import subprocess

import pytest

from gateway_stage import HELLO, PATIENCE, command, environ, short_folder


def started(folder, *words, **variables):
    frame = json.dumps(HELLO).encode() + b"\n"
    return subprocess.run(
        [*command(folder)[:5], *words, "--home", str(folder), "--out", str(folder)],
        input=frame,
        env={**environ(folder), **variables},
        cwd=folder,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "Missing option '--eval'"),
        (("--eval", "run"), "Missing option '--server'"),
        (("--eval", "../run", "--server", "s"), "--name must be"),
        (("--eval", "run", "--server", "s", "more"), "unexpected extra argument"),
    ],
)
def test_what_cannot_be_used_is_said_and_nothing_is_served(words, why):
    with short_folder() as folder:
        done = started(folder, *words)
    assert (done.returncode, done.stdout) == (2, b"")
    assert why in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_a_state_folder_whose_path_is_too_long_is_an_error_that_names_the_variable():
    with short_folder() as folder:
        done = started(folder, "--eval", "run", "--server", "s", XDG_STATE_HOME=str(folder / ("x" * 100)))
    assert done.returncode == 2
    assert "XDG_STATE_HOME" in done.stderr.decode()


@pytest.mark.parametrize(("server", "name"), [("tracker", "mcp-assay gateway"), ("assay", "assay")])
def test_it_stands_before_a_server_or_is_our_own(server, name):
    with short_folder() as folder:
        done = started(folder, "--eval", "run", "--server", server)
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout)["result"]["serverInfo"]["name"] == name
