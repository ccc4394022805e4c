"""Phases 5 and 6 over a folder on disk: seals, parses, reports, failures."""

import json
from pathlib import Path

import pytest

import critic_lines
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


ODD = [critic_lines.line(f"S1-00{number}", "list_issues", result={"error_in_success": True}) for number in (1, 2)]
"""Calls in which the rules find something."""


def case(folder, status=Status.CRITIQUING, entries=ENTRIES):
    """The sample evaluation, as it stands when its session has ended."""
    sample = state()
    sample.status = status
    lines = "".join(json.dumps(entry) + "\n" for entry in entries)
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
    assert saved.assay["rubric"] == "1"


def test_a_finding_says_what_it_cost_and_which_goals_were_missed_for_it(folder):
    bad = {"error_class": "unspecified", "cause": False}
    judged = case(folder, entries=[critic_lines.line("S1-001", outcome="error", result=bad)])
    judged.state.execution[0]["assay"]["reached"] = False
    judging.critique(judged, KEYS, Clock())
    [found] = judged.state.critic_findings
    assert (found["severity"], found["assay"]["rule"]) == ("Critical", "error-without-cause")
    assert found["assay"]["cost"] == {"calls": 1, "tokens": 125, "bytes": 1000, "ms": 200}
    assert (found["assay"]["missed"], "servers" in found["assay"]) == (["S1"], False)


def test_each_parse_replaces_all_parsed_fields(folder):
    judged = case(folder)
    text = GOOD.format(name=judged.state.attached_mcps[0]["name"], id=ENTRIES[0]["id"])
    judging.critique(judged, KEYS, Clock(), given=text + "### broken heading\n")
    assert (len(judged.state.critic_findings), judged.state.critic_findings_dropped) == (1, 1)
    assert (judged.state.critic_summary.split("\n")[0], judged.state.assay["critique"]) == ("One [Major].", "file")
    assert judged.state.assay["rubric"] is None
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


def model_says(*findings, summary="## Summary\nAll told.\n"):
    """The output of a model that repeats or adds these: (severity, dimension, summary, server)."""
    blocks = [
        f"### [{severity.upper()}] {dimension}: {text}\nMCP: {name}\nEvidence: {ENTRIES[0]['id']}\nRecommendation: x\n"
        for severity, dimension, text, name in findings
    ]
    return "\n".join([*blocks, summary])


def test_what_a_model_says_raises_and_adds_to_the_rules_findings_and_each_says_whose_it_is(folder):
    judged = case(folder, entries=ODD)
    judging.critique(judged, KEYS, Clock())
    ruled = judged.state.critic_findings
    assert ruled
    first = ruled[0]
    raised = ("critical", first["dimension"], first["summary"], first["mcp_name"])
    text = model_says(raised, ("minor", "glue_code", "Counted by hand", first["mcp_name"]))
    judging.critique(judged, KEYS, Clock(), given=text, source=judging.MODEL)
    saved, _ = folder.load_state(KEYS.state)
    found = saved.critic_findings
    assert [item["summary"] for item in found] == [*(item["summary"] for item in ruled), "Counted by hand"]
    assert found[0] == {
        **first,
        "severity": "Critical",
        "assay": {**first["assay"], "raised_from": first["severity"]},
    }
    assert found[1:-1] == ruled[1:]
    assert found[-1]["assay"] == {"by": "model"}
    assert saved.critic_summary == "All told."
    assert saved.assay["critique"] == judging.MODEL
    assert folder.read("critic-output.md").decode() == text


def test_what_a_model_wrote_parses_to_the_same_again(folder):
    judged = case(folder, entries=ODD)
    text = model_says(("minor", "glue_code", "Counted by hand", "nobody"))
    judging.critique(judged, KEYS, Clock(), given=text, source=judging.MODEL)
    once = (judged.state.critic_findings, judged.state.unmapped_mcp_names)
    kept = folder.read("critic-output.md").decode()
    judging.critique(judged, KEYS, Clock(), given=kept, source=judging.MODEL)
    assert (judged.state.critic_findings, judged.state.unmapped_mcp_names) == once


@pytest.mark.parametrize("raw", ["", JUNK])
def test_a_model_that_says_nothing_has_failed_and_the_rules_alone_go_on(folder, raw):
    judged = case(folder)
    with pytest.raises(CriticError, match="the rules' findings alone, run: mcp-assay critique"):
        judging.critique(judged, KEYS, Clock(), given=raw, source=judging.MODEL)
    assert judged.state.status is Status.CRITIC_FAILED
    judging.critique(judged, KEYS, Clock())
    assert (judged.state.status, judged.state.assay["critique"]) == (Status.REPORTING, "rules")
    assert "rules_summary" not in judged.state.assay


def test_what_a_models_critic_reads_lies_in_the_folder(folder):
    judged = case(folder)
    judging.prepare(judged)
    told = judging.brief(judged)
    paths = [line.partition(": ")[2] for line in told.splitlines() if "/" in line and ": " in line]
    named = [Path(path) for path in paths if path.startswith("/")]
    assert [path.name for path in named] == ["transcript.jsonl", "state.json", "manifests.json", "rules-output.md"]
    assert all(path.stat().st_size for path in named if path.name != "state.json")
    assert ", ".join(entry["name"] for entry in judged.state.attached_mcps) in told
    assert "## Summary" in folder.read("rules-output.md").decode()
