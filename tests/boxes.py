"""``@isolated``: the test needs bubblewrap. Where nothing can be isolated it is skipped, and the reason is printed."""

import os
from pathlib import Path

import pytest

from mcp_assay import isolation
from mcp_assay.errors import UserError


def why_not() -> str:
    """Why nothing can be isolated here; empty if it can."""
    try:
        isolation.find(os.environ, Path("/nowhere"), Path("/"), ())
    except UserError as bad:
        return str(bad)
    return ""


WHY_NOT = why_not()
isolated = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
