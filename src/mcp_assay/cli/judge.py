"""``critique`` and ``report``: the last two phases again, on an evaluation that has run."""

import asyncio
import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from mcp_assay import judging
from mcp_assay.cli.critique_files import file_options, of_files, whole
from mcp_assay.cli.ending import closing, exit_code
from mcp_assay.cli.output import print_json
from mcp_assay.cli.places import ending_options, home, json_option, opened, place_options
from mcp_assay.clock import SystemClock
from mcp_assay.core.jsontext import decode
from mcp_assay.core.session import State, Status
from mcp_assay.errors import StoreError, UserError
from mcp_assay.report import machine, markdown
from mcp_assay.report.view import View
from mcp_assay.store import keys
from mcp_assay.store.evaldir import EvalDir

__all__ = ["asked", "critique_command", "model", "report_command"]

_JUDGEABLE = {Status.CRITIQUING, Status.CRITIC_FAILED, Status.REPORTING, Status.COMPLETE}
_UNSIGNED = "The state was not signed by this user: nothing in it is proven."


@click.command("critique")
@click.argument("name", required=False)
@click.option("--from", "given", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Parse this file.")
@click.option("--critic", type=click.Choice(["rules", judging.MODEL]), help="Who judges (default: rules).")
@click.option("--claude", type=click.Path(path_type=Path), help="The program of Claude Code (default: claude in PATH).")
@file_options
@ending_options
@place_options
@json_option
@click.pass_context
def critique_command(ctx: click.Context, /, name: str | None, given: Path | None, **options: Any) -> None:
    """Run the rule critic again, or with --from parse a critic's output, then write the report.

    With --critic claude-code a model judges beside the rules; with --from too, the file is what such a model wrote.

    Each parse replaces all findings. The transcript must be the one that was sealed when the session ended.

    With --state and --transcript instead of a NAME, judge any pair of files that have the specification's form.
    """
    printed = of_files(name, {"given": given, **options})
    if printed is not None or name is None:
        click.echo(printed, nl=False)
        return
    text = decode(whole(given), str(given)) if given else None
    with opened(name, options["project"], options["home"], options["out"]) as folder:
        folder.lock()
        state, key = _owned(folder, home(options["home"]))
        case, source = judging.Case(folder, state), "file"
        if options["critic"] == judging.MODEL:
            text = text if text is not None else asked(case, model(folder, options))
            source = judging.MODEL
        judging.critique(case, key, SystemClock(), given=text, source=source)
        view = judging.report(case, key, SystemClock())
        _show(folder, state, view, as_json=options["as_json"])
    _end(ctx, state, view, options)


@click.command("report")
@click.argument("name")
@click.option("--stdout", "print_it", is_flag=True, help="Print the report itself and write nothing.")
@ending_options
@place_options
@json_option
@click.pass_context
def report_command(ctx: click.Context, /, name: str, *, print_it: bool, **options: Any) -> None:
    """Write the report again from what was found, every citation checked anew.

    A state that this user did not sign is reported with that said, and is not written back.
    """
    with opened(name, options["project"], options["home"], options["out"]) as folder:
        key = keys.load(os.environ, home(options["home"]), folder.name)
        state, signed = folder.load_state(key.state)
        if state.status not in {Status.REPORTING, Status.COMPLETE}:
            raise UserError(f"{name} is {state.status}: there is nothing to report yet")
        if not signed:
            notes = state.assay.get("notes")
            state.assay["notes"] = [*(notes if isinstance(notes, list) else []), _UNSIGNED]
        case = judging.Case(folder, state)
        if print_it:
            view = judging.view(case)
            if options["as_json"]:
                print_json(machine.render(view))
            else:
                click.echo(markdown.render(view), nl=False)
        else:
            view = _written(folder, case, key, signed=signed)
            _show(folder, state, view, as_json=options["as_json"])
    _end(ctx, state, view, options)


def model(folder: EvalDir, options: Mapping[str, Any]) -> Any:
    """The program of a model's critic. Raises UserError if it cannot be used."""
    user, base = home(options["home"]), folder.path.parent.parent
    find = importlib.import_module("mcp_assay.host.claude").require_usable
    path = find(options.get("claude"), os.environ, user, options["project"] or base)
    return importlib.import_module("mcp_assay.headless").Program(path, os.environ, user, base)


def asked(case: judging.Case, program: Any) -> str:
    """What a model says beside the rules."""
    judging.prepare(case)
    critique = importlib.import_module("mcp_assay.headless").critique
    said: str = asyncio.run(critique(case, program, lambda text: click.echo(text, err=True)))
    return said


def _written(folder: EvalDir, case: judging.Case, key: keys.Keys, *, signed: bool) -> View:
    folder.lock()
    if signed:
        return judging.report(case, key, SystemClock())
    view = judging.view(case)
    judging.write(folder, view)
    return view


def _owned(folder: EvalDir, user: Path) -> tuple[State, keys.Keys]:
    key = keys.load(os.environ, user, folder.name)
    state, signed = folder.load_state(key.state)
    if not signed:
        raise StoreError(f"{folder.path}: the state was not signed by this user; it can be viewed, not judged again")
    if state.status not in _JUDGEABLE:
        raise UserError(f"{folder.name} is {state.status}: its session has not ended, nothing to judge yet")
    return state, key


def _show(folder: EvalDir, state: State, view: View, *, as_json: bool) -> None:
    if as_json:
        print_json(machine.render(view) | {"report_path": str(judging.report_file(folder))})
    else:
        click.echo(closing(state, view, judging.report_file(folder)))


def _end(ctx: click.Context, state: State, view: View, options: Mapping[str, Any]) -> None:
    fail_on = options["fail_on"] or "never"
    ctx.exit(exit_code(state, view, fail_on, allow_unreached=options["allow_unreached"]))
