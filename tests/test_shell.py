import asyncio
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from mcp_assay import shell

ENVIRON = {"PATH": "/usr/bin:/bin"}


def ran(command: str, cwd: Path | None = None, environ: Mapping[str, str] = ENVIRON) -> tuple[int, bytes]:
    return asyncio.run(shell.run(command, environ, cwd))


def is_gone(file: Path) -> bool:
    """Whether the process whose id a file holds has ended, or will in a moment."""
    stat = Path(f"/proc/{file.read_text().strip()}/stat")
    deadline = time.monotonic() + 2
    while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z":
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def test_a_command_gives_its_output_and_its_exit_code(tmp_path: Path) -> None:
    assert ran("pwd; echo aside >&2; exit 3", tmp_path) == (3, f"{tmp_path}\n".encode())
    assert ran("kill -9 $$") == (-9, b"")


def test_it_sees_the_environment_it_is_given_and_no_input() -> None:
    assert ran('cat; echo "$A$HOME"', environ={**ENVIRON, "A": "1"}) == (0, b"1\n")


def test_output_is_kept_up_to_a_bound_and_the_command_still_ends() -> None:
    code, output = ran(f"head -c {shell.MOST_OUTPUT * 3} /dev/zero; exit 4")
    assert (code, len(output)) == (4, shell.MOST_OUTPUT)


def test_what_it_leaves_running_is_ended_and_keeps_nothing_open(tmp_path: Path) -> None:
    began = time.monotonic()
    assert ran("sleep 60 & echo $! > pid; echo done", tmp_path) == (0, b"done\n")
    assert time.monotonic() - began < 10
    assert is_gone(tmp_path / "pid")


def test_a_command_that_is_no_longer_wanted_is_ended(tmp_path: Path) -> None:
    async def impatient() -> None:
        async with asyncio.timeout(0.2):
            await shell.run("sleep 60 & echo $! > pid; wait", ENVIRON, tmp_path)

    with pytest.raises(TimeoutError):
        asyncio.run(impatient())
    assert is_gone(tmp_path / "pid")


@pytest.mark.parametrize(("command", "folder"), [("true", "missing"), ("a\0b", ".")])
def test_what_cannot_be_started_is_an_error(command: str, folder: str, tmp_path: Path) -> None:
    with pytest.raises((OSError, ValueError)):
        ran(command, tmp_path / folder)
