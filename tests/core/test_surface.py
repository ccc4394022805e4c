"""What may be called under a disposition."""

import pytest

from manifests import READ_ONLY, manifests, sandboxed, tool
from mcp_assay.core.model import Disposition, Rules, Safety, Verdict
from mcp_assay.core.surface import surfaces

TOOLS = (tool("list_issues"), tool("create_issue", "project*"), tool("frobnicate"))


def surface(decided):
    return surfaces(manifests(a=TOOLS), {"a": decided}, Rules.EXTENDED)["a"]


@pytest.mark.parametrize(
    ("decided", "permitted"),
    [
        (READ_ONLY, ["list_issues"]),
        (sandboxed("project: play"), ["list_issues", "create_issue"]),
        (sandboxed("bucket: b"), ["list_issues"]),
        (sandboxed(), ["list_issues"]),
        (Safety(Disposition.READ_ONLY, marks={"frobnicate": Verdict.READ}), ["list_issues", "frobnicate"]),
    ],
)
def test_what_could_pass_the_gate(decided, permitted):
    assert [tool.name for tool in TOOLS if surface(decided).permits(tool)] == permitted


def test_skipped_and_undecided_servers_have_no_surface():
    every = manifests(a=TOOLS, b=TOOLS, c=TOOLS)
    assert list(surfaces(every, {"a": READ_ONLY, "b": Safety(Disposition.SKIP)}, Rules.SPEC)) == ["a"]


def test_test_resources_are_those_of_a_sandboxed_server_only():
    assert surface(Safety(Disposition.READ_ONLY, ("project: play",))).resources == ()
    assert surface(sandboxed("project: play")).resources == ("project: play",)
