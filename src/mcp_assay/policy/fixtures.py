"""Where the eval's fixtures are: in the installed package, or in the checkout that the package runs from."""

import os.path

from mcp_assay.policy.faults import PolicyError

__all__ = ["text"]

_HERE = os.path.dirname(__file__)  # noqa: PTH120 - importing pathlib costs the server a third of its start
_PLACES = (
    os.path.join(_HERE, "cases.json"),  # noqa: PTH118 - where the wheel has it
    os.path.join(_HERE, *[os.pardir] * 3, "evals", "cases.json"),  # noqa: PTH118 - where the repository has it
)


def text() -> str:
    """The fixtures as JSON text. Raises PolicyError if they are in neither place."""
    for path in _PLACES:
        if os.path.exists(path):  # noqa: PTH110
            with open(path, encoding="utf-8") as file:  # noqa: PTH123
                return file.read()
    raise PolicyError("the fixtures are missing; install the package again, or run from a whole checkout")
