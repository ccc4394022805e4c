"""What a command needs in order to run, found over real folders, links and scripts."""

import sys
from pathlib import Path

import pytest

from mcp_assay.core.expand import Launch
from mcp_assay.footprint import footprint, program


def made(root: Path, *names: str) -> list[Path]:
    """Empty executable files under a root; a name that ends in a slash is a folder."""
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            path.mkdir(exist_ok=True)
        else:
            path.touch(mode=0o755)
    return [root / name for name in names]


def needed(launch: Launch, cwd: Path) -> set[Path]:
    return set(footprint(launch, str(cwd)))


def test_a_command_is_found_on_the_path_that_it_will_have(tmp_path: Path) -> None:
    [tool] = made(tmp_path, "bin/tool")
    assert program(Launch("tool", env={"PATH": str(tool.parent)}), "/") == tool
    assert program(Launch("bin/tool"), str(tmp_path)) == tool
    assert program(Launch("tool", env={"PATH": str(tmp_path)}), "/") is None
    assert program(Launch("bin/none"), str(tmp_path)) is None


def test_of_an_installed_program_the_libraries_beside_it_are_needed_and_nothing_else(tmp_path: Path) -> None:
    tool, lib, _ = made(tmp_path, "local/bin/tool", "local/lib/", "local/state/secret")
    found = needed(Launch(str(tool)), tmp_path)
    assert {tool, tool.parent, lib} <= found
    assert not found & {tmp_path / "local", tmp_path / "local" / "state"}


def test_the_links_of_a_virtual_environment_are_followed_to_the_interpreter(tmp_path: Path) -> None:
    python, lib, script = made(tmp_path, "pythons/3/bin/python3", "pythons/3/lib/", "venv/bin/server")
    (tmp_path / "venv/bin/python").symlink_to("python3")
    (tmp_path / "venv/bin/python3").symlink_to(python)
    script.write_text(f"#!{tmp_path}/venv/bin/python\n")
    assert {script.parent, python.parent, lib} <= needed(Launch(str(script)), tmp_path)


def test_a_virtual_environment_of_copies_names_its_installation(tmp_path: Path) -> None:
    python, lib, copy = made(tmp_path, "pythons/3/bin/python3", "pythons/3/lib/", "venv/bin/python")
    (tmp_path / "venv/pyvenv.cfg").write_text(f"include-system-site-packages = false\nhome = {python.parent}\n")
    assert {python.parent, lib} <= needed(Launch(str(copy)), tmp_path)


def test_a_node_program_needs_the_outermost_node_modules_and_its_node(tmp_path: Path) -> None:
    node, script = made(tmp_path, "node/bin/node", "app/node_modules/pkg/node_modules/dep/cli.js")
    script.write_text("#!/usr/bin/env -S node --no-warnings\n")
    made(tmp_path, "app/node_modules/.bin/")
    link = tmp_path / "app/node_modules/.bin/server"
    link.symlink_to(script)
    found = needed(Launch(str(link), env={"PATH": str(node.parent)}), tmp_path)
    assert {tmp_path / "app/node_modules", node.parent} <= found


@pytest.mark.parametrize(("mark", "deep"), [("package.json", True), ("pyproject.toml", True), ("other", False)])
def test_a_script_that_is_named_needs_the_package_that_it_is_part_of(tmp_path: Path, mark: str, *, deep: bool) -> None:
    script, _ = made(tmp_path, "app/dist/index.js", f"app/{mark}")
    found = needed(Launch(sys.executable, ("--flag", str(script))), tmp_path)
    assert {script, script.parent} <= found
    assert (tmp_path / "app" in found) is deep


def test_files_and_folders_that_the_arguments_name_are_needed(tmp_path: Path) -> None:
    made(tmp_path, "data/", "config.toml", "-x", "src/")
    args = ("data", f"--config={tmp_path}/config.toml", "-x", "none", "a" * 5000, "\0", "https://h/")
    found = needed(Launch("none", args, env={"PYTHONPATH": "src:no"}), tmp_path)
    assert found == {tmp_path / name for name in ("data", "config.toml", "src")}


def test_what_goes_round_in_circles_ends(tmp_path: Path) -> None:
    one, two = made(tmp_path, "one.sh", "two.sh")
    one.write_text(f"#!{two}\n")
    two.write_text(f"#!{one}\n")
    assert {one, two} <= needed(Launch(str(one)), tmp_path)
