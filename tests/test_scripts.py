"""Setting up on a machine that lacks something: one clear sentence, exit 2."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def python(tmp_path, fails_on):
    """An interpreter that fails when asked to run code that mentions a word."""
    fake = tmp_path / "python3"
    fake.write_text(f'#!/bin/sh\ncase "$*" in *{fails_on}*) exit 1;; esac\nexit 0\n')
    fake.chmod(0o755)
    return str(fake)


@pytest.mark.parametrize(
    ("fails_on", "message"),
    [("version_info", "is older than Python 3.11"), ("ensurepip", "apt-get install python3-venv")],
)
def test_a_python_that_will_not_do_gets_a_message_that_says_what_to_do(tmp_path, fails_on, message):
    command = ["sh", "scripts/venv.sh", python(tmp_path, fails_on), str(tmp_path / "venv"), "x"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, message in done.stderr) == (2, True)
    assert not (tmp_path / "venv").exists()


def test_no_python_at_all(tmp_path):
    command = ["sh", "scripts/venv.sh", "", str(tmp_path / "venv"), "x"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "no python3 found" in done.stderr) == (2, True)


def test_npm_servers_need_npm(tmp_path):
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "mkdir", "cat", "dirname"):
        (tmp_path / "bin" / tool).symlink_to(f"/bin/{tool}")
    command = ["/bin/sh", "scripts/npm-servers.sh", str(tmp_path / "npm")]
    env = {"PATH": str(tmp_path / "bin")}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=env)
    assert done.returncode != 0
    assert "npm not found" in done.stderr
