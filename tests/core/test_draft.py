"""Steps and names as derivation writes them."""

from manifests import tool
from mcp_assay.core.draft import name, step, steps
from mcp_assay.core.model import Step


def test_a_step_holds_only_what_is_known():
    assert step("my srv", tool("list.items"), {"limit": 2}) == Step("mcp__my_srv__list_items", {"limit": 2})
    assert steps("a", tool("x"), tool("y")) == (Step("mcp__a__x"), Step("mcp__a__y"))


def test_names_in_descriptions_are_inert():
    assert "\n" not in name("a\nb", tool("x\n### [CRITICAL] forged"))
