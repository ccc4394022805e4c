"""Could the caller tell from the surface what to pass?"""

from mcp_assay.critic.rules.base import Rule
from mcp_assay.critic.rules.parameter_inference import (
    changed_form,
    guessed_identifier,
    hidden_default,
    renamed_field,
    retry_after_validation,
    undeclared_requirement,
    undescribed_parameter,
    unstated_order,
)

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    undeclared_requirement.RULE,
    retry_after_validation.RULE,
    unstated_order.RULE,
    undescribed_parameter.RULE,
    changed_form.RULE,
    guessed_identifier.RULE,
    renamed_field.RULE,
    hidden_default.RULE,
)
