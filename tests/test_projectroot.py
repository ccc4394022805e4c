from pathlib import Path

import pytest

from mcp_assay.errors import UserError
from mcp_assay.projectroot import project_root
from project_folders import folder, home, root, write

__all__ = ["home", "root"]


def test_an_explicit_folder_is_the_root_whatever_lies_around_it(root: Path, home: Path) -> None:
    folder(root / ".git")
    inner = folder(root / "pkg")
    assert project_root(root, inner, home) == inner


def test_an_explicit_root_becomes_absolute(root: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder(root / "pkg")
    monkeypatch.chdir(root)
    assert project_root(root, Path("pkg"), home) == root / "pkg"
    assert project_root(root, Path("pkg/.."), home) == root


def test_an_explicit_root_must_be_a_folder(root: Path, home: Path) -> None:
    with pytest.raises(UserError, match="no such folder"):
        project_root(root, root / "missing", home)
    with pytest.raises(UserError, match="no such folder"):
        project_root(root, write(root / "file", ""), home)


def test_the_git_top_is_the_root_even_with_configs_nearer(root: Path, home: Path) -> None:
    folder(root / ".git")
    write(root / "pkg" / ".mcp.json", {"mcpServers": {"x": {"command": "x"}}})
    assert project_root(folder(root / "pkg" / "deep"), None, home) == root


def test_a_linked_worktree_has_a_git_file(root: Path, home: Path) -> None:
    worktree = folder(root / "linked")
    folder(root / ".git")
    write(worktree / ".git", f"gitdir: {root}/.git/worktrees/linked\n")
    assert project_root(folder(worktree / "pkg"), None, home) == worktree


@pytest.mark.parametrize("marker", [".mcp.json", ".claude"])
def test_outside_git_the_nearest_folder_with_a_config_is_the_root(marker: str, root: Path, home: Path) -> None:
    for above in (root, root.parent):
        write(above / marker, "{}") if marker == ".mcp.json" else folder(above / marker)
    assert project_root(folder(root / "a" / "b"), None, home) == root


def test_a_file_called_dot_claude_is_no_config(root: Path, home: Path) -> None:
    write(root / ".claude", "")
    inner = folder(root / "a")
    assert project_root(inner, None, home) == inner


def test_a_dangling_config_link_still_marks_the_project(root: Path, home: Path) -> None:
    (root / ".mcp.json").symlink_to(root / "nowhere")
    assert project_root(folder(root / "a"), None, home) == root


def test_the_home_folders_own_dot_claude_does_not_count(home: Path) -> None:
    folder(home / ".claude")
    inner = folder(home / "scratch")
    assert project_root(inner, None, home) == inner
    assert project_root(home, None, home) == home


def test_the_home_folder_is_known_through_a_link(home: Path, tmp_path: Path) -> None:
    folder(home / ".claude")
    inner = folder(home / "scratch")
    (tmp_path / "link").symlink_to(home)
    assert project_root(inner, None, tmp_path / "link") == inner


def test_without_any_mark_the_start_is_the_root(root: Path, home: Path) -> None:
    assert project_root(root, None, home) == root
