"""``critique`` and ``report``: the last two phases again, on an evaluation that has run."""

import json
import os
from pathlib import Path

import click

from mcp_assay import judging
from mcp_assay.cli.ending import closing, exit_code
from mcp_assay.cli.places import home, json_option, opened, place_options
from mcp_assay.clock import SystemClock
from mcp_assay.core.jsontext import decode
from mcp_assay.core.session import State, Status
from mcp_assay.errors import StoreError, UserError
from mcp_assay.report import machine, markdown
from mcp_assay.report.view import View
from mcp_assay.store import keys
from mcp_assay.store.evaldir import EvalDir

__all__ = ["critique_command", "report_command"]

_JUDGEABLE = {Status.CRITIQUING, Status.CRITIC_FAILED, Status.REPORTING, Status.COMPLETE}
_UNSIGNED = "The state was not signed by this user: nothing in it is proven."
fail_on_option = click.option(
    "--fail-on",
    type=click.Choice(["critical", "major", "minor", "suggestion", "never"]),
    default="never",
    help="Exit 1 if a finding is at least this severe.",
)


@click.command("critique")
@click.argument("name")
@click.option("--from", "given", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Parse this file.")
@fail_on_option
@place_options
@json_option
@click.pass_context
def critique_command(  # noqa: PLR0917 - one parameter an option
    ctx: click.Context,
    name: str,
    given: Path | None,
    fail_on: str,
    project: Path | None,
    home: Path | None,
    out: Path | None,
    *,
    as_json: bool,
) -> None:
    """Run the rule critic again, or with --from parse a critic's output, then write the report.

    Each parse replaces all findings. The transcript must be the one that was sealed when the session ended.
    """
    text = decode(given.read_bytes(), str(given)) if given else None
    with opened(name, project, home, out) as folder:
        folder.lock()
        state, key = _owned(folder, home)
        case = judging.Case(folder, state)
        judging.critique(case, key, SystemClock(), given=text)
        view = judging.report(case, key, SystemClock())
        _show(folder, state, view, as_json=as_json)
    ctx.exit(exit_code(state, view, fail_on))


@click.command("report")
@click.argument("name")
@click.option("--stdout", "print_it", is_flag=True, help="Print the report itself and write nothing.")
@fail_on_option
@place_options
@json_option
@click.pass_context
def report_command(  # noqa: PLR0917 - one parameter an option
    ctx: click.Context,
    name: str,
    fail_on: str,
    project: Path | None,
    home: Path | None,
    out: Path | None,
    *,
    print_it: bool,
    as_json: bool,
) -> None:
    """Write the report again from what was found, every citation checked anew.

    A state that this user did not sign is reported with that said, and is not written back.
    """
    with opened(name, project, home, out) as folder:
        key = keys.load(os.environ, _home(home), folder.name)
        state, signed = folder.load_state(key.state)
        if not signed:
            state.assay.setdefault("notes", []).append(_UNSIGNED)
        if state.status not in {Status.REPORTING, Status.COMPLETE}:
            raise UserError(f"{name} is {state.status}: there is nothing to report yet")
        case = judging.Case(folder, state)
        view = judging.view(case) if print_it or not signed else judging.report(case, key, SystemClock())
        if print_it:
            click.echo(json.dumps(machine.render(view), indent=2) if as_json else markdown.render(view), nl=as_json)
        else:
            if not signed:
                judging.write(folder, view)
            _show(folder, state, view, as_json=as_json)
    ctx.exit(exit_code(state, view, fail_on))


def _home(given: Path | None) -> Path:
    return home(given)


def _owned(folder: EvalDir, user: Path | None) -> tuple[State, keys.Keys]:
    key = keys.load(os.environ, _home(user), folder.name)
    state, signed = folder.load_state(key.state)
    if not signed:
        raise StoreError(f"{folder.path}: the state was not signed by this user; it can be viewed, not judged again")
    if state.status not in _JUDGEABLE:
        raise UserError(f"{state.eval_name} is {state.status}: its session has not ended, nothing to judge yet")
    return state, key


def _show(folder: EvalDir, state: State, view: View, *, as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(machine.render(view) | {"report_path": str(judging.report_file(folder))}))
    else:
        click.echo(closing(state, view, judging.report_file(folder)))
