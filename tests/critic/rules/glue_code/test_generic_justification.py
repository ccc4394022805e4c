import pytest

from critic_lines import bare, blocked, evidence, found, line, outside
from mcp_assay.core.findings import UNATTRIBUTED, parse
from mcp_assay.core.model import Severity
from mcp_assay.critic.run import critique

RULE = "glue_code/generic-justification"


def test_an_excuse_is_put_down_to_nobodys_server() -> None:
    seen = evidence(outside("S1-001", why="considered mcp__tracker__get_issue, but this was faster"))
    [draft] = found(RULE, seen)
    assert (draft.severity, draft.evidence_ids) == (Severity.SUGGESTION, ("S1-001",))
    [finding] = parse(critique(seen), ["tracker", "docs"]).findings
    assert (finding.mcp_name, finding.dimension) == (UNATTRIBUTED, "glue_code")


def test_excuses_are_one_finding_and_three_are_minor() -> None:
    [draft] = found(RULE, evidence(*(outside(f"S1-{n:03}", why="easier") for n in range(3))))
    assert (draft.severity, draft.cost.calls) == (Severity.MINOR, 3)


@pytest.mark.parametrize("driver", ["script", "explore", "claude-code", "something new"])
def test_whoever_wrote_the_words_is_judged_by_them_even_in_a_bare_transcript(driver: str) -> None:
    assert found(RULE, evidence(bare(outside("S1-001", why="easier")), driver=driver))


@pytest.mark.parametrize(
    "near",
    [
        outside("S1-001"),
        outside("S1-001", why="considered mcp__tracker__get_issue, which has no regex"),
        line("S1-001"),
        {**blocked("S1-001"), "justification": ""},
    ],
)
def test_a_reason_and_a_call_that_needs_none_are_fine(near: dict[str, object]) -> None:
    assert not found(RULE, evidence(near))
