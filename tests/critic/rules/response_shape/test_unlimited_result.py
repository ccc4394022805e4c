from typing import Any

import pytest

from critic_lines import evidence, found, line, tool
from mcp_assay.core.model import Severity, Tool

RULE = "response_shape/unlimited-result"
DUMP = tool("dump", required=["project"], project={"type": "string"})


def judged(tokens: int, *tools: Tool, driver: str = "explore", structured: bool = False, **more: Any) -> list[Severity]:
    call = line("S1-001", "dump", result={"est_tokens": tokens, "structured": structured, **more})
    return [draft.severity for draft in found(RULE, evidence(call, tools=tools or [DUMP], driver=driver))]


@pytest.mark.parametrize(
    ("tokens", "severity"),
    [(10_000, []), (10_001, [Severity.MINOR]), (24_999, [Severity.MINOR]), (25_000, [Severity.MAJOR])],
)
def test_severity_grows_from_where_hosts_warn_to_where_they_cut(tokens: int, severity: list[Severity]) -> None:
    assert judged(tokens) == severity


def test_it_says_how_much_came() -> None:
    call = line("S1-001", "dump", result={"est_tokens": 30_000, "structured": False})
    [draft] = found(RULE, evidence(call, tools=[DUMP]))
    assert draft.summary.startswith("About 30,000 tokens came back at once from `dump`, and no parameter")


def test_data_that_comes_twice_is_read_once() -> None:
    assert judged(20_000, structured=True) == []
    assert judged(20_002, structured=True) == [Severity.MINOR]


@pytest.mark.parametrize(
    "tools",
    [
        [tool("dump", limit={})],
        [tool("dump", query={}, required=["query"])],
        [tool("dump", verbose={"type": "boolean"})],
        [tool("another")],
    ],
)
def test_a_tool_that_takes_or_may_take_less_is_not_blamed(tools: list[Tool]) -> None:
    assert not judged(30_000, *tools)


@pytest.mark.parametrize("content", [["image"], ["resource", "text"]])
def test_an_image_or_a_file_is_no_wall_of_text(content: list[str]) -> None:
    assert not judged(30_000, content=content)


def test_a_failed_call_or_a_missing_manifest_proves_nothing() -> None:
    failed = line("S1-001", "dump", outcome="error", result={"est_tokens": 30_000})
    assert not found(RULE, evidence(failed, tools=[DUMP]))
    assert not found(RULE, evidence(line("S1-001", "dump", result={"est_tokens": 30_000})))
