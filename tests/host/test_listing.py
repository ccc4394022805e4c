import pytest

from mcp_assay.host.listing import Listing
from relay_ends import Asked, End, Time


class Lister:
    """A listing whose walk a test answers page by page; ``done`` counts who was told that it is over."""

    def __init__(self):
        self.server, self.owner, self.time = End(), Asked(), Time()
        self.listing = Listing(self.server, self.owner, self.time.later)
        self.done = 0

    def refresh(self, envelope=None):
        self.listing.refresh(envelope or {}, self._finished)

    def _finished(self):
        self.done += 1

    def page(self, *names, size=10, **more):
        asked = self.server.only()
        self.listing.reply({"id": asked["id"], "result": {"tools": [{"name": name} for name in names], **more}}, size)
        return asked.get("params")


@pytest.fixture
def lister():
    return Lister()


def observed(*names):
    return [{"do": "observe", "tools": [{"name": name} for name in names]}]


def test_all_pages_are_told_as_one_list(lister):
    lister.refresh()
    assert lister.page("a", nextCursor="2") is None
    assert lister.page("b", nextCursor="3") == {"cursor": "2"}
    assert lister.done == 0
    assert lister.page("c") == {"cursor": "3"}
    assert (lister.owner.told, lister.done, lister.listing.is_stale) == (observed("a", "b", "c"), 1, False)


@pytest.mark.parametrize("last", [None, "2", 5])
def test_a_cursor_that_leads_nowhere_ends_the_list(lister, last):
    lister.refresh()
    lister.page("a", nextCursor="2")
    lister.page("b", nextCursor=last)
    assert (lister.owner.told, lister.done) == (observed("a", "b"), 1)


@pytest.mark.parametrize(
    "answer",
    [{"error": {"code": -32601}}, {"result": None}, {"result": {}}, {"result": {"tools": {}}}, {"result": []}],
)
def test_a_list_that_cannot_be_had_is_an_empty_one_and_is_asked_for_again(lister, answer):
    lister.refresh()
    lister.page("a", nextCursor="2")
    lister.listing.reply({"id": lister.server.only()["id"], **answer}, 10)
    assert (lister.owner.told, lister.done, lister.listing.is_stale) == (observed(), 1, True)


def test_so_is_one_that_takes_too_long(lister):
    lister.refresh()
    lister.time.pass_by(61)
    assert (lister.owner.told, lister.done) == (observed(), 1)
    lister.time.pass_by(61)
    assert lister.done == 1
    lister.page("late")  # is dropped
    assert lister.owner.told == observed()


def test_and_one_without_end(lister):
    lister.refresh()
    for number in range(2000):
        if lister.done:
            break
        lister.page("a", nextCursor=str(number))
    assert (lister.owner.told, lister.done, number) == (observed(), 1, 1001)


def test_and_one_too_large(lister):
    lister.refresh()
    lister.page("a", nextCursor="2", size=25 * 1024 * 1024)
    assert (lister.owner.told, lister.done) == (observed(), 1)


def test_and_one_that_cannot_be_said(lister):
    lister.refresh()
    lister.listing.reply({"id": lister.server.only()["id"], "result": {"tools": [{"n": float("inf")}]}}, 10)
    assert (lister.owner.told, lister.listing.is_stale) == (observed(), True)


def test_a_change_meanwhile_leaves_it_stale(lister):
    lister.refresh()
    lister.listing.change()
    lister.page("a")
    assert (lister.owner.told, lister.listing.is_stale) == (observed("a"), True)


def test_those_who_come_meanwhile_wait_for_the_same_list(lister):
    lister.refresh()
    lister.refresh()
    lister.page("a")
    assert (lister.owner.told, lister.done) == (observed("a"), 2)


def test_the_envelope_is_on_every_page(lister):
    lister.refresh({"v": 1})
    assert lister.page("a", nextCursor="2") == {"_meta": {"v": 1}}
    assert lister.page("b") == {"cursor": "2", "_meta": {"v": 1}}


def test_an_answer_to_another_page_is_dropped(lister):
    lister.refresh()
    first = lister.server.take()[0]["id"]
    lister.listing.reply({"id": f"{first}0", "result": {"tools": []}}, 10)
    assert lister.done == 0


def test_its_ids_are_its_own(lister):
    lister.refresh()
    ours = lister.server.only()["id"]
    assert lister.listing.owns(ours)
    assert not any(lister.listing.owns(number) for number in ("mcp-assay-", 1, None, "", Lister().listing._private))


TOOLS = [{"name": "a"}]


@pytest.mark.parametrize(
    ("params", "result", "is_stale"),
    [
        ({}, {"tools": TOOLS}, False),
        ({"cursor": "2"}, {"tools": TOOLS}, True),
        ({}, {"tools": TOOLS, "nextCursor": "2"}, True),
        ({}, {"tools": None}, True),
        ({}, {"tools": [float("nan")]}, True),
        ({}, None, True),
    ],
)
def test_a_list_that_the_agent_saw_whole_is_told_as_it_saw_it(lister, params, result, is_stale):
    lister.listing.passed(params, {"result": result}, 0)
    assert lister.listing.is_stale is is_stale
    assert is_stale or lister.owner.told == observed("a")


def test_one_that_was_asked_for_before_a_change_leaves_it_stale(lister):
    lister.listing.change()
    lister.listing.passed({}, {"result": {"tools": TOOLS}}, 0)
    assert lister.listing.is_stale
