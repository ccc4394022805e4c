"""What must hold however a driver behaves: a random walk over gate, transcript and budgets."""

import json
import os
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from mcp_assay.core.budget import Budget
from mcp_assay.core.model import Disposition, Manifest, Match, Outcome, Reply, Safety, Scenario, ToolCall
from mcp_assay.core.safety import Policy
from mcp_assay.gate import Gate, Permit
from mcp_assay.store.transcript import FILE, entries
from playbook import SURFACE, Clock, Recorded

SERVERS = {"a": Disposition.READ_ONLY, "b": Disposition.SANDBOXED, "c": Disposition.SKIP}
CALLS = 4
PENDING = ("pending", None)


class Walk(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        self.home = tempfile.TemporaryDirectory()
        self.folder = os.open(self.home.name, os.O_RDONLY)
        self.clock = Clock()
        self.transcript = Recorded(self.folder)
        policy = Policy(
            safety={name: Safety(kind, ("path: /s",), match=Match.STRICT) for name, kind in SERVERS.items()},
            pinned={name: Manifest(name, SURFACE) for name in SERVERS},
            allow=frozenset({"Bash"}),
        )
        self.gate = Gate(policy, Budget(CALLS, 1000), self.transcript, self.clock, b"k", active=self.clock.monotonic)
        self.scenarios = 0
        self.open = {}
        self.dispatched = []
        self.asked = 0
        self.outside = 0
        self.runs = []

    def teardown(self):
        os.close(self.folder)
        self.home.cleanup()

    @precondition(lambda self: self.gate.run is None and self.scenarios < 8)
    @rule()
    def begin(self):
        self.scenarios += 1
        self.runs.append(self.gate.begin(Scenario(f"S{self.scenarios}", "user", "x")))

    @precondition(lambda self: self.gate.run is not None and not self.open)
    @rule()
    def end(self):
        self.gate.end()

    @rule(
        mcp=st.sampled_from([*SERVERS, "nobody"]),
        tool=st.sampled_from([*(known.name for known in SURFACE), "unknown"]),
        args=st.dictionaries(st.sampled_from(["path", "x"]), st.sampled_from(["/s", "/t", "", "s", 3, None, "\ud800"])),
    )
    def call(self, mcp, tool, args):
        self.ask(ToolCall(mcp, tool, args))

    @rule(why=st.sampled_from([None, "", "no attached MCP covers this step"]))
    def shell(self, why):
        self.ask(ToolCall(None, "Bash", {"command": "true"}, why))

    @precondition(lambda self: self.open)
    @rule(data=st.data(), outcome=st.sampled_from([Outcome.OK, Outcome.ERROR, Outcome.TIMEOUT, Outcome.LOST]))
    def answer(self, data, outcome):
        permit = self.open.pop(data.draw(st.sampled_from(sorted(self.open))))
        self.gate.close(permit, Reply(outcome, {"content": []}))

    @rule(seconds=st.sampled_from([1, 400]))
    def wait(self, seconds):
        self.clock.seconds += seconds

    def ask(self, call):
        self.asked += 1
        known = len(self.lines())
        answer = self.gate.open(call)
        lines = self.lines()
        if isinstance(answer, Permit):
            # Nothing is dispatched without its pending line, whole, on the disk.
            assert (lines[-1]["id"], lines[-1]["result_shape"]) == (answer.id, None)
            self.open[answer.id] = answer
            self.dispatched.append(call)
        # One line a call, but for those outside any scenario.
        self.outside += len(lines) == known
        assert len(lines) - known == (answer.id is not None)

    def lines(self):
        return list(entries(self.folder))

    @invariant()
    def every_line_parses_and_ids_are_unique(self):
        path = Path(self.home.name, FILE)
        ids = [json.loads(line)["id"] for line in path.read_bytes().splitlines()]
        assert len(ids) == len(set(ids)) == self.asked - self.outside

    @invariant()
    def skip_is_never_dispatched_and_read_only_never_mutates(self):
        for call in self.dispatched:
            assert call.mcp not in {"c", "nobody"}
            assert call.tool == "list_items" or call.mcp != "a"

    @invariant()
    def sandboxed_mutations_stay_in_their_sandbox(self):
        for call in self.dispatched:
            if call.mcp == "b" and call.tool != "list_items":
                assert call.args.get("path") == "/s"

    @invariant()
    def call_count_equals_the_counted_lines_and_never_passes_the_budget(self):
        lines = self.lines()
        for run in self.runs:
            counted = [
                line for line in lines if line["scenario_id"] == run.scenario.id and not line["tool"].startswith("__")
            ]
            assert run.call_count == len(counted) <= CALLS

    @invariant()
    def exactly_the_unanswered_calls_are_pending(self):
        pending = {line["id"] for line in self.lines() if line["assay"]["outcome"] == "pending"}
        assert pending == set(self.open)


Walk.TestCase.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
TestWalk = Walk.TestCase
