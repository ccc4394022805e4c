from typing import Any

import pytest

from mcp_assay.core.addressing import Noun, addresses, noun
from mcp_assay.core.kinds import ADDRESSING, BY_NAME_OR_ID


@pytest.mark.parametrize(
    ("keys", "word", "before"),
    [
        (["repo"], "repo", ()),
        (["targetRepoId"], "repo", ("target",)),
        (["repo_full_name"], "repo", ()),
        (["repositories"], "repository", ()),
        (["databases"], "database", ()),
        (["repo-slug"], "repo", ()),
        (["repository", "name"], "repository", ()),
        (["files", "path"], "path", ()),
        (["a", "b", "id"], "b", ()),
        (["key"], "key", ()),
        (["object_key"], "object", ()),
        (["issue_title"], "title", ("issue",)),
        (["status"], "status", ()),
        (["idBoard"], "board", ()),
        (["DropletIDs"], "droplet", ()),
        (["messageId1"], "message", ()),
        (["fieldIdOrName"], "field", ()),
        (["merge_request_iid"], "pull", ()),
        (["repo_path"], "worktree", ()),
        (["timeZoneId"], "timezone", ()),
        (["chatid"], "chat", ()),
        (["tablename"], "table", ()),
        (["filename"], "filename", ()),
        (["android"], "android", ()),
        (["valid"], "valid", ()),
        ([], "", ()),
        (["__"], "", ()),
    ],
)
def test_the_noun_of_a_name(keys: list[str], word: str, before: tuple[str, ...]) -> None:
    found = noun(keys)
    assert (found.word, found.before) == (word, before)


@pytest.mark.parametrize("word", sorted(ADDRESSING))
def test_every_listed_word_addresses_alone_and_qualified(word: str) -> None:
    for name in (word, f"{word}_id", f"new_{word}_name"):
        assert addresses(noun([name]), "anything")


@pytest.mark.parametrize("word", sorted(BY_NAME_OR_ID))
def test_some_words_address_only_with_a_qualifier(word: str) -> None:
    assert not noun([word]).addresses
    assert noun([f"{word}_id"]).addresses


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("/etc", True),
        ("/", True),
        ("~", True),
        ("D:\\x", True),
        ("HTTPS://else.example", True),
        ("mailto:a@else.example", True),
        ("git@else.example:x", True),
        ("arn:aws:iam::1:role/x", True),
        ("one/two", True),
        ("someone@else.example", True),
        ("123E4567-e89b-12d3-a456-426614174000", True),
        ("one/two/three", True),
        ("1/2", False),
        ("two words/else", False),
        ("plain", False),
        ("", False),
        ("see https://else.example", False),
        ("https://else.example is a page", False),
        ("/* a comment */\ncode", False),
        (5, False),
        (True, False),
        (None, False),
    ],
)
def test_a_value_addresses_by_what_it_looks_like(value: Any, expected: Any) -> None:
    assert addresses(noun(["x"]), value) is expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("channel", 5, True),
        ("channel", True, True),
        ("channel", False, False),
        ("channel", None, False),
        ("channel", "", True),
        ("max_channels", 5, False),
        ("start_index", 0, False),
        ("index", "logs", True),
        ("index_id", 3, True),
        ("to", "2024-05-01T10:00:00Z", False),
        ("to", "2024-05-01 or so", True),
        ("time_zone", "Europe/Oslo", False),
        ("tax_code", "T1", False),
        ("code", "x()", True),
        ("color_id", "9", False),
        ("widget_id", 9, True),
        ("message", "hi", False),
        ("message_id", 9, True),
        ("branch", True, False),
        ("phone_number", "+4712345678", True),
        ("number", "+4712345678", True),
        ("page_number", 3, False),
        ("time_zone", "/Europe/Oslo", True),
        ("context", "minikube", True),
        ("kubeContext", "minikube", True),
        ("context", "what was said before", False),
        ("docs_context", "none", False),
        ("context", "", False),
        ("kubeconfig", "prod.yaml", True),
    ],
)
def test_what_a_name_and_its_value_say_together(name: str, value: Any, expected: Any) -> None:
    assert addresses(noun([name]), value) is expected


def test_only_paths_and_what_lies_inside_may_be_relative() -> None:
    relative = ["path", "file_name", "folders", "key", "object_key", "branch"]
    assert all(noun([name]).may_be_relative for name in relative)
    assert not any(noun([name]).may_be_relative for name in ["file_id", "folder_key", "base_id", "channel", "source"])


def test_the_role_tells_pairs_apart() -> None:
    assert noun(["target_owner"]).role == noun(["target_repo_name"]).role == ("target",)
    assert noun(["repository_owner"]).role == noun(["repository_name"]).role == Noun("").role
