"""Names, descriptions and schemas by the thousand, made of what tools are made of: no exception, one answer.

``MCP_ASSAY_FUZZ`` says how many; the long randomized run takes 200,000.
"""

import os
import random
from collections.abc import Sequence
from typing import Any

from mcp_assay.core.classify import classify
from mcp_assay.core.model import Rules, Tool, Verdict
from mcp_assay.core.words import ACTING_VERBS, DENYLIST, DOUBTFUL_VERBS, MUTATING_VERBS, PERMIT_LIST, READING_VERBS

HOW_MANY = int(os.environ.get("MCP_ASSAY_FUZZ", "5000"))
VERBS = sorted(PERMIT_LIST | DENYLIST | MUTATING_VERBS | READING_VERBS | ACTING_VERBS | DOUBTFUL_VERBS)
TEXT = "row issue the a and or then it this tool is read-only not SQL of to will be all disk id"
WORDS = [*VERBS, *TEXT.split()]
GLUE = ["_", "-", ".", "", " ", "__", "ID", "é", "\u200b", "\x00", "\U0001d485", "5"]
ODD: Sequence[Any] = [None, True, 3, "x", [], {}, [None], {"properties": 1}, {"properties": {"action": 1}}, "\ud800"]


def test_everything_gets_a_verdict_and_the_same_one_twice() -> None:
    chance = random.Random(20261201)
    kinds = set()
    for _ in range(HOW_MANY):
        tool, server = some_tool(chance), chance.choice(["", "srv", "get", "row", "delete-mcp", "é"])
        for rules in Rules:
            found = classify(tool, server, rules, [tool])
            assert found == classify(tool, server, rules, [tool]), tool
            kinds.add((rules, found.verdict))
            if rules is Rules.EXTENDED and found.verdict is Verdict.READ:
                assert not DENYLIST & set(tool.name.lower().split("_")), tool
    assert len(kinds) == len(Rules) * len(Verdict)


def some_tool(chance: random.Random) -> Tool:
    words = chance.choices(WORDS, k=chance.randint(0, 4))
    name = "".join(word.title() if chance.random() < 0.3 else word + chance.choice(GLUE) for word in words)
    said = chance.choices([*WORDS, ". ", ", ", "\n- ", "(", "Gets", "It also", "\u2019"], k=chance.randint(0, 25))
    return Tool.from_raw(
        {
            "name": name or "x",
            "description": chance.choice([" ".join(said).capitalize(), None, 7]),
            "annotations": chance.choice([{}, {"readOnlyHint": True}, {"destructiveHint": chance.choice(ODD)}]),
            "inputSchema": chance.choice([*ODD, some_schema(chance, 0)]),
        }
    )


def some_schema(chance: random.Random, depth: int) -> Any:
    if depth > 3 or chance.random() < 0.2:
        return chance.choice([*ODD, {"enum": ["get", "delete", 3]}, {"const": "POST"}, {"type": "string"}])
    names = chance.choices(["action", "sql", "query", "body", "outputPath", "to", "id", "", *VERBS[:9]], k=3)
    word = chance.choice(["properties", "properties", "items", "anyOf", "$defs", "required"])
    inner = {name: some_schema(chance, depth + 1) for name in names}
    return {word: inner if word != "anyOf" else list(inner.values()), "required": names[:1]}
