from mcp_assay.core.model import Dimension, Severity
from mcp_assay.critic import wire
from mcp_assay.critic.rules import Cost, Draft
from mcp_assay.critic.rules.base import CROSS_MCP
from mcp_assay.critic.widespread import gathered

FIVE = ["a", "b", "c", "d", "e"]


def draft(
    mcp: str, severity: Severity = Severity.MINOR, ids: tuple[str, ...] = (), rule: str = "json-in-text"
) -> Draft:
    found = ids or (f"S1-{ord(mcp[:1] or '0'):03}",)
    return Draft(rule, severity, Dimension.RESPONSE_SHAPE, mcp, "seen", found, "Do.", Cost(2, 3, 4, 5))


def told(drafts: list[Draft], attached: list[str]) -> list[tuple[str, Severity]]:
    return [(each.mcp, each.severity) for each in gathered(drafts, attached)]


def test_what_three_of_five_servers_show_is_one_suggestion_that_says_so() -> None:
    [found] = gathered([draft(name) for name in "abc"], FIVE)
    assert (found.rule, found.mcp, found.severity) == ("json-in-text", CROSS_MCP, Severity.SUGGESTION)
    assert found.summary.startswith("3 of 5 attached servers show `json-in-text` (`a`, `b`, `c`): A JSON object")
    assert (found.evidence_ids, found.cost) == (("S1-097", "S1-098", "S1-099"), Cost(6, 9, 12, 15))
    assert (found.servers, found.recommendation) == (("a", "b", "c"), "Do.")


def test_half_of_the_servers_are_not_most_and_two_are_too_few() -> None:
    kept = [draft(name) for name in "abc"]
    assert list(gathered(kept, [*FIVE, "f"])) == kept
    assert list(gathered(kept[:2], ["a", "b"])) == kept[:2]
    assert len(list(gathered(kept, ["a", "b", "c"]))) == 1


def test_what_is_major_or_worse_stays_and_counts() -> None:
    drafts = [draft("a", Severity.CRITICAL), draft("b", Severity.MAJOR), draft("c", Severity.SUGGESTION)]
    assert told(drafts, FIVE) == [
        ("a", Severity.CRITICAL),
        ("b", Severity.MAJOR),
        (CROSS_MCP, Severity.SUGGESTION),
    ]
    *_, common = gathered(drafts, FIVE)
    assert common.servers == ("a", "b", "c")


def test_where_all_are_major_nothing_is_added() -> None:
    drafts = [draft(name, Severity.MAJOR) for name in "abc"]
    assert list(gathered(drafts, FIVE)) == drafts


def test_several_findings_at_one_server_count_once() -> None:
    drafts = [draft("a", ids=("S1-001",)), draft("a", ids=("S1-002",)), draft("b")]
    assert list(gathered(drafts, ["a", "b", "c"])) == drafts


def test_other_rules_and_findings_of_no_one_server_are_left_alone() -> None:
    others = [draft("d", rule="schema-not-kept"), draft(CROSS_MCP), draft("")]
    drafts = [draft("a"), *others, draft("b"), draft("c")]
    assert list(gathered(drafts, FIVE))[:-1] == others
    assert told([draft("a"), draft("b"), draft(CROSS_MCP)], ["a", "b", CROSS_MCP])[-1] == (CROSS_MCP, Severity.MINOR)


def test_each_server_is_among_the_calls_that_are_cited() -> None:
    many = tuple(f"S1-{n:03}" for n in range(30))
    drafts = [draft("a", ids=many), draft("b", ids=("S2-001", "S2-002")), draft("c", ids=("S3-001",))]
    [found] = gathered(drafts, FIVE)
    assert wire.cited(found)[:6] == ("S1-000", "S2-001", "S3-001", "S1-001", "S2-002", "S1-002")
    assert len(found.evidence_ids) == 33
