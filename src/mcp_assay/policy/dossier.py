"""A dossier's addresses made canonical, duplicates among them found, and its Markdown linted.

The parsers are imported when the first dossier or JSON block comes: together they take about as long to import as the
server takes to start, and routing a seat needs neither.
"""

from collections.abc import Mapping
from typing import Any

__all__ = ["INPUT_SCHEMA", "OUTPUT_SCHEMA", "examine", "first_fence"]

_STRING = {"type": "string"}
_STRINGS = {"type": "array", "items": _STRING}
INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "urls": {**_STRINGS, "description": "Addresses to make canonical and to compare."},
        "markdown": {**_STRING, "description": "The dossier's text, to lint."},
    },
    "minProperties": 1,
    "additionalProperties": False,
}


def _record(**properties: Any) -> dict[str, Any]:
    return {
        "type": "array",
        "items": {"type": "object", "properties": properties, "required": list(properties)},
    }


OUTPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean", "description": "Whether there is no duplicate, no invalid URL and no violation."},
        "urls": _record(
            input=_STRING,
            canonical={"type": ["string", "null"], "description": "null if the URL is invalid."},
            removed={**_STRINGS, "description": "Names of the query parameters that were removed."},
        ),
        "duplicates": _record(canonical=_STRING, inputs=_STRINGS),
        "violations": _record(
            rule=_STRING,
            line={
                "type": ["integer", "null"],
                "description": "Line of the Markdown, from 1; null for an item of urls.",
            },
            message={**_STRING, "description": "What to do."},
        ),
    },
    "required": ["ok", "urls", "duplicates", "violations"],
}


def examine(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The URLs and the Markdown judged. The arguments satisfy INPUT_SCHEMA."""
    found, violations = _canonical_urls(arguments.get("urls", []))
    duplicates = _duplicates(found)
    if "markdown" in arguments:
        violations += _lint(arguments["markdown"])
    return {
        "ok": not duplicates and not violations,
        "urls": found,
        "duplicates": duplicates,
        "violations": violations,
    }


def _canonical_urls(inputs: list[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """(one entry for each URL, one violation for each invalid one)."""
    from mcp_assay.policy import urls  # noqa: PLC0415 - see the module's docstring

    entries: list[dict[str, Any]] = []
    violations: list[dict[str, Any]] = []
    for index, text in enumerate(inputs):
        try:
            canonical, removed = urls.canonicalize(text)
        except urls.InvalidUrl as bad:
            entries.append({"input": text, "canonical": None, "removed": []})
            violations.append({"rule": "url-invalid", "line": None, "message": f"urls[{index}] is {bad}"})
        else:
            entries.append({"input": text, "canonical": canonical, "removed": removed})
    return entries, violations


def _duplicates(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    inputs_of: dict[str, list[str]] = {}
    for entry in entries:
        if entry["canonical"] is not None:
            inputs_of.setdefault(entry["canonical"], []).append(entry["input"])
    return [{"canonical": url, "inputs": inputs} for url, inputs in inputs_of.items() if len(inputs) > 1]


def _lint(text: str) -> list[dict[str, Any]]:
    from mcp_assay.policy import lint  # noqa: PLC0415

    return [{"rule": found.rule, "line": found.line, "message": found.message} for found in lint.lint(text)]


def first_fence(text: str, word: str) -> str | None:
    """The first fenced block whose info string begins with the word. Raises RecursionError if the text is too deep."""
    from mcp_assay.policy import markdown  # noqa: PLC0415

    try:
        return next((content for info, content in markdown.fences(text) if info.split()[:1] == [word]), None)
    except markdown.TooDeep:
        raise RecursionError from None
