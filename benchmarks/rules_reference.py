"""python -m benchmarks.rules_reference [--check]

Writes docs/reference/rules.md from the rules themselves and from what was measured of them
(benchmarks/results/friction.json, which ``make bench-critic`` writes). With --check it writes nothing and ends with 1
where the file is not as it would be written.
"""

import argparse
import importlib
import json
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from mcp_assay.core.model import Dimension
from mcp_assay.critic import rubric
from mcp_assay.critic.evidence import Driver
from mcp_assay.critic.rules import RULES, Rule

ROOT = Path(__file__).parents[1]
REFERENCE = ROOT / "docs" / "reference" / "rules.md"
MEASURED = ROOT / "benchmarks" / "results" / "friction.json"
WIDTH = 120

HEAD = """\
# The rules of the critic

<!-- Written by python -m benchmarks.rules_reference from the rules themselves. Change it there. -->

The rule critic judges a transcript without a model: the same files give the same findings. It is built to be right \
rather than to find much. A rule fires only where a call shows the thing, and what is unknown proves nothing.

- **judges**: the drivers whose calls a rule may judge, scenario by scenario. `script` is a sequence that the user \
wrote, `agent` a model in any host. "everybody's" includes our own explorer and drivers unknown to us: such a rule \
rests on what the server alone made, or on the caller's own words.
- **needs**: with `manifests`, nothing is said where the servers' tool manifests are missing.
- **bare transcripts**: whether the rule can judge a transcript of another tool, which has the specified fields and \
none of our `assay` objects.
- **Severity** follows from the cost, by [version {version} of the rubric](severity.md), within the bounds that a rule \
states.
- **Measured**: precision, the share of a rule's findings that were right; recall, of the planted defects of the kinds \
that the rule finds, the share in which it did. {source}

Findings of one cause are told once, by the weightiest, which cites the evidence of all; the order is the gravest \
first, then the costliest (calls, tokens, bytes, time). What a rule finds at most attached servers (three or more, and \
more than half) is one Suggestion that says at how many; what is Major or worse stays. The summary names every rule \
that could not judge, and why.

Run them on any pair of files with `mcp-assay critique --state S --transcript T [--manifests M] --stdout`. `M` maps \
each server to its tools: `{{"tracker": [{{"name": …}}]}}`.
"""


def reference(measured: Mapping[str, Any]) -> str:
    """The whole page. ``measured`` is friction.json, empty where nothing was measured."""
    held_out = measured.get("held_out", {})
    source = f"On servers and seeds that no rule was tuned on ({measured.get('date', 'undated')}; synthetic)."
    head = HEAD.format(version=rubric.VERSION, source=source if held_out else "Nothing was measured yet.")
    parts = [_wrapped(head.strip())]
    for dimension in Dimension:
        parts += [f"## {dimension}", _wrapped(_about(dimension))]
        rules = [rule for rule in RULES if rule.dimension is dimension]
        parts += [part for rule in rules for part in _entry(rule, held_out.get("rules", {}))]
    return "\n\n".join(parts) + "\n"


def _about(dimension: Dimension) -> str:
    """The question that the package of a dimension begins with."""
    text = importlib.import_module(f"mcp_assay.critic.rules.{dimension}").__doc__ or ""
    return text.partition("\n")[0].split(" Judged ")[0]


def _entry(rule: Rule, measured: Mapping[str, Any]) -> Iterator[str]:
    judges = "everybody's" if rule.drivers == set(Driver) else " ".join(sorted(rule.drivers))
    needs = "manifests" if rule.needs_manifests else "nothing"
    yield f"### {rule.id}"
    yield f"judges: {judges} · needs: {needs} · bare transcripts: {'no' if rule.needs_facts else 'yes'}"
    yield _wrapped(rule.rationale)
    yield _wrapped(f"Severity: {rule.weight}" if rule.floor is rule.ceiling else f"Severity: by cost. {rule.weight}")
    yield _wrapped(f"Example: {rule.example}")
    yield _wrapped(f"Measured: {_figures(measured.get(f'{rule.dimension}/{rule.id}'))}.")


def _figures(found: Mapping[str, Any] | None) -> str:
    return "not yet" if not found else ", ".join(_share(name, found.get(name)) for name in ("precision", "recall"))


def _share(name: str, share: Mapping[str, Any] | None) -> str:
    if not share or not share["of"]:
        return f"{name} not yet"
    return f"{name} {share['hits'] / share['of']:.2f} ({share['hits']} of {share['of']})"


def _wrapped(text: str) -> str:
    return "\n".join(_line(line) for line in text.split("\n"))


def _line(line: str) -> str:
    indent = "  " if line.startswith("- ") else ""
    return textwrap.fill(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; say whether the file is up to date")
    measured = json.loads(MEASURED.read_text(encoding="utf-8")) if MEASURED.exists() else {}
    text = reference(measured)
    if not parser.parse_args().check:
        REFERENCE.write_text(text, encoding="utf-8")
    elif REFERENCE.read_text(encoding="utf-8") != text:
        sys.exit(f"{REFERENCE.relative_to(ROOT)} is out of date; run: python -m benchmarks.rules_reference")


if __name__ == "__main__":
    main()
