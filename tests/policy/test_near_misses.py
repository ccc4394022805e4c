"""Thousands of calls one character, one line, one unit or one key away from an accept or a reject.

Each verdict is known by construction: how a near miss was made says what must come of it. The arithmetic is done here
in whole ten-thousandths of a CU, in no way as the code does it.
"""

import itertools
import json

import pytest

from dossiers import dossier
from mcp_assay.policy.evals import load, outcome
from mcp_assay.policy.tools import TOOLS


def accepts(tool, arguments):
    return outcome(tool, arguments)["ok"]


# --- seats -----------------------------------------------------------------------------------------------------------

UNIT = 10_000
COST = {"grunt": 900, "scout": 9_000, "mechanic": 18_000, "sniper": 18_000, "auditor": 36_000}


def decimal(units):
    """The number that a JSON text with these ten-thousandths would hold."""
    return json.loads(f"{units // UNIT}.{units % UNIT:04}")


@pytest.mark.parametrize("role", COST)
def test_one_unit_decides_the_reserve_floor(role):
    for hundredths, percent in itertools.product(range(1, 20_000, 317), (0, 1, 10, 33, 50, 99)):
        share = hundredths * (100 - percent)  # in ten-thousandths
        fits = share - COST[role]
        for used in (fits - 1, fits, fits + 1):
            if used >= 0:
                budget = {"usedCU": decimal(used), "capacityCU": decimal(hundredths * 100), "reservePct": percent}
                budget["judgmentAllowanceCU"] = 3.6
                assert accepts("route_agent_seat", {"role": role, "budget": budget}) is (used <= fits), budget


def test_one_unit_decides_the_judgment_allowance():
    for allowance in range(36_000, 90_000, 217):
        for used in (allowance - 36_001, allowance - 36_000, allowance - 35_999):
            if used >= 0:
                budget = {"usedCU": 0, "capacityCU": 100, "reservePct": 0}
                budget |= {"judgmentUsedCU": decimal(used), "judgmentAllowanceCU": decimal(allowance)}
                expected = used <= allowance - 36_000
                assert accepts("route_agent_seat", {"role": "auditor", "budget": budget}) is expected, budget


def test_one_failure_decides_the_breaker():
    for failures, threshold in itertools.product(range(30), range(1, 30)):
        budget = {"usedCU": 0, "capacityCU": 1, "reservePct": 0}
        budget |= {"consecutiveFailures": failures, "failureThreshold": threshold}
        assert accepts("route_agent_seat", {"role": "grunt", "budget": budget}) is (failures < threshold)


# --- one key ---------------------------------------------------------------------------------------------------------

ACCEPTED = [case for case in load().cases if case.expect == "accept"]
SCHEMA_OF = {tool.name: tool.input_schema for tool in TOOLS}


def objects(schema, value, path=()):
    """(path, schema) of each object in the arguments whose keys the input schema fixes."""
    if schema.get("additionalProperties") is False:
        yield path, schema
        for key, member in schema["properties"].items():
            if isinstance(value, dict) and key in value:
                yield from objects(member, value[key], (*path, key))


def changed(arguments, path, change):
    copy = json.loads(json.dumps(arguments))
    here = copy
    for key in path:
        here = here[key]
    change(here)
    return copy


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case.id)
def test_one_key_too_many_or_too_few_is_refused_as_invalid(case):
    for path, schema in objects(SCHEMA_OF[case.tool], case.arguments):
        for extra in ("x", "", "Role", "cu", "tier", *[f"{key} " for key in schema["properties"]]):
            more = changed(case.arguments, path, lambda here, extra=extra: here.update({extra: 1}))
            assert "invalid" in outcome(case.tool, more), (path, extra)
        for key in schema.get("required", ()):
            fewer = changed(case.arguments, path, lambda here, key=key: here.pop(key))
            assert f"{'.'.join((*path, key))}: missing" in outcome(case.tool, fewer)["invalid"]
        for key, member in schema["properties"].items():
            wrong = changed(case.arguments, path, lambda here, key=key: here.update({key: None}))
            assert "invalid" in outcome(case.tool, wrong), (path, key, member)


# --- responses -------------------------------------------------------------------------------------------------------

SOURCE = ["def area(r):", "    return 3 * r * r", "", "print(area(2))"]
CLAIM = "all tests pass"
CONTRACT = {
    "anchor": "seat-7",
    "forbiddenClaims": [CLAIM],
    "source": SOURCE,
    "schema": {"const": {"a": [1, "x"]}},
}
LINES = [
    "ANCHOR: seat-7",
    "Some of it works.",
    "```json",
    '{"a": [1, "x"]}',
    "```",
    'slice: L1-L2 "def area(r):\\n    return 3 * r * r"',
    'slice: L4-L4 "print(area(2))"',
]


