from typing import Any

import pytest

from critic_lines import evidence, found, line, outside
from mcp_assay.core.model import Severity

RULE = "response_shape/error-without-cause"


def failed(
    ident: str = "S1-001", *, cause: bool | None = False, kind: str = "unspecified", **more: Any
) -> dict[str, Any]:
    return line(ident, **{"outcome": "error", "result": {"cause": cause, "error_class": kind}, **more})


@pytest.mark.parametrize("driver", ["script", "explore", "claude-code", "something new"])
@pytest.mark.parametrize("kind", ["unspecified", "internal"])
def test_an_error_that_says_nothing_is_found_whoever_called(driver: str, kind: str) -> None:
    [draft] = found(RULE, evidence(failed(kind=kind), driver=driver))
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.MINOR, "tracker", ("S1-001",))


def test_a_servers_errors_are_one_finding() -> None:
    [draft] = found(RULE, evidence(failed(), failed("S1-002", tool="list_issues")))
    assert "`get_issue`, `list_issues`" in draft.summary


@pytest.mark.parametrize(
    "near",
    [
        failed(cause=True),
        failed(cause=None),
        failed(kind="validation"),
        failed(kind="not_found"),
        failed(outcome="ok"),
        failed(outcome="timeout"),
        outside("S1-001", outcome="error", result={"cause": False, "error_class": "unspecified"}),
    ],
)
def test_near_misses_say_something(near: dict[str, Any]) -> None:
    assert not found(RULE, evidence(near))
