"""One evaluation with something for every section of a report, as the phases before it would leave it."""

from typing import Any

from mcp_assay.core import citations
from mcp_assay.core.findings import parse
from mcp_assay.core.session import State, Status

CRITIC = """\
### [MINOR] response_shape: `list_issues` returned 41.2 kB of which later calls used only `id`
MCP: tracker
Evidence: S1-001
Recommendation: Offer a `fields` parameter.

### [CRITICAL] glue_code: Ids from `list_issues` had to be cut out of URLs before `get_issue` took them (3 calls)
MCP: tracker
Evidence: S1-001, S1-002, S1-003
Recommendation: Return the id that `get_issue` takes, e.g. as `issue_id`.

### [MAJOR] cross_mcp: The plan's owner is an e-mail address, while `create_issue` wants a login
MCP: cross-mcp
Evidence: S2-001, S2-002
Recommendation: Accept both.

### [MAJOR] parameter_inference: `workspace` had to be guessed
MCP: Tracker
Evidence: S2-003
Recommendation:

### [MAJOR] redundant_calls: The same page was fetched twice
MCP: cloud.iac
Evidence: S1-002, S9-001
Recommendation: Say in the result that it is the last page.

### **[CRITICAL]** glue_code: Bold is no heading of ours
MCP: tracker
Evidence: S1-001

## Summary

Found 1 [CRITICAL], 3 [MAJOR] and 1 [MINOR] findings in 7 calls to 2 servers. The gravest one makes an agent cut ids \
out of URLs, e.g. of issues. Everything else is small.

- `wiki`: not called; nothing was observed.
Manifest unreadable: mailer — not started: its disposition is 'skip'
"""

ATTACHED = ("tracker", "cloud.iac", "wiki", "mailer")


def state() -> State:
    kept = State(
        "nightly",
        "2025-03-01T09:00:00Z",
        "2025-03-01T09:20:00Z",
        session_started="2025-03-01T09:01:00Z",
        session_ended="2025-03-01T10:16:03.750000Z",
        status=Status.REPORTING,
        attached_mcps=[
            server(
                "tracker", ["list_issues", "get_issue", "create_issue", "delete_issue"], not_drivable=["delete_issue"]
            ),
            server("cloud.iac", ["get_plan"], notes=["stderr: 3 lines of warnings"]),
            server("wiki", ["search"], host_note="Claude Code would start this one from the other file"),
            server("mailer", [], limitation="not started: its disposition is 'skip'"),
        ],
        filtered_mcps=[{"name": "legacy", "reason": "disabled by .claude/settings.local.json"}],
        safety_dispositions=[
            {"mcp_name": "tracker", "disposition": "sandboxed", "test_resources": ["repo: play"], "notes": ""},
            {"mcp_name": "cloud.iac", "disposition": "read_only", "test_resources": [], "notes": ""},
            {"mcp_name": "wiki", "disposition": "read_only", "test_resources": [], "notes": ""},
            {"mcp_name": "mailer", "disposition": "skip", "test_resources": [], "notes": "It mails real people."},
        ],
        scenarios=[
            {"id": "S1", "source": "user", "description": "Summarize the open issues", "targets_mcps": ["tracker"]},
            {
                "id": "S2",
                "source": "user",
                "description": "File an issue for the plan's owner",
                "targets_mcps": [],
                "assay": {"inferred_targets": ["tracker", "cloud.iac"]},
            },
            {"id": "S3", "source": "derived", "description": "Walk past the first page", "targets_mcps": ["tracker"]},
            {"id": "S4", "source": "derived", "description": "Search for nothing", "targets_mcps": ["wiki"]},
        ],
        execution=[
            ran("S1", calls=3, reached=True),
            ran("S2", calls=3, status="aborted", abort_reason="safety_abort"),
            ran("S3", calls=1, status="aborted", abort_reason="call_budget"),
            ran("S4", calls=0, reached=False, reason="step 1: no tool of that name"),
        ],
        assay={
            "version": 1,
            "driver": "script",
            "evidence": "gate",
            "critique": "rules",
            "rubric": "1",
            "match": "strict",
            "isolation": "none",
            "active_seconds": 754.2,
            "transcript_sha256": "sha256:" + "0123456789abcdef" * 4,
            "notes": ["--call-budget 5000 is more than 999; 999 was used"],
            "outside_calls": [{"ts": "2025-03-01T09:00:30Z", "tool": "Bash", "reason": "no scenario is running"}],
            "host_notes": ["~/.claude.json: entry 'x' is shadowed by .mcp.json"],
        },
    )
    _judge(kept)
    return kept


