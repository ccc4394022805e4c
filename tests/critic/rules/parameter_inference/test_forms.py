from critic_lines import evidence, line, outside, taken, tool
from mcp_assay.critic.rules.parameter_inference.forms import changes


def test_changes_within_a_server_and_across_two_are_told_with_their_place() -> None:
    own = line("S1-002", args={"issue_id": taken("S1-001", via="number")})
    other = line("S1-003", mcp="docs", args={"url": taken("S1-001", via="url-tail")})
    found = list(changes(evidence(line("S1-001"), own, other)))
    assert [each.cause for each in found] == [("S1-002", "issue_id", "changed"), ("S1-003", "url", "changed")]
    assert [each.origin.id for each in found] == ["S1-001", "S1-001"]


def test_a_date_and_the_end_of_a_url_tell_by_themselves_and_a_word_needs_a_telling_name() -> None:
    def told(path: str, via: str) -> bool:
        return any(changes(evidence(line("S1-001"), line("S1-002", args={path: taken("S1-001", via=via)}))))

    assert told("due", "date")
    assert told("slug_text", "url-tail")
    assert not told("title", "case")
    assert not told("issue_id", "embedded")


def test_only_what_came_from_mcp_and_went_well_counts() -> None:
    use = line("S1-002", args={"id": taken("S1-001", via="case")})
    assert not list(changes(evidence(outside("S1-001"), use)))
    assert not list(changes(evidence(line("S1-001"), {**use, "assay": {**use["assay"], "outcome": "error"}})))


def test_a_parameter_that_takes_both_forms_asked_for_no_change() -> None:
    use = line("S1-002", args={"id": taken("S1-001", via="number")})
    assert not list(
        changes(evidence(line("S1-001"), use, tools=[tool("get_issue", id={"type": ["string", "integer"]})]))
    )
    assert list(changes(evidence(line("S1-001"), use, tools=[tool("get_issue", id={"type": "integer"})])))
    cased = line("S1-002", args={"id": taken("S1-001", via="case")})
    assert list(changes(evidence(line("S1-001"), cased, tools=[tool("get_issue", id={"type": ["string", "integer"]})])))
