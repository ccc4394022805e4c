"""The servers that are attached here, and what they offer: nothing is started without consent."""

import sys
from pathlib import Path

import pytest

from mcp_assay.cli import listing
from mcp_assay.cli.naming_servers import servers
from mcp_assay.errors import UserError
from person import Person
from stage import Stage


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def test_all_that_are_attached_or_those_that_are_named_once_each(stage: Stage) -> None:
    stage.config({"notes": stage.server(), "other": stage.server("other")})
    all_of_them = listing.attached((), stage.project, stage.home)
    assert [server.name for server in all_of_them] == ["notes", "other"]
    named = listing.attached(("other", "other"), stage.project, stage.home)
    assert [server.name for server in named] == ["other"]
    assert stage.started() == []


def test_nothing_attached_is_told(stage: Stage) -> None:
    with pytest.raises(UserError, match="No MCPs attached"):
        listing.attached((), stage.project, stage.home)


def test_servers_of_the_configuration_are_not_started_where_nobody_can_be_asked(stage: Stage) -> None:
    stage.config({"notes": stage.server()})
    found = listing.attached((), stage.project, stage.home)
    with pytest.raises(UserError, match="--trust-config"):
        listing.manifests(found, stage.project, stage.home, trusted=False)
    assert stage.started() == []
    listed = listing.manifests(found, stage.project, stage.home, trusted=True)
    assert "list_notes" in [tool.name for tool in listed["notes"].tools]
    assert len(stage.started()) == 1


def test_naming_a_command_is_consent(stage: Stage) -> None:
    ours = servers((), tuple(stage.server()))
    (manifest,) = listing.manifests(ours, stage.project, stage.home, trusted=False).values()
    assert manifest.tools


@pytest.mark.parametrize(("answer", "starts"), [("yes", 1), ("no", 0)])
def test_a_person_is_asked_before_anything_is_started(stage: Stage, answer: str, starts: int) -> None:
    stage.config({"notes": stage.server()})
    with Person([sys.executable, "-m", "mcp_assay", "classify"], environ=stage.environ, cwd=stage.project) as person:
        person.sees("runs what is shown here", "Start notes?")
        assert stage.started() == []
        person.types(answer)
        assert person.ends() == 0
        assert ("list_notes" in person.shown) is bool(starts)
    assert len(stage.started()) == starts
