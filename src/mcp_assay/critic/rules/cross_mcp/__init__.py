"""Does what one server returns fit what another one takes?"""

from mcp_assay.critic.rules.base import Rule
from mcp_assay.critic.rules.cross_mcp import (
    changed_form,
    long_handoff,
    missing_key,
    refused_form,
    same_data_twice,
)

__all__ = ["RULES"]

RULES: tuple[Rule, ...] = (
    long_handoff.RULE,
    refused_form.RULE,
    changed_form.RULE,
    missing_key.RULE,
    same_data_twice.RULE,
)
