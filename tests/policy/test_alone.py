"""What the import contract cannot say: it names the other modules, and a new one would not be among them."""

import ast
from pathlib import Path

import pytest

POLICY = Path(__file__).parents[2] / "src" / "mcp_assay" / "policy"
IMPORTED_LATE = {"urls.py", "markdown.py", "lint.py"}


def imported(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


@pytest.mark.parametrize("path", sorted(POLICY.glob("*.py")), ids=lambda path: path.name)
def test_the_policy_server_imports_nothing_else_of_the_package(path):
    ours = {module for module in imported(path) if module.startswith("mcp_assay")}
    assert all(module.startswith("mcp_assay.policy.") for module in ours - {"mcp_assay.__version__"}), ours


def test_only_what_is_imported_late_imports_a_parser():
    needs = {
        path.name
        for path in POLICY.glob("*.py")
        if any(module.split(".")[0] in ("ada_url", "markdown_it") for module in imported(path))
    }
    assert needs <= IMPORTED_LATE
