"""The command ``mcp-assay``: sub-commands are loaded when they are called, and errors end here."""

import os
import sys
from itertools import takewhile
from typing import Any

import click

from mcp_assay import __version__
from mcp_assay.cli import lean
from mcp_assay.cli.lazy import Lazy
from mcp_assay.cli.output import print_json
from mcp_assay.core import inert
from mcp_assay.errors import AssayError

__all__ = ["Interrupted", "cli", "main"]

_COMMANDS = {
    "eval": ("mcp_assay.cli.evaluate", "Evaluate the attached MCP servers: every call checked, logged and budgeted."),
    "gate": ("mcp_assay.cli.gate", "Run an approved evaluation with an agent in its own host, through our gateways."),
    "discover": ("mcp_assay.cli.discover", "Show the attached MCP servers and the digests that consent is bound to."),
    "classify": ("mcp_assay.cli.classify", "Say of each tool whether it reads or mutates, and which rule decides."),
    "sandbox": ("mcp_assay.cli.sandbox", "Say whether test resources allow a call, and what holds each argument."),
    "init": ("mcp_assay.cli.init", "Write a commented plan for the MCP servers that are attached here."),
    "critique": ("mcp_assay.cli.judge", "Run the critic again, or parse a critic's output from a file."),
    "report": ("mcp_assay.cli.judge", "Write the report again and print its findings."),
    "status": ("mcp_assay.cli.look", "Show where an evaluation stands."),
    "list": ("mcp_assay.cli.look", "List the evaluations kept here."),
    "drift": ("mcp_assay.cli.drift", "Show which tools of the servers changed since an evaluation, and what of them."),
    "verify": ("mcp_assay.cli.look", "Check that state and transcript are the ones that were signed."),
    "gateway": ("mcp_assay.cli.gateway", "Stand between an agent's host and one of its servers; the host starts it."),
    "host": ("mcp_assay.cli.host", "Evaluate in Claude Code or another agent's host: its plugin, and attaching to it."),
    "policy": ("mcp_assay.cli.policy", "The policy server: serve it, call a tool, evaluate it, configure a client."),
}
_MOST = 2000
"""Characters of one line of a message that are shown."""


class Interrupted(click.ClickException):
    """Ctrl-C or SIGTERM; the message says where what was done by then is."""

    exit_code = 130


@click.group(
    cls=Lazy, lazily=_COMMANDS, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(__version__, prog_name="mcp-assay")
def cli() -> None:
    """Find out, honestly and safely, how good the MCP servers attached to your agent really are.

    Exit codes: 0 done, 1 findings at or above --fail-on or an expectation failed, 2 usage, config or plan error, 3 the
    critic failed, 4 nothing could be evaluated, 130 interrupted.
    """


def main() -> None:
    """Run the command line; our own errors become one sentence on stderr, or one JSON object, and their exit code."""
    # What follows "--" is a server's command line: its --json is none of ours.
    if sys.argv[1:2] == ["gate"]:
        lean.begin()
    as_json = "--json" in takewhile(lambda word: word != "--", sys.argv)
    try:
        # Without its standalone mode click returns the code of ctx.exit(), rather than raise it or exit with it.
        code = cli.main(prog_name="mcp-assay", standalone_mode=False)
        sys.stdout.flush()
    except (click.ClickException, AssayError) as bad:
        code = _fail(bad, as_json=as_json)
    except (KeyboardInterrupt, click.Abort):
        code = _fail(Interrupted("interrupted"), as_json=as_json)
    except BrokenPipeError:
        # Whoever read our output has gone: nothing that is still buffered may be written, nor complained about.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)


def _fail(bad: click.ClickException | AssayError, *, as_json: bool) -> int:
    message = bad.format_message() if isinstance(bad, click.ClickException) else str(bad)
    if as_json:
        detail: dict[str, Any] = {"error": message, "kind": type(bad).__name__, "exit_code": bad.exit_code}
        detail |= {name: getattr(bad, name) for name in ("source", "line", "key") if hasattr(bad, name)}
        print_json(detail)
    else:
        if isinstance(bad, click.UsageError) and bad.ctx is not None:
            click.echo(bad.ctx.get_usage(), err=True)
        # A message may hold a config's or a server's words.
        click.echo(
            "error: " + "\n  ".join(inert.line(part.lstrip("\t"), _MOST) for part in message.split("\n")), err=True
        )
    return bad.exit_code
