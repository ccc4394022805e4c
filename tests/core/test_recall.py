"""Asked together, the results answer as they do when asked one after another, the oldest first."""

from collections.abc import Iterator
from time import perf_counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mcp_assay.core.declared import UNDECLARED, Leaf
from mcp_assay.core.provenance import Provenance
from mcp_assay.core.recall import Recall
from mcp_assay.core.seen import Probe, Seen, Via

VALUES = [
    "plum-tree",
    "Plum-Tree",
    "tree",
    "app",
    "app-old",
    "see app, or the plum-tree",
    "https://example.org/tree/plum-tree",
    "report-2024",
    "2024-05-06",
    "2024-05-06T00:00:00Z",
    "with\0nul",
    1714953600,
    4711,
    "4711",
    "#4711",
    "x" * 300,
    "a " * 200 + "plum-tree",
]
LEAVES = st.builds(
    lambda path, name, value: Leaf(path, name, value, UNDECLARED, defaulted=False),
    st.sampled_from(["", "text", "items[].id", "title"]),
    st.sampled_from(["", "id", "count", "created_at"]),
    st.sampled_from(VALUES),
)
RESULTS = st.lists(st.lists(LEAVES, max_size=4), max_size=12)


class OneByOne:
    """What the answers mean."""

    def __init__(self, most: int) -> None:
        self.results: list[Seen] = []
        self.most = most

    def remember(self, seen: Seen) -> None:
        self.results.append(seen)
        while sum(each.weight for each in self.results) > self.most and len(self.results) > 1:
            del self.results[0]

    def same(self, probe: Probe) -> tuple[Seen, str] | None:
        return next(self._each(lambda seen: seen.same(probe)), None)

    def told(self, probe: Probe) -> Seen | None:
        def stands(seen: Seen) -> bool:
            if not isinstance(probe.value, str):
                return seen.at(("number", probe.value)) == "text"
            is_word = " " in probe.value or seen.at(("word", probe.value.casefold())) is not None
            return is_word and seen.part(probe.value) == "text"

        return next(filter(stands, self.results), None)

    def changed(self, probe: Probe) -> tuple[Seen, Via, str] | None:
        return next(((seen, *found) for seen in self.results if (found := seen.changed(probe)) is not None), None)

    def _each(self, ask) -> Iterator[tuple[Seen, str]]:
        return ((seen, path) for seen in self.results if (path := ask(seen)) is not None)


@given(results=RESULTS, most=st.sampled_from([3, 10, 50_000]), value=st.sampled_from(VALUES))
@example(results=[], most=10, value="plum-tree")
def test_it_answers_as_the_results_one_by_one(results: list[list[Leaf]], most: int, value: str | float) -> None:
    together, apart = Recall(most), OneByOne(most)
    probe = Probe.of(value)
    for number, found in enumerate(results):
        seen = Seen(f"S1-{number:03}", found)
        together.remember(seen)
        apart.remember(seen)
        assert together.same(probe) == apart.same(probe)
        assert together.changed(probe) == apart.changed(probe)
        assert together.told(probe) == apart.told(probe)


def test_texts_of_many_results_are_searched_whatever_block_they_are_in() -> None:
    together, apart = Recall(20_000), OneByOne(20_000)
    for number in range(40):
        text = f"note {number}: " + "lorem " * 1_500 + f"ends with key-{number}-z"
        seen = Seen(f"S1-{number:03}", [Leaf("text", "", text, UNDECLARED, defaulted=False)])
        together.remember(seen)
        apart.remember(seen)
    answers = [together.changed(Probe.of(f"key-{number}-z")) for number in range(40)]
    assert answers == [apart.changed(Probe.of(f"key-{number}-z")) for number in range(40)]
    assert None in answers
    assert None not in answers[-3:]


@pytest.mark.parametrize("value", ["nowhere-at-all", "said 17"])
def test_a_lookup_costs_the_same_however_many_results_there_are(value: str) -> None:
    def cost(results: int) -> float:
        memory = Provenance(b"k", "a scenario")
        for number in range(results):
            memory.remember(f"S1-{number}", {"content": [{"type": "text", "text": f"said {number}"}]}, None)
        took = []
        for number in range(30):
            args = {"q": f"{value}-{number}"}
            began = perf_counter()
            memory.describe(args, {})
            took.append(perf_counter() - began)
        return min(took)

    assert cost(900) < 5 * cost(3)


def test_as_few_results_as_hold_all_that_any_holds() -> None:
    memory = Recall()
    for number, values in enumerate((["plum", "pear"], ["pear", "fig"], ["pear"], ["plum"])):
        memory.remember(
            Seen(f"S1-00{number}", [Leaf("id", "id", value, UNDECLARED, defaulted=False) for value in values])
        )

    def cover(*values: str, most: int = 20) -> list[str]:
        return [seen.call for seen, _ in memory.cover([[Probe.of(value).same] for value in values], most)]

    assert cover("plum", "pear", "apple") == ["S1-000"]
    assert cover("plum", "fig") == ["S1-001", "S1-003"]  # of equal ones the latest
    assert cover("plum", "fig", most=1) == ["S1-003"]
    assert cover("apple") == []
