"""The table of rules as a whole (``rules/__init__.py``)."""

import re
from collections import Counter

from mcp_assay.core.model import Dimension
from mcp_assay.critic.evidence import Driver
from mcp_assay.critic.rules import RULES


def test_every_dimension_has_a_rule_and_every_rule_its_own_name() -> None:
    assert {rule.dimension for rule in RULES} == set(Dimension)
    assert max(Counter((rule.dimension, rule.id) for rule in RULES).values()) == 1
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", rule.id) for rule in RULES)


def test_every_rule_says_why_in_a_sentence() -> None:
    assert all(rule.rationale[0].isupper() and rule.rationale.rstrip('"').endswith(".") for rule in RULES)


def test_only_what_a_server_returned_is_judged_for_our_explorer_and_for_drivers_unknown_to_us() -> None:
    for rule in RULES:
        servers_own = rule.dimension is Dimension.RESPONSE_SHAPE
        assert (Driver.EXPLORE in rule.drivers, Driver.OTHER in rule.drivers) == (servers_own, servers_own)
