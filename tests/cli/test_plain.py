"""What is printed while an agent's host drives: every fact on a line of its own, and nothing foreign alive in it."""

from mcp_assay.cli.plain import Plain
from mcp_assay.core.budget import Budget
from mcp_assay.core.model import Manifest, Scenario
from mcp_assay.gate import Run
from playbook import SURFACE

SCENARIO = Scenario("S1", "user", "look\x1b[31m around")


def entry(status="complete", **more):
    ours = {"reached": True, "reason": None, "refusals": 0}
    return {"status": status, "call_count": 2, "abort_reason": "safety_abort", "assay": ours | more}


def test_each_fact_has_a_line_on_stderr(capsys):
    plain = Plain()
    plain.phase("Waiting")
    plain.note("x\ny")
    plain.server(Manifest("a", SURFACE))
    plain.server(Manifest("b", limitation="it did not start"))
    plain.begins(SCENARIO, 0, 2)
    plain.called(Run(SCENARIO), Budget(1, 1), 1)
    plain.ends(SCENARIO, entry())
    plain.ends(SCENARIO, entry(reached=False, reason="no way\n"))
    plain.ends(SCENARIO, entry("aborted", refusals=1))
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines() == [
        "Waiting",
        "  note  x\\ny",
        "  a              3 tools",
        "  b              it did not start",
        "  S1 (1/2)  look\\u{1b}[31m around: running",
        "  S1  reached (2 calls)",
        "  S1  not reached (2 calls)",
        "      no way\\n",
        "  S1  aborted: safety_abort (2 calls, 1 refused)",
    ]
