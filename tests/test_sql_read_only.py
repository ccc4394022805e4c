"""A read-only evaluation of a server that runs any SQL: reads are answered, and no disguise reaches the database.

The tool's name says that it reads; the arguments may still say otherwise.
"""

import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest

from sql_texts import SQLITE_WRITES
from stage import Stage, scenario, step

SERVER = Path(__file__).parent / "servers" / "shop.py"
READS = [
    "SELECT name FROM users ORDER BY name",
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT sum(x) FROM n",
    "SELECT name, row_number() OVER (ORDER BY name) FROM users WHERE name <> '; DELETE FROM users; --'",
    "EXPLAIN QUERY PLAN SELECT * FROM users",
    "PRAGMA table_info(users)",
]
QUERY = "mcp__notes__query"
READ_ONLY = {"disposition": "read_only"}


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.db"
    base = sqlite3.connect(path)
    base.executescript(
        "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users (name) VALUES ('Ada')"
    )
    base.close()
    return path


def played(
    stage: Stage,
    shop: Path,
    *scenarios: list[str],
    decided: dict[str, Any] = READ_ONLY,
    name: str = "one",
    **answers: Any,
) -> list[dict[str, Any]]:
    """The transcript of a run whose scenarios ask for some texts each. The first refusal ends a scenario."""
    asked = [
        scenario(f"Ask for {n}.", *(step(QUERY, args={"sql": text}) for text in texts))
        for n, texts in enumerate(scenarios, 1)
    ]
    plan = stage.plan(*asked, dispositions={"notes": decided}, **answers)
    ran = stage.eval(plan=plan, name=name, server=[sys.executable, str(SERVER), str(shop)])
    assert ran.code == 0, ran.err
    return stage.lines(name)


def test_reads_are_answered_and_no_disguised_write_is_sent(stage: Stage, shop: Path) -> None:
    before = shop.read_bytes()
    assert len(SQLITE_WRITES) >= 40
    for start in range(0, len(SQLITE_WRITES), 7):  # a run has eight scenarios at most
        writes = SQLITE_WRITES[start : start + 7]
        lines = played(stage, shop, READS, *([text] for text in writes), name=f"from-{start}")
        sent, refused = lines[: len(READS)], lines[len(READS) :]
        assert [(line["tool"], line["assay"]["outcome"]) for line in sent] == [(QUERY, "ok")] * len(READS)
        assert [(line["tool"], line["blocked_tool"]) for line in refused] == [("__blocked__", QUERY)] * len(writes)
        reasons = {line["justification"].partition("sql: ")[0] for line in refused}
        assert reasons == {"read_only: the call may mutate (sql-argument: "}
        assert shop.read_bytes() == before


def test_a_refusal_says_why_and_shows_no_value(stage: Stage, shop: Path) -> None:
    texts = ["DELETE FROM users", "SELECT 1; SELECT 2", "SELECT load_extension('canary')", "SELECT 'a\\'; --'"]
    lines = played(stage, shop, *([text] for text in texts), ["SELECT 1"])[: len(texts)]
    assert [line["justification"] for line in lines] == [
        f"read_only: the call may mutate (sql-argument: sql: {why})"
        for why in (
            "it holds delete",
            "more than one statement",
            "a function that is not known to change nothing",
            "engines differ on its quotes and comments",
        )
    ]
    assert "canary" not in stage.read("transcript.jsonl") + stage.read("report.md")


def test_the_same_calls_do_reach_it_under_the_specifications_rules(stage: Stage, shop: Path) -> None:
    """``rules: spec`` looks at the tool alone: this is what the arguments are judged for."""
    before = shop.read_bytes()
    assert [line["tool"] for line in played(stage, shop, ["DELETE FROM users"], rules="spec")] == [QUERY]
    assert shop.read_bytes() != before


def test_in_a_sandbox_a_write_needs_a_test_resource(stage: Stage, shop: Path) -> None:
    sandboxed = {"disposition": "sandboxed", "test_resources": ["table: play"]}
    read, write = played(stage, shop, ["SELECT name FROM users", "DELETE FROM users"], decided=sandboxed)
    assert read["tool"] == QUERY
    assert write["tool"] == "__blocked__"
    assert [entry["abort_reason"] for entry in stage.state()["execution"]] == ["safety_abort"]
