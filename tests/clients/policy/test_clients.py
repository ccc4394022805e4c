"""Clients made by others, over stdio and HTTP, in each version that they speak: they are told what the tools say."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from mcp_assay.policy import resources, tools
from npm_stage import NPM, left_behind
from policy_process import ENVIRON, FULL, ROOT, web

pytestmark = pytest.mark.clients

HERE = Path(__file__).parent
FASTMCP = ROOT / "build" / "fastmcp" / "bin" / "python"
NODE_22 = NPM / "node_modules" / ".bin" / "node"
INSPECTOR = NPM / "node_modules" / ".bin" / "mcp-inspector"
PACKAGES = NPM / "node_modules" / "@modelcontextprotocol"
PATIENCE = 60.0

Told = dict[str, Any]
Talk = dict[str, Any]

# Of each tool: what it accepts, what it refuses, and what it cannot judge.
BUDGET = {"usedCU": 0.2, "capacityCU": 10, "reservePct": 12.5}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("route_agent_seat", {"role": "grunt", "budget": BUDGET}),
    ("route_agent_seat", {"role": "auditor", "mode": "workspace-write", "budget": BUDGET}),
    ("route_agent_seat", {"role": "poet", "budget": {}}),
    (
        "evaluate_agent_response",
        {
            "response": 'ANCHOR: naïve 🦤\n```json\n{"n": 1}\n```',
            "contract": {"anchor": "naïve 🦤", "schema": {"type": "object"}},
        },
    ),
    ("evaluate_agent_response", {"response": "“No”\u2028", "contract": {"anchor": "x", "forbiddenClaims": ["“no”"]}}),
    ("evaluate_agent_response", {"response": "x", "contract": {"anchor": "x", "schema": {"$ref": "#"}}}),
    ("dedup_and_lint_dossier", {"urls": ["https://bücher.example/?utm_source=x"]}),
    ("dedup_and_lint_dossier", {"urls": ["HTTP://a.example/", "http://a.example"], "markdown": "# Título\n\nTODO\n"}),
    ("dedup_and_lint_dossier", {}),
]
SCORECARD = "# Scorecard\n\n| 🦤 | é | \u2028 |\n"
EXPECTED_READS = [
    {"uri": resource.uri, "mimeType": found[0], "text": found[1]}
    for resource in resources.RESOURCES
    if (found := resources.read(resource.uri, lambda: SCORECARD))
]


def python(executable: str | Path, script: str) -> Callable[[Talk, Path], Told]:
    return lambda talk, _: run([executable, "-P", HERE / script], talk)


def node(generation: str) -> Callable[[Talk, Path], Told]:
    return lambda talk, _: run(["node", HERE / "typescript_sdk.mjs", NPM, generation], talk)


def run(command: list[str | Path], talk: Talk) -> Told:
    said = json.dumps(talk)
    done = subprocess.run(command, input=said, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    told: Told = json.loads(done.stdout)
    return told


def inspector(talk: Talk, place: Path) -> Told:
    """One process for each request: so it works. It tells neither the version agreed on nor an error's code."""
    era = "modern" if talk["version"] >= "2026" else "legacy"
    if "url" in talk:
        target = [talk["url"], "--transport", "http"]
    else:
        target = [*[word for name, value in talk["env"].items() for word in ("-e", f"{name}={value}")], "--"]
        target = [*target, *talk["command"]]

    def ask(method: str, *options: str, codes: tuple[int, ...] = (0,)) -> Any:
        asked = ["--protocol-era", era, "--format", "json", "--quiet", "--method", method, *options]
        done = subprocess.run(
            [NODE_22, INSPECTOR, "--cli", *asked, *target],
            env={**ENVIRON, "HOME": str(place), "PATH": f"{NODE_22.parent}:{ENVIRON['PATH']}"},
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode in codes, done.stderr
        return json.loads(done.stdout)["result"]

    def call(name: str, arguments: dict[str, Any]) -> Any:
        # It ends with 5 for a result that is an error.
        result = ask("tools/call", "--tool-name", name, "--tool-args-json", json.dumps(arguments), codes=(0, 5))
        return {"isError": False, **result}

    return {
        # Strict: it ends with 6 for a schema that some model's provider would not take.
        "tools": ask("tools/list", "--strict")["tools"],
        "resources": ask("resources/list")["resources"],
        "calls": [call(name, arguments) for name, arguments in talk["calls"]],
        "reads": [ask("resources/read", "--uri", uri) for uri in talk["uris"]],
    }


class Client(NamedTuple):
    converse: Callable[[Talk, Path], Told]
    versions: tuple[str, ...]
    needs: tuple[Path, ...] = ()


CLIENTS = {
    "Python SDK": Client(python(sys.executable, "python_sdk.py"), ("2025-11-25", "2026-07-28")),
    "fastmcp": Client(python(FASTMCP, "fastmcp_client.py"), ("2025-11-25", "2026-07-28"), (FASTMCP,)),
    "TypeScript SDK v1": Client(node("v1"), ("2025-11-25",), (PACKAGES / "sdk",)),
    "TypeScript SDK v2": Client(node("v2"), ("2025-06-18", "2025-11-25", "2026-07-28"), (PACKAGES / "client",)),
    "Inspector": Client(inspector, ("2025-11-25", "2026-07-28"), (NODE_22, INSPECTOR)),
}
TALKS = [(name, version) for name, client in CLIENTS.items() for version in client.versions]


@pytest.fixture
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Talk]:
    results = tmp_path / "evals" / "results"
    results.mkdir(parents=True)
    (results / "scorecard.md").write_text(SCORECARD, encoding="utf-8")
    if request.param == "http":
        with web(tmp_path) as (port, _):
            yield {"url": f"http://127.0.0.1:{port}/mcp"}
    else:
        env = {"PYTHONPATH": ENVIRON["PYTHONPATH"]}
        yield {"command": [*FULL, "--results", str(results)], "env": env}
        assert not left_behind(str(tmp_path))


