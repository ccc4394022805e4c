"""``python -m mcp_assay`` is the command ``mcp-assay``."""

from mcp_assay.cli.main import main

main()
