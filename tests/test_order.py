"""A run that stops early needs only the answers that it comes to."""

from itertools import pairwise

from mcp_assay.order import NEEDED, Phase


def test_every_phase_says_what_it_needs_and_later_ones_need_no_less():
    assert set(NEEDED) == set(Phase)
    needs = [NEEDED[phase] for phase in Phase]
    assert all(earlier <= later for earlier, later in pairwise(needs))
    assert "approval" in NEEDED[Phase.EXECUTION]
