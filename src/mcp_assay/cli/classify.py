"""``mcp-assay classify``: does each tool read or mutate, and which rule says so. Calls no tool."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from mcp_assay.cli import listing
from mcp_assay.cli.naming_servers import servers
from mcp_assay.cli.output import print_json
from mcp_assay.cli.places import json_option, place_options
from mcp_assay.core import corpus, inert
from mcp_assay.core.classify import Classified, classify
from mcp_assay.core.corpus import Entry
from mcp_assay.core.model import Manifest, Rules, Verdict
from mcp_assay.core.phrases import counted
from mcp_assay.errors import UserError

__all__ = ["classify_command", "table"]


@click.command("classify")
@click.option(
    "--server", "named", multiple=True, metavar="NAME[=COMMAND]", help="Only this attached server, or this one."
)
@click.option("--jsonl", "file", type=click.File(encoding="utf-8"), help="Judge the tools of a file (- for stdin).")
@click.option(
    "--rules", type=click.Choice([str(each) for each in Rules]), default="extended", help="Rule set (default extended)."
)
@click.option("--trust-config", is_flag=True, help="Start the attached servers without asking.")
@place_options
@json_option
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
def classify_command(file: Any, rules: str, *, as_json: bool, **options: Any) -> None:
    """Say of each tool whether it reads or mutates, and which rule decides.

    Without --jsonl the attached servers are started, which a person is asked about, and their tools listed; none is
    called. A COMMAND after `--`, or --server NAME=COMMAND, attaches only what is named.

    --jsonl reads one tool a line (server, tool, description, annotations, input_schema) and prints one verdict a line;
    where lines hold a label (read, mutate, unclear), a table on stderr says how often the verdicts are right.
    """
    if file is not None:
        if options["named"] or options["command"]:
            raise UserError("--jsonl judges the tools of a file; take --server and COMMAND away")
        _judge_file(file, Rules(rules), as_json=as_json)
        return
    found = _manifests(**options)
    if as_json:
        print_json({"rules": rules, "servers": [_machine(manifest, Rules(rules)) for manifest in found]})
    else:
        click.echo("\n".join(line for manifest in found for line in _lines(manifest, Rules(rules))))


def _manifests(
    named: Sequence[str],
    command: tuple[str, ...],
    project: Path | None,
    home: Path | None,
    *,
    trust_config: bool,
    out: Path | None,  # noqa: ARG001 - one set of options for all commands
) -> Sequence[Manifest]:
    ours = servers(tuple(text for text in named if "=" in text), command)
    names = [text for text in named if "=" not in text]
    theirs = listing.attached(names, project, home) if names or not ours else ()
    return list(listing.manifests([*ours, *theirs], project, home, trusted=trust_config).values())


# --- attached servers -------------------------------------------------------------------------------------------------


def _verdicts(manifest: Manifest, rules: Rules) -> list[tuple[str, Classified]]:
    return [(tool.name, classify(tool, manifest.server, rules, manifest.tools)) for tool in manifest.tools]


def _lines(manifest: Manifest, rules: Rules) -> Iterator[str]:
    found = _verdicts(manifest, rules)
    counts = [
        f"{number} {verdict}" for verdict in Verdict if (number := sum(each.verdict is verdict for _, each in found))
    ]
    yield f"{inert.line(manifest.server, 80)}: {counted(len(found), 'tool')}{': ' if found else ''}{', '.join(counts)}"
    if manifest.limitation:
        yield f"  {inert.line(manifest.limitation, 400)}"
    width = max((len(inert.line(name, 60)) for name, _ in found), default=0)
    for name, each in found:
        yield f"  {inert.line(name, 60):{width}}  {each.verdict:12}  {_why(each)}"


def _why(found: Classified) -> str:
    words = ", ".join(inert.line(word, 40) for word in found.words)
    return f"{found.rule} ({words})" if words else found.rule


def _machine(manifest: Manifest, rules: Rules) -> dict[str, Any]:
    return {
        "server": manifest.server,
        "limitation": manifest.limitation,
        "tools": [
            {"tool": name, "verdict": found.verdict, "rule": found.rule, "words": list(found.words)}
            for name, found in _verdicts(manifest, rules)
        ],
    }


# --- a file of tools --------------------------------------------------------------------------------------------------


def _judge_file(file: Any, rules: Rules, *, as_json: bool) -> None:
    try:
        entries = corpus.read(file)
    except (ValueError, OSError) as bad:
        raise UserError(f"{file.name}: {bad}") from None
    verdicts = list(corpus.judge(entries, rules))
    counts = corpus.confusion(entries, verdicts)
    lines = [_line(entry, found) for entry, found in zip(entries, verdicts, strict=True)]
    if as_json:
        print_json({"rules": rules, "tools": lines, "confusion": counts})
        return
    sys.stdout.writelines(json.dumps(line) + "\n" for line in lines)
    if counts:
        click.echo("\n".join(table(rules, counts)), err=True)


def _line(entry: Entry, found: Classified) -> dict[str, str]:
    return {"server": entry.server, "tool": entry.tool.name, "verdict": found.verdict, "rule": found.rule}


def table(rules: str, counts: Mapping[str, Mapping[str, int]]) -> Iterable[str]:
    """The confusion table, a row for each label."""
    yield f"{'rules: ' + rules:16}" + "".join(f"{verdict:>14}" for verdict in Verdict) + f"{'permitted':>14}"
    for label, row in counts.items():
        total = sum(row.values())
        share = f"{row[Verdict.READ]} of {total}"
        yield (
            f"{label:16}"
            + "".join(f"{row[verdict]:14,}" for verdict in Verdict)
            + f"{share:>14}"
            + _percent(row, total)
        )


def _percent(row: Mapping[str, int], total: int) -> str:
    return f"  {100 * row[Verdict.READ] / total:.1f} %"
