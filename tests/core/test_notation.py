import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.notation import (
    bare,
    is_identifier,
    is_low,
    is_small,
    moment,
    moments,
    numeric,
    tokens,
    undressed,
    url_tail,
)

MAY_1 = 1_714_521_600  # 2024-05-01T00:00:00Z


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (12, 12),
        ("12", 12),
        ("#12", 12),
        ("012", 12),
        ("-3", -3),
        ("1.5", 1.5),
        (1.5, 1.5),
        ("12a", None),
        ("ENG-12", None),
        ("1e3", None),
        ("\u0661\u0662", 12),
        ("", None),
        ("1" * 21, None),
        (10**20, None),
        (True, None),
        (None, None),
        (math.nan, None),
        (math.inf, None),
        ([12], None),
    ],
)
def test_numeric(value: object, number: float | None) -> None:
    assert numeric(value) == number


@pytest.mark.parametrize(
    ("number", "small"),
    [(999, True), (-999, True), (1_000, False), (0.5, True), (3.0, True), (52.5201, False), (1_000.5, False)],
)
def test_is_small(number: float, small: bool) -> None:
    assert is_small(number) is small


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("id", True),
        ("ID", True),
        ("issue_id", True),
        ("issueNumber", True),
        ("pull-number", True),
        ("issueIID", True),
        ("key", True),
        ("id2", True),
        ("idea", False),
        ("number_of_rows", False),
        ("limit", False),
        ("paid", False),
        ("", False),
        ("\ud800", False),
    ],
)
def test_is_identifier(name: str, expected: bool) -> None:
    assert is_identifier(name) is expected


@pytest.mark.parametrize(
    ("value", "name", "low"),
    [
        (True, "id", True),
        (None, "id", True),
        ([], "ids", True),
        ({}, "id", True),
        (12, "limit", True),
        (12, "issue_id", False),
        ("12", "limit", True),
        ("12", "issue_number", False),
        (1_234, "amount", False),
        (0.5, "ratio", True),
        ("ab", "name", True),
        (" a ", "name", True),
        ("---", "name", True),
        ("Open", "state", True),
        ("octo", "owner", False),
        ("2024-05-01", "since", False),
    ],
)
def test_is_low(value: object, name: str, low: bool) -> None:
    assert is_low(value, name) is low


@pytest.mark.parametrize(
    ("value", "name", "expected"),
    [
        ("2024-05-01", "", (MAY_1, "2024-05-01", True)),
        ("2024/05/01", "", (MAY_1, "2024-05-01", True)),
        ("2024-05-01T00:00:00Z", "", (MAY_1, "2024-05-01", True)),
        ("2024-05-01T23:59:59Z", "", (MAY_1 + 86_399, "2024-05-01", True)),
        ("2024-05-01 12:00", "", (MAY_1 + 43_200, "2024-05-01", False)),
        ("2024-05-01T02:00:00+02:00", "", (MAY_1, "2024-05-01", False)),
        ("2024-05-01T12:00:00.250Z", "", (MAY_1 + 43_200, "2024-05-01", False)),
        (MAY_1, "id", (MAY_1, None, False)),
        (MAY_1, "created_at", (MAY_1, "2024-05-01", False)),
        (MAY_1 * 1_000, "ts", (MAY_1, "2024-05-01", False)),
        (str(MAY_1), "", (MAY_1, None, False)),
        (MAY_1 + 0.5, "ts", (MAY_1, "2024-05-01", False)),
        ("2024-13-01", "", None),
        ("2024-05-01x", "", None),
        ("0001-01-01T00:00:00+14:00", "", (-62_135_647_200, "0001-01-01", True)),
        ("v123-45678", "", None),
        (123, "ts", None),
        (True, "ts", None),
        (None, "ts", None),
    ],
)
def test_moment(value: object, name: str, expected: tuple[int, str | None, bool] | None) -> None:
    assert moment(value, name) == expected


@pytest.mark.parametrize(
    ("text", "tail"),
    [
        ("https://example.test/octo/hello", "hello"),
        ("https://example.test/octo/hello/?tab=1#top", "hello"),
        ("s3+x://bucket/a/b.txt", "b.txt"),
        ("https://example.test", None),
        ("https://example.test/", None),
        ("octo/hello", None),
        ("see https://example.test/a", None),
        ("", None),
    ],
)
def test_url_tail(text: str, tail: str | None) -> None:
    assert url_tail(text) == tail


@pytest.mark.parametrize(
    ("value", "days"),
    [
        ("14/02/2026", ["2026-02-14"]),
        ("2.14.2026", ["2026-02-14"]),
        ("03/04/2026", ["2026-04-03", "2026-03-04"]),
        ("20260214", ["2026-02-14"]),
        ("2026-02-14", ["2026-02-14"]),
        ("20261401", []),
        ("14/02-2026", []),
        (20260214, []),
    ],
)
def test_the_days_that_a_date_may_mean(value: object, days: list[str]) -> None:
    assert [when.day for when in moments(value)] == days


@pytest.mark.parametrize(
    ("text", "name", "pieces"),
    [
        ("@ada", "", ["ada"]),
        ("user:ada", "", ["ada"]),
        ("people/ada", "", ["ada"]),
        ("ada.abel@example.org", "", ["ada.abel"]),
        ("mailto:ada@example.org", "", ["ada@example.org", "mailto:ada"]),
        ("ISSUE-12", "issue_id", ["12"]),
        ("ISSUE-12", "title", []),
        ("ask @ada", "", []),
        ("ada", "", []),
    ],
)
def test_words_without_their_marks(text: str, name: str, pieces: list[str]) -> None:
    assert list(bare(text, name)) == pieces


@pytest.mark.parametrize(
    ("text", "inner"),
    [("@ada", "ada"), ("user:ada", "ada"), ("people/ada", "ada"), ("a/b/c", None), ("https://x.test/a", None),
     ("ada", None), ("@ada b", None)],
)  # fmt: skip
def test_what_a_mark_was_put_before(text: str, inner: str | None) -> None:
    assert undressed(text) == inner


def test_tokens_are_freed_of_punctuation() -> None:
    text = "Created issue #12 (ENG-7), see `src/main.py`: **done**! id=99; \u2026"
    assert list(tokens(text)) == [
        "Created",
        "issue",
        "#12",
        "ENG-7",
        "see",
        "src/main.py",
        "done",
        "id",
        "99",
        "\u2026",
    ]


@given(st.one_of(st.text(), st.integers(), st.floats(), st.booleans(), st.none()), st.text())
def test_every_notation_is_total(value: object, name: str) -> None:
    numeric(value)
    moment(value, name)
    is_low(value, name)
    if isinstance(value, str):
        url_tail(value)
        undressed(value)
        assert all(bare(value, name))
        assert all(tokens(value))
    assert all(when.instant is not None for when in moments(value, name))
