"""The ``script`` driver: a scenario's own ``steps``, in order, with what they save and what they expect."""

from collections.abc import Mapping
from typing import Any

import jsonpath
from jsonschema import Draft202012Validator
from referencing import Registry
from referencing.exceptions import Unresolvable

from mcp_assay.core.model import Manifest, Outcome, Reply, Scenario, Step
from mcp_assay.core.steps import MissingValueError, data_of, to_call
from mcp_assay.drivers.base import Call, Ended
from mcp_assay.gate import Refusal

__all__ = ["Scripted"]


class Scripted:
    """Runs what the user wrote down. A scenario in prose alone has nothing that it could run, and it says so."""

    name = "script"

    def __init__(self, manifests: Mapping[str, Manifest]) -> None:
        self._manifests = manifests

    async def run(self, scenario: Scenario, call: Call) -> Ended:
        """Attempt the scenario. The first failed expectation, unexpected error or missing value ends it."""
        if not scenario.steps:
            return Ended(reached=False, reason="the scenario has no steps, and the script driver runs only steps")
        saved: dict[str, Any] = {}
        for number, step in enumerate(scenario.steps, 1):
            ended = await self._step(number, step, saved, call)
            if ended is not None:
                return ended
        return Ended(reached=True)

    async def _step(self, number: int, step: Step, saved: dict[str, Any], call: Call) -> Ended | None:
        where = f"step {number}"
        try:
            answer = await call(to_call(step, saved, self._manifests))
        except MissingValueError as missing:
            return Ended(reached=False, reason=f"{where} needs ${{{missing}}}, which no earlier step saved")
        if isinstance(answer, Refusal) and answer.aborted:
            return Ended(reached=False, reason=f"{where} was refused: {answer.reason}")
        failed = tuple(f"{where}: {what}" for what in _unmet(step.expect, answer))
        if failed:
            return Ended(reached=False, reason=failed[0], failed=failed)
        if _is_error(answer) and "is_error" not in step.expect:
            return Ended(reached=False, reason=f"{where} {_what_happened(answer)}")
        return _save(where, step, answer, saved)


def _is_error(answer: Reply | Refusal) -> bool:
    return isinstance(answer, Refusal) or answer.is_error


def _what_happened(answer: Reply | Refusal) -> str:
    if isinstance(answer, Refusal):
        return f"was refused: {answer.reason}"
    ends = {
        Outcome.OK: "succeeded",
        Outcome.ERROR: "ended in an error",
        Outcome.TIMEOUT: "got no answer in time",
        Outcome.LOST: "lost its server",
    }
    return ends.get(answer.outcome, "was cut off")


def _data(answer: Reply | Refusal) -> Any:
    return None if isinstance(answer, Refusal) else data_of(answer.result)


def _unmet(expect: Mapping[str, Any], answer: Reply | Refusal) -> list[str]:
    """The expectations that the answer does not meet, in words that hold none of its values."""
    unmet = []
    if "is_error" in expect and expect["is_error"] is not _is_error(answer):
        wanted = "an error" if expect["is_error"] else "no error"
        unmet.append(f"expected {wanted}, but it {_what_happened(answer)}")
    data = _data(answer)
    for path, value in expect.get("equals", {}).items():
        found = _at(path, data)
        if not any(_same(value, item) for item in found):
            unmet.append(f"{path} is not what was expected" if found else f"{path} is not in the result")
    if "schema" in expect:
        unmet += _misfit(expect["schema"], data)
    return unmet


def _at(path: str, data: Any) -> list[Any]:
    """What stands at a JSON path; nothing where the path cannot be followed."""
    if not isinstance(data, dict | list):
        return [data][: path == "$"]
    try:
        return list(jsonpath.findall(path, data))
    except jsonpath.JSONPathError:
        return []


def _same(expected: Any, found: Any) -> bool:
    """JSON equality: 1 equals 1.0, but true is not 1."""
    return bool(expected == found) and isinstance(expected, bool) == isinstance(found, bool)


def _misfit(schema: Any, data: Any) -> list[str]:
    try:
        fits = Draft202012Validator(schema, registry=Registry()).is_valid(data)
    except (Unresolvable, RecursionError):
        return ["the expected schema refers to what is not in it, or to itself without end"]
    return [] if fits else ["the result does not fit the expected schema"]


def _save(where: str, step: Step, answer: Reply | Refusal, saved: dict[str, Any]) -> Ended | None:
    data = _data(answer)
    for name, path in step.save.items():
        found = _at(path, data)
        if not found:
            return Ended(reached=False, reason=f"{where} found nothing at {path} to save as {name}")
        saved[name] = found[0]
    return None
