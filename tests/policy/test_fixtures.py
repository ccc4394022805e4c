import json

import pytest

from mcp_assay.policy import fixtures
from mcp_assay.policy.faults import PolicyError


def test_the_fixtures_of_the_checkout_are_found():
    assert json.loads(fixtures.text())["cases"]


def test_those_of_the_installed_package_come_first(tmp_path, monkeypatch):
    packaged = tmp_path / "cases.json"
    packaged.write_text("{}", encoding="utf-8")
    monkeypatch.setattr(fixtures, "_PLACES", (str(packaged), *fixtures._PLACES))
    assert fixtures.text() == "{}"


def test_without_fixtures_the_user_is_told_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(fixtures, "_PLACES", (str(tmp_path / "cases.json"),))
    with pytest.raises(PolicyError, match="install the package again"):
        fixtures.text()
