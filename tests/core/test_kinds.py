from mcp_assay.core.addressing import noun
from mcp_assay.core.kinds import (
    ADDRESSING,
    BY_NAME_OR_ID,
    COMMANDS,
    CONTENT,
    GLOBAL_IDS,
    IDENTIFYING,
    NAMING,
    NO_IDS,
    OPTIONS,
    QUERIES,
    WITHIN,
)


def test_no_word_is_of_two_kinds_that_contradict_each_other() -> None:
    assert not ADDRESSING & (BY_NAME_OR_ID | NAMING | CONTENT | OPTIONS | QUERIES | COMMANDS)
    assert not OPTIONS & (BY_NAME_OR_ID | CONTENT | NAMING | IDENTIFYING | QUERIES | COMMANDS | WITHIN.keys())
    assert not QUERIES & COMMANDS


def test_what_holds_a_part_can_be_covered_itself() -> None:
    wholes = frozenset[str]().union(*WITHIN.values())
    assert all(noun([f"{whole}_id"]).addresses or noun([whole]).addresses for whole in wholes)
    assert wholes >= NO_IDS
    assert WITHIN.keys() >= GLOBAL_IDS


def test_every_listed_word_is_found_in_the_plural_and_behind_an_id() -> None:
    for word in ADDRESSING | BY_NAME_OR_ID | CONTENT | NAMING | OPTIONS | WITHIN.keys():
        assert noun([f"{word}s"]).word in (word, f"{word}s")
        assert noun([f"x_{word}_id"]).word == ("x" if word in IDENTIFYING | {"name", "number"} else word)
