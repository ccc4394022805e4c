"""The page that traces the specification to tests: what it names exists, and no row is without a test or a reason."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "spec-coverage.md"
LEAST_ROWS = 311
PARTS = ["Invariants", "State schema", "Setup", *(f"Phase {number}" for number in range(1, 7))]
NOT_COVERED = "Not covered"
NONE = "—"

_CELL = re.compile(r"(?<!\\)\|")
_TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
_LINK = re.compile(r"\]\(([^)]+)\)")


def rows():
    """(section, cells) of every table's rows, in order."""
    section = ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        elif line.startswith("| ") and not line.startswith("| sentence |"):
            yield section, [cell.strip() for cell in _CELL.split(line)[1:-1]]


ROWS = list(rows())
TRACED = [(section, cells) for section, cells in ROWS if section != NOT_COVERED]
LEFT = [cells for section, cells in ROWS if section == NOT_COVERED]
NAMED = sorted({test for _, cells in TRACED for test in _TEST.findall(cells[1])})


@cache
def collectable(path):
    """The names that pytest could collect from a file: test functions and methods, and what is called Test…"""
    found = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Assign):  # TestWalk = Walk.TestCase
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return {name for name in found if name.startswith(("test_", "Test"))}


@pytest.mark.parametrize(("path", "name"), NAMED, ids=lambda value: value.removeprefix("tests/"))
def test_a_test_that_is_named_exists(path, name):
    assert (ROOT / path).is_file()
    assert name in collectable(path)


def test_every_row_is_a_sentence_with_its_tests_or_a_reason_why_there_is_none():
    for section, cells in TRACED:
        assert len(cells) == 3, cells
        sentence, tests, note = cells
        assert sentence, section
        assert tests == "<br>".join(f"`{path}::{name}`" for path, name in _TEST.findall(tests)) or tests == NONE, cells
        assert tests != NONE or note, cells


def test_what_is_not_covered_says_why():
    assert LEFT
    for cells in LEFT:
        assert len(cells) == 2, cells
        assert all(cells), cells


def test_no_sentence_of_a_section_is_listed_twice():
    sentences = [(section, cells[0]) for section, cells in TRACED]
    assert len(set(sentences)) == len(sentences)


def test_every_part_of_the_specification_is_there_in_order_and_no_row_got_lost():
    sections = list(dict.fromkeys(section for section, _ in ROWS))
    parts = list(dict.fromkeys(section.partition(":")[0] for section in sections))
    assert parts == [*PARTS, NOT_COVERED]
    assert len(TRACED) >= LEAST_ROWS


def test_what_a_note_refers_to_is_there():
    links = _LINK.findall(PAGE.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (PAGE.parent / link).is_file()] == []
