import pytest

from mcp_assay.core.paths import is_absolute, is_contained, lies_under


def same(path: str) -> str:
    return path


@pytest.mark.parametrize("path", ["/", "/a", "~", "~/a", "\\\\host", "C:\\a", "c:/a", "https://x", "file:///a"])
def test_absolute_paths_of_every_system(path: str) -> None:
    assert is_absolute(path)
    assert not is_contained(path)


@pytest.mark.parametrize("path", ["a", "a/b.txt", "./a", "a/../b", ".", "with blank/é.txt", "..a", "a..b/c"])
def test_relative_paths_that_stay(path: str) -> None:
    assert not is_absolute(path)
    assert is_contained(path)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "..",
        "a/../..",
        "../a",
        "a\\b",
        "%2e%2e",
        "a\tb",
        "-rf",
        "C:a",
        "\u2025/a",
        " a",
        "a ",
        "a/../~",
        "./~/b",
        "a/../-f",
        "a/../C:b",
    ],
)
def test_relative_paths_that_leave_or_are_in_doubt(path: str) -> None:
    assert not is_contained(path)


@pytest.mark.parametrize(
    ("path", "folder", "expected"),
    [
        ("/a/b", "/a", True),
        ("/a/b", "/a/", True),
        ("/a/b", "/", True),
        ("/a", "/a", False),
        ("/ab", "/a", False),
        ("/a/../b", "/a", False),
        ("/a/../a/b", "/a", True),
        ("/../a/b", "/a", False),
        ("a/b", "a", False),
        ("/a/b%2e", "/a", False),
    ],
)
def test_what_lies_under_a_folder(path: str, folder: str, expected: bool) -> None:
    assert lies_under(path, folder, same) is expected


def test_the_resolved_path_must_lie_under_the_resolved_folder_too() -> None:
    links = {"/tmp/x/a": "/private/tmp/x/a", "/tmp/x": "/private/tmp/x", "/tmp/x/link": "/etc"}
    assert lies_under("/tmp/x/a", "/tmp/x", links.__getitem__)
    assert not lies_under("/tmp/x/link", "/tmp/x", links.__getitem__)
    assert not lies_under("/other/a", "/tmp/x", lambda path: path.replace("/other", "/tmp/x"))


@pytest.mark.parametrize("fault", [OSError, ValueError])
def test_a_path_that_cannot_be_resolved_does_not_lie_under(fault: type[Exception]) -> None:
    def broken(path: str) -> str:
        raise fault(path)

    assert not lies_under("/a/b", "/a", broken)
