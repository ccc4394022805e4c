"""Values for addressing parameters from the test resources that the user listed for a sandboxed server."""

from collections.abc import Iterator, Sequence
from typing import Any

from mcp_assay.core import paths
from mcp_assay.core.addressing import noun
from mcp_assay.core.entities import looks, nouns, subject, verb
from mcp_assay.core.harvest import converted
from mcp_assay.core.model import Tool
from mcp_assay.core.parameters import Parameter, parameters

__all__ = ["from_resources"]

_NEW_FILE = "mcp-assay-test.txt"
_WRITING = frozenset({"create", "write", "save", "put", "add"})


def from_resources(parameter: Parameter, tool: Tool, server: str, resources: Sequence[str]) -> Iterator[Any]:
    """Identifiers of the resources whose kind is what the parameter addresses, in the form that it most likely wants.

    Beside an ``owner``, ``repo: acme/play`` gives ``play`` to ``repo``. A folder (an entry that ends in ``/**``) is no
    file: a tool that reads files has to learn from a result which there are, and one that writes them gets a new one.
    """
    if not resources or not noun([parameter.name]).addresses:
        return
    for entry in resources:
        kind, identifier = _apart(entry)
        if not identifier or not _is_meant(parameter, kind, identifier):
            continue
        if identifier.endswith("/**") and "file" in nouns(tool, server) and not looks(tool, server):
            forms = [identifier.removesuffix("**") + _NEW_FILE] if verb(tool, server) in _WRITING else []
        else:
            forms = list(_forms(parameter, identifier.removesuffix("/**"), tool))
        for form in forms:
            yield from converted(form, parameter)


def _apart(entry: str) -> tuple[str, str]:
    """``repo: acme/play`` is a ``repo`` and its identifier; an entry without a label has no kind."""
    label, colon, rest = entry.partition(":")
    if colon and label.strip().isidentifier() and not rest.startswith(("//", "\\")):
        return label.strip(), rest.strip()
    return "", entry.strip()


def _is_meant(parameter: Parameter, kind: str, identifier: str) -> bool:
    name = noun([parameter.name])
    if not kind:
        return name.may_be_relative and paths.is_absolute(identifier)
    if name.owns:
        return noun([kind]).owned and "/" in identifier
    spoken, labelled = subject(parameter.name), subject(kind)
    meant = {*spoken.entity[-1:], spoken.identifier, name.word} - {""}
    return bool(meant & {*labelled.entity[-1:], labelled.identifier, noun([kind]).word})


def _forms(parameter: Parameter, identifier: str, tool: Tool) -> Iterator[str]:
    owner, slash, rest = identifier.partition("/")
    name = noun([parameter.name])
    others = (other.name for other in parameters(tool) if other.name != parameter.name)
    if name.owns and slash:
        yield owner
    elif name.owned and owner and slash and any(noun([other]).owns for other in others):
        yield rest
    else:
        yield identifier
