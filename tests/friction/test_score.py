"""What counts as found, as false, as rightly cited, and how sure one is."""

import pytest
from benchmarks.friction.made import Made
from benchmarks.friction.play import Defect, Found, Played, Run
from benchmarks.friction.score import Share, Table, score

from mcp_assay.core.model import Outcome, Reply

LISTED = Reply(Outcome.OK, {"structuredContent": {"issues": [{}] * 20, "total": 70}})
CUT = Defect("cursor_removed", "tracker", "list_issues")


def one(defect=None, found=(), made=("S1-001",)):
    calls = tuple(Made(name, "tracker", "list_issues", {}, LISTED) for name in made)
    return Played(Run(("tracker: about issues",), 1, defect), "tracker: about issues", calls, True, tuple(found))


def finding(dimension="response_shape", mcp="tracker", ids=("S1-001",)):
    return Found("a-rule", dimension, mcp, "Minor", tuple(ids), "said")


def hits(share):
    return share.hits, share.of


def test_a_finding_of_the_planted_dimension_and_server_is_true():
    table = score([one(CUT, [finding()])])
    assert hits(table.recall["response_shape"]) == hits(table.kinds["cursor_removed"]) == (1, 1)
    assert hits(table.precision) == hits(table.cited) == (1, 1)
    assert hits(table.recall_of("response_shape/a-rule")) == (1, 1)


@pytest.mark.parametrize("wrong", [finding(dimension="glue_code"), finding(mcp="wiki"), finding(mcp="cross-mcp")])
def test_any_other_is_false_and_the_defect_is_missed(wrong):
    table = score([one(CUT, [wrong])])
    assert hits(table.recall["response_shape"]) == (0, 1)
    assert hits(table.precision) == (0, 1)
    assert len(table.wrong) == 2


def test_a_citation_is_exact():
    table = score([one(CUT, [finding(ids=["S1-001", "S1-002"])]), one(CUT, [finding()], ["S1-001", "S1-002"])])
    assert hits(table.cited) == (0, 2)


def test_of_more_than_twenty_calls_twenty_are_cited():
    made = [f"S1-{number:03d}" for number in range(25)]
    assert hits(score([one(CUT, [finding(ids=made[:20])], made)]).cited) == (1, 1)
    assert hits(score([one(CUT, [finding(ids=made[:19])], made)]).cited) == (0, 1)


def test_whatever_is_found_on_a_clean_server_is_a_false_alarm():
    table = score([one(found=[finding(), finding()]), one()])
    assert hits(table.alarms) == (1, 2)
    assert hits(table.precision) == (0, 2)


def test_a_defect_that_did_not_come_up_is_no_positive_and_finding_it_is_false():
    table = score([one(Defect("no_batch", "tracker", "get_issue"), [finding("redundant_calls")])])
    assert not table.recall
    assert hits(table.precision) == (0, 1)


def test_where_reviewers_would_differ_neither_is_wrong():
    few = Reply(Outcome.OK, {"structuredContent": {"issues": [{}] * 6}})
    made = (Made("S1-001", "tracker", "list_issues", {}, few),)
    run = Run(("tracker: about issues",), 1, Defect("bloated_items", "tracker", "list_issues"))
    table = score([Played(run, "about", made, True, (finding(), finding("glue_code")))])
    assert table.doubtful == 1
    assert not table.recall
    assert hits(table.precision) == (0, 1)


def test_what_is_held_back_is_counted_apart():
    parts = (
        Made("S1-001", "tracker", "get_issue", {}, LISTED),
        Made("S1-002", "tracker", "get_issue_body", {}, LISTED, ("S1-001",), "part"),
    )
    run = Run(("tracker: about issues",), 1, Defect("split_details", "tracker", "get_issue"))
    table = score([Played(run, "about", parts, True, (finding("redundant_calls"), finding()))])
    assert hits(table.held_back["split_details"]) == (1, 1)
    assert not table.recall
    assert not table.precision.of


def test_tables_of_parts_make_the_table_of_all():
    some = [one(CUT, [finding()]), one(CUT), one(found=[finding()]), one(Defect("no_batch", "tracker", "get_issue"))]
    whole = Table()
    for each in some:
        whole.add(score([each]))
    assert whole == score(some)


@pytest.mark.parametrize(
    ("share", "low", "high"),
    # Wilson, E. B. (1927), as computed by R's binom::binom.wilson.
    [(Share(0, 10), 0.0, 0.2775), (Share(10, 10), 0.7225, 1.0), (Share(45, 50), 0.7864, 0.9565), (Share(), 0.0, 1.0)],
)
def test_an_interval_is_wilsons(share, low, high):
    assert share.interval == pytest.approx((low, high), abs=5e-5)
