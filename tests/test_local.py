"""Bash for scripted steps: in a scratch folder, with nothing of the user's environment."""

import asyncio
import os
import time
from pathlib import Path

import pytest

from mcp_assay.core.model import Outcome
from mcp_assay.local import Bash


def run(tmp_path, command):
    return asyncio.run(Bash(tmp_path / "scratch", os.environ["PATH"])({"command": command}))


def text(reply):
    return reply.result["content"][0]["text"]


def test_output_comes_back_as_text(tmp_path):
    reply = run(tmp_path, "printf hello; echo noise >&2")
    assert (reply.outcome, text(reply), reply.size) == (Outcome.OK, "hello", 5)


def test_a_failing_command_is_an_error_result(tmp_path):
    reply = run(tmp_path, "echo no; exit 3")
    assert (reply.outcome, reply.result["isError"]) == (Outcome.ERROR, True)


def test_it_runs_in_the_scratch_folder_without_the_users_variables(tmp_path, monkeypatch):
    monkeypatch.setenv("SECRET_TOKEN", "CANARY")
    reply = run(tmp_path, "pwd; env")
    assert text(reply).startswith(str(tmp_path / "scratch"))
    assert "CANARY" not in text(reply)


def test_children_do_not_outlive_the_command(tmp_path):
    run(tmp_path, "sleep 60 & echo $! > pid")
    pid = int((tmp_path / "scratch" / "pid").read_text())
    stat = Path(f"/proc/{pid}/stat")
    for _ in range(100):
        if not stat.exists() or stat.read_text().split()[2] in "ZX":
            return
        time.sleep(0.01)
    pytest.fail("it still runs")


def test_endless_output_is_bounded(tmp_path):
    reply = run(tmp_path, "head -c 3000000 /dev/zero | tr '\\0' x")
    assert len(text(reply)) == 2**20


def test_no_command_is_an_error(tmp_path):
    assert run(tmp_path, None).outcome is Outcome.ERROR
