"""Test resources as values for addressing parameters."""

import pytest

from manifests import tool
from mcp_assay.core.parameters import parameters
from mcp_assay.core.resources import from_resources


@pytest.mark.parametrize(
    ("consumer", "entry", "values"),
    [
        (tool("get_x", "repo"), "repo: acme/play", ["acme/play"]),
        (tool("get_x", "repo", "owner"), "repo: acme/play", ["play"]),
        (tool("get_x", "owner", "repo"), "repo: acme/play", ["acme"]),
        (tool("get_x", "repository"), "repo: acme/play", ["acme/play"]),
        (tool("get_x", "project"), "project: playground", ["playground"]),
        (tool("get_x", "project_id"), "project: playground", ["playground"]),
        (tool("get_x", "bucket_name"), "bucket: b", ["b"]),
        (tool("git_log", "repo_path"), "path: scratch-repo", ["scratch-repo"]),
        (tool("list_directory", "path"), "/srv/play/**", ["/srv/play"]),
        (tool("list_directory", "path"), "path: /srv/play/**", ["/srv/play"]),
        (tool("search_files", "path"), "path: /srv/play/**", ["/srv/play"]),
        (tool("read_file", "path"), "path: /srv/play/**", []),
        (tool("write_file", "path"), "path: /srv/play/**", ["/srv/play/mcp-assay-test.txt"]),
        (tool("read_file", "path"), "path: /srv/play/a.txt", ["/srv/play/a.txt"]),
        (tool("get_x", "project"), "bucket: b", []),
        (tool("get_x", "title"), "title: x", []),
        (tool("get_x", "project"), "playground", []),
        (tool("get_x", "project:integer"), "project: playground", []),
        (tool("get_x", "project"), "project:", []),
    ],
)
def test_an_entry_is_given_to_what_addresses_its_kind(consumer, entry, values):
    assert list(from_resources(parameters(consumer)[0], consumer, "x", [entry])) == values
