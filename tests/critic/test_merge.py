from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic.merge import merged
from mcp_assay.critic.rules import Cost, Draft


def draft(rule: str, *ids: str, causes: str = "") -> Draft:
    keys = frozenset((cause, "x") for cause in causes)
    return Draft(rule, Severity.MINOR, Dimension.GLUE_CODE, "tracker", rule, ids, "", Cost(len(ids)), keys)


def told(*drafts: Draft) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.rule, each.evidence_ids) for each in merged(drafts)]


def test_what_a_weightier_finding_speaks_of_already_only_adds_its_evidence() -> None:
    heavy, light = draft("heavy", "S1-002", "S1-003", causes="ab"), draft("light", "S1-001", "S1-002", causes="b")
    assert told(heavy, light) == [("heavy", ("S1-002", "S1-003", "S1-001"))]
    assert merged([heavy, light])[0].cost == heavy.cost


def test_a_lighter_finding_with_a_cause_of_its_own_stays() -> None:
    heavy, light = draft("heavy", "S1-001", causes="a"), draft("light", "S1-002", causes="ab")
    assert told(heavy, light) == [("heavy", ("S1-001",)), ("light", ("S1-002",))]


def test_findings_that_name_no_cause_are_never_the_same() -> None:
    assert len(told(draft("one", "S1-001"), draft("other", "S1-001"))) == 2
    assert len(told(draft("one", "S1-001", causes="a"), draft("other", "S1-001"))) == 2


def test_three_for_one_reason_are_one() -> None:
    drafts = [draft(name, f"S1-00{place}", causes="a") for place, name in enumerate("xyz")]
    assert told(*drafts) == [("x", ("S1-000", "S1-001", "S1-002"))]
