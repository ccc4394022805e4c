"""Where an evaluation leaves its scorecard, and how the server finds the latest one."""

import os
from collections.abc import Callable

__all__ = ["LATEST", "RESULTS", "reader"]

LATEST = "scorecard.md"

RESULTS = os.path.join("evals", "results")  # noqa: PTH118 - pathlib costs the server a tenth of its start
"""The folder of scorecards, below the one in which the evaluation was started."""


def reader(results: str | os.PathLike[str]) -> Callable[[], str | None]:
    """A function that reads the latest scorecard in a folder; it gives None while there is none."""

    def read() -> str | None:
        try:
            with open(os.path.join(results, LATEST), encoding="utf-8") as file:  # noqa: PTH118, PTH123 - as above
                return file.read()
        except FileNotFoundError:
            return None

    return read
