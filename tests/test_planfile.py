import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mcp_assay.core.model import Disposition
from mcp_assay.core.scenarios import Approval
from mcp_assay.errors import InputError, UserError
from mcp_assay.planfile import load, load_scenarios, parse_plan, parse_scenarios, schema

DIGEST = "sha256:" + "0a" * 32


def complaint(text: str, source: str = "p.yaml", parse: Any = parse_plan) -> str:
    with pytest.raises(UserError) as caught:
        parse(text.encode(), source)
    return str(caught.value)


def test_a_plan_is_read_from_yaml_and_json_alike() -> None:
    plan = {
        "connect": {"tracker": DIGEST},
        "dispositions": {"tracker": {"disposition": "sandboxed", "test_resources": ["repo: play"]}, "notes": "skip"},
        "scenarios": [{"description": "x", "targets_mcps": ["tracker"]}],
        "approval": "approve",
        "wallclock_budget": 2,
    }
    yaml = f"""
connect: {{tracker: {DIGEST}}}
dispositions:
  tracker:
    disposition: sandboxed
    test_resources: ['repo: play']
  notes: skip
scenarios:
  - description: x
    targets_mcps: [tracker]
approval: approve
wallclock_budget: 2
"""
    from_json, from_yaml = parse_plan(json.dumps(plan).encode(), "p.json"), parse_plan(yaml.encode(), "p.yml")
    assert from_json.dispositions == from_yaml.dispositions
    assert from_yaml.dispositions["tracker"].disposition is Disposition.SANDBOXED
    assert (
        [item.description for item in from_json.scenarios]
        == [item.description for item in from_yaml.scenarios]
        == ["x"]
    )
    assert (
        (from_json.approval, from_json.connect)
        == (from_yaml.approval, from_yaml.connect)
        == (Approval.APPROVE, {"tracker": DIGEST})
    )
    assert from_yaml.scenarios[0].line == 9
    assert from_json.sha256 != from_yaml.sha256


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aproval: approve", "p.yaml:1: aproval: unknown key; did you mean 'approval'?"),
        ("\nmatch: loose", "p.yaml:2: match: must be strict or literal"),
        ("rules: all", "rules: must be extended or spec"),
        ("fail_on: blocker", "fail_on: must be critical, major, minor, suggestion or never"),
        ("driver: agent", "driver: must be script"),
        ("approval: yes", "approval: must be approve or user-only"),
        ("approval: approve it", "approval: must be approve or user-only"),
        ("call_budget: 0", "call_budget: must be 1 or more"),
        ("call_budget: 1.5", "call_budget: must be a whole number"),
        ("call_budget: true", "call_budget: must be a whole number"),
        ("wallclock_budget: 0", "wallclock_budget: must be more than 0"),
        ("wallclock_budget: .inf", "wallclock_budget: must be a number"),
        ("name: ../x", "name: must be 1 to 64 letters"),
        ("name: 2024-05-01", "name: must be a string (quote it if it is one)"),
        ("project: ''", "project: must not be empty"),
        ("connect: true", "connect: must be all or a map of keys to values"),
        ("connect: {a: sha256:12}", "connect.a: must be the digest that `mcp-assay discover` prints"),
        ("allow: Bash", "allow: must be a list"),
        ("tour: maybe", "tour: must be true or false"),
        ("dispositions: {a: {disposition: skip, network: 1}}", "dispositions.a.network: must be true or false"),
        ("allow: [mcp__a__b]", "allow[0]: must be a tool that is no MCP tool"),
        ("scenarios: 5", "scenarios: must be a string (quote it if it is one) or a list"),
        ("scenarios: []", "nothing to evaluate"),
        ("dispositions: [a]", "dispositions: must be a map of keys to values"),
        ("dispositions:\n  a: sandboxed", "p.yaml:2: dispositions.a: must be skip or read_only or a map"),
        ("dispositions:\n  a:\n    disposition: sandboxed", "dispositions.a: sandboxed needs test_resources"),
        ("dispositions: {a: {disposition: sandboxed, test_resources: []}}", "sandboxed needs test_resources"),
        ("dispositions: {a: {disposition: sandboxed, test_resources: [' ']}}", "test_resources[0]: must not be blank"),
        ("dispositions: {a: {disposition: write}}", "dispositions.a.disposition: must be read_only, sandboxed or skip"),
        ("dispositions: {a: {notes: x}}", "dispositions.a: disposition is missing"),
        (
            "dispositions: {a: {disposition: skip, resources: [x]}}",
            "dispositions.a.resources: unknown key; did you mean 'test_resources'?",
        ),
        (
            "dispositions: {a: {disposition: skip, marks: {t: maybe}}}",
            "dispositions.a.marks.t: must be read or mutating",
        ),
        (
            "dispositions: {a: {disposition: skip, marks: {t: {mark: read, tool: x}}}}",
            "dispositions.a.marks.t.tool: must be the digest that `--until interview` prints",
        ),
        ("dispositions: {a: {disposition: skip, marks: {t: {mark: read}}}}", "dispositions.a.marks.t: tool is missing"),
        (
            "dispositions: {a: {disposition: skip, env: [TOKEN=abc]}}",
            "env[0]: must be the name of a variable, without its value",
        ),
        ("- x", "p.yaml:1: a plan must be an object"),
        ("", "a plan must be an object"),
        ("a: 1\na: 2", "p.yaml:2: a: duplicate key"),
    ],
)
def test_what_is_wrong_is_told_with_line_and_key(text: str, expected: str) -> None:
    assert expected in complaint(text)


