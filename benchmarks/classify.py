"""How often the verdicts on real tools are right, and how fast they are: ``--corpus FILE``, a set with labels.

The file has one tool a line, as ``mcp-assay classify --jsonl`` takes it. The table shows both rule sets; what counts is
that no mutating tool is permitted, and then how many reads are. The speed of the extended rules stands beside that of
the specification's, and beside reading the same lines as JSON; without a file, on tools that are made up.
"""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter

from benchmarks.figures import Figure, compared, show

from mcp_assay.cli.classify import table
from mcp_assay.core import claims, corpus
from mcp_assay.core.classify import Classified
from mcp_assay.core.corpus import Entry
from mcp_assay.core.model import Rules, Verdict

__all__ = ["measure", "refused"]


def measure(lines: Sequence[str] = (), rounds: int = 5, tools: int = 1000) -> list[Figure]:
    """Milliseconds for the whole corpus, or for as many made-up tools; descriptions are read anew in each round."""
    lines = lines or [json.dumps(_made(number)) for number in range(tools)]
    entries = corpus.read(lines)
    work: dict[str, Callable[[], object]] = {
        "parse": lambda: [json.loads(line) for line in lines],
        "spec": lambda: list(corpus.judge(entries, Rules.SPEC)),
        "extended": lambda: list(corpus.judge(entries, Rules.EXTENDED)),
    }
    times = []
    for _ in range(rounds):
        claims.described.cache_clear()
        times.append({name: _took(each) for name, each in work.items()})
    return [
        compared("classify: extended rules against the specification's", times, "spec", "extended"),
        compared("classify: extended rules against parsing the lines", times, "parse", "extended"),
    ]


def refused(entries: Sequence[Entry], verdicts: Sequence[Classified]) -> list[str]:
    """The reads that are not permitted, by the rule that refuses them."""
    pairs = zip(entries, verdicts, strict=True)
    found = [(entry, each) for entry, each in pairs if entry.label == "read" and each.verdict is not Verdict.READ]
    causes = Counter(each.rule for _, each in found)
    lines = []
    for rule, number in causes.most_common():
        names = [f"{entry.server}/{entry.tool.name}" for entry, each in found if each.rule == rule]
        lines.append(f"  {number:3} {rule}: {', '.join(names)}")
    return lines


def _made(number: int) -> dict[str, object]:
    verb, thing = ("get", "list", "create", "export")[number % 4], f"record_{number}"
    properties = {name: {"type": "string", "description": f"The {name} of it"} for name in ("id", "query", "path")}
    return {
        "server": f"server-{number // 20}",
        "tool": f"{verb}_{thing}",
        "description": f"{verb.title()}s one {thing}. Use the id that search_records returns; set verbose for more. "
        * 4,
        "annotations": {"readOnlyHint": True} if verb == "export" else {},
        "input_schema": {"type": "object", "properties": properties, "required": ["id"]},
    }


def _took(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return (perf_counter() - began) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", type=Path, required=True, metavar="FILE", help="tools with labels, one a line")
    lines = parser.parse_args().corpus.read_text(encoding="utf-8").splitlines()
    entries = corpus.read(lines)
    for rules in Rules:
        verdicts = list(corpus.judge(entries, rules))
        print("\n".join(table(rules, corpus.confusion(entries, verdicts))))
        print("reads that are not permitted, by rule:")
        print("\n".join(refused(entries, verdicts)) + "\n")
    figures = measure(lines)
    show(figures, as_json=False)
    print(f"{len(entries) / figures[0].measured * 1000:,.0f} tools a second under the extended rules")


if __name__ == "__main__":
    main()
