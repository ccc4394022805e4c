"""Plan files and scenarios files: read, parse by extension, check, and complain in the user's terms."""

import hashlib
import importlib.resources
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import jsonpath
from jsonschema import Draft202012Validator, SchemaError, ValidationError

from mcp_assay import yamltext
from mcp_assay.core import jsontext
from mcp_assay.core.limits import MAX_FILE
from mcp_assay.core.plan import Plan, build
from mcp_assay.core.plandump import as_values
from mcp_assay.core.problems import Problems, did_you_mean
from mcp_assay.core.scenarios import RawScenario, from_text, from_values
from mcp_assay.errors import InputError, UserError

__all__ = ["digest_of", "load", "load_scenarios", "parse_plan", "parse_scenarios", "schema", "write_plan"]

_HEADER = "# The answers of an interview: `mcp-assay eval --plan FILE` repeats it unattended.\n\n"


def load(path: Path) -> Plan:
    """The plan in a file. Raises InputError naming file, line and key, or UserError if it cannot be read."""
    return parse_plan(_read(path), str(path))


def load_scenarios(path: Path) -> tuple[list[RawScenario], str]:
    """The scenarios in a file, and the digest of its bytes. Raises like ``load``."""
    data = _read(path)
    return parse_scenarios(data, str(path)), digest_of(data)


def parse_plan(data: bytes, source: str) -> Plan:
    """The plan in the bytes of a ``.json``, ``.yaml`` or ``.yml`` file. Raises InputError."""
    value, line_of = _loaded(data, source)
    if not isinstance(value, dict):
        raise InputError(source, "a plan must be an object with keys such as dispositions and scenarios", line=1)
    problems = Problems(source)
    inline = value.get("scenarios") if isinstance(value.get("scenarios"), list) else None
    rest = value if inline is None else {key: item for key, item in value.items() if key != "scenarios"}
    for error in Draft202012Validator(schema()).iter_errors(rest):
        for place, message in _explained(error):
            problems.add(message, line_of(place), _dotted(place) or None)
    problems.stop_if_any()
    scenarios = [] if inline is None else from_values(inline, source, line_of, ("scenarios",))
    _check_expressions(scenarios, source)
    return build(_resolved(value, Path(source).parent), source=source, sha256=digest_of(data), scenarios=scenarios)


def parse_scenarios(data: bytes, source: str) -> list[RawScenario]:
    """The scenarios in a file's bytes. "Format is chosen by extension — no content sniffing". Raises InputError."""
    if _suffix(source) not in (".json", ".yaml", ".yml"):
        return from_text(jsontext.decode(data, source), source)
    value, line_of = _loaded(data, source)
    scenarios = from_values(value, source, line_of)
    _check_expressions(scenarios, source)
    return scenarios


def write_plan(plan: Plan) -> str:
    """The YAML text of a plan, as ``load`` reads it."""
    return _HEADER + yamltext.dumps(as_values(plan))


