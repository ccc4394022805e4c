"""The layout's rules, run: what the import contracts cannot say."""

import ast
import sys
from pathlib import Path

import pytest
from importlinter.cli import EXIT_STATUS_SUCCESS, lint_imports

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "mcp_assay"
FILES = sorted(SOURCE.rglob("*.py"))
CORE = sorted((SOURCE / "core").rglob("*.py"))
# Pure as well, and loaded only for a text to parse.
PARSERS = {SOURCE / "core/languages/sql.py": "sqlglot", SOURCE / "core/languages/graphql.py": "graphql"}
IMPURE = {
    "os",
    "time",
    "random",
    "socket",
    "asyncio",
    "logging",
    "subprocess",
    "pathlib",
    "secrets",
    "tempfile",
    "threading",
}
LATE_IMPORTS = {SOURCE / "policy" / "dossier.py", *PARSERS, *(SOURCE / "cli").glob("*.py")}
MOST_LINES, LONGEST_FUNCTION = 400, 50
# Files that do nothing of their own: names handed on, and protocols that others fill in.
NO_TEST_OF_ITS_OWN = {"__init__.py", "__main__.py", "base.py", "progress.py"}


def shown(path):
    return str(path.relative_to(SOURCE))


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def functions(tree):
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_the_import_contracts_hold(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    assert lint_imports(config_filename="pyproject.toml", no_cache=True) == EXIT_STATUS_SUCCESS, capsys.readouterr().out


@pytest.mark.parametrize("path", CORE, ids=shown)
def test_core_is_pure_and_needs_only_the_standard_library_and_two_parsers(path):
    tree = parsed(path)
    for module in imports(tree):
        top = module.split(".")[0]
        assert top not in IMPURE, module
        ours = module.startswith(("mcp_assay.core", "mcp_assay.errors")) or module == "mcp_assay"
        assert ours or top in sys.stdlib_module_names or top == PARSERS.get(path), module
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert not called & {"open", "print", "input", "exec", "eval", "__import__"}


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_files_and_functions_stay_small(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= MOST_LINES
    long = [f.name for f in functions(ast.parse(text)) if f.end_lineno - f.lineno + 1 > LONGEST_FUNCTION]
    assert not long


@pytest.mark.parametrize("path", [path for path in FILES if path not in LATE_IMPORTS], ids=shown)
def test_imports_stand_at_the_top(path):
    late = [
        node.lineno
        for f in functions(parsed(path))
        for node in ast.walk(f)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert not late


@pytest.mark.parametrize("path", [path for path in FILES if path.name not in NO_TEST_OF_ITS_OWN], ids=shown)
def test_every_source_file_has_the_test_file_that_mirrors_it(path):
    relative = path.relative_to(SOURCE)
    assert (ROOT / "tests" / relative.parent / f"test_{relative.name}").is_file()


def test_broad_excepts_are_few_and_each_says_why():
    broad = [
        line.strip()
        for path in FILES
        for line in path.read_text(encoding="utf-8").splitlines()
        if "except Exception" in line
    ]
    assert all("# noqa: BLE001 - " in line for line in broad)
    assert len(broad) <= 8