def _judge(kept: State) -> None:
    parsed = parse(CRITIC, ATTACHED)
    kept.critic_findings = [
        {
            "id": found.id,
            "severity": str(found.severity),
            "dimension": str(found.dimension),
            "summary": found.summary,
            "mcp_name": found.mcp_name,
            "evidence_ids": list(found.evidence_ids),
            "recommendation": found.recommendation,
        }
        for found in parsed.findings
    ]
    kept.critic_findings[0]["assay"] = {
        "rule": "oversized-result",
        "cost": {"calls": 1, "tokens": 10300, "bytes": 41200, "ms": 80},
    }
    kept.critic_findings_dropped_raw = list(parsed.dropped_raw)
    kept.critic_findings_dropped = len(parsed.dropped_raw)
    kept.unmapped_mcp_names = list(parsed.unmapped)
    kept.critic_summary, kept.missing_critic_summary = parsed.summary, parsed.missing_summary
    kept.dangling_citations = list(citations.check(parsed.findings, ENTRIES, kept.scenarios, ATTACHED))


def server(name: str, tools: list[str], **assay: Any) -> dict[str, Any]:
    return {"name": name, "source": "/home/u/.mcp.json", "command": "serve", "tools": tools, "assay": assay}


def ran(
    scenario: str,
    *,
    calls: int,
    status: str = "complete",
    abort_reason: str | None = None,
    reached: bool | None = None,
    reason: str | None = None,
) -> dict[str, Any]:
    return {
        "scenario_id": scenario,
        "status": status,
        "call_count": calls,
        "abort_reason": abort_reason,
        "started": "2025-03-01T09:01:00Z",
        "ended": "2025-03-01T09:05:00Z",
        "assay": {"reached": reached, "reason": reason, "refusals": 0, "failed": []},
    }


def line(
    name: str, tool: str, mcp: str | None, outcome: str = "ok", shape: str | None = "object{id}"
) -> dict[str, Any]:
    raw = tool.rpartition("__")[2] if mcp else tool
    return {
        "id": name,
        "scenario_id": name.partition("-")[0],
        "ts": "2025-03-01T09:02:00Z",
        "tool": tool,
        "is_mcp": mcp is not None,
        "args_summary": "{}",
        "justification": None if mcp else "no attached MCP covers this step: a local count",
        "assay": {"mcp": mcp, "tool": raw, "outcome": outcome},
        "result_shape": shape,
    }


ENTRIES: list[dict[str, Any]] = [
    line("S1-001", "mcp__tracker__list_issues", "tracker"),
    line("S1-002", "mcp__tracker__get_issue", "tracker"),
    line("S1-003", "mcp__tracker__get_issue", "tracker", "error", "error:not_found"),
    line("S1-004", "Bash", None),
    line("S2-001", "mcp__cloud_iac__get_plan", "cloud.iac"),
    line("S2-002", "mcp__tracker__create_issue", "tracker"),
    line("S2-003", "mcp__tracker__create_issue", "tracker", "timeout", "error:timeout"),
    {
        **line("S2-004", "__blocked__", None, "blocked", "error:blocked"),
        "blocked_tool": "mcp__tracker__delete_issue",
        "justification": "no argument names an approved test resource",
        "assay": {"mcp": "tracker", "tool": "delete_issue", "outcome": "blocked"},
    },
    line("S3-001", "mcp__tracker__list_issues", "tracker", "unknown", None),
    {
        **line("S3-002", "__budget_abort__", None, "aborted", "error:call_budget"),
        "justification": "call budget exceeded",
    },
]