@pytest.mark.parametrize("server", ["stdio", "http"], indirect=True)
@pytest.mark.parametrize(("name", "version"), TALKS)
def test_a_client_is_told_what_the_tools_and_resources_say(
    server: Talk, name: str, version: str, tmp_path: Path
) -> None:
    client = CLIENTS[name]
    if not all(path.exists() for path in client.needs):
        pytest.fail(f"{name} is not installed; run: make test-clients", pytrace=False)
    uris = [resource.uri for resource in resources.RESOURCES]
    talk = {"version": version, "patience": PATIENCE, "calls": CALLS, "uris": uris, "missing": "agent-eval://nothing"}
    told = client.converse(talk | server, tmp_path)

    assert told["tools"] == json.loads(EXPECTED_READS[0]["text"])["tools"]
    assert [resource["uri"] for resource in told["resources"]] == uris
    assert [read["contents"] for read in told["reads"]] == [[read] for read in EXPECTED_READS]
    assert [heard(result) for result in told["calls"]] == [said(*call) for call in CALLS]
    if name == "Inspector":
        return
    # The first TypeScript SDK keeps the version to itself over stdio; the second has one code for both eras.
    assert told["version"] == (None if name == "TypeScript SDK v1" and "command" in server else version)
    assert told["missing"] == (-32602 if version >= "2026" or name == "TypeScript SDK v2" else -32002)


def heard(result: dict[str, Any]) -> tuple[bool, Any, Any]:
    """(is it an error, the structure, the text) of a tool's result. A text that repeats a structure is parsed."""
    (block,) = result["content"]
    assert block["type"] == "text"
    structure = result.get("structuredContent")
    return result["isError"], structure, block["text"] if structure is None else json.loads(block["text"])


def said(name: str, arguments: dict[str, Any]) -> tuple[bool, Any, Any]:
    try:
        result = tools.call_tool(name, arguments)
    except tools.InvalidArguments as bad:
        return True, None, "\n".join(("Invalid arguments:", *bad.problems))
    return False, result, result
