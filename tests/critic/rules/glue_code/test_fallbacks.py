from critic_lines import evidence, line, outside, refused
from mcp_assay.critic.rules.glue_code.fallbacks import fallbacks

WHY = "considered mcp__tracker__count_issues, which failed"


def test_all_calls_in_vain_since_the_tool_last_worked_lead_to_the_step() -> None:
    entries = [
        refused("S1-001", "count_issues", "unavailable"),
        line("S1-002", "count_issues"),
        refused("S1-003", "count_issues", "unavailable"),
        line("S1-004", "list_issues"),
        refused("S1-005", "count_issues", "unavailable"),
        outside("S1-006", why=WHY),
    ]
    [(vain, step)] = fallbacks(evidence(*entries))
    assert ([call.id for call in vain], step.id) == (["S1-003", "S1-005"], "S1-006")


def test_what_only_came_too_soon_and_the_pause_after_it_are_left_out() -> None:
    entries = [
        refused("S1-001", "count_issues", "unavailable", args_digest="a"),
        refused("S1-002", "count_issues", "rate_limited", args_digest="a"),
        outside("S1-003", why=WHY),
        refused("S1-004", "count_issues", "unavailable", args_digest="a"),
        outside("S1-005", why=WHY),
    ]
    [(vain, step)] = fallbacks(evidence(*entries))
    assert ([call.id for call in vain], step.id) == (["S1-001", "S1-004"], "S1-005")
