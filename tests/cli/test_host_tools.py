"""The server of the agent's own tools, in a session whose evaluation comes later, or never."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from host_client import short
from host_session import ID
from mcp_assay.host.sessions import News, Session, Step
from stage import Stage

__all__ = ["short"]


def ask(stage: Stage, *requests: dict[str, Any], **environ: str) -> "subprocess.CompletedProcess[str]":
    given = "".join(
        json.dumps({"jsonrpc": "2.0", "id": number, **request}) + "\n" for number, request in enumerate(requests)
    )
    return subprocess.run(
        [sys.executable, "-m", "mcp_assay", "host", "tools"],
        input=given,
        env={**stage.environ, **environ},
        cwd=stage.project,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )


NEXT = {"method": "tools/call", "params": {"name": "next_scenario"}}
START = {"method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}}


def said(done: "subprocess.CompletedProcess[str]") -> str:
    result = json.loads(done.stdout.splitlines()[-1])["result"]
    assert result["isError"] is True
    text = result["content"][0]["text"]
    assert isinstance(text, str)
    return text


def test_before_there_is_an_evaluation_its_tools_say_what_to_do(short: Path) -> None:
    done = ask(Stage(short), START, NEXT, CLAUDE_CODE_SESSION_ID=ID)
    assert done.returncode == 0
    assert "/mcp-eval" in said(done)


def test_before_its_scenarios_run_they_say_where_to_look(short: Path) -> None:
    stage = Stage(short)
    Session(ID, stage.kept / "mcp-assay" / "run").tell(News("one", str(stage.project / "x"), Step.ASKING, "?"))
    assert "mcp-assay host show --wait 60" in said(ask(stage, START, NEXT, CLAUDE_CODE_SESSION_ID=ID))


def test_outside_of_a_session_it_does_not_start(short: Path) -> None:
    done = ask(Stage(short))
    assert done.returncode == 2
    assert "live session of Claude Code" in done.stderr
