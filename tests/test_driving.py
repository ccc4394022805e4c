"""Which of our drivers attempts a scenario. What ``drive`` does is told by test_orchestrator."""

import pytest

from mcp_assay.core.model import Disposition, Manifest, Safety, Scenario, Step
from mcp_assay.core.safety import Policy
from mcp_assay.driving import chooser
from mcp_assay.order import Loaders
from playbook import SURFACE

POLICY = Policy({"a": Safety(Disposition.READ_ONLY)}, {"a": Manifest("a", SURFACE)})
STEPS = (Step("mcp__a__list_items"),)
PROSE, WRITTEN, MADE_UP = (
    Scenario("S1", "user", "x"),
    Scenario("S2", "user", "x", steps=STEPS, entry=1),
    Scenario("S3", "derived", "x", steps=STEPS),
)


class Explorer:
    name = "explore"


@pytest.mark.parametrize(
    ("explores", "chosen"),
    [(True, ["explore", "script", "explore"]), (False, ["script", "script", "explore"])],
)
def test_what_a_file_holds_is_run_as_written_and_the_rest_is_explored(explores, chosen):
    made = []

    def explore(*given):
        made.append(given)
        return Explorer()

    choose = chooser(POLICY, Loaders(explore=explore), explores=explores)
    assert [choose(scenario).name for scenario in (PROSE, WRITTEN, MADE_UP)] == chosen
    assert made == [(POLICY.pinned, POLICY)]


def test_without_an_explorer_everything_is_run_as_written():
    choose = chooser(POLICY, Loaders(), explores=True)
    assert {choose(scenario).name for scenario in (PROSE, WRITTEN, MADE_UP)} == {"script"}
