"""Timestamps are ISO 8601 in UTC."""

from datetime import UTC, datetime

from mcp_assay.clock import SystemClock, iso


def test_a_timestamp_has_milliseconds_and_ends_in_z():
    assert iso(datetime(2026, 5, 4, 12, 34, 56, 789_123, tzinfo=UTC)) == "2026-05-04T12:34:56.789Z"


def test_the_system_clock_tells_utc_and_never_goes_back():
    clock = SystemClock()
    assert clock.now().utcoffset().total_seconds() == 0
    assert clock.monotonic() <= clock.monotonic()
