"""What the state keeps of the interview comes back as it was, and what changed since is told."""

from typing import Any

import pytest

from mcp_assay.core.model import Disposition, Manifest, Match, Rules, Safety, ServerConfig, Tool, Verdict
from mcp_assay.core.session import State
from mcp_assay.errors import UserError
from mcp_assay.kept import drifted, record, recorded, require_same

NOW = "2026-01-01T00:00:00.000Z"


def tool(name, **properties):
    return Tool.from_raw({"name": name, "inputSchema": {"type": "object", "properties": properties}})


FROBNICATE = tool("frobnicate")
SURFACE = Manifest("a", (tool("list_items"), tool("delete_item", path={"type": "string"}), FROBNICATE))


def test_what_changed_since_the_interview_is_kept_with_the_server_once_and_within_bounds():
    entry: dict[str, Any] = {"assay": {}}
    changed = Manifest("a", (tool("list_items", limit={}), FROBNICATE))
    assert drifted(entry, SURFACE, changed, Rules.EXTENDED)
    assert not drifted(entry, SURFACE, changed, Rules.EXTENDED)
    assert entry["assay"]["drift"] == [
        "vanished: `delete_item`",
        "`list_items` changed: parameter `limit`: added, optional",
    ]
    for number in range(30):
        one_more = Manifest("a", (*SURFACE.tools, tool(f"list_{number}")))
        drifted(entry, SURFACE, one_more, Rules.EXTENDED)
    assert len(entry["assay"]["drift"]) == 12


def test_a_list_in_another_order_is_no_change():
    entry: dict[str, Any] = {"assay": {}}
    assert not drifted(entry, SURFACE, Manifest("a", SURFACE.tools[::-1]), Rules.EXTENDED)
    assert entry == {"assay": {}}


def test_a_disposition_is_recorded_in_the_specifications_words():
    entry = record("a", Safety(Disposition.SANDBOXED, ("repo: x/y",), "fine"))
    assert {name: entry[name] for name in ("mcp_name", "disposition", "test_resources", "notes")} == {
        "mcp_name": "a",
        "disposition": "sandboxed",
        "test_resources": ["repo: x/y"],
        "notes": "fine",
    }


def test_a_disposition_is_read_back_as_it_was_recorded():
    marks, pins = {"frobnicate": Verdict.READ}, {"frobnicate": FROBNICATE.digest}
    safety = Safety(Disposition.SANDBOXED, ("repo: x/y",), "fine", Match.LITERAL, marks, network=True, pins=pins)
    assert recorded(record("a", safety)) == safety


def test_servers_must_be_the_ones_that_were_interviewed():
    server = ServerConfig("a", "command line", command="x")
    state = State("one", NOW, NOW)
    state.attached_mcps = [{"name": "a", "source": "command line", "assay": {"digest": server.digest}}]
    require_same([server], state)
    with pytest.raises(UserError, match="name it again: --server a="):
        require_same([], state)
    with pytest.raises(UserError, match="not those that were interviewed"):
        require_same([ServerConfig("a", "command line", command="y")], state)
