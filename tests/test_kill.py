"""SIGKILL to the owning process at random instants: what was sent is in the log, once, and the log can be read.

Each run's seed is in its name: ``pytest "tests/test_kill.py::test_…[7]"`` tries about the same instant again.
MCP_ASSAY_KILLS says how many runs there are.
"""

import json
import os
import random
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from counted import CALLS, NAME, Expected, Place, expected
from mcp_assay.core import summarize
from mcp_assay.core.session import Status
from mcp_assay.store import transcript
from mcp_assay.store.evaldir import EvalDir

KILLS = max(1, int(os.environ.get("MCP_ASSAY_KILLS", "20")))
PLAN = expected()
SENT = [item for item in PLAN if item.server]
STATUSES = list(Status)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> float:
    """Seconds that a run takes if nobody kills it, and the proof that every step of the plan then leaves its trace."""
    place = Place(tmp_path_factory.mktemp("whole"), PLAN)
    began = time.monotonic()
    done = subprocess.run(place.command, cwd=place.folder, env=place.environ, check=False, capture_output=True)
    took = time.monotonic() - began
    assert done.returncode == 0, done.stderr.decode()
    assert place.received() == [item.receipt for item in SENT]
    assert lines_of(place) == PLAN
    assert state_of(place) is Status.COMPLETE
    return took


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_killed_owner_leaves_a_whole_log_of_all_that_was_sent(seed: int, whole: float, tmp_path: Path) -> None:
    kill_and_look(seed, whole, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1000, 1000 + KILLS))
def test_it_does_so_however_often_it_is_killed(seed: int, whole: float, tmp_path: Path) -> None:
    kill_and_look(seed, whole, tmp_path)


@pytest.mark.parametrize("seed", range(2000, 2000 + KILLS))
def test_a_killed_evaluation_is_resumed_to_its_end_and_no_mutation_is_sent_twice(
    seed: int, whole: float, tmp_path: Path
) -> None:
    kill_and_resume(seed, whole, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3000, 3000 + KILLS))
def test_it_is_resumed_so_however_often_it_is_killed(seed: int, whole: float, tmp_path: Path) -> None:
    kill_and_resume(seed, whole, tmp_path)


def kill_and_resume(seed: int, whole: float, tmp_path: Path) -> None:
    """Kill the owner in any phase, and again while it resumes; then let it go on to its end."""
    rng, place = random.Random(seed), Place(tmp_path, PLAN)
    kill(place, *choose(rng, whole, place))
    if state_of(place) is Status.COMPLETE:
        return
    kill(place, *choose(rng, whole, place), resume=True)
    if has_come_to(place, Status.COMPLETE):
        return
    command = [*place.command, "--resume"]
    resumed = subprocess.run(command, cwd=tmp_path, env=place.environ, check=False, capture_output=True)
    assert resumed.returncode == 0, resumed.stderr.decode()
    mutations = [receipt for receipt in place.received() if "create_item" in receipt]
    assert len(set(mutations)) == len(mutations) > 0
    lines = [json.loads(line) for line in place.transcript.read_bytes().splitlines()]
    assert len({line["id"] for line in lines}) == len(lines)
    sent = Counter(line["scenario_id"] for line in lines if line["tool"] != "__blocked__")
    with EvalDir(tmp_path, NAME) as folder:
        state, signed = folder.load_state(place.keys.state)
    assert (state.status, signed) == (Status.COMPLETE, True)
    assert {entry["scenario_id"]: entry["call_count"] for entry in state.execution} == sent
    assert 0 <= sent.total() - len(place.received()) <= 2  # a call that was killed before it was sent, at each kill


