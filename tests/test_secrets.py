"""Nothing that may be a secret is ever written down or printed.

A distinct word is planted in every place where a secret could be: what the user's plan, configuration and environment
hold, and whatever a server says. Then one evaluation runs, every command looks at it, and none of the words may stand
in any file that we wrote, in any output, or in our own command line.

What may be shown: names (of servers, tools, declared properties, variables, headers), and the words that the user wrote
for people: a scenario's description, a justification, notes.
"""

import json
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from stage import Ran, Stage, contents, scenario, step, text_of

# Where each word is planted; each is one that stands nowhere else.
USERS = (
    "argument", "nested", "nestedkey", "listed", "savedvalue", "expected", "bash", "bashoutput", "environ",
    "allowedenviron", "entryenv", "entryarg", "entryflag", "commandtext", "cwdvariable", "header", "helper",
    "userinfo", "urlquery", "urlfragment", "urlpath",
)  # fmt: skip
MANIFESTS = (
    "tooldescription", "tooltitle", "schematitle", "schemadescription", "schemaenum", "schemadefault", "schemaconst",
    "schemaexample", "schemapattern", "outputdescription", "outputenum", "toolmeta",
)  # fmt: skip
SERVERS = (
    "resultvalue", "resultkey", "resulttext", "resultcursor", "resultmeta", "listcursor", "errortext", "errorclass",
    "rpcmessage", "rpcdata", "hiddenerror", "stderr", "dyingstderr", "contenttype", "mimetype", "uri", "resourcename",
    "resourcetext", "progress", "logmessage", "notification", "sampling", "instructions", "serverinfo", "capability",
    "banner", "refusal", "refusaldata", "mismatch",
)  # fmt: skip
WORD = {name: f"zq{name}{number}qz" for number, name in enumerate((*USERS, *MANIFESTS, *SERVERS), 100)}
# The tools' own descriptions of themselves are pinned, whole, so that a change of them can be told. They are what a
# server tells every client that connects, so they are no secret; and this one file of ours is where they stay.
PINNED = Path(".assay/manifests.json")

