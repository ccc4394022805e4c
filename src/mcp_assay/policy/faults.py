"""What a caller of the policy tools can do wrong. A policy that says no is a result, never one of these."""

__all__ = ["InvalidArguments", "PolicyError", "UnknownTool"]


class PolicyError(Exception):
    """The root, and what is raised for a file that cannot be used. The message says what to do."""


class UnknownTool(PolicyError):
    """No tool has this name."""


class InvalidArguments(PolicyError):
    """The arguments break the tool's input schema, or a contract in them is malformed.

    ``problems`` holds every fault that was found, each beginning with its place (``budget.usedCU: …``).
    """

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        super().__init__("; ".join(problems))
