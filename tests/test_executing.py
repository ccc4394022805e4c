"""Phase 4's frame: what must be there before it, and what is fixed after it."""

import pytest

from hosted_stage import KEYS, SCENARIOS, scoped
from mcp_assay import kept
from mcp_assay.core.model import Disposition, Manifest, Safety
from mcp_assay.core.plan import Plan
from mcp_assay.core.resume import Kind
from mcp_assay.core.session import Status
from mcp_assay.errors import StoreError
from mcp_assay.executing import Execution, standings
from mcp_assay.progress import Silent
from mcp_assay.store import transcript
from mcp_assay.store.evaldir import EvalDir
from playbook import SURFACE, tool

SAFETY = {"a": Safety(Disposition.READ_ONLY)}


@pytest.fixture
def folder(tmp_path):
    with EvalDir(tmp_path, "one", create=True) as opened:
        yield opened


@pytest.mark.parametrize(("lacks", "told"), [({"safety": {}}, "no disposition for a"), ({"scenarios": []}, "no scen")])
def test_without_dispositions_or_scenarios_nothing_starts(folder, lacks, told):
    of = scoped(folder, **lacks)
    with pytest.raises(StoreError, match=told):
        Execution(of)
    assert of.state.status is Status.SCOPED


def test_the_policy_is_the_interviews_and_the_plans(folder):
    policy = Execution(scoped(folder)).policy
    assert policy.pinned == {"a": Manifest("a", SURFACE)}
    assert (policy.safety, policy.allow) == (SAFETY, {"Bash"})


def test_a_session_starts_once_and_ends_with_the_transcript_sealed(folder):
    of = scoped(folder)
    execution = Execution(of)
    execution.begin()
    started = of.state.session_started
    with execution.owner():
        pass
    execution.begin()
    assert of.state.session_started == started
    of.state.execution = [{"scenario_id": "S1", "assay": {"called": ["a"]}}]
    execution.seal(lambda name: [f"{name} was odd"])
    saved, _ = folder.load_state(KEYS.state)
    assert (saved.status, saved.session_started) == (Status.CRITIQUING, started)
    assert saved.assay["transcript_sha256"] == transcript.digest(folder.fd)
    assert saved.scenarios[0]["assay"]["inferred_targets"] == ["a"]
    assert saved.attached_mcps[0]["assay"]["notes"] == ["a was odd"]


def test_a_list_that_is_not_the_interviews_is_told(folder):
    of = scoped(folder)
    execution = Execution(of)
    execution.observed(Manifest("a", SURFACE))
    assert "drift" not in of.state.attached_mcps[0]["assay"]
    execution.observed(Manifest("a", (*SURFACE, tool("list_more"))))
    assert of.state.attached_mcps[0]["assay"]["drift"]


def test_an_interrupted_transcript_is_repaired_and_said_so(folder):
    of = scoped(folder)
    folder.write(transcript.FILE, "torn")
    assert standings(folder, of.state, SCENARIOS[:1], Silent())["S1"].kind is Kind.FRESH
    assert folder.read(transcript.FILE) == b""
    assert of.state.assay["notes"] == ["The session was interrupted; 1 transcript line had to be closed."]


def test_the_plan_that_a_session_rests_on_is_pinned_without_its_scenarios(folder):
    of = scoped(folder)
    plan = Plan(allow=("Bash",), call_timeout=5, env={"a": ("TOKEN",)}, dispositions=SAFETY, tour=True)
    of.state.assay["terms_sha256"] = folder.save_plan(kept.terms(plan))
    found = kept.pinned_plan(folder, of.state)
    assert (found.allow, found.call_timeout, found.env) == (plan.allow, 5, plan.env)
    assert "scenarios" not in kept.terms(plan)
    of.state.assay["terms_sha256"] = "sha256:other"
    with pytest.raises(StoreError, match="pinned of the plan"):
        kept.pinned_plan(folder, of.state)
