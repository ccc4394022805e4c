"""In which order what is hidden, shown again, opened and sealed is mounted: later mounts cover earlier ones."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from mcp_assay.core.bwrap import Box, arguments, is_under


def mounts(box):
    """(kind, path) of every mount after the first three, in order."""
    words, found = arguments(box)[7:], []
    for kind, path in pairwise(words):
        if kind in ("--tmpfs", "--ro-bind", "--bind", "--remount-ro"):
            found.append((kind, path))
    return found


def test_the_whole_file_system_is_read_only_and_every_namespace_is_its_own():
    words = arguments(Box("/srv"))
    assert words[:3] == ["--ro-bind", "/", "/"]
    assert {"--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--unshare-net"} < set(words)
    assert {"--die-with-parent", "--new-session"} < set(words)
    assert words[-3:] == ["--chdir", "/srv", "--"]


def test_only_what_is_granted_has_the_network():
    assert "--unshare-net" not in arguments(Box("/", network=True))


def test_what_is_shown_lies_over_what_is_hidden_and_what_is_sealed_over_all():
    box = Box(
        "/", hidden=("/home/me", "/home"), shown=("/home/me/p",), writable=("/home/me/p/w",), sealed=("/home/me/p/w/s",)
    )
    assert mounts(box) == [
        ("--tmpfs", "/home"),
        ("--tmpfs", "/home/me"),
        ("--ro-bind", "/home/me/p"),
        ("--bind", "/home/me/p/w"),
        ("--tmpfs", "/home/me/p/w/s"),
        ("--remount-ro", "/home/me/p/w/s"),
    ]


def test_what_is_hidden_inside_what_is_shown_stays_hidden():
    box = Box("/", hidden=("/h", "/h/p/state"), shown=("/h/p",))
    assert mounts(box) == [("--tmpfs", "/h"), ("--ro-bind", "/h/p"), ("--tmpfs", "/h/p/state")]


def test_what_lies_in_a_writable_folder_is_writable():
    box = Box("/", hidden=("/h", "/h/w/x"), shown=("/h/w/bin", "/h/w"), writable=("/h/w",))
    assert mounts(box) == [("--tmpfs", "/h"), ("--bind", "/h/w")]


def test_a_name_that_only_begins_alike_lies_elsewhere():
    assert is_under("/a/b", "/a")
    assert is_under("/a", "/a")
    assert is_under("/a", "/")
    assert not is_under("/ab", "/a")


paths = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(lambda parts: "/" + "/".join(parts))
folders = st.lists(paths, max_size=4).map(tuple)


@given(folders, folders, folders, folders)
def test_nothing_that_is_sealed_is_ever_covered_again(hidden, shown, writable, sealed):
    found = mounts(Box("/", hidden, shown, writable, sealed))
    last = max((place for place, (kind, _) in enumerate(found) if kind in ("--ro-bind", "--bind")), default=-1)
    assert all(found.index(("--remount-ro", path)) > last for path in sealed)


@given(folders, folders, folders)
def test_no_deeper_folder_is_mounted_before_the_one_that_holds_it(hidden, shown, writable):
    found = [path for _, path in mounts(Box("/", hidden, shown, writable))]
    assert len(found) == len(set(found))
    for place, path in enumerate(found):
        assert not any(is_under(path, later) for later in found[place + 1 :])
