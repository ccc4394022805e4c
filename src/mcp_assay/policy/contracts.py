"""One agent response held against one contract: anchor, JSON block, forbidden claims, cited source lines.

Each check answers ``pass``, ``fail`` or ``skipped`` (its field is not in the contract), with why. A malformed contract
is refused before anything is judged: an empty phrase would fail every response, an unknown schema keyword none.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from mcp_assay.policy import dossier, schema
from mcp_assay.policy.faults import InvalidArguments
from mcp_assay.policy.values import is_number

__all__ = ["INPUT_SCHEMA", "OUTPUT_SCHEMA", "evaluate"]

_STRINGS = {"type": "array", "items": {"type": "string"}}
INPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "response": {"type": "string", "description": "The agent's whole response."},
        "contract": {
            "type": "object",
            "properties": {
                "anchor": {
                    "type": "string",
                    "minLength": 1,
                    "description": "The first non-empty line must be exactly ANCHOR: <anchor>.",
                },
                "schema": {
                    "type": "object",
                    "description": f"For the first json block. Keywords: {', '.join(sorted(schema.KEYWORDS))}.",
                },
                "forbiddenClaims": {
                    **_STRINGS,
                    "description": "Phrases that must not occur, whatever their letter case.",
                },
                "source": {
                    **_STRINGS,
                    "description": 'The lines that citations such as slice: L3-L4 "text" are held against.',
                },
            },
            "required": ["anchor"],
            "additionalProperties": False,
        },
    },
    "required": ["response", "contract"],
    "additionalProperties": False,
}
_CHECK = {
    "type": "object",
    "properties": {
        "status": {"type": "string", "enum": ["pass", "fail", "skipped"]},
        "detail": {"type": "string", "description": "Why."},
    },
    "required": ["status", "detail"],
}
_CHECKS = ("anchor", "schema", "forbiddenClaims", "slices")
OUTPUT_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "ok": {"type": "boolean", "description": "Whether no check failed."},
        "checks": {
            "type": "object",
            "properties": dict.fromkeys(_CHECKS, _CHECK),
            "required": list(_CHECKS),
        },
    },
    "required": ["ok", "checks"],
}

# A citation is recognised in any letter case and behind quote, list or code marks and any blanks: a slip in writing it
# must not hide it.
_CITATION = re.compile(r"(?:[\s\u200b\ufeff>*+`-]|\d{1,9}[.)])*(slice:.*)", re.IGNORECASE | re.DOTALL)
_SLICE = re.compile(r'slice: L([0-9]{1,9})-L([0-9]{1,9}) "(.*)"[ \t`]*', re.DOTALL)


def evaluate(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """All four checks. The arguments satisfy INPUT_SCHEMA. Raises InvalidArguments for a malformed contract."""
    contract = arguments["contract"]
    if malformed := list(_malformed(contract)):
        raise InvalidArguments(malformed)
    # Files from Windows: a byte-order mark and CRLF are how a text is stored, not what it says.
    text = arguments["response"].removeprefix("\ufeff").replace("\r\n", "\n")
    checks = {
        "anchor": _anchor(text, contract["anchor"]),
        "schema": _schema(text, contract["schema"]) if "schema" in contract else _SKIPPED,
        "forbiddenClaims": _claims(text, contract["forbiddenClaims"]) if "forbiddenClaims" in contract else _SKIPPED,
        "slices": _slices(text, contract["source"]) if "source" in contract else _SKIPPED,
    }
    return {
        "ok": all(status != "fail" for status, _ in checks.values()),
        "checks": {name: {"status": status, "detail": detail} for name, (status, detail) in checks.items()},
    }


Check = tuple[str, str]
_SKIPPED: Check = ("skipped", "not in the contract")


def _malformed(contract: Mapping[str, Any]) -> Iterator[str]:
    anchor = contract["anchor"]
    if not anchor.strip():
        yield "contract.anchor: blank; give the words that must follow ANCHOR:"
    if "\n" in anchor or "\r" in anchor:
        yield "contract.anchor: holds a line break, so no line could be equal to it"
    yield from schema.faults(contract.get("schema", True), "contract.schema")
    for index, phrase in enumerate(contract.get("forbiddenClaims", ())):
        if not phrase.strip():
            yield f"contract.forbiddenClaims[{index}]: blank; it would be found in every response"
    for index, line in enumerate(contract.get("source", ())):
        if "\n" in line:
            yield f"contract.source[{index}]: holds a line break; give each line as an item of its own"


# --- anchor -----------------------------------------------------------------------------------------------------------


def _anchor(text: str, anchor: str) -> Check:
    # "First non-empty line must be exactly `ANCHOR: <anchor>`." A line of nothing but spaces and tabs is empty.
    first = next((line for line in text.split("\n") if line.strip(" \t")), None)
    if first == f"ANCHOR: {anchor}":
        return "pass", "the first line is the anchor"
    return "fail", f"the first non-empty line must be exactly ANCHOR: {anchor}"


# --- JSON block -------------------------------------------------------------------------------------------------------


def _schema(text: str, wanted: Mapping[str, Any]) -> Check:
    # "The first ```json block must parse and satisfy the schema subset": no later block is a second chance.
    try:
        block = dossier.first_fence(text, "json")
        if block is None:
            return "fail", "no fenced block whose info string begins with the word json"
        value = json.loads(block, parse_constant=_refuse, object_pairs_hook=_unique)
    except RecursionError:
        return "fail", "nested too deeply to be read"
    except ValueError as bad:  # JSONDecodeError, too many digits, what the two functions below refuse
        return "fail", f"the json block does not parse: {bad}"
    if found := [*_not_finite(value), *schema.problems(wanted, value, "the json block")]:
        return "fail", "; ".join(found)
    return "pass", "the json block satisfies the schema"


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        raise ValueError("a key occurs twice in one object")
    return table


def _not_finite(value: Any) -> Iterator[str]:
    """A number such as 1e309 is infinite once it is read, and means something else to every reader."""
    waiting = [value]
    while waiting:
        here = waiting.pop()
        if isinstance(here, dict | list):
            waiting.extend(here.values() if isinstance(here, dict) else here)
        elif isinstance(here, int | float) and not isinstance(here, bool) and not is_number(here):
            yield "a number beyond the range of a double"
            return


# --- forbidden claims -------------------------------------------------------------------------------------------------


def _claims(text: str, phrases: list[str]) -> Check:
    # "Case-insensitive literal phrases. Any hit fails."
    folded = text.casefold()
    hits = [phrase for phrase in phrases if phrase.replace("\r\n", "\n").casefold() in folded]
    if hits:
        return "fail", "; ".join(f"claims {json.dumps(phrase, ensure_ascii=False)}" for phrase in hits)
    return "pass", "no forbidden claim"


# --- coordinate slices ------------------------------------------------------------------------------------------------


def _slices(text: str, source: list[str]) -> Check:
    source = [line.removesuffix("\r") for line in source]
    found = [
        (number, cited[1])
        for number, line in enumerate(text.split("\n"), start=1)
        if (cited := _CITATION.fullmatch(line)) is not None
    ]
    wrong = [f"line {number}: {why}" for number, line in found if (why := _misquote(line, source)) is not None]
    return ("fail", "; ".join(wrong)) if wrong else ("pass", f"{len(found)} citations, all as the source has them")


def _misquote(line: str, source: list[str]) -> str | None:
    """Why the citation does not hold, or None."""
    parts = _SLICE.fullmatch(line)
    if parts is None:
        return 'does not parse; write slice: L<first>-L<last> "<text>"'
    first, last = int(parts[1]), int(parts[2])
    if not 1 <= first <= last <= len(source):
        return f"L{first}-L{last} is out of range; the source has {len(source)} lines"
    # "must equal source lines a..b joined by newlines"
    if "\n".join(source[first - 1 : last]) not in _readings(parts[3]):
        return f"the text is not that of L{first}-L{last}"
    return None


def _readings(quoted: str) -> list[str]:
    """The text as it is written, and with its JSON escapes read if it is written so throughout."""
    try:
        return [quoted, json.loads(f'"{quoted}"').replace("\r\n", "\n")]
    except ValueError:
        return [quoted]
