"""The rule critic: one file per dimension."""

from mcp_assay.critic.rules import cross_mcp, glue_code, parameter_inference, redundant_calls, response_shape
from mcp_assay.critic.rules.base import Cost, Draft, Rule

__all__ = ["RULES", "Cost", "Draft", "Rule"]

RULES: tuple[Rule, ...] = (
    *glue_code.RULES,
    *redundant_calls.RULES,
    *response_shape.RULES,
    *parameter_inference.RULES,
    *cross_mcp.RULES,
)
