"""``host start``, ``show`` and ``stop``: what an agent may run, in a session of Claude Code, about its own evaluation.

None of them answers a question: that only the user's own prompts do.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from mcp_assay.cli.places import home, place_options, root
from mcp_assay.core.limits import call_budget, eval_name, wallclock_minutes
from mcp_assay.errors import UserError
from mcp_assay.host import switches
from mcp_assay.host.sessions import SESSION_ID, Session, Step, ancestors

__all__ = ["LOG", "show_command", "start_command", "start_options", "stop_command"]

Command = TypeVar("Command", bound=Callable[..., object])
LOG = "owner.log"
_MOMENT = 0.1
_FIRST = 30.0  # seconds for the owner to have something to say
_ENDING = 20.0
_SETTLED = 0.4  # seconds in which an evaluation whose last scenario was finished goes on
_OPTIONS = {"name": "--name", "scenarios": "--scenarios", "call_budget": "--call-budget"} | {
    "wallclock_budget": "--wallclock-budget",
    "project": "--project",
    "home": "--home",
    "out": "--out",
}
_WHAT_NEXT = {
    Step.WORKING: "It is at work. Run: mcp-assay host show --wait 60",
    Step.ASKING: "The user is asked this. Only their own next prompt answers it: show it to them, and end your turn.",
    Step.SCENARIOS: (
        "The scenarios are approved. With the tools of the MCP server assay: call next_scenario, attempt what it says, "
        "call finish, and so on. When there is none left, run: mcp-assay host show --wait 60"
    ),
    Step.CRITIC: (
        "Spawn the agent mcp-eval:friction-critic now, with run_in_background: false and exactly the prompt below. "
        "Then run: mcp-assay host show --wait 60"
    ),
    Step.ENDED: "It has ended. Show the user what is below, as it is.",
}


def start_options(command: Command) -> Command:
    """The specification's arguments."""
    options = (
        click.option("--name", help="The evaluation's name (default: YYYYMMDD-HHMMSS)."),
        click.option(
            "--scenarios",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Scenarios: .json, .yaml, .yml, or one a line.",
        ),
        click.option("--call-budget", metavar="N", help="Calls per scenario, 1-999 (default 20)."),
        click.option("--wallclock-budget", metavar="MINUTES", help="For all scenarios together (default 15)."),
    )
    for option in reversed(options):
        command = option(command)
    return command


@click.command("start")
@start_options
@place_options
@click.pass_context
def start_command(ctx: click.Context, /, **options: Any) -> None:
    """Begin an evaluation, or go on with one, in this session of Claude Code, and say what it waits for.

    It runs on by itself until its report is written, `host stop`, or the session's end. Its questions are shown to the
    user, and answered by the prompts that they type next.
    """
    user = home(options["home"])
    session = _session()
    _check(options)
    if session.owner() is not None:
        if not _is(session, Step.ENDED):
            raise UserError("an evaluation is running in this session already; see: mcp-assay host show")
        _end(session)
    _require_hooks(session, user, root(options["project"], user))
    session.release()
    _begin(session, options)
    _say(session)
    news = session.news()
    ctx.exit(news.code if news is not None and news.step is Step.ENDED else 0)


@click.command("show")
@click.option("--wait", type=click.FloatRange(0, 600), default=0.0, help="Seconds to wait while it is at work.")
def show_command(wait: float) -> None:
    """Say what the evaluation in this session waits for: an answer of the user's, scenarios, the critic, or nothing."""
    session = _session()
    deadline = time.monotonic() + wait
    if _is(session, Step.SCENARIOS) and wait:
        time.sleep(_SETTLED)
    while _is(session, Step.WORKING) and session.owner() is not None and time.monotonic() < deadline:
        time.sleep(_MOMENT)
    _say(session)


@click.command("stop")
@click.option("--session", "given", help="Which session's, at a terminal, if several have one.")
def stop_command(given: str | None) -> None:
    """Save the evaluation in this session and end it; of one that died, let go of the session. It can be resumed.

    At a terminal it is the evaluation of the only session that has one.
    """
    session = _meant(given)
    news = session.news()
    if not session.socket.exists():
        raise UserError("no evaluation is running in this session")
    _end(session)
    session.socket.unlink(missing_ok=True)
    name = f" {news.name}" if news else ""
    click.echo(f"The evaluation{name} was ended; what was done is saved. /mcp-eval --name{name} goes on with it.")


