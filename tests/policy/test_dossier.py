import subprocess
import sys

import pytest

from dossiers import dossier
from mcp_assay.policy import dossier as policy
from mcp_assay.policy import schema


def examine(**arguments):
    assert schema.problems(policy.INPUT_SCHEMA, arguments) == []
    result = policy.examine(arguments)
    assert schema.problems(policy.OUTPUT_SCHEMA, result) == []
    return result


def test_two_spellings_of_one_page_are_duplicates_and_show_why():
    given = ["https://git.example/p?ref=v1", "https://git.example/q", "https://git.example/p?ref=v2"]
    assert examine(urls=given) == {
        "ok": False,
        "urls": [
            {"input": given[0], "canonical": "https://git.example/p", "removed": ["ref"]},
            {"input": given[1], "canonical": "https://git.example/q", "removed": []},
            {"input": given[2], "canonical": "https://git.example/p", "removed": ["ref"]},
        ],
        "duplicates": [{"canonical": "https://git.example/p", "inputs": [given[0], given[2]]}],
        "violations": [],
    }


def test_an_invalid_url_is_a_violation_and_no_duplicate_of_another():
    result = examine(urls=["/a", "https://e.example/", "/a"])
    assert [(entry["rule"], entry["line"]) for entry in result["violations"]] == [("url-invalid", None)] * 2
    assert result["violations"][1]["message"].startswith("urls[2] is no absolute address")
    assert (result["ok"], result["duplicates"]) == (False, [])


def test_lists_may_be_empty_and_both_inputs_are_judged():
    assert examine(urls=[])["ok"]
    both = examine(urls=["https://e.example/", "https://e.example"], markdown=dossier(summary="TBD"))
    assert len(both["duplicates"]) == 1
    assert both["violations"] == [
        {"rule": "placeholder", "line": 5, "message": "write what TBD stands for, or remove it"}
    ]


def test_the_list_and_the_text_are_not_compared_with_each_other():
    assert examine(urls=["https://docs.example/m"], markdown=dossier())["ok"]


@pytest.mark.parametrize(
    "arguments", [{}, {"urls": "https://e.example/"}, {"urls": [1]}, {"markdown": None}, {"text": ""}]
)
def test_other_arguments_are_refused(arguments):
    assert schema.problems(policy.INPUT_SCHEMA, arguments)


def test_the_first_fence_is_that_of_the_word():
    text = "```jsonc\n1\n```\n~~~ json x\n2\n~~~\n```json\n3\n```"
    assert policy.first_fence(text, "json") == "2\n"
    assert policy.first_fence(text, "yaml") is None
    with pytest.raises(RecursionError):
        policy.first_fence("> " * 200, "json")


def test_the_parsers_are_not_imported_with_the_tools():
    program = (
        "import sys, mcp_assay.policy.tools, mcp_assay.policy.resources;"
        "print([name for name in ('ada_url', 'markdown_it', 'dataclasses', 'pathlib') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True, env={"PYTHONPATH": "src"}
    )
    assert done.stdout.strip() == "[]"
