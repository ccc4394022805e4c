"""A host's process: what it wrote is there, and nothing of it outlives its session or its owner."""

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from mcp_assay.errors import UserError
from mcp_assay.host.hostprocess import HostProcess

ENVIRON = {"PATH": os.environ["PATH"]}


def alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def until(true, seconds: float = 10) -> bool:
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(true())


def ran(tmp_path, script, then=None):
    """Run a shell script with a prompt, to its end or until ``then`` is done; its output and how it ended."""

    async def played():
        with tempfile.TemporaryFile() as out:
            session = HostProcess(["sh", "-c", script], ENVIRON, tmp_path)
            await session.start("the prompt\n", out)
            await (then(session) if then else session.wait())
            await session.end()
            await session.end()  # again changes nothing
            out.seek(0)
            return out.read().decode(), session.fate

    return asyncio.run(played())


def test_it_is_given_its_prompt_and_what_it_writes_is_kept(tmp_path):
    assert ran(tmp_path, "cat; pwd; exit 0") == (f"the prompt\n{tmp_path}\n", "it exited with status 0")


def test_its_last_words_say_how_it_ended_and_are_harmless(tmp_path):
    _, fate = ran(tmp_path, r"echo first >&2; printf 'la\033[31mst\n' >&2; exit 3")
    assert fate.startswith("it exited with status 3: la")
    assert "\x1b" not in fate
    assert ran(tmp_path, "kill -9 $$")[1] == "it was ended by signal 9"


def test_one_that_cannot_be_started_is_the_users_matter(tmp_path):
    async def started():
        with tempfile.TemporaryFile() as out:
            await HostProcess(["/nowhere/claude"], ENVIRON, tmp_path).start("", out)

    with pytest.raises(UserError, match="/nowhere/claude cannot be started"):
        asyncio.run(started())


@pytest.mark.parametrize(
    "script", ["sleep 60 & echo $!; wait", "trap '' TERM; sh -c 'trap \"\" TERM; sleep 60' & echo $!; wait"]
)
def test_it_ends_with_all_that_it_has_started(tmp_path, script):
    out, _ = ran(tmp_path, script, lambda _: asyncio.sleep(0.3))
    assert until(lambda: not alive(int(out)))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of its parent's death")
def test_it_ends_with_its_owner_however_that_ends(tmp_path):
    owner = subprocess.Popen(
        [sys.executable, "-c", _OWNER, str(tmp_path / "out")], env={**os.environ, **ENVIRON}, cwd=tmp_path
    )
    assert until(lambda: (tmp_path / "out").exists() and (tmp_path / "out").read_text().strip())
    started = int((tmp_path / "out").read_text())
    assert alive(started)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    assert until(lambda: not alive(started))


_OWNER = """
import asyncio, os, sys
from pathlib import Path
from mcp_assay.host.hostprocess import HostProcess
async def main():
    session = HostProcess(["sh", "-c", "echo $$; exec sleep 60"], dict(os.environ), Path.cwd())
    with open(sys.argv[1], "w+b") as out:
        await session.start("", out)
        await session.wait()
asyncio.run(main())
"""
