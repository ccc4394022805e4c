from pathlib import Path

import pytest

from mcp_assay.core.model import Severity
from mcp_assay.critic import rubric
from mcp_assay.critic.calls import Call, Result
from mcp_assay.critic.rubric import Cost, severity

REFERENCE = (Path(__file__).parents[2] / "docs" / "reference" / "severity.md").read_text(encoding="utf-8")
YEAR = 365 * 24 * 3600 * 1000


@pytest.mark.parametrize(
    ("cost", "expected"),
    [
        (Cost(), Severity.SUGGESTION),
        (Cost(calls=2), Severity.SUGGESTION),
        (Cost(calls=3), Severity.MINOR),
        (Cost(calls=9), Severity.MINOR),
        (Cost(calls=10), Severity.MAJOR),
        (Cost(tokens=9_999), Severity.SUGGESTION),
        (Cost(tokens=10_000), Severity.MINOR),
        (Cost(tokens=24_999), Severity.MINOR),
        (Cost(tokens=25_000), Severity.MAJOR),
        (Cost(ms=29_999), Severity.SUGGESTION),
        (Cost(ms=30_000), Severity.MINOR),
        (Cost(calls=2, tokens=9_999, ms=29_999), Severity.SUGGESTION),
    ],
)
def test_each_threshold_decides_by_itself(cost: Cost, expected: Severity) -> None:
    assert severity(cost) is expected


def test_time_alone_never_makes_a_finding_major() -> None:
    assert severity(Cost(calls=9, tokens=24_999, ms=YEAR)) is Severity.MINOR


def test_bytes_are_told_and_not_weighed() -> None:
    assert severity(Cost(bytes=10**9)) is Severity.SUGGESTION


def test_cost_alone_never_makes_a_finding_critical() -> None:
    assert severity(Cost(10**6, 10**9, 10**9, YEAR), ceiling=Severity.CRITICAL) is Severity.MAJOR


def test_the_bounds_hold_whatever_it_cost_and_the_floor_is_the_stronger() -> None:
    assert severity(Cost(1), floor=Severity.MINOR) is Severity.MINOR
    assert severity(Cost(10), floor=Severity.MINOR) is Severity.MAJOR
    assert severity(Cost(10), ceiling=Severity.MINOR) is Severity.MINOR
    assert severity(Cost(1), ceiling=Severity.MINOR) is Severity.SUGGESTION
    assert severity(Cost(1), floor=Severity.CRITICAL, ceiling=Severity.MINOR) is Severity.CRITICAL


@pytest.mark.parametrize(
    ("cost", "text"),
    [
        (Cost(1), "1 call"),
        (Cost(2, 249, 999, 99), "2 calls, 999 B, 99 ms"),
        (Cost(3, 1_050, 4_200, 800), "3 calls, 4.2 kB, 0.8 s"),
        (Cost(3, 375_000, 1_500_000, 75_040), "3 calls, 1.5 MB, 75.0 s"),
    ],
)
def test_a_cost_in_words(cost: Cost, text: str) -> None:
    assert str(cost) == text


def call(ident: str, *, structured: bool | None = None) -> Call:
    result = Result(bytes=70, tokens=21, structured=structured)
    return Call(0, ident, "S1", "tracker", "get", duration_ms=5, result=result)


def test_a_call_that_is_meant_twice_costs_once() -> None:
    assert Cost.of([call("S1-001"), call("S1-001")]) == Cost(1, 21, 70, 5)
    assert Cost.of([call("S1-001"), call("S1-002")]) == Cost(2, 42, 140, 10)


def test_data_that_comes_twice_is_read_once() -> None:
    assert Cost.of([call("S1-001", structured=True)]).tokens == 10


def test_costs_add_up_by_unit() -> None:
    assert Cost(1, 2, 3, 4) + Cost(10, 20, 30, 40) == Cost(11, 22, 33, 44)


def test_the_reference_states_this_version_and_these_thresholds() -> None:
    assert f"Version {rubric.VERSION}." in REFERENCE
    assert f"| calls | {rubric.MINOR_CALLS} | {rubric.MAJOR_CALLS} |" in REFERENCE
    assert f"| tokens | {rubric.MINOR_TOKENS:,} | {rubric.MAJOR_TOKENS:,} |" in REFERENCE
    assert f"| seconds | {rubric.MINOR_MS // 1000} | never |" in REFERENCE
