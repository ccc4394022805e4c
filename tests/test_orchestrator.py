"""Six phases in order, each transition written down, over one real server."""

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from mcp_assay.clock import SystemClock
from mcp_assay.core.model import Disposition, Safety, ServerConfig, Step, Transport
from mcp_assay.core.plan import Plan
from mcp_assay.core.scenarios import Approval, RawScenario
from mcp_assay.core.session import Status
from mcp_assay.errors import StoreError, UserError
from mcp_assay.interviewer import Existing, Written
from mcp_assay.orchestrator import Evaluation
from mcp_assay.order import NEEDED, Loaders, Order, Phase
from mcp_assay.progress import Silent
from mcp_assay.store import keys
from mcp_assay.store.evaldir import EvalDir, names

SERVER = """
import json, sys
TOOLS = [{"name": "list_items"}, {"name": "delete_item"}]
for line in sys.stdin:
    request = json.loads(line)
    result = {"content": [{"type": "text", "text": "ok"}]}
    if request["method"] == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {}}
    if request["method"] == "tools/list":
        result = {"tools": TOOLS}
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)
"""
STEPS = (Step("mcp__a__list_items"), Step("mcp__a__delete_item", expect={"is_error": True}), Step("mcp__a__list_items"))
PLAN = Plan(
    dispositions={"a": Safety(Disposition.READ_ONLY)},
    scenarios=(RawScenario("look around", steps=STEPS),),
    approval=Approval.APPROVE,
)


class Heard(Silent):
    def __init__(self):
        self.notes = []

    def note(self, text):
        self.notes.append(text)


def order(path, **more):
    (path / "server.py").write_text(SERVER)
    server = ServerConfig("a", "command line", command=sys.executable, args=(str(path / "server.py"),))
    given = {
        "name": "one",
        "base": path,
        "project": path,
        "home": path / "home",
        "environ": {"PATH": "/usr/bin:/bin"},
        "plan": PLAN,
        "servers": (server,),
    }
    return Order(**(given | more))


def run(path, progress=None, existing=None, **more):
    given = order(path, **more)
    interviewer = Written(NEEDED[given.until], named=bool(given.servers), existing=existing)
    return asyncio.run(Evaluation(given, SystemClock(), progress or Silent(), interviewer, Loaders()).run())


def saved(path):
    with EvalDir(path, "one") as folder:
        return folder.load_state(keys.load({}, path / "home", "one").state)


def test_a_whole_run_ends_complete_with_a_report_and_a_sealed_transcript(tmp_path):
    result = run(tmp_path)
    state, signed = saved(tmp_path)
    assert signed
    assert state == result.state
    assert state.status is Status.COMPLETE
    assert state.session_started <= state.session_ended
    assert state.execution[0]["call_count"] == 2
    assert state.scenarios[0]["assay"]["inferred_targets"] == ["a"]
    assert state.attached_mcps[0]["tools"] == ["list_items", "delete_item"]
    assert result.view.transcript_sha256 == state.assay["transcript_sha256"]
    assert (result.folder / "report.md").is_file()


def test_a_new_evaluation_has_its_times_and_the_parsed_arguments(tmp_path):
    file = tmp_path / "mine.txt"
    run(tmp_path, until=Phase.DISCOVERY, scenarios_file=file, call_budget=7, wallclock_minutes=2.5)
    state, _ = saved(tmp_path)
    assert state.started <= state.last_updated
    assert (state.session_started, state.session_ended) == (None, None)
    assert state.config == {
        "call_budget_per_scenario": 7,
        "wallclock_budget_minutes": 2.5,
        "scenarios_file": str(file),
    }


def test_an_attached_mcp_is_recorded_with_its_place_its_command_or_none_and_its_tools(tmp_path):
    url = ServerConfig("far", str(tmp_path / ".mcp.json"), transport=Transport.HTTP, url="http://127.0.0.1:1/")
    (local,) = order(tmp_path).servers
    plan = replace(PLAN, dispositions={**PLAN.dispositions, "far": Safety(Disposition.READ_ONLY)})
    run(tmp_path, until=Phase.DISCOVERY, servers=(local, url), plan=plan)
    near, far = ({**entry, "assay": None} for entry in saved(tmp_path)[0].attached_mcps)
    tools = ["list_items", "delete_item"]
    assert near == {
        "name": "a",
        "source": "command line",
        "command": sys.executable,
        "tools": tools,
        "assay": None,
    }
    assert far == {"name": "far", "source": str(tmp_path / ".mcp.json"), "command": None, "tools": [], "assay": None}


