"""``status``, ``list`` and ``verify``: looking without touching."""

import os
from pathlib import Path
from typing import Any

import click

from mcp_assay.cli.output import print_json
from mcp_assay.cli.places import base, home, json_option, opened, place_options
from mcp_assay.core import inert
from mcp_assay.core.phrases import counted
from mcp_assay.core.session import State
from mcp_assay.errors import AssayError
from mcp_assay.store import keys, transcript
from mcp_assay.store.evaldir import EvalDir, names

__all__ = ["list_command", "status_command", "verify_command"]

_PATH = 4096


@click.command("status")
@click.argument("name")
@place_options
@json_option
def status_command(name: str, project: Path | None, home: Path | None, out: Path | None, *, as_json: bool) -> None:
    """Show where an evaluation stands."""
    with opened(name, project, home, out) as folder:
        state, signed = _state(folder, home)
    if as_json:
        print_json(_summary(state, signed=signed))
        return
    for label, value in _facts(state, signed=signed):
        click.echo(f"{label + ':':<12} {inert.line(str(value), 300)}")


@click.command("list")
@place_options
@json_option
def list_command(project: Path | None, home: Path | None, out: Path | None, *, as_json: bool) -> None:
    """List the evaluations kept here."""
    rows = [_row(name, project, home, out) for name in names(_base(project, home, out))]
    if as_json:
        print_json({"evaluations": rows})
        return
    for row in rows:
        click.echo(f"{inert.line(row['name'], 80):<24} {row['status']:<14} {inert.line(row['started'], 300)}")
    if not rows:
        click.echo(f"no evaluations under {inert.line(str(_base(project, home, out)), _PATH)}")


@click.command("verify")
@click.argument("name")
@place_options
@json_option
@click.pass_context
def verify_command(
    ctx: click.Context, name: str, project: Path | None, home: Path | None, out: Path | None, *, as_json: bool
) -> None:
    """Check that state and transcript are the ones that were signed. Exit 1 if they are not."""
    with opened(name, project, home, out) as folder:
        state, signed = _state(folder, home)
        sealed, found = state.assay.get("transcript_sha256"), transcript.digest(folder.fd)
    holds = signed and sealed == found  # where nothing was ever called there is neither
    if as_json:
        body = {"name": name, "state_signed": signed, "transcript_sealed": sealed, "transcript_found": found}
        print_json(body | {"ok": holds})
    else:
        click.echo(f"state        {'signed on this machine' if signed else 'NOT signed by this user; do not trust it'}")
        click.echo(f"transcript   {inert.line(_sealed(sealed, found))}")
    ctx.exit(0 if holds else 1)


def _sealed(sealed: object, found: str | None) -> str:
    if sealed is None:
        return "none: nothing was called" if found is None else "not sealed: its session has not ended"
    return f"as sealed, {sealed}" if sealed == found else f"CHANGED since it was sealed as {sealed}"


def _state(folder: EvalDir, user: Path | None) -> tuple[State, bool]:
    key = keys.load(os.environ, home(user), folder.name).state
    return folder.load_state(key)


def _base(project: Path | None, user: Path | None, out: Path | None) -> Path:
    return base(project, home(user), out)


def _row(name: str, project: Path | None, user: Path | None, out: Path | None) -> dict[str, Any]:
    try:
        with opened(name, project, user, out) as folder:
            state, signed = _state(folder, user)
    except AssayError as bad:
        return {"name": name, "status": "unreadable", "started": str(bad), "signed": False}
    return {"name": name, "status": str(state.status), "started": state.started, "signed": signed}


def _summary(state: State, *, signed: bool) -> dict[str, Any]:
    return {
        "name": state.eval_name,
        "status": state.status,
        "signed": signed,
        "started": state.started,
        "session_ended": state.session_ended,
        "attached": [entry.get("name") for entry in state.attached_mcps],
        "scenarios": len(state.scenarios),
        "execution": state.execution,
        "findings": len(state.critic_findings),
        "report": state.report_path,
    }


def _facts(state: State, *, signed: bool) -> list[tuple[str, object]]:
    # Whoever wrote a state that is not signed may have left anything out of it.
    counts = [entry.get("call_count") for entry in state.execution]
    calls = counted(sum(count for count in counts if isinstance(count, int)), "call")
    return [
        ("evaluation", state.eval_name),
        ("status", state.status if signed else f"{state.status} (not signed by this user)"),
        ("started", state.started),
        ("servers", ", ".join(str(entry.get("name")) for entry in state.attached_mcps) or "none"),
        ("scenarios", f"{len(state.execution)} of {len(state.scenarios)} run, {calls}"),
        ("findings", len(state.critic_findings)),
        ("report", state.report_path or "none yet"),
    ]
