"""Phases 5 and 6 over a folder on disk: seals, parses, reports, failures."""

import json

import pytest

from mcp_assay import judging
from mcp_assay.core.session import Status
from mcp_assay.errors import CriticError, StoreError
from mcp_assay.store import transcript
from mcp_assay.store.evaldir import EvalDir
from mcp_assay.store.keys import Keys
from playbook import SURFACE, Clock
from report_case import ENTRIES, state

KEYS = Keys(b"s" * 32, b"v" * 32)
JUNK = "The critic was tired today.\n"
GOOD = """\
### [MAJOR] response_shape: Too wide
MCP: {name}
Evidence: {id}
Recommendation: narrow

## Summary
One [MAJOR].
"""


@pytest.fixture
def folder(tmp_path):
    with EvalDir(tmp_path, "one", create=True) as opened:
        yield opened


def case(folder, status=Status.CRITIQUING):
    """The sample evaluation, as it stands when its session has ended."""
    sample = state()
    sample.status = status
    lines = "".join(json.dumps(entry) + "\n" for entry in ENTRIES)
    (folder.path / "transcript.jsonl").write_text(lines)
    sample.assay["transcript_sha256"] = transcript.digest(folder.fd)
    tools = [dict(tool.raw) for tool in SURFACE]
    pinned = {entry["name"]: tools for entry in sample.attached_mcps}
    sample.assay["manifests_sha256"] = folder.save_manifests(pinned)
    return judging.Case(folder, sample)


def test_the_rules_judge_and_their_output_is_kept_before_it_is_parsed(folder):
    judged = case(folder)
    judging.critique(judged, KEYS, Clock())
    saved, signed = folder.load_state(KEYS.state)
    assert (saved.status, signed, saved.assay["critique"]) == (Status.REPORTING, True, "rules")
    assert "## Summary" in folder.read("critic-output.md").decode()
    assert all({"rule", "cost"} <= set(finding["assay"]) for finding in saved.critic_findings)


def test_each_parse_replaces_all_parsed_fields(folder):
    judged = case(folder)
    text = GOOD.format(name=judged.state.attached_mcps[0]["name"], id=ENTRIES[0]["id"])
    judging.critique(judged, KEYS, Clock(), given=text + "### broken heading\n")
    assert (len(judged.state.critic_findings), judged.state.critic_findings_dropped) == (1, 1)
    assert (judged.state.critic_summary.split("\n")[0], judged.state.assay["critique"]) == ("One [Major].", "file")
    judging.critique(judged, KEYS, Clock(), given="## Summary\nNothing at all.\n")
    assert (judged.state.critic_findings, judged.state.critic_findings_dropped) == ([], 0)


def test_a_critic_that_returned_nothing_usable_fails_and_can_be_run_again(folder):
    judged = case(folder)
    with pytest.raises(CriticError, match=r"critic-output\.md"):
        judging.critique(judged, KEYS, Clock(), given=JUNK)
    saved, _ = folder.load_state(KEYS.state)
    assert saved.status is Status.CRITIC_FAILED
    assert saved.critic_failure_path == "mcp-evals/mcp-eval-one/critic-output.md"
    assert folder.read("critic-output.md").decode() == JUNK
    judging.critique(judged, KEYS, Clock())
    assert (judged.state.status, judged.state.critic_failure_path) == (Status.REPORTING, None)


def test_the_report_completes_the_evaluation(folder):
    judged = case(folder)
    judging.critique(judged, KEYS, Clock())
    view = judging.report(judged, KEYS, Clock())
    saved, _ = folder.load_state(KEYS.state)
    assert (saved.status, saved.report_path) == (Status.COMPLETE, "mcp-evals/mcp-eval-one/report.md")
    assert folder.read("report.md").decode().startswith("# MCP Evaluation: ")
    assert json.loads(folder.read("report.json"))["schema_version"] == 1
    assert view.transcript_sha256 == saved.assay["transcript_sha256"]


def test_a_citation_of_a_call_that_does_not_exist_is_kept_and_told(folder):
    judged = case(folder)
    text = GOOD.format(name=judged.state.attached_mcps[0]["name"], id="S9-999")
    judging.critique(judged, KEYS, Clock(), given=text)
    judging.report(judged, KEYS, Clock())
    assert judged.state.dangling_citations == [
        {"finding_id": "F1", "cited_id": "S9-999", "reason": "id not found in transcript"}
    ]
    assert "S9-999" in folder.read("report.md").decode()


def test_a_transcript_that_changed_after_the_seal_proves_nothing(folder):
    judged = case(folder)
    with (folder.path / "transcript.jsonl").open("ab") as file:
        file.write(b'{"id": "S1-999"}\n')
    with pytest.raises(StoreError, match="changed"):
        judging.Case(folder, judged.state)


def test_manifests_that_were_changed_are_no_manifests(folder):
    judged = case(folder)
    assert judged.manifests is not None
    (folder.path / ".assay" / "manifests.json").write_text("{}")
    again = judging.Case(folder, judged.state)
    assert again.manifests is None
    judging.critique(again, KEYS, Clock())
    assert "no manifests" in again.state.critic_summary
