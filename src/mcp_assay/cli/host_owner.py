"""The process that owns an evaluation in a session of Claude Code, from its first question to its report.

`host start` starts it, detached, since an agent's command has to end. The user is asked through the session's hooks,
the agent's own calls and those of gateways come over sockets, and what it waits for is left where `host show` finds it.
"""

import asyncio
import contextlib
import importlib
import io
import os
import signal
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from mcp_assay.cli import listing
from mcp_assay.cli.console import Screen
from mcp_assay.cli.ending import closing, exit_code
from mcp_assay.cli.host_session import LOG, start_options
from mcp_assay.cli.places import base, home, place_options, root
from mcp_assay.cli.posted import Posted
from mcp_assay.cli.terminal import Terminal
from mcp_assay.clock import SystemClock
from mcp_assay.core import inert
from mcp_assay.core.limits import call_budget, eval_name, wallclock_minutes
from mcp_assay.core.plan import Plan
from mcp_assay.drivers.hosted import HOST
from mcp_assay.errors import AssayError
from mcp_assay.host.hooks import Hooks
from mcp_assay.host.hooksocket import HookSocket
from mcp_assay.host.sessions import News, Session, Step, is_alive
from mcp_assay.judging import Case, brief, report_file
from mcp_assay.launches import Resolve
from mcp_assay.orchestrator import Evaluation
from mcp_assay.order import Loaders, Order, Result
from mcp_assay.store import keys
from mcp_assay.store.evaldir import EvalDir, place

__all__ = ["own_command"]

_WIDTH = 100
_TICK = 0.5
_GRACE = 60.0
"""Seconds without a process of the session: the next may be on its way, as with `claude --resume`."""
_LAST = 60.0  # seconds
_CRITIC_TIME = 15 * 60.0
_RULES_ONLY = "rules only"
_INTERRUPTED = 130


@click.command("own", hidden=True)
@start_options
@click.option("--grace", type=float, default=_GRACE, envvar="MCP_ASSAY_GRACE")
@place_options
@click.pass_context
def own_command(ctx: click.Context, /, grace: float, **options: Any) -> None:
    """Own the evaluation of this session until it ends; `mcp-assay host start` starts it."""
    session = Session.current(os.environ, home(None))
    order = _order(options)
    ctx.exit(asyncio.run(_Desk(session, order, grace).run()))


class _Progress(Screen):
    """Tells the desk, besides the page, that things have moved on."""

    def __init__(self, console: Console, desk: "_Desk") -> None:
        super().__init__(console)
        self._desk = desk

    def phase(self, title: str) -> None:
        super().phase(title)
        self._desk.tell()