def test_a_session_in_which_nothing_was_called_is_judged_and_reported_all_the_same(tmp_path):
    result = run(tmp_path, plan=replace(PLAN, scenarios=(RawScenario("nothing that a script could run"),)))
    assert (result.folder / "transcript.jsonl").read_bytes() == b""
    assert result.state.status is Status.COMPLETE
    assert result.state.critic_summary.startswith("There was nothing to evaluate")
    assert (result.folder / "report.md").is_file()


@pytest.mark.parametrize(
    ("phase", "status"),
    [
        (Phase.DISCOVERY, Status.INTERVIEWING),
        (Phase.INTERVIEW, Status.SCOPING),
        (Phase.SCENARIOS, Status.SCOPED),
        (Phase.EXECUTION, Status.CRITIQUING),
        (Phase.CRITIQUE, Status.REPORTING),
        (Phase.REPORT, Status.COMPLETE),
    ],
)
def test_a_run_stops_after_the_phase_that_was_named(tmp_path, phase, status):
    result = run(tmp_path, until=phase)
    assert saved(tmp_path)[0].status is status
    assert (result.view is None) == (phase is not Phase.REPORT)


def test_an_evaluation_that_is_there_is_never_overwritten(tmp_path):
    run(tmp_path, until=Phase.DISCOVERY)
    before = Path(tmp_path, "mcp-evals/mcp-eval-one/state.json").read_bytes()
    with pytest.raises(UserError, match=r"(?s)already holds an evaluation.*--resume or --restart"):
        run(tmp_path)
    assert Path(tmp_path, "mcp-evals/mcp-eval-one/state.json").read_bytes() == before


def test_nothing_attached_is_a_complete_evaluation_of_nothing(tmp_path):
    heard = Heard()
    result = run(tmp_path, heard, servers=())
    assert result.state.status is Status.COMPLETE
    assert "No MCPs attached — nothing to evaluate" in heard.notes
    assert "nothing to evaluate" in (result.folder / "report.md").read_text()


def test_an_unreadable_config_is_no_proof_that_nothing_is_attached(tmp_path):
    (tmp_path / ".mcp.json").write_text("{")
    with pytest.raises(UserError, match=r"\.mcp\.json:1"):
        run(tmp_path, servers=())
    assert saved(tmp_path)[0].status is Status.DISCOVERING


def test_a_skipped_server_is_never_started_and_its_call_is_blocked(tmp_path):
    (tmp_path / "server.py").write_text("raise SystemExit")
    mark = tmp_path / "started"
    server = ServerConfig("a", "t", command="touch", args=(str(mark),))
    other = ServerConfig("b", "t", command=sys.executable, args=(str(tmp_path / "server.py"),))
    plan = Plan(
        dispositions={"a": Safety(Disposition.SKIP), "b": Safety(Disposition.READ_ONLY)},
        scenarios=(RawScenario("try", steps=(Step("mcp__a__anything"), Step("mcp__b__list_items"))),),
        approval=Approval.APPROVE,
    )
    result = run(tmp_path, servers=(server, other), plan=plan)
    assert not mark.exists()
    assert result.state.execution[0]["call_count"] == 0
    transcript = (result.folder / "transcript.jsonl").read_text()
    assert "MCP disposition is 'skip'" in transcript


def test_a_server_that_does_not_start_is_a_limitation_and_the_run_goes_on(tmp_path):
    server = ServerConfig("a", "t", command=str(tmp_path / "missing"))
    plan = Plan(
        dispositions={"a": Safety(Disposition.READ_ONLY)},
        scenarios=(RawScenario("try", steps=(Step("mcp__a__list_items"),)),),
        approval=Approval.APPROVE,
    )
    result = run(tmp_path, servers=(server,), plan=plan)
    assert result.state.attached_mcps[0]["tools"] == []
    assert result.state.attached_mcps[0]["assay"]["limitation"]
    assert "not enumerable" in (result.folder / "report.md").read_text()