QUERY = {
    "type": "object",
    "title": WORD["schematitle"],
    "required": ["query"],
    "properties": {
        "query": {"type": "string", "description": WORD["schemadescription"], "examples": [WORD["schemaexample"]]},
        "state": {"type": "string", "enum": ["open", WORD["schemaenum"]], "default": WORD["schemadefault"]},
        "kind": {"const": WORD["schemaconst"]},
        "path": {"type": "string", "pattern": WORD["schemapattern"]},
        "filter": {"type": "object"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "limit": {"type": "integer", "default": 2},
        "cursor": {"type": "string"},
    },
}
OUTPUT = {
    "type": "object",
    "description": WORD["outputdescription"],
    "properties": {"items": {"type": "array"}, "state": {"enum": [WORD["outputenum"]]}, "count": {"type": "integer"}},
}


def tool(name: str, **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "title": WORD["tooltitle"],
        "description": f"Shows {WORD['tooldescription']}.",
        "inputSchema": QUERY,
        "_meta": {"note": WORD["toolmeta"]},
        **more,
    }


def error(code: int) -> dict[str, Any]:
    return {"error": {"code": code, "message": f"No {WORD['rpcmessage']}!", "data": {"why": WORD["rpcdata"]}}}


TOOLS = [
    tool("list_notes"),
    tool("get_note", outputSchema=OUTPUT),
    tool("search_notes"),
    tool("read_note"),
    tool("fetch_note"),
]
REPLIES: dict[str, Any] = {
    "list_notes": {
        "notify": [
            {"method": "notifications/progress", "params": {"progressToken": 1, "message": WORD["progress"]}},
            {"method": "notifications/message", "params": {"level": "error", "data": WORD["logmessage"]}},
            {"method": f"notifications/{WORD['notification']}", "params": {}},
            {"id": "s", "method": "sampling/createMessage", "params": {"systemPrompt": WORD["sampling"]}},
        ],
        "result": text_of(
            json.dumps({"items": [{"id": WORD["savedvalue"], WORD["resultkey"]: WORD["resultvalue"]}], "total": 9}),
            nextCursor=WORD["resultcursor"],
            _meta={"token": WORD["resultmeta"]},
        ),
    },
    "get_note": {
        "result": {
            "content": [
                {"type": "text", "text": WORD["resulttext"]},
                {"type": WORD["contenttype"], "data": "x"},
                {"type": "image", "mimeType": WORD["mimetype"], "data": "eA=="},
                {"type": "resource_link", "uri": f"note://{WORD['uri']}", "name": WORD["resourcename"]},
                {"type": "resource", "resource": {"uri": "note://a", "text": WORD["resourcetext"]}},
            ],
            "structuredContent": {"items": 1, "state": WORD["mismatch"], WORD["resultkey"]: [WORD["resultvalue"]]},
        }
    },
    "search_notes": [
        {"result": text_of(f"{WORD['errorclass']}Error: {WORD['errortext']}", isError=True)},
        error(-32050),
        error(-32602),
    ],
    "read_note": {"result": text_of(f"Error: {WORD['hiddenerror']}Exception: could not read")},
    "fetch_note": {"trick": "die"},
}


@dataclass(frozen=True)
class Played:
    """All that one evaluation left behind: outputs by command, our files, and the command lines seen while it ran."""

    stage: Stage
    outputs: dict[str, Ran]
    files: dict[str, bytes]
    own_argv: str
    server_argv: str


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    stage = Stage(tmp_path_factory.mktemp("secrets"))
    stage.environ |= {
        "SOME_TOKEN": WORD["environ"],
        "NOTES_TOKEN": WORD["allowedenviron"],
        "PLACE": WORD["cwdvariable"],
    }
    stage.config(configuration(stage))
    found = stage.run("discover", "--json")
    outputs = {"discover --json": found, "discover": stage.run("discover")}
    plan = the_plan(stage, {server["name"]: server["digest"] for server in found.json["attached"]})
    words = ("eval", "--plan", str(plan))
    outputs["eval"] = stage.run(*words, "--name", "one")
    own_argv, server_argv = ((stage.root / name).read_text() for name in ("own.argv", "server.argv"))
    outputs["eval --json"] = stage.run(*words, "--name", "two", "--json")
    outputs["eval again"] = stage.run(*words, "--name", "one")
    given = stage.write("critic.md", stage.read("critic-output.md"))
    commands = [
        "status one",
        "list",
        "verify one",
        "report one",
        "report one --stdout",
        "critique one",
        f"critique one --from {given}",
    ]
    for command in commands:
        outputs[command] = stage.run(*command.split())
        outputs[f"{command} --json"] = stage.run(*command.split(), "--json")
    return Played(stage, outputs, contents(stage.project / "mcp-evals", stage.kept), own_argv, server_argv)


def configuration(stage: Stage) -> dict[str, Any]:
    command, *args = stage.server(
        tools=TOOLS,
        replies=REPLIES,
        stderr=f"key: {WORD['stderr']}\n",
        banner=f"starting {WORD['banner']}\n",
        cursor=WORD["listcursor"],
        initialize={
            "instructions": f"Use {WORD['instructions']}.",
            "serverInfo": {"name": WORD["serverinfo"], "version": WORD["serverinfo"]},
            "capabilities": {"tools": {"listChanged": True}, WORD["capability"]: {}},
        },
    )
    dying, *dying_args = stage.server("dying", stderr=f"no access: {WORD['dyingstderr']}\n", exit=3)
    refusing, *refusing_args = stage.server(
        "refusing", refuse={"code": -32000, "message": WORD["refusal"], "data": {"token": WORD["refusaldata"]}}
    )
    return {
        "notes": {
            "command": command,
            "args": [*args, "--token", WORD["entryarg"], f"--api-key={WORD['entryflag']}"],
            "env": {"NOTES_SECRET": WORD["entryenv"]},
        },
        "dying": {"command": dying, "args": dying_args},
        "refusing": {"command": refusing, "args": refusing_args},
        # A whole command line where only the program belongs, which no system can start.
        "wrong": {"command": f"no-such-server --token {WORD['commandtext']}"},
        "lost": {"command": command, "args": args, "cwd": "${PLACE}/none"},
        "far": {
            "type": "http",
            "url": f"https://me:{WORD['userinfo']}@example.com/mcp/key={WORD['urlpath']}?k={WORD['urlquery']}#{WORD['urlfragment']}",
            "headers": {"Authorization": f"Bearer {WORD['header']}"},
            "headersHelper": f"get-headers --password {WORD['helper']}",
        },
    }


def the_plan(stage: Stage, pins: dict[str, str]) -> Path:
    """Calls of every kind; the non-MCP step looks at the command lines of the evaluation and of the server."""
    look = (
        f"tr '\\0' ' ' </proc/$PPID/cmdline >{shlex.quote(str(stage.root / 'own.argv'))};"
        f" pid=$(head -1 {shlex.quote(str(stage.mark()))});"
        f" tr '\\0' ' ' </proc/$pid/cmdline >{shlex.quote(str(stage.root / 'server.argv'))};"
        f" : {WORD['bash']}; echo {WORD['bashoutput']} '${{note}}'"
    )
    args = {
        "query": WORD["argument"],
        "filter": {WORD["nestedkey"]: WORD["nested"]},
        "tags": [WORD["listed"]],
        "limit": 2,
    }
    first = step("mcp__notes__list_notes", args=args, save={"note": "$.items[0].id"})
    bash = step("Bash", args={"command": look}, justification="no attached MCP covers this step")
    wish = {"equals": {"$.state": WORD["expected"]}, "schema": {"const": WORD["expected"]}}
    searches = [step("mcp__notes__search_notes", args=args, expect={"is_error": True})] * 3
    return stage.plan(
        scenario(
            "Look at the notes and read one.",
            first,
            first,
            bash,
            step("mcp__notes__get_note", args={"query": "${note}", "cursor": "${note}"}),
            *searches,
            step("mcp__notes__read_note", args={"query": "x${note}"}),
        ),
        scenario(
            "Expect something else.",
            step("mcp__notes__get_note", args=args, expect=wish),
        ),
        scenario("Lose the server.", step("mcp__notes__fetch_note", args=args)),
        scenario("Ask the others.", step("mcp__dying__list_notes", args=args)),
        dispositions={name: {"disposition": "read_only", "env": ["NOTES_TOKEN"]} for name in pins},
        connect=pins,
        allow=["Bash"],
    )  # fmt: skip


def test_the_stage_was_really_played(played: Played) -> None:
    assert {command: ran.code for command, ran in played.outputs.items() if ran.code != 1} == {
        "discover": 0, "discover --json": 0, "eval again": 2, "status one": 0, "status one --json": 0, "list": 0,
        "list --json": 0, "verify one": 0, "verify one --json": 0,
    }  # fmt: skip
    tools = [line["tool"].removeprefix("mcp__notes__") for line in played.stage.lines()]
    assert tools == [
        "list_notes", "list_notes", "Bash", "get_note", "search_notes", "search_notes", "search_notes", "read_note",
        "get_note", "fetch_note", "__blocked__",
    ]  # fmt: skip
    assert len(played.stage.state()["critic_findings"]) >= 2
    assert played.stage.state()["execution"][1]["assay"]["failed"]
    # The configuration's own arguments do reach the server that it configures, and so its command line. That is what
    # they are for, and not ours to hide.
    assert WORD["entryarg"] in played.server_argv
    assert "mcp_assay eval" in played.own_argv


@pytest.mark.parametrize("name", WORD)
def test_no_planted_word_is_written_or_printed(played: Played, name: str) -> None:
    word = WORD[name].encode()
    shown = {command: f"{ran.out}{ran.err}".encode() for command, ran in played.outputs.items()}
    shown["our own command line"] = played.own_argv.encode()
    files = {
        path: data for path, data in played.files.items() if not (name in MANIFESTS and path.endswith(str(PINNED)))
    }
    assert [place for place, data in {**shown, **files}.items() if word in data.lower()] == []


@pytest.mark.parametrize("name", MANIFESTS)
def test_the_pinned_manifests_hold_what_servers_say_of_themselves(played: Played, name: str) -> None:
    assert WORD[name].encode() in played.files[str(played.stage.folder() / PINNED)]


def test_the_words_of_the_user_for_people_are_shown(played: Played) -> None:
    assert "Look at the notes and read one." in played.outputs["eval"].err
    assert "no attached MCP covers this step" in played.stage.read("transcript.jsonl")


def test_every_json_output_is_one_object(played: Played) -> None:
    assert all(ran.json for command, ran in played.outputs.items() if "--json" in command)
