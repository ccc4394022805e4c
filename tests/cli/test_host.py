"""The group of commands about agents' hosts."""

from pathlib import Path

from stage import Stage


def test_its_commands_are_listed_but_for_the_process_that_only_start_starts(tmp_path: Path) -> None:
    listed = Stage(tmp_path).run("host", "--help").out.split("Commands:")[1]
    names = [line.split()[0] for line in listed.splitlines() if line.startswith("  ") and line[2] != " "]
    assert names == ["start", "show", "stop", "tools", "attach", "install", "uninstall", "check"]


def test_an_unknown_one_is_a_usage_error(tmp_path: Path) -> None:
    ran = Stage(tmp_path).run("host", "approve")
    assert ran.code == 2
    assert "No such command 'approve'" in ran.err
