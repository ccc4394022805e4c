"""mcp-assay: evaluate the MCP servers attached to an agent, every call through one gate."""

__version__ = "0.1.0"
