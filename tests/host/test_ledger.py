"""What a dead owner leaves to the gateway: the requests that wait, and whether a frame may be torn."""

import json
import os

import pytest

from gateway_stage import call, request
from mcp_assay.host.ledger import Ledger


@pytest.fixture
def ledger():
    made = Ledger.make()
    yield made
    made.close()


def said(*messages):
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def test_a_session_in_which_nothing_was_said_leaves_nothing(ledger):
    assert ledger.read() == ([], False)


def test_the_last_note_counts_even_if_it_is_the_shorter_one(ledger):
    ledger.note([1, "two", "\ud800"], torn=True)
    assert ledger.read() == ([1, "two", "\ud800"], True)
    ledger.note([2], torn=False)
    assert ledger.read() == ([2], False)


def test_what_was_read_and_not_looked_at_yet_waits_as_well(ledger):
    ledger.note([1], torn=False)
    ledger.took(said(call(1, "echo"), request("p", "ping"), {"jsonrpc": "2.0", "method": "notifications/x"}, {"id": 9}))
    assert ledger.read() == ([1, "p"], False)
    ledger.done()
    assert ledger.read() == ([1], False)
    ledger.took(said(call(3, "echo")))
    assert ledger.read() == ([1, 3], False)


def test_only_whole_frames_are_requests(ledger):
    ledger.took(said(call(1, "echo")) + said(call(2, "echo"))[:-1])
    assert ledger.read() == ([1], False)


def test_of_ids_that_are_too_long_the_newest_are_kept(ledger):
    ledger.note([*("x" * 1000 + str(number) for number in range(10)), 7], torn=False)
    kept, _ = ledger.read()
    assert kept == [*("x" * 1000 + str(number) for number in range(6, 10)), 7]
    ledger.note(["x" * 5000], torn=True)
    assert ledger.read() == ([], True)


def test_both_sides_hold_the_same_file(ledger):
    other = Ledger(os.dup(ledger.fd))
    other.note([5], torn=False)
    other.close()
    assert ledger.read() == ([5], False)