def answers(lines, **contract):
    arguments = {"response": "\n".join(lines), "contract": {**CONTRACT, **contract}}
    checks = outcome("evaluate_agent_response", arguments)["checks"]
    return [name for name, check in checks.items() if check["status"] == "fail"]


def with_line(index, text):
    return [*LINES[:index], text, *LINES[index + 1 :]]


def edits(text, start=0, end=None):
    """The text with each character of a part dropped, doubled by another, or replaced."""
    for at in range(start, len(text) if end is None else end):
        yield text[:at] + text[at + 1 :]
        for other in "q~":
            yield text[:at] + other + text[at:]
            if text[at] != other:
                yield text[:at] + other + text[at + 1 :]


def test_the_response_itself_is_accepted():
    assert answers(LINES) == []


def test_one_character_breaks_the_anchor():
    for text in edits(LINES[0]):
        assert answers(with_line(0, text)) == ["anchor"], text


@pytest.mark.parametrize("index", [5, 6])
def test_one_character_breaks_a_citation(index):
    # From the line numbers to the last character within the quotes; before them it might cease to be a citation.
    line = LINES[index]
    for text in edits(line, line.index("L"), len(line) - 1):
        assert answers(with_line(index, text)) == ["slices"], text


def test_one_line_off_breaks_a_citation():
    for first, last in itertools.product(range(7), range(7)):
        expected = [] if (first, last) == (1, 2) else ["slices"]
        text = LINES[5].replace("L1-L2", f"L{first}-L{last}")
        assert answers(with_line(5, text)) == expected, text


def test_one_changed_line_of_the_source_breaks_its_citation():
    for index, line in enumerate(SOURCE):
        for text in edits(line or " "):
            source = [*SOURCE[:index], text, *SOURCE[index + 1 :]]
            assert answers(LINES, source=source) == ([] if index == 2 else ["slices"]), source


def test_one_character_breaks_the_json_block_unless_it_is_a_blank():
    block = LINES[3]
    for text in edits(block):
        same = text.replace(" ", "") == block.replace(" ", "")
        assert answers(with_line(3, text)) == ([] if same else ["schema"]), text
    for at in (0, 1, 5, 7, 8, len(block)):
        assert answers(with_line(3, block[:at] + " \t" + block[at:])) == []


def test_one_character_within_a_forbidden_claim_hides_it_and_around_it_does_not():
    for text in edits(CLAIM, 1, len(CLAIM) - 1):
        assert answers(with_line(1, text)) == [], text
    for at in range(len(CLAIM)):
        shouted = CLAIM[:at] + CLAIM[at].upper() + CLAIM[at + 1 :]
        for before, after in itertools.product(("", "q", " ", "*"), repeat=2):
            assert answers(with_line(1, before + shouted + after)) == ["forbiddenClaims"]


# --- addresses -------------------------------------------------------------------------------------------------------

BASE = "https://docs.example/Guide/intro?b=2&a=x%2Fy"
TRACKING = ["utm_source", "utm_", "fbclid", "gclid", "mc_cid", "mc_eid", "ref", "ref_src"]


def spellings():
    """Addresses of the same page, each one step away."""
    for at in range(len("https://docs.example")):
        yield BASE[:at] + BASE[at].upper() + BASE[at + 1 :]
    yield BASE.replace(".example", ".example:443")
    yield BASE.replace("?", "/?")
    yield BASE.replace("b=2&a=x%2Fy", "a=x%2Fy&b=2")
    for fragment in ("#", "#top", "#a=1&b=2"):
        yield BASE + fragment
    for name, value in itertools.product(TRACKING, ("", "=", "=1", "=%26")):
        yield BASE + f"&{name}{value}"
        yield BASE.replace("b=2", f"{name.upper()}{value}&b=2")
        yield BASE.replace("&a", f"&{name}{value}&a")


def strangers():
    """Addresses of other pages, each one step away."""
    for at in range(BASE.index("/Guide") + 1, BASE.index("?")):
        yield BASE[:at] + "q" + BASE[at:]
        yield BASE[:at] + BASE[at].swapcase() + BASE[at + 1 :] if BASE[at].isalpha() else BASE[:at] + BASE[at + 1 :]
    for at in range(BASE.index("docs"), BASE.index(".example")):
        yield BASE[:at] + "q" + BASE[at:]
    for name in TRACKING:
        yield BASE + f"&x{name}=1"
        if not name.startswith("utm_"):
            yield BASE + f"&{name}x=1"
            yield BASE + f"&{name[:-1]}=1"
    yield BASE + "&utm=1"
    yield BASE.replace("https", "http")
    yield BASE.replace(".example", ".example:444")
    yield BASE.replace("docs", "www.docs")
    yield BASE.replace("%2F", "%2f")
    yield BASE + "&b=2"


