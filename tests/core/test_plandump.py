"""A plan that is written down and read again is the same plan."""

import json
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.model import Disposition, Match, Rules, Safety, Step, Verdict
from mcp_assay.core.plan import Plan
from mcp_assay.core.plandump import as_values
from mcp_assay.core.scenarios import Approval, RawScenario
from mcp_assay.planfile import parse_plan

words = st.text("abcdefgh-_", min_size=1, max_size=8)
safeties = st.builds(
    Safety,
    st.just(Disposition.SANDBOXED),
    st.lists(words, min_size=1, max_size=2, unique=True).map(tuple),
    st.just("") | words,
    st.sampled_from(Match),
    st.dictionaries(words, st.sampled_from([Verdict.READ, Verdict.MUTATING]), max_size=2),
    st.booleans(),
).map(lambda safety: replace(safety, pins=dict.fromkeys(list(safety.marks)[:1], "unpinned"))) | st.builds(
    Safety, st.sampled_from([Disposition.READ_ONLY, Disposition.SKIP])
)
arguments = st.dictionaries(words, st.integers() | st.text() | st.booleans(), max_size=2)
steps = st.builds(Step, st.just("mcp__a__list"), arguments)
scenarios = st.builds(
    RawScenario, words, st.lists(words, max_size=2, unique=True).map(tuple), st.lists(steps, max_size=2).map(tuple)
)
plans = st.builds(
    Plan,
    connect=st.none() | st.dictionaries(words, st.just("sha256:" + "0" * 64), min_size=1, max_size=2),
    dispositions=st.dictionaries(words, safeties, max_size=2),
    scenarios=st.lists(scenarios, max_size=2).map(tuple),
    tour=st.booleans(),
    derive=st.none() | st.just("unpinned"),
    approval=st.none() | st.just(Approval.APPROVE),
    call_budget=st.none() | st.integers(1, 999),
    rules=st.sampled_from(Rules),
    driver=st.sampled_from(["script", "explore", "claude-code"]),
    model=st.sampled_from([None, "opus"]),
    critic=st.sampled_from(["rules", "claude-code"]),
    host_record=st.booleans(),
    isolation=st.sampled_from([None, "none", "bwrap"]),
    start_timeout=st.sampled_from([30, 5]),
    call_timeout=st.sampled_from([60, 0.5]),
)


def normal(plan):
    """The parts that a file holds; a scenario's place in it is not one of them."""
    values = as_values(plan)
    return json.loads(json.dumps(values))


@given(plans)
def test_what_is_written_down_is_read_as_the_same_plan(plan):
    text = json.dumps(as_values(plan))
    again = parse_plan(text.encode(), "plan.json")
    assert normal(again) == normal(plan)
    for name, safety in plan.dispositions.items():
        same = again.dispositions[name]
        assert (same.disposition, same.match) == (safety.disposition, safety.match)
        assert (same.test_resources, same.network) == (safety.test_resources, safety.network)


def test_defaults_are_left_out():
    assert as_values(Plan(dispositions={"a": Safety(Disposition.SKIP)})) == {
        "dispositions": {"a": "skip"},
        "driver": "script",
    }
