"""``policy`` as a user meets it: what is printed, where, and how it ends."""

import json
import os
import socket
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from mcp_assay.cli.main import main
from mcp_assay.policy import evals
from policy_frames import SEAT, call
from policy_process import ENVIRON, FULL, stdio

ROOT = Path(__file__).parents[2]


@pytest.fixture
def policy(monkeypatch, capsys, tmp_path):
    """Run a sub-command in an empty folder; (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["mcp-assay", "policy", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsys.readouterr()
        return ended.value.code or 0, out, err

    return run


def test_call_prints_the_result_and_ends_with_what_it_says(policy):
    code, out, err = policy("call", "route_agent_seat", json.dumps(SEAT))
    assert (code, json.loads(out)["ok"], err) == (0, True, "")
    spent = {**SEAT, "budget": {**SEAT["budget"], "usedCU": 10}}
    code, out, err = policy("call", "route_agent_seat", json.dumps(spent))
    assert (code, json.loads(out)["ok"], err) == (1, False, "")
    assert json.loads(out)["reasons"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("no_such_tool", "{}"), "route_agent_seat"),
        (("route_agent_seat",), "role"),
        (("route_agent_seat", "{}"), "budget"),
        (("route_agent_seat", "[]"), "object"),
        (("route_agent_seat", "{"), "not JSON"),
        (("route_agent_seat", '{"role": NaN}'), "NaN"),
        (("route_agent_seat", "\udcff"), "not JSON"),
        (("route_agent_seat", "[" * 100_000), "deeply"),
        ((), "Missing argument"),
    ],
)
def test_a_call_that_cannot_be_made_ends_with_2_and_says_why(policy, words, said):
    code, out, err = policy("call", *words)
    assert (code, out) == (2, "")
    assert said in err


def test_eval_prints_the_table_and_writes_the_scorecard_that_the_server_then_has(policy, tmp_path):
    code, out, _ = policy("eval")
    assert code == 0
    written = (tmp_path / "evals" / "results" / "scorecard.md").read_text()
    assert written == out
    assert all(category in out for category in evals.CATEGORIES)
    assert json.loads((tmp_path / "evals" / "results" / "scorecard.json").read_text())["misses"] == []
    read = json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "resources/read", "params": {"uri": "agent-eval://scorecard/latest"}}
    )
    with stdio(cwd=tmp_path) as server:
        assert server.ask(read.encode())["result"]["contents"][0]["text"] == written


def test_eval_as_json_and_elsewhere(policy, tmp_path):
    code, out, _ = policy("eval", "--json", "--out", "cards")
    assert code == 0
    assert json.loads(out) == json.loads((tmp_path / "cards" / "scorecard.json").read_text())


def test_eval_ends_with_1_on_any_miss_and_says_which(policy, monkeypatch):
    suite = evals.load()
    wrong = suite.cases[0]
    turned = evals.Case(
        wrong.id,
        wrong.category,
        wrong.tool,
        wrong.arguments,
        {"accept": "reject", "reject": "accept"}[wrong.expect],
        wrong.pins,
        wrong.why,
        {},
        wrong.baseline,
    )
    monkeypatch.setattr(evals, "load", lambda: evals.Fixtures(suite.version, (turned, *suite.cases[1:])))
    code, out, _ = policy("eval")
    assert code == 1
    assert wrong.id in out


def test_eval_that_cannot_write_says_so(policy, tmp_path):
    (tmp_path / "evals").write_text("a file")
    code, _, err = policy("eval")
    assert code == 2
    assert "--out" in err


def repository(folder, text):
    def git(*words):
        subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True)

    git("init", "-q")
    (folder / "notes.txt").write_text(text)
    git("add", ".")
    who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.com"]
    git(*who, "commit", "-q", "-m", "notes")


def test_sanitize_finds_nothing_or_names_each_hit_and_its_place(policy, tmp_path, monkeypatch):
    repository(tmp_path, "nothing to see\n")
    assert policy("sanitize") == (0, "", "0 hits\n")
    (tmp_path / "terms").write_text("to see\n")
    monkeypatch.setenv("SANITIZE_PRIVATE_TERMS", str(tmp_path / "terms"))
    code, out, err = policy("sanitize", "--repo", str(tmp_path))
    assert (code, err) == (1, "1 hit\n")
    assert out.startswith("notes.txt:1: private-term: ")


def test_sanitize_of_what_is_no_repository_or_with_terms_that_are_not_there(policy, tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert policy("sanitize")[0] == 2
    repository(tmp_path, "x")
    monkeypatch.setenv("SANITIZE_PRIVATE_TERMS", "no-such-file")
    assert policy("sanitize")[0] == 2


def test_the_printed_configuration_starts_a_server_that_answers_from_any_folder(policy, tmp_path):
    code, out, err = policy("config", "--client", "cursor", "--results", "cards")
    assert code == 0
    assert ".cursor/mcp.json" in err
    entry = json.loads(out)["mcpServers"]["agent-eval-policy"]
    assert entry["args"][-1] == str(tmp_path / "cards")
    # A folder whose modules would be ours, if the current folder came first.
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "mcp_assay").mkdir(parents=True)
    (elsewhere / "json.py").write_text("raise SystemExit(9)")
    with stdio([entry["command"], *entry["args"]], cwd=elsewhere) as server:
        assert server.ask(call())["result"]["structuredContent"]["ok"] is True


def test_a_configuration_for_no_client_names_them_line_by_line(policy):
    code, out, err = policy("config")
    assert (code, out) == (2, "")
    assert "\n  claude-code,\n  claude-desktop,\n" in err


def test_the_module_refuses_words_that_it_does_not_know():
    done = subprocess.run(
        [sys.executable, "-P", "-m", "mcp_assay.policy", "--http"],
        env=ENVIRON,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage:")


def test_serving_http_on_a_port_that_is_taken_or_none_is_an_error(policy, monkeypatch):
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        code, _, err = policy("serve", "--http", "--port", str(taken.getsockname()[1]))
    assert code == 2
    assert "--port" in err
    monkeypatch.setenv("PORT", "tcp://10.0.0.1")
    code, _, err = policy("serve", "--http")
    assert code == 2
    assert "PORT" in err
    assert policy("serve", "--http", "--port", "0")[0] == 2


def test_a_port_in_the_environment_is_nothing_to_stdio():
    done = subprocess.run(
        FULL, input=call() + b"\n", env={**ENVIRON, "PORT": "nonsense"}, capture_output=True, check=True
    )
    assert json.loads(done.stdout)["result"]["isError"] is False


def test_serving_stdio_imports_neither_the_sdk_nor_what_http_needs():
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *FULL[1:]],
        input=b"",
        env=ENVIRON,
        capture_output=True,
        text=False,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.decode().splitlines()}
    assert "mcp_assay.policy.eras" in imported  # by the protocol, which is loaded by name and so not logged
    assert not imported & {"mcp", "uvicorn", "asyncio", "markdown_it", "ada_url", "rich", "ruamel.yaml"}


def test_the_documented_snippets_are_those_that_are_printed(policy):
    guide = (ROOT / "docs" / "guides" / "policy-clients.md").read_text()
    for client in ("claude-code", "claude-desktop", "cursor", "vscode", "codex"):
        _, out, _ = policy("config", "--client", client)
        results = str(Path(os.getcwd()) / "evals" / "results")  # noqa: PTH109 - as absolute() sees it
        generic = out.strip().replace(sys.executable, "/path/to/python").replace(results, "/path/to/evals/results")
        assert f"--client {client}" in guide
        assert generic in guide