class _Desk:
    """One evaluation, its session, and what is known of where it stands."""

    def __init__(self, session: Session, order: Order, grace: float) -> None:
        self._session, self._order, self._grace = session, order, grace
        self._page = io.StringIO()
        self._posted = Posted(self._page, self._asks)
        self._question: str | None = None
        self._brief: str | None = None
        self._told: News | None = None
        state = keys.folder(os.environ, home(None))
        self._console = Console(
            file=self._page, width=_WIDTH, color_system=None, force_terminal=False, highlight=False, emoji=False
        )
        self._progress = _Progress(self._console, self)
        self._hooks = Hooks(
            place(order.base, order.name),
            state,
            session=session.id,
            interview=self._posted,
            note=self._progress.note,
        )

    async def run(self) -> int:
        """Go through the evaluation. Returns the exit code that its end would have at a terminal.

        Raises StoreError or UserError if nobody can be heard here, such as for another owner of the same session.
        """
        main = asyncio.current_task()
        if main is not None:
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, main.cancel)
        text, code = f"It ended by a fault of ours; see {self._session.run.parent / LOG}. What was done is saved.", 1
        async with HookSocket(self._session.socket, self._hooks):
            self.tell()
            watching = asyncio.create_task(self._watch(main))
            try:
                text, code = self._closing(await self._evaluation().run())
            except AssayError as bad:
                text, code = inert.line(f"error: {bad}", 2000), bad.exit_code
            except (asyncio.CancelledError, KeyboardInterrupt):
                text, code = "It was interrupted; what was done is saved.", _INTERRUPTED
            finally:
                watching.cancel()
                # Said before the socket goes: who finds none must find this.
                self._told = self._news(Step.ENDED, text, code)
                self._session.tell(self._told)
            if code != _INTERRUPTED:
                await self._last_words(text)
        return code

    async def _last_words(self, text: str) -> None:
        """Have the end shown by the session's hooks, too, if they ask within a while."""
        with contextlib.suppress(TimeoutError, asyncio.CancelledError):
            async with asyncio.timeout(_LAST):
                await self._posted.closes(text)

    def tell(self) -> None:
        """Let be known what it waits for, if that has changed."""
        if self._told is not None and self._told.step is Step.ENDED:
            return
        if self._brief is not None:
            news = self._news(Step.CRITIC, self._brief)
        elif self._question is not None:
            news = self._news(Step.ASKING, self._question)
        else:
            news = self._news(Step.SCENARIOS if self._hooks.hosted is not None else Step.WORKING)
        if news != self._told:
            self._told = news
            self._session.tell(news)

    def _news(self, step: Step, text: str = "", code: int = 0) -> News:
        return News(self._order.name, str(place(self._order.base, self._order.name)), step, text, code)

    def _asks(self, question: str | None) -> None:
        self._question = question
        self.tell()

    async def _watch(self, main: asyncio.Task[Any] | None) -> None:
        """End the evaluation, saved, when its session has been gone for a while."""
        gone = 0.0
        while main is not None:
            await asyncio.sleep(_TICK)
            self.tell()
            beat = self._session.heartbeat()
            gone = 0.0 if beat is not None and is_alive(beat.pid) else gone + _TICK
            if gone > self._grace:
                main.cancel()
                return

    def _evaluation(self) -> Evaluation:
        order = self._order
        person = Terminal(
            self._console, has_scenarios=order.scenarios_file is not None, lines=self._posted, in_host=True
        )
        loaders = Loaders(remote=listing.remote, resolve=_resolve)
        return Evaluation(order, SystemClock(), self._progress, person, loaders, hooks=self._hooks, critic=self._critic)

    async def _critic(self, case: Case) -> str | None:
        """What the host's critic answered; None if the user goes on without it, or it took too long."""
        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def answered(text: str) -> None:
            if text.strip() and not answer.done():
                answer.set_result(text)

        self._brief, self._hooks.critic = brief(case), answered
        asked = asyncio.create_task(self._goes_without())
        try:
            waited: set[asyncio.Future[Any]] = {answer, asked}
            await asyncio.wait(waited, timeout=_CRITIC_TIME, return_when=asyncio.FIRST_COMPLETED)
        finally:
            asked.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asked
            self._brief = self._hooks.critic = None
        return answer.result() if answer.done() else None

    async def _goes_without(self) -> None:
        """Return when the user says so."""
        self._console.print(f"The friction critic is at work. To go on with the rules alone, type: {_RULES_ONLY}")
        while (await self._posted.line(">", {})).strip().lower() != _RULES_ONLY:
            self._console.print(f"The critic is still at work. To go on with the rules alone, type: {_RULES_ONLY}")

    def _closing(self, result: Result) -> tuple[str, int]:
        if result.view is None:
            return f"It stopped at {result.state.status}.", 0
        with EvalDir(self._order.base, self._order.name) as folder:
            text = closing(result.state, result.view, report_file(folder))
        fail_on = self._order.plan.fail_on or "never"
        return text.strip("\n"), exit_code(result.state, result.view, fail_on)


def _resolve() -> Resolve:
    found: Resolve = importlib.import_module("mcp_assay.endpoint").resolve
    return found


def _order(options: Mapping[str, Any]) -> Order:
    user = home(options["home"])
    project = root(options["project"], user)
    calls, clamped = call_budget(20 if options["call_budget"] is None else options["call_budget"])
    minutes = options["wallclock_budget"]
    file: Path | None = options["scenarios"]
    return Order(
        name=eval_name(options["name"] or datetime.now(UTC).strftime("%Y%m%d-%H%M%S")),
        base=base(project, user, options["out"]),
        project=project,
        home=user,
        environ=dict(os.environ),
        plan=replace(Plan(), driver=HOST),
        call_budget=calls,
        wallclock_minutes=wallclock_minutes(15 if minutes is None else minutes),
        scenarios_file=file.absolute() if file else None,
        driver=HOST,
        budgets_asked=options["call_budget"] is not None or minutes is not None,
        notes=(clamped,) if clamped else (),
    )
