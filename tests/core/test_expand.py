import pytest

from mcp_assay.core.expand import child_environment, expand, launch, wanted
from mcp_assay.core.model import ServerConfig

ENVIRON = {"PATH": "/bin", "HOME": "/home/u", "LC_ALL": "C", "TOKEN": "t0p", "EMPTY": "", "NESTED": "${TOKEN}"}


@pytest.mark.parametrize(
    ("text", "expected", "unset"),
    [
        ("plain", "plain", ()),
        ("${TOKEN}", "t0p", ()),
        ("Bearer ${TOKEN}/${HOME}", "Bearer t0p//home/u", ()),
        ("${TOKEN:-other}", "t0p", ()),
        ("${NONE:-other}", "other", ()),
        ("${NONE:-}", "", ()),
        ("${NONE:-a:-b}", "a:-b", ()),
        ("${EMPTY:-other}", "", ()),
        ("${NONE}", "${NONE}", ("NONE",)),
        ("${NONE}-${TOKEN}-${GONE}", "${NONE}-t0p-${GONE}", ("NONE", "GONE")),
        ("${NESTED}", "${TOKEN}", ()),
        ("$TOKEN ${} ${1X} ${TO KEN}", "$TOKEN ${} ${1X} ${TO KEN}", ()),
    ],
)
def test_references_are_replaced_once(text: str, expected: str, unset: tuple[str, ...]) -> None:
    assert expand(text, ENVIRON) == (expected, unset)


def test_the_child_sees_the_safe_base_its_entry_and_what_was_allowed() -> None:
    environ = {**ENVIRON, "AWS_SECRET_ACCESS_KEY": "s", "XDG_CONFIG_HOME": "/c", "LD_PRELOAD": "/evil.so"}
    assert child_environment(environ, {"OWN": "1", "HOME": "/else"}, ["TOKEN", "NONE"]) == {
        "PATH": "/bin",
        "HOME": "/else",
        "LC_ALL": "C",
        "XDG_CONFIG_HOME": "/c",
        "TOKEN": "t0p",
        "OWN": "1",
    }


def test_a_launch_expands_command_arguments_folder_and_variables_and_names_what_was_unset() -> None:
    config = ServerConfig(
        "s", "f", command="${HOME}/run", args=("--key=${TOKEN}", "${A}"), cwd="${HOME}", env={"X": "${B}${A}"}
    )
    plan = launch(config, ENVIRON)
    assert plan.command == "/home/u/run"
    assert plan.args == ("--key=t0p", "${A}")
    assert plan.cwd == "/home/u"
    assert plan.env["X"] == "${B}${A}"
    assert plan.unset == ("A", "B")


@pytest.mark.parametrize(
    ("complaint", "names"),
    [
        ("Error: GITHUB_TOKEN is required", ("GITHUB_TOKEN",)),
        ("set ACME_API_KEY and/or 'ACME_BASE_URL'; ACME_API_KEY!", ("ACME_API_KEY", "ACME_BASE_URL")),
        ("process.env.NOTION_TOKEN undefined", ("NOTION_TOKEN",)),
        ("code: 'MODULE_NOT_FOUND', ERR_INVALID_URL, ECONNREFUSED, HTTP_500", ()),
        ("my_API_TOKEN, API_TOKENs, github_token", ()),
        ("HAVE_TOKEN is bad", ()),
        ("bad token LIVE_KEY, that is no key", ()),
        ("ODD_NAMED", ("ODD_NAMED",)),
        ("leaked AKIA_5F00_BEEF", ()),
    ],
)
def test_a_complaint_gives_the_names_of_missing_variables_and_never_a_value(
    complaint: str, names: tuple[str, ...]
) -> None:
    given = {"HAVE_TOKEN": "1", "SECRET": "xx-LIVE_KEY-yy"}
    assert wanted(complaint, given, {"ODD_NAMED": "v", **given}) == names
