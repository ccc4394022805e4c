import pytest

from mcp_assay.policy import scorecard


def test_the_latest_scorecard_is_read_anew_each_time_and_is_none_before_there_is_one(tmp_path):
    read = scorecard.reader(tmp_path / "results")
    assert read() is None
    (tmp_path / "results").mkdir()
    assert read() is None
    for text in ("first", "zweitens, größer"):
        (tmp_path / "results" / "scorecard.md").write_text(text, encoding="utf-8")
        assert read() == text


def test_a_scorecard_that_cannot_be_read_is_not_taken_for_none(tmp_path):
    (tmp_path / "scorecard.md").mkdir()
    with pytest.raises(OSError):
        scorecard.reader(tmp_path)()
