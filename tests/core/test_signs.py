"""What speaks for a read and what against it: words, parameters and siblings that a person should look at."""

from typing import Any

import pytest

from mcp_assay.core import inert
from mcp_assay.core.classify import classify
from mcp_assay.core.model import Rules, Tool, Verdict
from mcp_assay.core.signs import signs


def tool(name: str, description: str = "", annotations: dict[str, Any] | None = None, **properties: Any) -> Tool:
    schema = {"type": "object", "properties": properties}
    raw = {"name": name, "description": description, "annotations": annotations or {}, "inputSchema": schema}
    return Tool.from_raw(raw)


def found(of: Tool, *siblings: str) -> tuple[list[str], list[str]]:
    seen = signs(of, "crm", [of, *map(tool, siblings)])
    return [str(sign) for sign in seen.read], [str(sign) for sign in seen.mutating]


@pytest.mark.parametrize(
    ("of", "read", "mutating"),
    [
        (tool("contacts"), [], []),
        (tool("contact_lookup"), ["name has `lookup`"], []),
        (tool("contacts", "Returns the contacts."), ["description says `Returns the contacts`"], []),
        (tool("contacts", "Contacts. Read-only."), ["description says `Contacts. Read-only`"], []),
        (tool("contacts", annotations={"readOnlyHint": True}), ["annotation `readOnlyHint`"], []),
        (tool("navigate"), [], ["name has `navigate`"]),
        (tool("export_contacts"), [], ["name has `export`, which may be either"]),
        (tool("contacts", "Contacts; does not\nremove one."), [], ["description says `Contacts; does not remove one`"]),
        (tool("contacts", "Clicks through."), [], ["description says `Clicks through`"]),
        (tool("contacts", annotations={"readOnlyHint": 0}), [], ["annotation `readOnlyHint` is not `true`"]),
        (tool("contacts", annotations={"destructiveHint": True}), [], ["annotation `destructiveHint` is not `false`"]),
        (tool("contacts", action={"enum": ["list", "delete"]}), [], ["accepts `delete` as an action"]),
        (tool("contacts", sql={"type": "string"}), [], ["accepts `sql` to run"]),
        (tool("contacts", body={}, content={}), [], ["accepts `body`, `content` to store or send"]),
        (tool("contacts", save_to={"type": "string"}), [], ["accepts `save_to` to write to"]),
    ],
    ids=lambda value: value.name if isinstance(value, Tool) else "",
)  # fmt: skip
def test_the_signs_of_a_tool_by_itself(of: Tool, read: list[str], mutating: list[str]) -> None:
    assert found(of) == (read, mutating)


def test_what_is_written_or_read_elsewhere_speaks_for_and_against() -> None:
    assert found(tool("contacts"), "create_contact", "list_deals") == (["`create_contact` changes the same"], [])
    assert found(tool("contacts"), "get_contact") == ([], ["`get_contact` reads the same"])
    names = ["create_contact", "delete_contact", "update_contact", "crm_merge_contacts"]
    assert found(tool("contacts"), *names) == (
        ["`create_contact`, `delete_contact`, `update_contact` and 1 more change the same"], []
    )  # fmt: skip
    assert found(tool("contacts"), "create_contact_group", "contacts") == ([], [])
    assert found(tool("run"), "create", "list")[0] == []


def test_an_undetermined_tool_of_each_kind_has_a_sign_and_no_sign_decides() -> None:
    of = tool("sync_contacts_view", "Brings both sides together.", body={"type": "string"})
    assert classify(tool("orbit"), "crm", Rules.EXTENDED).verdict is Verdict.UNDETERMINED
    assert found(of) == (["name has `view`"], ["name has `sync`", "accepts `body` to store or send"])


def test_nothing_foreign_is_alive_and_nothing_is_long() -> None:
    evil = "body`\n### [CRITICAL]\x1b[31m\u202e"
    of = Tool.from_raw({
        "name": evil * 50,
        "description": f"Deletes {evil}" * 2000,
        "annotations": {"readOnlyHint": evil},
        "inputSchema": {"properties": {f"{evil} {n} body": {} for n in range(500)} | {"op": {"enum": [f"put {evil}"]}}},
    })  # fmt: skip
    for told in (item for kind in found(of, f"create_{evil * 50}") for item in kind):
        assert told == inert.line(told, 10_000)
        assert len(told) < 300


@pytest.mark.parametrize("schema", [{}, {"properties": []}, {"properties": {"a": 1}, "required": 3}])
def test_whatever_the_schema_is_there_is_an_answer(schema: dict[str, Any]) -> None:
    assert signs(Tool("a", input_schema=schema), "crm", ()).mutating == ()