def test_all_that_is_wrong_is_told_at_once_in_order_and_without_values() -> None:
    message = complaint("match: x\nrules: y\ndispositions:\n  a: {env: [SECRET=hunter2]}\n")
    assert message.startswith("p.yaml:1: 4 problems")
    assert message.index("match") < message.index("rules") < message.index("env[0]")
    assert "hunter2" not in message


def test_a_json_plan_has_lines_too() -> None:
    assert complaint('{\n  "match": "x"\n}', "p.json") == "p.json:2: match: must be strict or literal"
    assert (
        complaint('{"match": "strict", "match": "literal"}', "p.json")
        == "p.json:1: match: duplicate key; keep one of them"
    )


@pytest.mark.parametrize("name", ["plan", "plan.txt", "plan.toml", "plan.yaml.bak"])
def test_a_plan_of_another_extension_is_refused(name: str) -> None:
    assert "must be a .json, .yaml or .yml file" in complaint("{}", name)


def test_inline_scenarios_go_through_the_parser_of_files() -> None:
    message = complaint("approval: approve\nscenarios:\n  - description: 42\n  - descripton: x\n")
    assert "p.yaml:3: entry 1: description must be a string" in message
    assert "p.yaml:4: entry 2: description is missing" in message


# --- scenarios files ---


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "s.yaml",
            "- description: look at both\n  targets_mcps: [no, notes]\n- description: 17\n",
            "s.yaml:3: entry 2: description must be a string",
        ),
        ("s.yaml", "- description: 2023-02-03\n", "s.yaml:1: entry 1: description must be a string; quote it"),
        ("s.yaml", "- description: 2:45\n", "s.yaml:1: entry 1: description must be a string; quote it"),
        ("s.yaml", "- Find: all rows\n", "entry 1: description is missing"),
        ("s.yaml", "list:\n  - description: x\n", "must be a list of scenarios"),
        ("s.json", '["a line"]', "s.json:1: entry 1: must be an object"),
        ("s.json", '{"description": "x"}', "must be a list of scenarios"),
        ("s.json", '[{"description": "x"},\n {"description": " "}]', "s.json:2: entry 2: description is empty"),
        ("s.yaml", "- description: a\n  description: b\n", "s.yaml:2: description: duplicate key"),
        ("s.json", '[{"description": "a", "description": "b"}]', "s.json:1: description: duplicate key"),
        ("s.json", "- description: yaml\n", "s.json:1: not valid JSON"),
        ("s.yaml", "\t- description: x\n", "s.yaml:1: a tab"),
        ("s.yml", "", "fewer than 1 scenario"),
        ("s.txt", "# nothing\n", "fewer than 1 scenario"),
    ],
)
def test_a_scenarios_file_that_is_wrong_stops_with_its_place(name: str, text: str, expected: str) -> None:
    assert expected in complaint(text, name, parse_scenarios)


