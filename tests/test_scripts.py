"""Setting up on a machine that lacks something: one clear sentence, exit 2."""

import shutil
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


@pytest.mark.parametrize("script", [("npm-servers.sh",), ("npm-install.sh", "a-package@1.0.0")])
def test_packages_from_the_npm_registry_need_npm(tmp_path, script):
    (tmp_path / "bin").mkdir()
    for tool in ("sh", "mkdir", "cat", "dirname"):
        (tmp_path / "bin" / tool).symlink_to(f"/bin/{tool}")
    name, *packages = script
    command = ["/bin/sh", f"scripts/{name}", str(tmp_path / "npm"), *packages]
    env = {"PATH": str(tmp_path / "bin")}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=env)
    assert (done.returncode, "npm not found" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["npm-servers.sh"], "say where to install"),
        (["npm-install.sh"], "say where to install and what"),
        (["npm-install.sh", "folder"], "say where to install and what"),
        (["promptfoo.sh", "kept", "eval"], "run: make test-promptfoo"),
    ],
)
def test_what_a_script_lacks_is_said(tmp_path, command, message):
    # A copy, beside which nothing is installed.
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    done = subprocess.run(
        ["sh", f"scripts/{command[0]}", *command[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, message in done.stderr) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["scripts"]
