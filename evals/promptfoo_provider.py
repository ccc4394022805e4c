"""Promptfoo's provider: a fixture, by its id, through the one path that the server and the native eval take."""  # noqa: INP001 - Promptfoo loads a file, not a package

from pathlib import Path
from typing import Any

from mcp_assay.policy import evals

__all__ = ["call_api"]

# The file beside this one, wherever the package is installed: Promptfoo judges by it.
_FIXTURES = evals.load(Path(__file__).with_name("cases.json").read_text(encoding="utf-8"))
_CASES = {case.id: case for case in _FIXTURES.cases}


def call_api(prompt: str, _options: object, _context: object) -> dict[str, Any]:
    """What the tool says to the fixture whose id is ``prompt``, as ``output``; ``error`` if there is none."""
    case = _CASES.get(prompt)
    if case is None:
        return {"error": f"no fixture {prompt} in evals/cases.json"}
    return {"output": evals.outcome(case.tool, case.arguments)}
