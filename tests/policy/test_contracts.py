import pytest

from mcp_assay.policy import contracts, schema
from mcp_assay.policy.faults import InvalidArguments


def evaluate(response, **contract):
    arguments = {"response": response, "contract": {"anchor": "t", **contract}}
    assert schema.problems(contracts.INPUT_SCHEMA, arguments) == []
    result = contracts.evaluate(arguments)
    assert schema.problems(contracts.OUTPUT_SCHEMA, result) == []
    checks = result["checks"]
    assert result["ok"] is all(check["status"] != "fail" for check in checks.values())
    return checks


def status(check, response, **contract):
    return evaluate(f"ANCHOR: t\n{response}", **contract)[check]["status"]


def test_what_the_contract_does_not_ask_is_skipped_and_said_so():
    checks = evaluate("ANCHOR: t")
    assert checks.pop("anchor") == {"status": "pass", "detail": "the first line is the anchor"}
    assert list(checks.values()) == [{"status": "skipped", "detail": "not in the contract"}] * 3


# --- registration ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("contract", "problem"),
    [
        ({"anchor": " \t"}, "contract.anchor: blank; give the words that must follow ANCHOR:"),
        ({"anchor": "a\nb"}, "contract.anchor: holds a line break, so no line could be equal to it"),
        ({"forbiddenClaims": ["a", ""]}, "contract.forbiddenClaims[1]: blank; it would be found in every response"),
        ({"forbiddenClaims": [" "]}, "contract.forbiddenClaims[0]: blank; it would be found in every response"),
        ({"source": ["a", "b\n"]}, "contract.source[1]: holds a line break; give each line as an item of its own"),
        (
            {"schema": {"type": "text"}},
            "contract.schema.type: must be one or more of object, array, string, number, integer, boolean, null",
        ),
    ],
)
def test_a_malformed_contract_is_refused_with_its_place(contract, problem):
    with pytest.raises(InvalidArguments) as refused:
        evaluate("anything", **contract)
    assert refused.value.problems == [problem]


def test_every_fault_of_a_contract_is_told():
    with pytest.raises(InvalidArguments) as refused:
        evaluate(
            "", anchor=" ", forbiddenClaims=[""], source=["\n"], schema={"properties": {"a": {"items": {"anyOf": []}}}}
        )
    places = [problem.split(":")[0] for problem in refused.value.problems]
    assert places == [
        "contract.anchor",
        "contract.schema.properties.a.items.anyOf",
        "contract.forbiddenClaims[0]",
        "contract.source[0]",
    ]


# --- anchor ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "response", ["ANCHOR: t", "\n\nANCHOR: t\nok", "\r\n\r\nANCHOR: t\r\nok", "\ufeffANCHOR: t", " \t\nANCHOR: t"]
)
def test_the_first_line_that_is_not_empty_is_the_anchor(response):
    assert evaluate(response)["anchor"]["status"] == "pass"


@pytest.mark.parametrize(
    "response",
    [
        "",
        "ANCHOR: t ",
        " ANCHOR: t",
        "anchor: t",
        "ANCHOR:t",
        "ANCHOR:  t",
        "**ANCHOR: t**",
        "ANCHOR: tt",
        "ok\nANCHOR: t",
        "\u00a0\nANCHOR: t",
        "\ufeff\ufeffANCHOR: t",
        "ANCHOR: t\u2028",
        "> ANCHOR: t",
    ],
)
def test_nothing_else_is(response):
    assert evaluate(response)["anchor"] == {
        "status": "fail",
        "detail": "the first non-empty line must be exactly ANCHOR: t",
    }


# --- JSON block ------------------------------------------------------------------------------------------------------

ONE = {"properties": {"a": {"type": "integer"}}, "required": ["a"]}


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ('```json\n{"a": 1}\n```', "pass"),
        ('```json\r\n{"a": 1.0}\r\n```', "pass"),
        ('~~~json x\n{"a": 1}\n~~~', "pass"),
        ('```json\n{"a": 1}', "pass"),
        ('```jsonc\n{"a": "x"}\n```\n```json\n{"a": 1}\n```', "pass"),
        ('```json\n{"a": 1}\n```\n```json\n{"a": "x"}\n```', "pass"),
        ('```json\n{"a": "x"}\n```\n```json\n{"a": 1}\n```', "fail"),
        ('```json\n```\n```json\n{"a": 1}\n```', "fail"),
        ('{"a": 1}', "fail"),
        ('```\n{"a": 1}\n```', "fail"),
        ('```JSON\n{"a": 1}\n```', "fail"),
        ('````\n```json\n{"a": 1}\n```\n````', "fail"),
        ('```json\n{"a": 1}}\n```', "fail"),
        ('```json\n{"a": 1, "a": 2}\n```', "fail"),
        ('```json\n{"a": 1, "b": NaN}\n```', "fail"),
        ('```json\n{"a": 1, "b": [-1e309]}\n```', "fail"),
        ('```json\n{"a": ' + "1" * 5_000 + "}\n```", "fail"),
        ("```json\n" + "[" * 200_000 + "\n```", "fail"),
        ("> " * 300 + '```json\n{"a": 1}\n```', "fail"),
    ],
    ids=range(19),
)
def test_the_first_block_marked_json_decides(response, expected):
    assert status("schema", response, schema=ONE) == expected