@pytest.mark.parametrize("phase", [phase for phase in Phase if phase is not Phase.REPORT])
def test_a_run_that_stopped_goes_on_to_the_same_end(tmp_path, phase):
    run(tmp_path, until=phase)
    started = saved(tmp_path)[0].session_started
    result = run(tmp_path, existing=Existing.RESUME)
    state, signed = saved(tmp_path)
    assert (signed, state.status) == (True, Status.COMPLETE)
    assert state == result.state
    assert state.execution[0]["call_count"] == 2
    assert started is None or state.session_started == started
    assert (result.folder / "report.md").is_file()


def test_restart_renames_the_old_folder_and_deletes_nothing(tmp_path):
    run(tmp_path)
    run(tmp_path, existing=Existing.RESTART)
    folders = sorted(path.name for path in (tmp_path / "mcp-evals").iterdir() if path.is_dir())
    assert folders[0] == "mcp-eval-one"
    assert folders[1].startswith("mcp-eval-one~")
    assert (tmp_path / "mcp-evals" / folders[1] / "report.md").is_file()
    assert names(tmp_path) == ["one"]


def test_a_finalized_evaluation_cannot_be_resumed(tmp_path):
    run(tmp_path)
    with pytest.raises(UserError, match="finalized"):
        run(tmp_path, existing=Existing.RESUME)


def test_other_servers_than_those_that_were_interviewed_stop_a_resume(tmp_path):
    run(tmp_path, until=Phase.SCENARIOS)
    other = ServerConfig("a", "command line", command=sys.executable, args=("other.py",))
    with pytest.raises(UserError, match="not those that were interviewed"):
        run(tmp_path, existing=Existing.RESUME, servers=(other,))
    with pytest.raises(UserError, match="name it again: --server a="):
        run(tmp_path, existing=Existing.RESUME, servers=())


def test_a_tool_that_changed_between_interview_and_resume_is_not_called(tmp_path):
    run(tmp_path, until=Phase.SCENARIOS)
    changed = SERVER.replace('{"name": "list_items"}', '{"name": "list_items", "description": "now lists and more"}')
    given = order(tmp_path)
    (tmp_path / "server.py").write_text(changed)
    interviewer = Written(NEEDED[Phase.REPORT], named=True, existing=Existing.RESUME)
    result = asyncio.run(Evaluation(given, SystemClock(), Silent(), interviewer, Loaders()).run())
    assert result.state.execution[0]["call_count"] == 0
    assert result.state.execution[0]["abort_reason"] == "safety_abort"
    assert "not those of the interview" in (result.folder / "report.md").read_text()


def test_a_forged_state_cannot_be_resumed_and_is_not_overwritten(tmp_path):
    run(tmp_path, until=Phase.SCENARIOS)
    path = tmp_path / "mcp-evals/mcp-eval-one/state.json"
    forged = path.read_text().replace('"look around"', '"do harm"')
    path.write_text(forged)
    with pytest.raises(UserError, match="not signed by this user"):
        run(tmp_path, existing=Existing.RESUME)
    assert path.read_text() == forged


@pytest.mark.parametrize("field", ["scenarios", "safety_dispositions"])
def test_a_session_does_not_start_without_scenarios_or_a_disposition_for_every_mcp(tmp_path, field):
    run(tmp_path, until=Phase.SCENARIOS)
    key = keys.load({}, tmp_path / "home", "one").state
    with EvalDir(tmp_path, "one") as folder:
        state, _ = folder.load_state(key)
        setattr(state, field, [])
        folder.save_state(key, state)
    with pytest.raises(StoreError, match="cannot run"):
        run(tmp_path, existing=Existing.RESUME)
    assert saved(tmp_path)[0].status is Status.SCOPED


def test_who_drives_is_kept_from_the_beginning_until_somebody_says_otherwise(tmp_path):
    host, explore = replace(PLAN, driver="host"), replace(PLAN, driver="explore")
    run(tmp_path, plan=host, until=Phase.SCENARIOS)
    # Without a plan and without --driver the command that goes on must not fall back to another driver.
    state = run(tmp_path, plan=Plan(), existing=Existing.RESUME, until=Phase.DISCOVERY).state
    assert state.assay["driver"] == "host"
    state = run(tmp_path, plan=explore, driver="script", existing=Existing.RESUME).state
    assert (state.assay["driver"], state.execution[0]["assay"]["driver"]) == ("script", "script")
