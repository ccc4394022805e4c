"""Durable before, completed in place after, repairable at every byte."""

import json
import os

import pytest

from mcp_assay.core.entry import Line, Tail
from mcp_assay.core.model import Effect, Outcome, Verdict
from mcp_assay.errors import StoreError
from mcp_assay.store.transcript import FILE, Transcript, digest, entries, recover


@pytest.fixture
def folder(tmp_path):
    fd = os.open(tmp_path, os.O_RDONLY)
    yield fd
    os.close(fd)


def a_line(number, verdict=Verdict.READ):
    return Line(f"S1-{number:03d}", "S1", "t", "mcp__a__b", is_mcp=True, mcp="a", raw_tool="b", verdict=verdict)


DONE = Tail(Outcome.OK, Effect.NONE, "array[2] of {id,title}", 3, "0" * 16, {"bytes": 12})


def written(folder, tmp_path, verdict=Verdict.READ):
    """Two finished lines and one pending: the bytes of the file."""
    transcript = Transcript(folder)
    for number in (1, 2):
        transcript.finish(transcript.begin(a_line(number)), DONE)
    transcript.begin(a_line(3, verdict))
    transcript.close()
    return (tmp_path / FILE).read_bytes()


def test_a_line_is_on_the_disk_as_pending_before_begin_returns(folder, tmp_path):
    Transcript(folder).begin(a_line(1))
    entry = json.loads((tmp_path / FILE).read_bytes())
    assert (entry["result_shape"], entry["assay"]["outcome"]) == (None, "pending")


def test_finish_completes_the_same_line_and_moves_no_other(folder, tmp_path):
    transcript = Transcript(folder)
    first, second = transcript.begin(a_line(1)), transcript.begin(a_line(2))
    size = (tmp_path / FILE).stat().st_size
    transcript.finish(second, DONE)
    transcript.finish(first, DONE)
    assert (tmp_path / FILE).stat().st_size == size
    assert [entry["result_shape"] for entry in entries(folder)] == ["array[2] of {id,title}"] * 2


def test_a_reopened_transcript_is_appended_to(folder, tmp_path):
    written(folder, tmp_path)
    Transcript(folder).begin(a_line(4))
    assert [entry["id"] for entry in entries(folder)] == ["S1-001", "S1-002", "S1-003", "S1-004"]


def test_lines_end_at_line_feeds_only(folder):
    transcript = Transcript(folder)
    text = "one\u2028two\u2029three\u0085four\x0bfive"
    place = transcript.begin(Line("S1-001", "S1", "t", "Bash", is_mcp=False, justification=text))
    transcript.finish(place, DONE)
    assert [entry["justification"] for entry in entries(folder)] == [text]


def test_lone_surrogates_and_non_ascii_are_written_as_json_escapes(folder, tmp_path):
    Transcript(folder).begin(Line("S1-001", "S1", "t", "Bash", is_mcp=False, justification="\udc00 café"))
    (tmp_path / FILE).read_bytes().decode("ascii")
    assert next(entries(folder))["justification"] == "\udc00 café"


def test_every_torn_end_of_the_file_is_repaired_to_whole_lines(folder, tmp_path):
    data = written(folder, tmp_path)
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10]
    for cut in range(len(data) + 1):
        (tmp_path / FILE).write_bytes(data[:cut])
        recover(folder)
        ids = [entry["id"] for entry in entries(folder)]
        assert ids == [f"S1-{n + 1:03d}" for n in range(sum(end <= cut for end in ends))]


def test_every_torn_rewrite_of_a_tail_is_closed_as_unknown_or_stands(folder, tmp_path):
    data = written(folder, tmp_path, Verdict.MUTATING)
    transcript = Transcript(folder)
    old = data.split(b"\n")[2]
    start = old.index(b', "outcome": "')
    new = (old[:start] + b', "outcome": "ok", "effect": "done", "x": 1}, "result_shape": "text[3]"}').ljust(len(old))
    transcript.close()
    for cut in range(start, len(old) + 1):
        (tmp_path / FILE).write_bytes(data[: -len(old) - 1] + new[:cut] + old[cut:] + b"\n")
        recover(folder)
        last = list(entries(folder))[2]
        assert last["id"] == "S1-003"
        assert last["assay"]["outcome"] in {"unknown", "ok"}
        if last["assay"]["outcome"] == "unknown":
            assert (last["assay"]["effect"], last["result_shape"]) == ("unknown", None)


def test_recover_marks_a_pending_read_unknown_without_effect(folder, tmp_path):
    written(folder, tmp_path)
    assert recover(folder) == 1
    last = list(entries(folder))[2]
    assert (last["assay"]["outcome"], last["assay"]["effect"], last["result_shape"]) == ("unknown", "none", None)
    assert recover(folder) == 0


def test_damage_that_no_kill_explains_is_an_error_that_names_the_line_and_changes_nothing(folder, tmp_path):
    data = written(folder, tmp_path)
    edited = b"not json\n" + data
    (tmp_path / FILE).write_bytes(edited)
    with pytest.raises(StoreError, match=r"transcript\.jsonl:1: "):
        recover(folder)
    with pytest.raises(StoreError, match=r"transcript\.jsonl:1: "):
        list(entries(folder))
    assert (tmp_path / FILE).read_bytes() == edited


def test_a_link_in_the_transcripts_place_is_not_followed(folder, tmp_path):
    (tmp_path / "victim").write_text("keep me")
    (tmp_path / FILE).symlink_to(tmp_path / "victim")
    for touch in (Transcript, recover, digest, lambda fd: list(entries(fd))):
        with pytest.raises(StoreError):
            touch(folder)
    assert (tmp_path / "victim").read_text() == "keep me"


def test_a_pipe_in_the_transcripts_place_is_not_waited_for(folder, tmp_path):
    os.mkfifo(tmp_path / FILE)
    for touch in (Transcript, recover, digest, lambda fd: list(entries(fd))):
        with pytest.raises(StoreError):
            touch(folder)


def test_a_full_disk_refuses_and_leaves_the_file_as_it_was(folder, tmp_path, monkeypatch):
    data = written(folder, tmp_path)
    transcript = Transcript(folder)

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdatasync", full)
    with pytest.raises(StoreError, match="No space left"):
        transcript.begin(a_line(4))
    assert (tmp_path / FILE).read_bytes() == data


def test_the_digest_is_that_of_the_bytes(folder, tmp_path):
    assert digest(folder) is None
    written(folder, tmp_path)
    before = digest(folder)
    assert before.startswith("sha256:")
    with (tmp_path / FILE).open("ab") as file:
        file.write(b" ")
    assert digest(folder) != before
