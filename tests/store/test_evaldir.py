"""The folder: opened without links, replaced atomically, signed, locked."""

import json
import os

import pytest

from mcp_assay.core.session import State
from mcp_assay.errors import StoreError
from mcp_assay.store.evaldir import EvalDir, names, opened_at, retired

KEY = b"k" * 32


def a_state():
    return State("one", "2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z")


def test_a_new_folder_tells_git_to_leave_it_alone(tmp_path):
    with EvalDir(tmp_path, "one", create=True) as folder:
        assert folder.path == tmp_path / "mcp-evals" / "mcp-eval-one"
        assert folder.shown == "mcp-evals/mcp-eval-one"
    assert (tmp_path / "mcp-evals" / ".gitignore").read_text() == "*\n"


def test_a_state_comes_back_as_it_was_and_signed(tmp_path):
    with EvalDir(tmp_path, "one", create=True) as folder:
        state = a_state()
        state.assay["notes"] = ["\ud800 café \u2028"]
        folder.save_state(KEY, state)
        loaded, signed = folder.load_state(KEY)
    assert signed
    assert loaded == state
    (folder.path / "state.json").read_bytes().decode("utf-8")


@pytest.mark.parametrize("change", [{"status": "scoped"}, {"eval_name": "two"}, {"scenarios": [{}]}, {"assay": {}}])
def test_a_state_that_was_edited_or_signed_elsewhere_is_not_ours(tmp_path, change):
    with EvalDir(tmp_path, "one", create=True) as folder:
        folder.save_state(KEY, a_state())
        path = folder.path / "state.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | change))
        assert folder.load_state(KEY)[1] is False
        folder.save_state(KEY, a_state())
        assert folder.load_state(b"other" * 8)[1] is False


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"status": "scoped"}', "[" * 100_000, '{"status": "no such"}'])
def test_a_state_that_cannot_be_read_is_an_error_and_stays_as_it_is(tmp_path, text):
    with EvalDir(tmp_path, "one", create=True) as folder:
        path = folder.path / "state.json"
        path.write_text(text)
        with pytest.raises(StoreError, match=r"mcp-evals/mcp-eval-one/state\.json"):
            folder.load_state(KEY)
        assert path.read_text() == text


def test_only_one_process_owns_a_folder(tmp_path):
    with EvalDir(tmp_path, "one", create=True) as first, EvalDir(tmp_path, "one") as second:
        first.lock()
        with pytest.raises(StoreError, match="in use"):
            second.lock()
    with EvalDir(tmp_path, "one") as third:
        third.lock()


@pytest.mark.parametrize("link", ["mcp-evals", "mcp-evals/mcp-eval-one"])
def test_a_link_where_a_folder_should_be_is_not_followed(tmp_path, link):
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "mcp-eval-one").mkdir(parents=True)
    base = tmp_path / "base"
    (base / link).parent.mkdir(parents=True, exist_ok=True)
    (base / link).symlink_to(elsewhere)
    with pytest.raises(StoreError, match="links are not followed"):
        EvalDir(base, "one", create=True)
    assert sorted(path.name for path in elsewhere.rglob("*")) == ["mcp-eval-one"]


@pytest.mark.parametrize("name", ["state.json", "report.md", ".state.json.new"])
def test_a_link_in_a_files_place_is_replaced_and_its_target_is_untouched(tmp_path, name):
    victim = tmp_path / "victim"
    victim.write_text("keep me")
    with EvalDir(tmp_path, "one", create=True) as folder:
        (folder.path / name).symlink_to(victim)
        folder.write(name.removeprefix(".").removesuffix(".new"), "ours")
    assert victim.read_text() == "keep me"


def test_a_link_is_never_read(tmp_path):
    (tmp_path / "secret").write_text("{}")
    with EvalDir(tmp_path, "one", create=True) as folder:
        (folder.path / "state.json").symlink_to(tmp_path / "secret")
        with pytest.raises(StoreError, match="links are not followed"):
            folder.load_state(KEY)


def test_a_pipe_in_a_files_place_is_not_waited_for(tmp_path):
    with EvalDir(tmp_path, "one", create=True) as folder:
        os.mkfifo(folder.path / "state.json")
        with pytest.raises(StoreError, match="not valid JSON"):
            folder.load_state(KEY)


def test_manifests_count_only_if_they_are_those_that_the_state_names(tmp_path):
    with EvalDir(tmp_path, "one", create=True) as folder:
        known = folder.save_manifests({"a": [{"name": "x"}]})
        assert folder.load_manifests(known) == {"a": [{"name": "x"}]}
        assert folder.load_manifests("sha256:other") is None
        (folder.path / ".assay" / "manifests.json").write_text('{"a":[]}')
        assert folder.load_manifests(known) is None


def test_a_failed_replacement_leaves_the_old_file(tmp_path, monkeypatch):
    with EvalDir(tmp_path, "one", create=True) as folder:
        folder.write("report.md", "old")

        def full(fd):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="No space left"):
            folder.write("report.md", "new")
        assert folder.read("report.md") == b"old"


def test_earlier_runs_of_a_name_are_found_the_oldest_first_and_no_links(tmp_path):
    for name in ("one", "one~20260102", "one~20260101", "one.more~20260101"):
        EvalDir(tmp_path, name, create=True)
    (tmp_path / "mcp-evals" / "mcp-eval-one~2027").symlink_to(tmp_path)
    assert retired(tmp_path, "one") == ["one~20260101", "one~20260102"]
    assert retired(tmp_path, "two") == []


@pytest.mark.parametrize("given", ["one", "mcp-eval-one", "{}/mcp-evals/mcp-eval-one", "{}/mcp-evals/mcp-eval-one/"])
def test_an_evaluation_is_opened_by_its_name_or_its_folder(tmp_path, given):
    EvalDir(tmp_path, "one", create=True)
    with opened_at(tmp_path, given.format(tmp_path)) as folder:
        assert (folder.name, folder.path) == ("one", tmp_path / "mcp-evals" / "mcp-eval-one")


@pytest.mark.parametrize("given", ["two", "{}", "{}/mcp-evals/mcp-eval-two", "{}/mcp-evals/mcp-eval-link"])
def test_what_is_no_evaluations_folder_is_not_opened(tmp_path, given):
    EvalDir(tmp_path, "one", create=True)
    (tmp_path / "mcp-evals" / "mcp-eval-link").symlink_to("mcp-eval-one")
    with pytest.raises(StoreError):
        opened_at(tmp_path, given.format(tmp_path))


def test_listing_names_folders_and_no_links(tmp_path):
    assert names(tmp_path) == []
    EvalDir(tmp_path, "b", create=True)
    EvalDir(tmp_path, "a", create=True)
    (tmp_path / "mcp-evals" / "mcp-eval-link").symlink_to(tmp_path)
    (tmp_path / "mcp-evals" / "mcp-eval-file").write_text("")
    assert names(tmp_path) == ["a", "b"]


def test_what_a_host_said_is_for_this_user_alone_and_is_added_to(tmp_path):
    with EvalDir(tmp_path, "one", create=True) as folder:
        for part in (b"a\n", b"b\n"):
            with folder.record("S1.jsonl") as record:
                record.write(part)
        with folder.record("S1.jsonl") as record:
            assert record.read() == b"a\nb\n"
        path = folder.path / ".assay" / "host"
        assert (path.stat().st_mode & 0o777, (path / "S1.jsonl").stat().st_mode & 0o777) == (0o700, 0o600)
        (path / "S2.jsonl").symlink_to(tmp_path / "elsewhere")
        with pytest.raises(StoreError, match="links are not followed"):
            folder.record("S2.jsonl")