def kill(place: Place, reached: Callable[[], bool], delay: float, *, resume: bool = False) -> None:
    """Run the plan, and kill the owner ``delay`` seconds after something was reached, if it still runs then."""
    command = [*place.command, *(["--resume"] if resume else [])]
    owner = subprocess.Popen(
        command, cwd=place.folder, env=place.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        while not reached() and owner.poll() is None:
            time.sleep(0.001)
        time.sleep(delay)
    finally:
        owner.kill()
    assert owner.wait() in {0, -signal.SIGKILL}


def kill_and_look(seed: int, whole: float, folder: Path) -> None:
    place = Place(folder, PLAN)
    kill(place, *choose(random.Random(seed), whole, place))
    assert no_process_names(place.received_file)
    assert torn_lines(place) <= 1
    logged = lines_of(place)
    # One line a step, in the order of the plan and none twice: so the ids are unique, and no call has two lines.
    assert logged == PLAN[: len(logged)]
    sent, received = [item.receipt for item in logged if item.server], place.received()
    assert received == sent[: len(received)], "a server got a call that is not in the log"
    assert len(sent) - len(received) <= 1
    state_of(place)


# --- when -------------------------------------------------------------------------------------------------------------


def choose(rng: random.Random, whole: float, place: Place) -> tuple[Callable[[], bool], float]:
    """What to wait for, and how many seconds longer: any instant of the run, shortly after a call or after a phase."""
    calls, status, shortly = rng.randrange(1, len(SENT)), rng.choice(STATUSES), rng.uniform(0, 0.005)
    instants: list[tuple[Callable[[], bool], float]] = [
        (lambda: True, rng.uniform(0, whole)),
        (lambda: len(place.received()) >= calls, shortly),
        (lambda: has_come_to(place, status), shortly),
    ]
    return rng.choices(instants, weights=[2, 6, 2])[0]


def has_come_to(place: Place, status: Status) -> bool:
    try:
        now = json.loads((place.evaluation / "state.json").read_bytes())["status"]
    except FileNotFoundError:
        return False
    return STATUSES.index(now) >= STATUSES.index(status)


# --- what is left -----------------------------------------------------------------------------------------------------


def no_process_names(path: Path) -> bool:
    """Whether, within two seconds, no process is left that was started with this path among its arguments."""
    deadline = time.monotonic() + 2
    while time.monotonic() < deadline:
        shown = subprocess.run(["ps", "-A", "-ww", "-o", "args="], capture_output=True, text=True, check=True).stdout
        if str(path) not in shown:
            return True
        time.sleep(0.02)
    return False


def torn_lines(place: Place) -> int:
    """How many lines do not parse as the kill left them: if any, it must be the last."""
    lines = place.transcript.read_bytes().split(b"\n") if place.transcript.exists() else [b""]
    whole, rest = lines[:-1], lines[-1]
    broken = [number for number, line in enumerate(whole) if not is_json(line)]
    assert set(broken) <= {len(whole) - 1}
    return len(broken) + (rest != b"")


def is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def lines_of(place: Place) -> list[Expected]:
    """The log after recovery, each line as the step whose trace it is. A line of no step at all is an error."""
    if not place.transcript.exists():
        return []
    folder = os.open(place.evaluation, os.O_RDONLY)
    try:
        transcript.recover(folder)
        found = list(transcript.entries(folder))
    finally:
        os.close(folder)
    for item, line in zip(PLAN, found, strict=False):
        blocked = line["tool"] == "__blocked__"
        assert (line["id"], line["assay"]["tool"], blocked) == (item.id, item.tool, item.server is None)
        # The keyed digest tells that it is this very call's line, not merely one like it.
        assert blocked or line["assay"]["args_digest"] == summarize.digest(place.keys.values, item.args)
    assert len(found) <= CALLS
    return PLAN[: len(found)]


def state_of(place: Place) -> Status | None:
    """The state's status, if there is a state; it must be signed, and count what the log counts."""
    if not (place.evaluation / "state.json").exists():
        return None
    with EvalDir(place.folder, NAME) as folder:
        folder.lock()  # no server that outlived its owner holds it
        state, signed = folder.load_state(place.keys.state)
    assert signed
    logged = lines_of(place)
    for entry in state.execution:
        counted = sum(item.server is not None and item.id.startswith(f"{entry['scenario_id']}-") for item in logged)
        behind = counted - entry["call_count"]
        assert behind in ({0, 1} if entry["status"] == "running" else {0})
    assert {item.id.partition("-")[0] for item in logged} <= {entry["scenario_id"] for entry in state.execution}
    return state.status