def _end(session: Session) -> None:
    """End the session's owner, if it has one. Raises UserError if it does not end."""
    pid = session.owner()
    if pid:
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + _ENDING
        while session.owner() is not None and time.monotonic() < deadline:
            time.sleep(_MOMENT)
        if session.owner() is not None:
            raise UserError(f"the evaluation's process {pid} does not end; end it with: kill {pid}")


def _meant(given: str | None) -> Session:
    """The session that we are in, or else the one that is given, or the only one. Raises UserError."""
    if given is None and SESSION_ID in os.environ:
        return _session()
    bound = Session.bound(os.environ, home(None))
    found = [session for session in bound if given in (None, session.id)]
    if not found:
        raise UserError("no evaluation is running in " + ("any session" if given is None else f"the session {given}"))
    if len(found) > 1:
        each = "\n".join(session.id for session in found)
        raise UserError(f"several sessions have an evaluation; say --session with one of these:\n{each}")
    return found[0]


def _session() -> Session:
    # Where the hooks look, which know nothing of --home.
    return Session.current(os.environ, home(None))


def _check(options: Mapping[str, Any]) -> None:
    """Say at once what is wrong with the arguments. Raises UserError."""
    if options["name"] is not None:
        eval_name(options["name"])
    if options["call_budget"] is not None:
        call_budget(options["call_budget"])
    if options["wallclock_budget"] is not None:
        wallclock_minutes(options["wallclock_budget"])


def _require_hooks(session: Session, user: Path, project: Path) -> None:
    """Nothing starts where nothing would be enforced. Raises UserError with what to do."""
    beat, line = session.heartbeat(), list(ancestors())
    if beat is not None and beat.pid in line:
        return
    argv = tuple(word for pid in line for word in _argv(pid))
    files = switches.settings_files(switches.config_folder(os.environ, user), project)
    off = list(switches.found(files, argv))
    why = (
        "\n".join(off)
        if off
        else (
            "is the plugin mcp-eval installed? See: mcp-assay host check. "
            "If it was installed just now, start a new session."
        )
    )
    raise UserError(f"the plugin's hooks do not run in this session, so nothing would be enforced\n{why}")


def _argv(pid: int) -> list[str]:
    """How a process was started, where the system tells."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0")
    except OSError:
        return []


def _begin(session: Session, options: Mapping[str, Any]) -> None:
    """Start the owner, which outlives this command, and wait until it has something to say. Raises UserError."""
    words = [sys.executable, "-P", "-m", "mcp_assay", "host", "own"]
    for name, option in _OPTIONS.items():
        if options[name] is not None:
            words += [option, str(options[name])]
    log = session.run.parent / LOG
    session.run.mkdir(parents=True, exist_ok=True, mode=0o700)
    out = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    finally:
        os.close(out)
    deadline = time.monotonic() + _FIRST
    while child.poll() is None and time.monotonic() < deadline:
        news = session.news()
        if news is not None and news.step is not Step.WORKING:
            break
        time.sleep(_MOMENT)
    if child.returncode is not None and not _is(session, Step.ENDED):
        raise UserError(f"the evaluation could not be started; see {log}")
    child.returncode = 0  # it outlives us: nobody will wait for it, and that is no mistake


def _is(session: Session, step: Step) -> bool:
    news = session.news()
    return news is not None and news.step is step


def _say(session: Session) -> None:
    """Print what the evaluation waits for, and what to do about it. Raises UserError if there is none, or it died."""
    news = session.news()
    if news is None:
        raise UserError("no evaluation was started in this session; /mcp-eval starts one")
    if news.step is not Step.ENDED and session.owner() is None:
        raise UserError(
            f"the process that ran the evaluation {news.name} has ended; what was done is saved. "
            f"Run in a terminal: mcp-assay host stop, then here: /mcp-eval --name {news.name}"
        )
    click.echo(f"Evaluation {news.name}: {_WHAT_NEXT[news.step]}")
    if news.text:
        click.echo(f"\n{news.text}")