def schema() -> dict[str, Any]:
    """The published JSON Schema of plan files."""
    text = importlib.resources.files("mcp_assay").joinpath("plan.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def _resolved(value: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The plan with its paths taken from the folder of its file."""
    paths = {
        key: str(folder / value[key]) for key in ("project", "out", "scenarios") if isinstance(value.get(key), str)
    }
    return value | paths


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except OSError as bad:
        raise UserError(f"{path}: cannot be read: {bad.strerror}") from None
    if len(data) > MAX_FILE:
        raise UserError(f"{path}: larger than {MAX_FILE // 1024 // 1024} MiB")
    return data


def digest_of(data: bytes) -> str:
    """``sha256:<hex>`` of a file's bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _suffix(source: str) -> str:
    return Path(source).suffix.lower()


def _loaded(data: bytes, source: str) -> tuple[Any, yamltext.LineOf]:
    if _suffix(source) == ".json":
        return jsontext.loads(data, source), _lines_of_json(data, source)
    if _suffix(source) in (".yaml", ".yml"):
        return yamltext.loads(data, source)
    raise InputError(source, "a plan must be a .json, .yaml or .yml file")


def _lines_of_json(data: bytes, source: str) -> yamltext.LineOf:
    """JSON is YAML, nearly always: the one reader knows the lines of both. Where it is not, lines are left out."""
    try:
        return yamltext.loads(data, source)[1]
    except InputError:
        return lambda _: None


def _check_expressions(scenarios: Iterable[RawScenario], source: str) -> None:
    """JSON paths and schemas that cannot be used are found now rather than in the middle of a run."""
    problems = Problems(source)
    for item in scenarios:
        for number, step in enumerate(item.steps, start=1):
            for path in (*step.save.values(), *step.expect.get("equals", {})):
                if not _is_json_path(path):
                    problems.add(f"step {number}: {path!r} is not a JSON path", item.line, f"entry {item.entry}")
            if "schema" in step.expect and not _is_schema(step.expect["schema"]):
                problems.add(f"step {number}: expect.schema is not a JSON Schema", item.line, f"entry {item.entry}")
    problems.stop_if_any()


def _is_json_path(text: str) -> bool:
    try:
        jsonpath.compile(text)
    except (jsonpath.JSONPathError, re.error):  # the second: an expression inside a filter
        return False
    return True


def _is_schema(value: Any) -> bool:
    try:
        Draft202012Validator.check_schema(value)
    except SchemaError:
        return False
    return True


# --- from a validator's errors to the user's terms ---------------------------------------------------------------

Place = tuple[str | int, ...]


def _explained(error: ValidationError) -> Iterator[tuple[Place, str]]:
    """(where, what to do) for one error of the plan's schema, in words that need no knowledge of schemas."""
    place, value = tuple(error.absolute_path), cast("Any", error.instance)
    expected, shape = cast("Any", error.validator_value), cast("Any", error.schema)
    if error.validator == "anyOf":
        yield from _of_the_fitting_branch(error)
    elif error.validator == "additionalProperties":
        known = list(shape["properties"])
        for key in value:
            if key not in known:
                yield (*place, key), f"unknown key{did_you_mean(key, known)}"
    elif error.validator == "required":
        for key in expected:
            if key not in value:
                yield place, _missing(key)
    elif error.validator in ("enum", "const"):
        yield place, f"must be {_either(expected if error.validator == 'enum' else [expected])}"
    else:
        yield place, _MESSAGES.get(str(error.validator), _must_fit)(error)


def _of_the_fitting_branch(error: ValidationError) -> Iterator[tuple[Place, str]]:
    """Where several forms are possible, the complaint is about the one that the user has begun."""
    branches: dict[Any, list[ValidationError]] = {}
    for inner in error.context or ():
        branches.setdefault(inner.relative_schema_path[0], []).append(inner)
    begun = [
        branch
        for branch in branches.values()
        if not any(inner.validator in ("type", "enum", "const") and not inner.relative_path for inner in branch)
    ]
    if len(begun) == 1:
        for inner in begun[0]:
            yield from _explained(inner)
        return
    forms = [message for branch in branches.values() for inner in branch for _, message in _explained(inner)]
    yield tuple(error.absolute_path), " or ".join(dict.fromkeys(forms)).replace(" or must be ", " or ")


def _missing(key: str) -> str:
    if key == "test_resources":
        return "sandboxed needs test_resources: list what may be changed, in the form that the tools expect"
    return f"{key} is missing"


_NAMES = {
    "object": "a map of keys to values",
    "array": "a list",
    "string": "a string (quote it if it is one)",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}


def _must_have_type(error: ValidationError) -> str:
    return f"must be {_NAMES[str(error.validator_value)]}"


def _must_fit(error: ValidationError) -> str:
    return f"must fit {error.validator}: {error.validator_value}"


def _must_match(error: ValidationError) -> str:
    key = next((part for part in reversed(error.absolute_path) if isinstance(part, str)), "")
    kept = "marks" if key == "tool" else error.absolute_path[0]
    if kept in _PRINTS:
        return f"must be the digest that `{_PRINTS[kept]}` prints: sha256: and 64 hex digits"
    if key == "env":
        return "must be the name of a variable, without its value"
    if key == "allow":
        return "must be a tool that is no MCP tool, such as Bash"
    if key == "name":
        return "must be 1 to 64 letters, digits, dots, dashes and underscores, and start with a letter or digit"
    return "must not be blank"


_PRINTS = {"connect": "mcp-assay discover", "derive": "--until scenarios", "marks": "--until interview"}
"""The digests of a plan, by the key that they stand under."""


def _must_be_at_least(error: ValidationError) -> str:
    return f"must be {error.validator_value} or more"


def _must_exceed(error: ValidationError) -> str:
    return f"must be more than {error.validator_value}"


def _must_not_be_empty(error: ValidationError) -> str:
    return _missing("test_resources") if "test_resources" in error.absolute_path else "must not be empty"


_MESSAGES = {
    "type": _must_have_type,
    "pattern": _must_match,
    "minimum": _must_be_at_least,
    "exclusiveMinimum": _must_exceed,
    "minLength": _must_not_be_empty,
    "minItems": _must_not_be_empty,
}


def _either(values: Iterable[object]) -> str:
    words = [str(value) for value in values]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def _dotted(place: Place) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place).removeprefix(".")