def test_one_step_that_keeps_the_page_makes_a_duplicate():
    for other in spellings():
        result = outcome("dedup_and_lint_dossier", {"urls": [BASE, other]})
        assert len(result["duplicates"]) == 1, other
        assert not result["ok"]


def test_one_step_to_another_page_makes_none():
    for other in strangers():
        result = outcome("dedup_and_lint_dossier", {"urls": [BASE, other]})
        assert result["ok"], other


# --- dossiers --------------------------------------------------------------------------------------------------------

TEXT = dossier(
    summary="All is well,\nas `code` shows.",
    findings="- It *works*.\n- It is\n  fast.\n\n> Said so.",
    sources="- [M](https://docs.example/m)\n- <https://docs.example/n>",
)
ROWS = TEXT.split("\n")
PROSE = [index for index, row in enumerate(ROWS) if row and not row.startswith(("#", "- [", "- <"))]


def violations(rows):
    found = outcome("dedup_and_lint_dossier", {"markdown": "\n".join(rows)})
    assert found["ok"] is (found["violations"] == [])
    return [(violation["rule"], violation["line"]) for violation in found["violations"]]


def words_put_in():
    """Every place between two words of the prose."""
    for index in PROSE:
        words = ROWS[index].split(" ")
        for at in range(1 + (words[0] in ("-", ">", "")), len(words) + 1):
            if not any("`" in word for word in words) or at in (1, len(words)):
                yield index, lambda text, words=words, at=at: " ".join([*words[:at], text, *words[at:]])


def test_the_dossier_itself_is_accepted():
    assert violations(ROWS) == []


@pytest.mark.parametrize(
    ("put_in", "rule"),
    [
        ("TODO", "placeholder"),
        ("(TBD)", "placeholder"),
        ("FIXME:", "placeholder"),
        ("Lorem", "placeholder"),
        ("lorem", "placeholder"),
        ("<!--TODO-->", "placeholder"),
        ("https://docs.example/m", "bare-url"),
        ("HTTP://x", "bare-url"),
        ("www.x.example", "bare-url"),
        ("[x](https://docs.example/m#a)", "link-not-canonical"),
        ("[x](/m)", "link-invalid"),
        ("<https://docs.example>", "link-not-canonical"),
        ("todo", None),
        ("TODOS", None),
        ("xTBD", None),
        ("FIXME_2", None),
        ("lorems", None),
        ("`TODO`", None),
        ("`https://docs.example/m`", None),
        ("<https://docs.example/m>", None),
        ("[TODAY](https://docs.example/TODO)", None),
        ("https:", None),
    ],
)
def test_one_word_breaks_its_line_or_does_not(put_in, rule):
    for index, build in words_put_in():
        rows = [*ROWS[:index], build(put_in), *ROWS[index + 1 :]]
        assert violations(rows) == ([] if rule is None else [(rule, index + 1)]), rows[index]


def test_one_blank_line_changes_the_lines_but_no_verdict():
    marked = [*ROWS]
    marked[4] = "TBD"
    for index in range(len(ROWS)):
        assert violations([*ROWS[:index], "", *ROWS[index:]]) == []
        assert violations([*marked[:index], "", *marked[index:]]) == [("placeholder", 6 if index <= 4 else 5)]


def test_one_heading_fewer_or_one_more_is_found():
    for index, row in enumerate(ROWS):
        if row.startswith("## "):
            assert ("section-missing", 1) in violations([*ROWS[:index], *ROWS[index + 1 :]])
            assert ("section-missing", 1) in violations([*ROWS[:index], "#" + row, *ROWS[index + 1 :]])
            assert ("section-missing", 1) in violations([*ROWS[:index], row[1:], *ROWS[index + 1 :]])
            assert violations([*ROWS, row]) == [("section-repeated", len(ROWS) + 1)]
    assert violations(ROWS[1:]) == [("title-first", 1)]
    assert violations(["text", "", *ROWS]) == [("title-first", 1)]


def test_one_character_in_a_source_is_another_page_or_another_spelling():
    target = "https://docs.example/n"
    for index, row in enumerate(ROWS):
        if target in row:
            for at in range(len("https://docs.example/"), len(target) + 1):
                other = target[:at] + "q" + target[at:]
                assert violations([*ROWS[:index], row.replace(target, other), *ROWS[index + 1 :]]) == []
            for other in (
                target + "/",
                target + "#",
                target + "?utm_x=1",
                target.upper(),
                target.replace("/n", ":443/n"),
            ):
                wrong = violations([*ROWS[:index], row.replace(target, other), *ROWS[index + 1 :]])
                assert wrong == [("link-not-canonical", index + 1)], other
            repeated = [*ROWS[:index], row, row, *ROWS[index + 1 :]]
            assert violations(repeated) == [("link-repeated", index + 2)]
