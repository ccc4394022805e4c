"""One secret a user, kept where only they can read it."""

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from mcp_assay.errors import StoreError
from mcp_assay.store.keys import load


def test_the_key_is_made_once_and_kept_private(tmp_path):
    first = load({}, tmp_path, "one")
    path = tmp_path / ".local" / "state" / "mcp-assay" / "key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load({}, tmp_path, "one") == first
    assert len(path.read_bytes()) == 32


def test_the_state_folder_can_be_moved(tmp_path):
    load({"XDG_STATE_HOME": str(tmp_path / "s")}, tmp_path / "home", "one")
    assert (tmp_path / "s" / "mcp-assay" / "key").is_file()
    assert not (tmp_path / "home").exists()


def test_evaluations_share_the_signing_key_and_not_the_digest_key(tmp_path):
    one, two = load({}, tmp_path, "one"), load({}, tmp_path, "two")
    assert one.state == two.state
    assert len({one.values, two.values, one.state}) == 3


def test_processes_that_start_at_once_agree(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: load({}, tmp_path, "one"), range(8)))) == 1


def test_a_folder_that_cannot_hold_a_key_is_an_error_that_says_what_to_do(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="XDG_STATE_HOME"):
        load({"XDG_STATE_HOME": str(tmp_path / "file")}, tmp_path, "one")


def test_a_file_that_is_no_key_is_not_used(tmp_path):
    load({}, tmp_path, "one")
    (tmp_path / ".local" / "state" / "mcp-assay" / "key").write_bytes(b"short")
    with pytest.raises(StoreError, match="not a key"):
        load({}, tmp_path, "one")
