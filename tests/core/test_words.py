import pytest

from mcp_assay.core.words import DENYLIST, PERMIT_LIST, gerund, past, third_person, tokens


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("get_or_create", ["get", "or", "create"]),
        ("getOrCreate", ["get", "or", "create"]),
        ("get-or.create", ["get", "or", "create"]),
        ("GetHTTPHeader", ["get", "http", "header"]),
        ("LIST_ITEMS", ["list", "items"]),
        ("s3Bucket2", ["s", "3", "bucket", "2"]),
        ("größe", ["gr", "öß", "e"]),
        ("__", []),
    ],
)
def test_tokens_are_the_lowercase_words_of_a_name(name: str, expected: list[str]) -> None:
    assert tokens(name) == expected


@pytest.mark.parametrize(
    ("verb", "third", "participle", "ing"),
    [
        ("create", "creates", "created", "creating"),
        ("push", "pushes", "pushed", "pushing"),
        ("apply", "applies", "applied", "applying"),
        ("destroy", "destroys", "destroyed", "destroying"),
        ("write", "writes", "written", "writing"),
        ("send", "sends", "sent", "sending"),
        ("set", "sets", "set", "setting"),
        ("run", "runs", "run", "running"),
        ("drop", "drops", "dropped", "dropping"),
        ("reset", "resets", "reset", "resetting"),
    ],
)
def test_verbs_inflect(verb: str, third: str, participle: str, ing: str) -> None:
    assert (third_person(verb), past(verb), gerund(verb)) == (third, participle, ing)


def test_the_lists_have_the_lengths_of_the_specification() -> None:
    assert (len(PERMIT_LIST), len(DENYLIST)) == (15, 25)


def test_the_lists_are_the_specifications_word_for_word() -> None:
    permitted = (
        "list, get, search, read, show, query, fetch, describe, count, head, inspect, peek, status, exists, diff"
    )
    denied = (
        "create, write, delete, update, push, publish, send, set, add, remove, replace, apply, run, execute, move, "
        "rename, patch, insert, merge, close, cancel, archive, revoke, upload, ingest"
    )
    assert frozenset(permitted.split(", ")) == PERMIT_LIST
    assert frozenset(denied.split(", ")) == DENYLIST
