"""The official conformance suite against the policy server, and against its protocol with the suite's own tools."""

import json
import re
import subprocess
import sys
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ruamel.yaml import YAML

from npm_stage import NPM
from policy_process import FULL, web

pytestmark = pytest.mark.clients

HERE = Path(__file__).parent
NODE = NPM / "node_modules" / ".bin" / "node"
SUITE = NPM / "node_modules" / ".bin" / "conformance"
PATIENCE = 120.0
EXPECTED: list[str] = YAML(typ="safe").load((HERE / "conformance-expected.yaml").read_text(encoding="utf-8"))["server"]

SERVERS = {"policy": (*FULL, "--http"), "suite": (sys.executable, "-P", str(HERE / "suite_server.py"))}
# What suite_server.py is there for: with it, these pass.
ITS_OWN = re.compile(
    "tools-call-(simple-text|image|audio|embedded-resource|mixed-content|error):.*"
    "|json-schema-2020-12:.*|resources-(read-text|read-binary|templates-read):.*"
    "|server-stateless:sep-2575-server-no-log-without-loglevel"
)
# The reasons of conformance-expected.yaml, in the suite's words.
WANTS = re.compile(
    "Unknown tool|Resource not found|Method not found|Not testable: server|Tool '.*' not found"
    "|Expected InputRequiredResult|could not get initial InputRequiredResult|instead of re-requesting"
    "|did not provide session ID"
)
FAILED = {"FAILURE", "WARNING"}

Checks = list[dict[str, Any]]


class Figures(NamedTuple):
    """Scenarios that passed, and those of which a check failed as expected; checks that passed, and that failed so."""

    scenarios: int
    expected: int
    checks: int
    checks_expected: int


@pytest.mark.parametrize(
    ("server", "figures"),
    [
        (
            "policy",
            {
                "2025-06-18": Figures(4, 22, 30, 22),
                "2025-11-25": Figures(5, 27, 36, 27),
                "2026-07-28": Figures(8, 32, 90, 39),
            },
        ),
        (
            "suite",
            {
                "2025-06-18": Figures(13, 13, 39, 13),
                "2025-11-25": Figures(15, 17, 52, 17),
                "2026-07-28": Figures(18, 22, 107, 28),
            },
        ),
    ],
)
def test_nothing_fails_but_what_is_not_there(server: str, figures: dict[str, Figures], tmp_path: Path) -> None:
    if not (NODE.exists() and SUITE.exists()):
        pytest.fail("the conformance suite is not installed; run: make test-clients", pytrace=False)
    expected = [entry for entry in EXPECTED if server == "policy" or not ITS_OWN.fullmatch(entry)]
    with web(tmp_path, SERVERS[server]) as (port, _):
        found = {version: conform(port, version, expected, tmp_path / version) for version in figures}
    seen = set[str]()
    for version, scenarios in found.items():
        passed = {
            name: [check for check in checks if check["status"] == "SUCCESS"] for name, checks in scenarios.items()
        }
        failed = {name: [check for check in checks if check["status"] in FAILED] for name, checks in scenarios.items()}
        strange = [check for check in chain(*failed.values()) if not WANTS.search(json.dumps(check))]
        assert not strange, "these fail for another reason than conformance-expected.yaml says"
        seen |= {f"{name}:{check['id']}" for name, checks in failed.items() for check in checks}
        assert figures[version] == Figures(
            # One of neither does not apply to a server that has no sessions.
            sum(bool(passed[name]) and not failed[name] for name in scenarios),
            sum(map(bool, failed.values())),
            sum(map(len, passed.values())),
            sum(map(len, failed.values())),
        )
    assert seen == set(expected), "conformance-expected.yaml lists what no longer exists"


def conform(port: int, version: str, expected: list[str], place: Path) -> dict[str, Checks]:
    """The checks of each scenario of a version. The suite itself says which failures, and which passes, surprise it."""
    place.mkdir()
    baseline = place / "expected.yaml"
    baseline.write_text(json.dumps({"server": expected}), encoding="utf-8")  # which is YAML too
    scope = ["--url", f"http://127.0.0.1:{port}/mcp", "--suite", "all", "--spec-version", version]
    done = subprocess.run(
        [NODE, SUITE, "server", *scope, "--expected-failures", baseline, "-o", place / "results"],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout[done.stdout.find("=== SUMMARY ===") :] + done.stderr
    return {
        re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*", "", path.parent.name): json.loads(path.read_text(encoding="utf-8"))
        for path in (place / "results").glob("*/checks.json")
    }
