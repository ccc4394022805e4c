"""The kinds of defects, by name."""

from benchmarks.friction.mutators import cross_mcp, glue_code, parameter_inference, redundant_calls, response_shape
from benchmarks.friction.mutators.base import Mutator

__all__ = ["MUTATORS", "Mutator"]

MUTATORS = {
    mutator.kind: mutator
    for module in (cross_mcp, glue_code, redundant_calls, response_shape, parameter_inference)
    for mutator in module.MUTATORS
}