def test_the_extension_alone_chooses_the_format() -> None:
    text = '[{"description": "x"}]'
    assert parse_scenarios(text.encode(), "s.JSON")[0].description == "x"
    assert parse_scenarios(text.encode(), "s.yml")[0].description == "x"
    assert parse_scenarios(text.encode(), "s.conf")[0].description == text
    assert parse_scenarios("\ufeffone\ntwo".encode(), "s")[0].description == "one"
    assert parse_scenarios(b"- description: x\n  targets_mcps: [no]\n", "s.yaml")[0].targets_mcps == ("no",)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        ('{"tool": "mcp__a__b", "save": {"x": "$["}}', "'$[' is not a JSON path"),
        ('{"tool": "mcp__a__b", "save": {"x": "$[?@.a =~ /(/]"}}', "'$[?@.a =~ /(/]' is not a JSON path"),
        ('{"tool": "mcp__a__b", "expect": {"equals": {"$..[": 1}}}', "'$..[' is not a JSON path"),
        ('{"tool": "mcp__a__b", "expect": {"schema": {"type": "text"}}}', "expect.schema is not a JSON Schema"),
    ],
)
def test_expressions_that_cannot_be_used_are_found_before_the_run(step: str, expected: str) -> None:
    text = f'[{{"description": "x", "steps": [{step}]}}]'
    assert f"s.json:1: entry 1: step 1: {expected}" in complaint(text, "s.json", parse_scenarios)
    assert expected in complaint(f'{{"scenarios": {text}}}', "p.json")


# --- files ---


def test_paths_in_a_plan_are_taken_from_its_folder(tmp_path: Path) -> None:
    file = tmp_path / "plans" / "p.yaml"
    file.parent.mkdir()
    file.write_text("project: ..\nout: /elsewhere\nscenarios: s.txt\n", encoding="utf-8")
    plan = load(file)
    assert (plan.project, plan.out) == (str(file.parent / ".."), "/elsewhere")
    assert plan.scenarios_file == str(file.parent / "s.txt")
    assert plan.source == str(file)


def test_scenarios_come_with_the_digest_of_their_file(tmp_path: Path) -> None:
    file = tmp_path / "s.txt"
    file.write_text("one\n", encoding="utf-8")
    [one], digest = load_scenarios(file)
    assert (one.description, one.source) == ("one", str(file))
    file.write_text("two\n", encoding="utf-8")
    assert load_scenarios(file)[1] != digest


def test_a_file_that_cannot_be_read_is_the_users_error(tmp_path: Path) -> None:
    for read in (load, load_scenarios):
        with pytest.raises(UserError, match="cannot be read"):
            read(tmp_path / "none.yaml")
        with pytest.raises(UserError, match="cannot be read"):
            read(tmp_path)
        with pytest.raises(UserError, match="larger than 64 MiB"):
            read(Path("/dev/zero"))


# --- the published schema ---


def test_the_published_schema_is_a_schema() -> None:
    Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize(
    "entry",
    [
        {"description": "x"},
        {"description": "x", "targets_mcps": ["a"], "steps": None},
        {"description": "x", "steps": [{"tool": "mcp__a__b", "args": {"n": 1}, "save": {"x": "$.id"}}]},
        {
            "description": "x",
            "steps": [{"tool": "mcp__a__b", "expect": {"is_error": True, "equals": {"$": 1}, "schema": {}}}],
        },
        {"description": "x", "steps": [{"tool": "Bash", "justification": "no attached MCP covers this step"}]},
        {},
        {"description": " "},
        {"description": 5},
        {"description": "x", "targets_mcps": "a"},
        {"description": "x", "target": []},
        {"description": "x", "steps": [{}]},
        {"description": "x", "steps": [{"tool": "Bash"}]},
        {"description": "x", "steps": [{"tool": "mcp__a__b", "args": []}]},
        {"description": "x", "steps": [{"tool": "mcp__a__b", "save": {"x y": "$"}}]},
        {"description": "x", "steps": [{"tool": "mcp__a__b", "save": {"x": "id"}}]},
        {"description": "x", "steps": [{"tool": "mcp__a__b", "expect": {"equals": {"id": 1}}}]},
        {"description": "x", "steps": [{"tool": "mcp__a__b", "expect": {"same": 1}}]},
        {"description": "x", "steps": [{"tool": "mcp__a__b", "expect": {"is_error": 1}}]},
    ],
)
def test_the_published_schema_and_the_parser_agree_about_scenarios(entry: Any) -> None:
    plan = {"scenarios": [entry]}
    try:
        parse_plan(json.dumps(plan).encode(), "p.json")
        parsed = True
    except InputError:
        parsed = False
    assert Draft202012Validator(schema()).is_valid(plan) is parsed
