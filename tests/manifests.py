"""Tools and manifests for tests, in few words: ``tool("list_issues", "limit:integer", "query")``."""

from mcp_assay.core.model import Disposition, Manifest, Safety, Tool

READ_ONLY = Safety(Disposition.READ_ONLY)


def tool(name, *parameters, required=(), description="", annotations=None, **schemas):
    """A tool with parameters ``name`` or ``name:type`` (a string if no type is given); ``name*`` is required.

    ``schemas`` replaces whole schemas: ``tool("get_x", "id*", id={"examples": ["a"]})``.
    """
    properties, needed = {}, list(required)
    for written in parameters:
        name_, _, kind = written.partition(":")
        if name_.endswith("*"):
            name_ = name_[:-1]
            needed.append(name_)
        properties[name_] = {"type": kind or "string"}
    properties |= schemas
    schema = {"type": "object", "properties": properties, "required": needed}
    raw = {"name": name, "inputSchema": schema, "description": description}
    return Tool(name, description, schema, None, annotations or {}, raw)


def sandboxed(*resources):
    return Safety(Disposition.SANDBOXED, tuple(resources))


def manifests(**servers):
    return {name: Manifest(name, tuple(tools)) for name, tools in servers.items()}
