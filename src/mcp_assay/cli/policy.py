"""``policy``: the policy server, one call of a tool, the evaluation of its fixtures, and the sanitization gate."""

import importlib
import os
import sys
from pathlib import Path
from typing import Any

import click

from mcp_assay.cli.policy_config import CLIENTS, snippet
from mcp_assay.core import inert
from mcp_assay.errors import UserError
from mcp_assay.policy import scorecard
from mcp_assay.policy.faults import InvalidArguments, PolicyError, UnknownTool

__all__ = ["policy_command"]

_MOST = 400
_LAST_PORT = 65535
_results = click.option(
    "--results",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(scorecard.RESULTS),
    show_default=True,
    help="The folder of the latest scorecard.",
)


def _load(name: str) -> Any:
    """A module of the policy package. None is imported before it is needed: a client waits while the server starts."""
    return importlib.import_module(f"mcp_assay.policy.{name}")


@click.group("policy")
def policy_command() -> None:
    """The policy server for agents: seats and budgets, response contracts, dossiers."""


@policy_command.command("serve")
@click.option("--http", "over_http", is_flag=True, help="Serve HTTP on 127.0.0.1 instead of stdin and stdout.")
@click.option(
    "--port",
    type=click.IntRange(1, _LAST_PORT),
    help="The port of --http (default: PORT in the environment, else 3333).",
)
@_results
def serve_command(results: Path, port: int | None, *, over_http: bool) -> None:
    """Serve the policy tools over MCP, until stdin ends or Ctrl-C is pressed."""
    server = _load("protocol").Server(scorecard.reader(results))
    if not over_http:
        _load("stdio").run(server)
        return
    http = _load("http")
    port = port or _port(os.environ.get("PORT") or str(http.PORT))
    click.echo(f"serving http://{http.HOST}:{port}{http.PATH}", err=True)
    try:
        http.run(server, port)
    except OSError as bad:
        raise UserError(f"cannot serve on port {port}: {bad.strerror or bad}; choose another with --port") from None


def _port(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= _LAST_PORT):
        raise UserError(f"PORT is not a port: {text}; unset it, or give --port")
    return int(text)


@policy_command.command("call")
@click.argument("tool")
@click.argument("arguments", metavar="'{json}'", default="{}")
@click.pass_context
def call_command(ctx: click.Context, tool: str, arguments: str) -> None:
    """Call one tool and print its result as JSON. Exit 0 if it says ok, 1 if not, 2 if it could not be called."""
    tools, wire = _load("tools"), _load("wire")
    try:
        result = tools.call_tool(tool, wire.parse(os.fsencode(arguments)))
    except wire.Refusal as bad:
        raise UserError(f"the arguments are not JSON: {bad}") from None
    except InvalidArguments as bad:
        raise UserError("\n".join(("the arguments do not fit:", *bad.problems))) from None
    except UnknownTool as bad:
        raise UserError(str(bad)) from None
    except RecursionError:
        raise UserError("the arguments are nested too deeply") from None
    click.echo(wire.dump(result).decode("ascii"))
    ctx.exit(0 if result["ok"] else 1)


@policy_command.command("eval")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(scorecard.RESULTS),
    show_default=True,
    help="The folder that the scorecard is written to.",
)
@click.pass_context
def eval_command(ctx: click.Context, out: Path, *, as_json: bool) -> None:
    """Run every fixture through the tools and write the scorecard. Exit 1 on any miss."""
    evals = _load("evals")
    try:
        found = evals.run_evals(evals.load())
    except PolicyError as bad:
        raise UserError(str(bad)) from None
    table, values = evals.scorecard_markdown(found), evals.scorecard_json(found)
    _write(out, {"scorecard.md": table, "scorecard.json": values})
    click.echo(values if as_json else table, nl=False)
    ctx.exit(1 if found.misses else 0)


def _write(folder: Path, files: dict[str, str]) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as bad:
        raise UserError(f"cannot write the scorecard to {folder}: {bad.strerror}; choose another with --out") from None


@policy_command.command("sanitize")
@click.option(
    "--repo",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="The repository (default: the current folder).",
)
@click.pass_context
def sanitize_command(ctx: click.Context, repo: Path) -> None:
    """Search a repository's files and commits for what must not be published. Exit 1 on any hit.

    SANITIZE_PRIVATE_TERMS names a file of further terms, one a line.
    """
    terms = os.environ.get("SANITIZE_PRIVATE_TERMS")
    try:
        hits = _load("sanitize").scan(repo, Path(terms) if terms else None)
    except PolicyError as bad:
        raise UserError(str(bad)) from None
    for hit in hits:
        click.echo(inert.line(f"{hit.where}: {hit.rule}: {hit.found}", _MOST))
    click.echo(f"{len(hits)} hit{'' if len(hits) == 1 else 's'}", err=True)
    ctx.exit(1 if hits else 0)


@policy_command.command("config")
@click.option("--client", type=click.Choice(list(CLIENTS)), required=True, help="The client to configure.")
@_results
def config_command(client: str, results: Path) -> None:
    """Print what goes into a client's configuration. Where it goes is said on stderr."""
    # Without -P the client's current folder would be searched for modules before our own.
    args = ["-P", "-m", "mcp_assay.policy", "--results", str(results.absolute())]
    click.echo(f"for {CLIENTS[client].file}:", err=True)
    click.echo(snippet(client, sys.executable, args))
