"""The order of the system calls: a call's line is on the disk before a byte of the call is given to its server."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from counted import Expected, Place, expected
from mcp_assay.cli.main import cli
from mcp_assay.core.entry import MARK

PLAN = expected(scenarios=2, steps=8)
ID, NUMBER = re.compile(r'"id": "(S\d+-\d+)"'), re.compile(r'"number":(\d+)')
PENDING = '"outcome": "pending"'
TRACED = "pwrite64,fdatasync,write,rename,renameat,renameat2"


def due(item: Expected) -> list[str]:
    """The system calls that one step must cause, in this order and with none of these kinds in between."""
    if item.server is None:
        return [f"refusal {item.id}", "sync", "state"]
    # "append a transcript entry with result_shape: null …. Then dispatch the call." The state is saved while the
    # server works, and the line is completed when it has answered.
    return [f"append {item.id}", "sync", f"frame {item.number}", "state", "tail"]


def meaning(call: str, text: str, *, to_transcript: bool) -> str | None:
    """What a system call is in the terms of ``due``; None if it is none of those. ``text`` is what it writes."""
    if call.startswith("rename"):
        return "state" if text == "state.json" else None
    if call == "fdatasync":
        return "sync" if to_transcript else None
    if not to_transcript:
        found = NUMBER.search(text)
        return f"frame {found and found[1]}" if "tools/call" in text else None
    if text.startswith(MARK):
        return "tail"
    found = ID.search(text)
    return f"{'append' if PENDING in text else 'refusal'} {found and found[1]}"


def assert_in_order(events: Iterable[str | None]) -> None:
    """Saving the state is all that may happen beside what is due: when a phase or a scenario begins or ends."""
    left = [event for event in events if event]
    while left[0] == "state":
        left.pop(0)
    for item in PLAN:
        steps = due(item)
        assert left[: len(steps)] == steps
        del left[: len(steps)]
        while left and left[0] == "state":
            left.pop(0)
    assert left == []


def test_a_line_is_synced_before_its_call_is_sent_and_the_state_saved_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, PLAN)
    events: list[str | None] = []

    def passing(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            result = real(*args, **options)
            mine = name != "rename" and place.transcript.exists() and is_open(args[0], place.transcript)
            events.append(meaning(name, text_of(args), to_transcript=mine))
            return result

        return call

    for name in ("pwrite", "fdatasync", "write", "rename"):
        monkeypatch.setattr(os, name, passing(name, getattr(os, name)))
    for name, value in place.environ.items():
        monkeypatch.setenv(name, value)
    assert cli.main(place.arguments, standalone_mode=False) == 0
    assert place.received() == [item.receipt for item in PLAN if item.server]
    assert_in_order(events)


def text_of(args: tuple[Any, ...]) -> str:
    """What a write writes, or a rename's target: the second argument, if there is one."""
    text = args[1] if len(args) > 1 else ""
    return text if isinstance(text, str) else bytes(text).decode(errors="replace")


def is_open(fd: int, path: Path) -> bool:
    return os.path.samestat(os.fstat(fd), path.stat())


def can_trace() -> bool:
    strace = shutil.which("strace")
    return strace is not None and subprocess.run([strace, "true"], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not can_trace(), reason="strace is not installed, or may not trace here")
def test_the_kernel_sees_the_same_order(tmp_path: Path) -> None:
    place, log = Place(tmp_path, PLAN), tmp_path / "strace.log"
    strace = ["strace", "-y", "-s", "4096", "-e", f"trace={TRACED}", "-o", str(log)]
    done = subprocess.run([*strace, *place.command], cwd=tmp_path, env=place.environ, check=False, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert place.received() == [item.receipt for item in PLAN if item.server]
    assert_in_order(traced(line, place) for line in log.read_text().splitlines())


def traced(line: str, place: Place) -> str | None:
    """The meaning of a line such as ``pwrite64(7</…/transcript.jsonl>, ", \\"outcome\\": …", 768, 512) = 768``."""
    call, _, rest = line.partition("(")
    if ".pyc" in rest:  # our own modules, compiled at their first import, name the methods too
        return None
    texts = re.findall(r'"((?:[^"\\]|\\.)*)"', rest)
    text = texts[-1].replace('\\"', '"') if texts else ""
    return meaning(call, text, to_transcript=f"<{place.transcript}>" in rest)
