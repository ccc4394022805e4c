import pytest

from critic_lines import bare, evidence, found, line, outside, tool
from mcp_assay.core.model import Manifest, Severity
from mcp_assay.critic.evidence import Evidence
from mcp_assay.critic.rules.base import NOBODY

RULE = "glue_code/unknown-tool-considered"
TOOLS = [tool("issues.search"), tool("get_issue_")]


def why(text: str) -> dict[str, object]:
    return outside("S1-001", why=text)


@pytest.mark.parametrize("name", ["mcp__tracker__grep_issues", "mcp__github__search"])
def test_a_tool_that_nothing_attached_has_was_not_considered(name: str) -> None:
    [draft] = found(RULE, evidence(why(f"considered {name}, which has no regex"), tools=TOOLS))
    assert (draft.severity, draft.mcp, draft.evidence_ids) == (Severity.MINOR, NOBODY, ("S1-001",))
    assert f"`{name}`" in draft.summary


def test_a_bare_transcript_tells_it_too() -> None:
    assert found(RULE, evidence(bare(why("considered mcp__github__search, which is slow")), tools=TOOLS, driver=""))


@pytest.mark.parametrize(
    "text",
    [
        "no attached MCP covers this step",
        "considered mcp__tracker__issues_search, but it has no regex",
        "considered mcp__tracker__issues_search-",
        "considered mcp__tracker__get_issue_, which is private",
        "considered mcp__docs__anything, of which there is no manifest",
        "mcp__tracker is slow",
    ],
)
def test_a_tool_that_is_there_or_may_be_there_is_fine(text: str) -> None:
    assert not found(RULE, evidence(why(text), tools=TOOLS))


def test_an_mcp_call_needs_no_justification_and_none_is_judged() -> None:
    said = {**line("S1-001"), "justification": "considered mcp__github__search"}
    assert not found(RULE, evidence(said, tools=TOOLS))


def test_a_manifest_that_is_short_proves_nothing() -> None:
    manifests = {"tracker": Manifest("tracker", tuple(TOOLS), "it stopped answering")}
    seen = Evidence([why("considered mcp__tracker__grep")], (), ["tracker"], manifests, "script")
    assert not found(RULE, seen)


def test_without_manifests_it_is_not_judged() -> None:
    assert not found(RULE, evidence(why("considered mcp__github__search, which is slow")))