def test_what_is_wrong_with_the_block_is_told():
    response = 'ANCHOR: t\n```json\n{"a": true}\n```'
    assert evaluate(response, schema=ONE)["schema"]["detail"] == "a: must be of type integer"
    assert evaluate(response, schema={"type": "array"})["schema"]["detail"] == "the json block: must be of type array"


# --- forbidden claims ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("phrase", "response", "expected"),
    [
        ("can't fail", "it CAN'T FAIL", "fail"),
        ("can't fail", "it can\u2019t fail", "pass"),
        ("can't fail", "it can't\nfail", "pass"),
        ("a\nb", "A\r\nB", "fail"),
        ("stra\u00dfe", "STRASSE", "fail"),
        ("\u03c3\u03bf\u03c2", "\u03a3\u039f\u03a3", "fail"),
        ("100%", "100 %", "pass"),
        (".*", "anything", "pass"),
        ("anchor: t", "", "fail"),
    ],
)
def test_claims_are_literal_phrases_in_any_letter_case(phrase, response, expected):
    assert status("forbiddenClaims", response, forbiddenClaims=[phrase]) == expected


def test_every_hit_is_named_and_no_phrases_is_no_hit():
    found = evaluate("ANCHOR: t\nX y", forbiddenClaims=["y", "z", "x"])["forbiddenClaims"]
    assert found == {"status": "fail", "detail": 'claims "y"; claims "x"'}
    assert status("forbiddenClaims", "x", forbiddenClaims=[]) == "pass"


# --- slices ----------------------------------------------------------------------------------------------------------

SOURCE = ["the door is not", 'to be "opened"', "\tprint('a\\n')", ""]


@pytest.mark.parametrize(
    "line",
    [
        'slice: L1-L1 "the door is not"',
        'slice: L1-L1 "the door is not" \t',
        '  - slice: L1-L1 "the door is not"',
        '> 1. slice: L1-L1 "the door is not"',
        '`slice: L1-L1 "the door is not"`',
        r'slice: L1-L1 "the\u0020door is not"',
        r'slice: L1-L2 "the door is not\nto be \"opened\""',
        r'slice: L1-L2 "the door is not\r\nto be \"opened\""',
        'slice: L2-L2 "to be "opened""',
        "slice: L3-L3 \"\tprint('a\\n')\"",
        'slice: L4-L4 ""',
        'slice: L01-L01 "the door is not"',
        "no citation of slice: L1",
        "a slices: list",
    ],
)
def test_faithful_citations_and_lines_that_are_none_pass(line):
    assert status("slices", line, source=SOURCE) == "pass"


@pytest.mark.parametrize(
    "line",
    [
        'slice: L1-L2 "the door is not to be "opened""',
        'slice: L1-L2 "the door is ... "opened""',
        'slice: L1-L1 "The door is not"',
        'slice: L1-L1 "the door is not "',
        'slice: L1-L2 "the door is not"',
        'slice: L0-L1 "the door is not"',
        'slice: L2-L1 ""',
        'slice: L4-L5 ""',
        'slice: L999999999-L999999999 ""',
        f'slice: L{"9" * 5_000}-L1 ""',
        'slice: L1 "the door is not"',
        "slice: L1-L1 the door is not",
        'slice: L1-L1 "the door is not',
        'slice: L1-L1 "the door is not" (sic)',
        'slice:L1-L1 "the door is not"',
        'slice: L1-L1  "the door is not"',
        'Slice: L1-L1 "the door is not"',
        'slice: L\u0661-L1 "the door is not"',
        "slice: L1-L1 \u201cthe door is not\u201d",
        "slice:",
        '`slice: L1-L1 "the door is"`',
        '\u00a0slice: L1-L1 "the door is"',
        '\u200bslice: L1-L1 "the door is"',
    ],
)
def test_every_other_citation_fails(line):
    assert status("slices", line, source=SOURCE) == "fail"


def test_a_wrong_citation_is_told_with_its_line_and_why():
    response = 'ANCHOR: t\nslice: L1-L1 "x"\nslice: L1-L1 "the door is not"\nslice: L9-L9 "x"\nslice: x'
    assert evaluate(response, source=SOURCE)["slices"]["detail"] == (
        "line 2: the text is not that of L1-L1; line 4: L9-L9 is out of range; the source has 4 lines; "
        'line 5: does not parse; write slice: L<first>-L<last> "<text>"'
    )


def test_line_ends_of_windows_are_how_a_text_is_stored():
    assert status("slices", 'slice: L1-L2 "a\\nb"\r\n', source=["a\r", "b\r"]) == "pass"


def test_an_empty_source_has_no_lines_to_cite():
    assert status("slices", 'slice: L1-L1 ""', source=[]) == "fail"
    assert status("slices", "nothing", source=[]) == "pass"
