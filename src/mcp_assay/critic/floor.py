"""The rules are the floor: what a model's critique does to their findings. It may raise and add, nothing else."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mcp_assay.core.model import Finding, Severity

__all__ = ["Kept", "merged"]

_GRAVITY = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Kept:
    """A finding of the merged list. ``rule`` is its place among the rules' findings; None if it is the model's.

    ``was`` is the severity that the rules gave it, where the model raised it.
    """

    finding: Finding
    rule: int | None = None
    was: Severity | None = None


def merged(rules: Sequence[Finding], model: Sequence[Finding]) -> tuple[Kept, ...]:
    """The rules' findings in their order, then what the model added in its own; all numbered anew.

    A model's finding that repeats dimension, server and words of a rule's is that one. It counts for its severity
    alone, and only if that is higher: evidence and recommendation stay the rule's.
    """
    places = {_same(finding): place for place, finding in reversed(list(enumerate(rules)))}
    kept = [Kept(finding, place) for place, finding in enumerate(rules)]
    added: dict[tuple[str, ...], Kept] = {}
    for finding in model:
        place = places.get(_same(finding))
        if place is None:
            # Said twice with the same evidence it is said once, at its worst.
            known = added.get(key := (*_same(finding), *finding.evidence_ids))
            if known is None or _is_worse(finding, known.finding):
                added[key] = Kept(finding)
        elif _is_worse(finding, kept[place].finding):
            raised = replace(kept[place].finding, severity=finding.severity)
            kept[place] = Kept(raised, place, rules[place].severity)
    return tuple(
        replace(item, finding=replace(item.finding, id=f"F{number}"))
        for number, item in enumerate([*kept, *added.values()], 1)
    )


def _same(finding: Finding) -> tuple[str, ...]:
    return finding.dimension, finding.mcp_name, " ".join(finding.summary.split())


def _is_worse(finding: Finding, other: Finding) -> bool:
    return _GRAVITY[finding.severity] < _GRAVITY[other.severity]
