import json
import re

import report_case
from mcp_assay.core.model import Manifest, Tool
from mcp_assay.critic.surface import describe
from mcp_assay.report import machine
from mcp_assay.report.view import build

SURFACE = describe({"tracker": Manifest("tracker", (Tool("get_issue"),))})
REPORT = machine.render(build(report_case.state(), report_case.ENTRIES, surface=SURFACE))


def test_the_report_survives_json() -> None:
    assert json.loads(json.dumps(REPORT)) == REPORT


def test_every_key_is_documented() -> None:
    documented = set(re.findall(r"``(\w+)(?:\[\])?``", machine.__doc__ or ""))
    for part in (REPORT, REPORT["findings"][0], REPORT["servers"][0], REPORT["servers"][0]["coverage"]):
        assert set(part) <= documented
    for key in ("skipped", "caveats", "dangling_citations"):
        assert set(REPORT[key][0]) <= documented
    [table] = REPORT["surface"]
    assert set(table) | set(table["counts"]) | set(table["by_tool"][0]) <= documented
    assert set(REPORT["transcript"]) | set(REPORT["scenarios"]) <= documented


def test_numbers_and_words_are_the_views() -> None:
    assert REPORT["schema_version"] == 1
    assert REPORT["scenarios"] == {"run": 4, "aborted": 2}
    assert REPORT["counts"] == {"Critical": 1, "Major": 3, "Minor": 1, "Suggestion": 0}
    assert REPORT["transcript"] == {"entries": 10, "sha256": "sha256:" + "0123456789abcdef" * 4}
    assert (REPORT["rubric"], REPORT["evidence"], REPORT["critique"]) == ("1", "gate", "rules")
    assert REPORT["handoffs_exercised"] is True


def test_a_finding_carries_what_the_rule_knew() -> None:
    findings = {item["id"]: item for item in REPORT["findings"]}
    assert [item["id"] for item in REPORT["findings"]] == ["F2", "F1", "F5", "F4", "F3"]
    assert findings["F1"] == {
        "id": "F1",
        "severity": "Minor",
        "dimension": "response_shape",
        "summary": "`list_issues` returned 41.2 kB of which later calls used only `id`",
        "mcp_name": "tracker",
        "evidence_ids": ["S1-001"],
        "recommendation": "Offer a `fields` parameter.",
        "rule": "oversized-result",
        "cost": {"calls": 1, "tokens": 10300, "bytes": 41200, "ms": 80},
        "by": None,
        "raised_from": None,
        "missed": [],
        "servers": [],
    }
    assert (findings["F2"]["rule"], findings["F2"]["cost"]) == (None, None)


def test_a_server_carries_its_findings_and_coverage() -> None:
    tracker, *_, mailer = REPORT["servers"]
    assert (tracker["name"], tracker["disposition"], tracker["findings"]) == ("tracker", "sandboxed", ["F2", "F1"])
    assert tracker["coverage"]["called"] == ["list_issues", "get_issue", "create_issue"]
    assert (tracker["coverage"]["calls"], tracker["coverage"]["blocked"]) == (6, 1)
    assert mailer["disposition"] == "skip"


def test_citations_and_dropped_headings_are_there_in_full() -> None:
    assert REPORT["dangling_citations"][0] == {
        "finding_id": "F5",
        "cited_id": "S9-001",
        "reason": "id not found in transcript",
    }
    (dropped,) = [item for item in REPORT["caveats"] if item["kind"] == "dropped"]
    assert dropped["raw"] == report_case.state().critic_findings_dropped_raw


def test_the_surface_is_a_table_of_its_own_and_no_finding() -> None:
    assert REPORT["surface"] == SURFACE
    assert REPORT["surface"][0]["counts"] == {"undescribed": 1, "no_output_schema": 1}
    without = machine.render(build(report_case.state(), report_case.ENTRIES))
    assert without["surface"] == []
    assert without["findings"] == REPORT["findings"]
