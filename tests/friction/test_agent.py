"""The agent is competent, and the same seed makes the same trajectory."""

import pytest
from benchmarks.friction.catalog import SERVERS, goals
from benchmarks.friction.play import Defect, Run

from lab import played


def told(one):
    return [(made.id, made.server, made.tool, made.args, made.because, made.why) for made in one.made]


@pytest.mark.parametrize("name", SERVERS)
def test_every_goal_is_reached_on_a_clean_server_without_a_call_in_vain(name):
    run = Run(tuple(goal.name for goal in goals().values() if goal.servers == (name,)), 11)
    for one in played(run):
        assert one.reached, one.goal
        vain = [made for made in one.made if made.refused and made.why not in ("slip", "asked for")]
        assert not vain, (one.goal, vain)


def test_a_seed_and_a_defect_make_a_trajectory():
    names = tuple(goal.name for goal in goals().values() if goal.servers == ("wiki",))
    defect = Defect("enum_in_prose", "wiki", "list_pages")
    first, same, other = (list(map(told, played(Run(names, seed, defect)))) for seed in (3, 3, 4))
    assert first == same
    assert first != other


@pytest.mark.parametrize(
    ("defect", "goal", "whys"),
    [
        (Defect("required_not_marked", "wiki", "list_pages"), "wiki: pages after", ["after", "retry"]),
        (Defect("call_order", "wiki", "list_pages"), "wiki: pages after", ["after", "first", "retry"]),
        (Defect("date_format", "wiki", "list_pages"), "wiki: pages after", ["after", "retry"]),
        (Defect("error_without_cause", "wiki", "read_page"), "wiki: page that is missing", ["asked for", "again"]),
        (Defect("unsupplied_identifier", "wiki", "list_pages"), "wiki: pages after", ["after", "retry", "retry"]),
    ],
)
def test_an_error_is_read_and_put_right(defect, goal, whys):
    (one,) = played(Run((goal,), 5, defect))
    assert [made.why for made in one.made] == whys


def test_what_was_learnt_of_a_tool_is_not_tried_again():
    (one,) = played(Run(("wiki: all pages",), 5, Defect("required_not_marked", "wiki", "list_pages")))
    lists = [made for made in one.made if made.tool == "list_pages" and made.why != "slip"]
    assert [made.ok for made in lists] == [False, *[True] * (len(lists) - 1)]


@pytest.mark.parametrize("seed", range(8))
def test_a_search_that_finds_nothing_is_spelt_otherwise_once(seed):
    defect = Defect("case_sensitive_search", "wiki", "search_pages")
    (clean,), (minding,) = (played(Run(("wiki: search pages",), seed, each)) for each in (None, defect))
    assert "respelt" not in [made.why for made in clean.made]
    searches = [made for made in minding.made if made.tool == "search_pages"]
    typed = searches[0].args["text"]
    # Pages are headed with a capital: whoever types a small letter finds nothing at first.
    assert [made.args["text"] for made in searches] == ([typed] if typed.istitle() else [typed, typed.capitalize()])
    assert searches[-1].data["pages"]
