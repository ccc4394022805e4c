"""Does a mutating call stay inside the test resources? Its raw arguments against the entries the user listed.

``literal`` is the specification's rule to the letter, but for blank strings, which are substrings of everything.
``strict`` closes what that rule leaves open ("a" is a substring of almost everything, and one match lets every other
argument through). It permits a call only if

1. at least one string that may address a resource equals an entry or a whole identifier embedded in it, and
2. every argument that may address one (see ``addressing`` and, for the words, ``kinds``) is covered by an entry, or

   * is part of a place that is covered in the same object or around it: an identifier needs no entry of its own only
     where a container *of its parent kind* is covered (a branch in a repository, a message in a channel), or
   * only names something (``name``, ``tag``) beside a covered argument that says where the call acts.

A number that addresses must be covered too, but does not count for (1): the specification compares strings only. So
``strict`` permits nothing that ``literal`` refuses, with one exception: what lies under a path entry ending in ``/**``.
An entry's label narrows: beside ``sheet: Test`` no other sheet lies within its covered spreadsheet.
This restricts a call's arguments, not what the server's process does with them.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from mcp_assay.core import paths
from mcp_assay.core.addressing import addresses, form, noun
from mcp_assay.core.arguments import Argument, TooDeepError, arguments, meant
from mcp_assay.core.declared import Declared
from mcp_assay.core.kinds import NAMING, NARROWING, OPTIONS, PATHS, QUERIES
from mcp_assay.core.model import Match, Tool

__all__ = ["Held", "Hold", "Judged", "check", "could_match", "explain", "identifiers"]


@dataclass(frozen=True, slots=True)
class Held:
    """Whether the sandbox holds; ``why`` is one sentence that names arguments, never their values."""

    ok: bool
    why: str


class Hold(StrEnum):
    """What holds one argument. ``LOOSE``: nothing does, though it may say where the call acts."""

    FREE = "free"
    COVERED = "covered"
    WITHIN = "within"
    BESIDE = "beside"
    LOOSE = "loose"


@dataclass(frozen=True, slots=True)
class Judged:
    """One argument; ``by`` is the entry that covers it, or the argument that it lies within or is named beside.

    ``pair`` is what an entry must say where nothing holds an owner and a repository that are one address.
    """

    argument: Argument
    hold: Hold
    by: str = ""
    pair: str = ""


def _as_written(path: str) -> str:
    return path


def check(
    args: Mapping[str, Any],
    schema: Mapping[str, Any],
    resources: Sequence[str],
    match: Match,
    *,
    realpath: Callable[[str], str] = _as_written,
) -> Held:
    """Hold one call's raw arguments against the test resources; ``schema`` is the tool's input schema.

    ``realpath`` resolves the links in an absolute path. Never raises for what a driver or a server sent.
    """
    return explain(args, schema, resources, match, realpath=realpath)[0]


def explain(
    args: Mapping[str, Any],
    schema: Mapping[str, Any],
    resources: Sequence[str],
    match: Match,
    *,
    realpath: Callable[[str], str] = _as_written,
) -> tuple[Held, Sequence[Judged]]:
    """What ``check`` decides, and what was thought of each argument, in order; none if there was nothing to decide."""
    if not any(entry.strip() for entry in resources):
        return Held(ok=False, why="no test resource is listed for this MCP"), ()
    try:
        found = list(arguments(args, schema))
    except TooDeepError:
        return Held(ok=False, why="the arguments are too large or too deeply nested to be checked"), ()
    if match is Match.LITERAL:
        return _literal(found, resources)
    judged = _judged(found, _Sandbox.of(resources, realpath))
    return _strict(judged), judged


def identifiers(entry: str) -> frozenset[str]:
    """An entry, and the whole identifiers embedded in it: what follows a ``/``, a ``:`` or a blank.

    ``repo: acme/play`` holds ``acme/play`` and ``play``; an absolute path or a URL holds no part of itself.
    """
    rest = entry.strip()
    found = {entry, rest} if rest else set()
    while not paths.is_absolute(rest) and (edge := _EDGE.search(rest)):
        rest = rest[edge.end() :]
        if edge.group()[0] == "/" and rest.startswith("/"):
            break
        if any(char.isalnum() for char in rest):
            found.add(rest)
    return frozenset(found)


_EDGE = re.compile(r"[/:\s][:\s]*")


def could_match(tool: Tool, resources: Sequence[str] = ()) -> bool:
    """Whether any arguments of this tool could satisfy ``strict``: it takes a string that may name a resource.

    With ``resources``, a parameter counts only if one of their identifiers fits it: among the values that its schema
    enumerates, or as a path, a URL and the like where its name says nothing.
    """
    known = frozenset[str]().union(*map(identifiers, resources))
    properties = tool.input_schema.get("properties")
    others = tool.input_schema.get("additionalProperties", False)
    members = properties if isinstance(properties, Mapping) else {}
    declared = (_takes_a_match(member, (str(name),), known, 0) for name, member in members.items())
    return any(declared) or others is not False


# --- literal -----------------------------------------------------------------------------------------------------


def _literal(found: Sequence[Argument], resources: Sequence[str]) -> tuple[Held, Sequence[Judged]]:
    # "Inspect every value in the args object that is a string." "the arg value is a substring of a test_resources[]
    # entry … The reverse direction … does not match"
    judged = []
    for argument in found:
        is_compared = argument.is_text and bool(argument.value.strip())
        entry = next((entry for entry in resources if is_compared and argument.value in entry), None)
        judged.append(Judged(argument, Hold.FREE) if entry is None else Judged(argument, Hold.COVERED, entry))
    if any(each.hold is Hold.COVERED for each in judged):
        return Held(ok=True, why="an argument matches a test resource"), judged
    return Held(ok=False, why="no argument matches a test resource"), judged


# --- strict ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Sandbox:
    """``names`` maps every identifier to its entry, ``roots`` the folders of entries that end in ``/**``.

    ``narrow`` are the kinds that entries are labelled with (``sheet: Test``): of these, only what is listed counts.
    """

    names: Mapping[str, str]
    roots: Mapping[str, str] = field(default_factory=dict)
    narrow: frozenset[str] = frozenset()
    realpath: Callable[[str], str] = field(default=_as_written)

    @classmethod
    def of(cls, resources: Sequence[str], realpath: Callable[[str], str]) -> "_Sandbox":
        names = {name: entry for entry in reversed(resources) for name in sorted(identifiers(entry))}
        roots = {name.removesuffix("**"): entry for name, entry in names.items() if name.endswith("/**")}
        labels = (entry.partition(":")[0].strip() for entry in resources if ":" in entry)
        # A path inside another listed place is no narrowing of it.
        kinds = frozenset(noun([label]).word for label in labels if label.isidentifier()) - PATHS
        return cls(names, {root: entry for root, entry in roots.items() if paths.is_absolute(root)}, kinds, realpath)

    def entry(self, value: object) -> str | None:
        """The entry that a value by itself is an identifier of, or lies under."""
        if isinstance(value, str):
            under = (self.roots[root] for root in self.roots if paths.lies_under(value, root, self.realpath))
            return self.names.get(value) or next(under, None)
        return self.names.get(str(value)) if isinstance(value, int | float) and value is not True else None


def _judged(found: Sequence[Argument], sandbox: _Sandbox) -> list[Judged]:
    """Every argument in order. What lies within another, or is named beside one, needs that one to be covered."""
    addressing = [argument for argument in found if addresses(argument.noun, argument.value)]
    entries = {id(argument): _entry(argument, addressing, sandbox) for argument in addressing}
    covered = [argument for argument in addressing if entries[id(argument)] is not None]
    judged = []
    for argument in found:
        if id(argument) not in entries:
            judged.append(Judged(argument, Hold.FREE))
        elif (entry := entries[id(argument)]) is not None:
            judged.append(Judged(argument, Hold.COVERED, entry))
        elif whole := _whole(argument, covered, sandbox):
            judged.append(Judged(argument, Hold.WITHIN, whole.shown))
        elif beside := _beside(argument, covered):
            judged.append(Judged(argument, Hold.BESIDE, beside.shown))
        else:
            pairs = [_pair(argument, partner) for partner in _partners(argument, addressing)]
            judged.append(Judged(argument, Hold.LOOSE, pair=min(set().union(*pairs), key=len, default="")))
    return judged


def _strict(judged: Sequence[Judged]) -> Held:
    loose = next((each.argument for each in judged if each.hold is Hold.LOOSE), None)
    if loose is not None:
        return Held(ok=False, why=f"argument {loose.shown} is not covered by a test resource")
    # The specification compares strings, and what is written (a text, a body) is no resource identifier.
    matches = (each.argument for each in judged if each.hold is Hold.COVERED)
    if not any(argument.is_text and not argument.noun.is_content for argument in matches):
        return Held(ok=False, why="no string argument that addresses a resource is a test resource or identifies one")
    return Held(ok=True, why="every argument that addresses a resource is covered by a test resource")


def _entry(argument: Argument, addressing: Sequence[Argument], sandbox: _Sandbox) -> str | None:
    """The entry that covers an argument; an owner and a repository are one address, covered by one of their pair."""
    partners = list(_partners(argument, addressing))
    if not partners:
        return sandbox.entry(argument.value)
    found = [next(filter(None, map(sandbox.names.get, sorted(_pair(argument, partner)))), None) for partner in partners]
    return None if None in found else found[0]


def _partners(argument: Argument, addressing: Sequence[Argument]) -> Iterator[Argument]:
    """The owners given beside a repository, or the repositories beside an owner: same object, same role."""
    if not (argument.noun.owns or argument.noun.owned):
        return
    for other in addressing:
        is_other_half = other.noun.owned if argument.noun.owns else other.noun.owns
        if is_other_half and other.parent == argument.parent and other.noun.role == argument.noun.role:
            yield other


def _pair(one: Argument, other: Argument) -> set[str]:
    """``owner/repo``; a repository argument that already spells it out stands if the owner is the same."""
    owner, repo = (str(one.value), str(other.value)) if one.noun.owns else (str(other.value), str(one.value))
    if not owner.strip() or not repo.strip():
        return set()
    return {f"{owner}/{repo}"} | ({repo} if repo.startswith(f"{owner}/") else set())


def _whole(argument: Argument, covered: Sequence[Argument], sandbox: _Sandbox) -> Argument | None:
    """The covered place that a part lies within: of a kind that holds it, in the same object or in one around it."""
    name = argument.noun
    if name.word in sandbox.narrow or (name.word in QUERIES and not NARROWING.isdisjoint(sandbox.narrow)):
        return None
    around = [whole for whole in covered if whole.noun.holds(name) and _surrounds(whole, argument)]
    if name.word in QUERIES:
        stays = _FOREIGN.search(str(argument.value)) is None
    else:
        stays = all(_stays(str(argument.value), whole, sandbox) for whole in around)
    return around[0] if around and stays else None


# What may lead a statement out of its database: a qualified name, or a statement that opens or calls something else. A
# dot that is no decimal point is one, even in a string: whoever looked for the strings' ends could be misled.
_FOREIGN = re.compile(
    r"(?<!\d)\.|\.(?!\d)|[^\W\d]\w*\.|\b(?:attach|call|catalog|copy|database|dblink\w*|dumpfile|exec|execute|load|outfile"
    r"|program|server|tablespace|use)\b",
    re.IGNORECASE,
)


def _surrounds(whole: Argument, part: Argument) -> bool:
    return whole is not part and part.parent[: len(whole.parent)] == whole.parent


def _stays(part: str, whole: Argument, sandbox: _Sandbox) -> bool:
    if not paths.is_contained(part):
        return False
    folder = str(whole.value)
    return not folder.startswith("/") or paths.lies_under(f"{folder}/{part}", folder, sandbox.realpath)


def _beside(argument: Argument, covered: Sequence[Argument]) -> Argument | None:
    """What says where the call acts, beside an argument that only names something there.

    A bare key does not say it, and a part's name is free only beside the part's own id (it is renamed).
    """
    name = argument.noun
    if not name.names or name.addresses or not argument.is_plain:
        return None
    for other in covered:
        says_where = other.noun.addresses and other.noun.word not in NAMING | {"key"}
        if says_where and (not name.wholes or name.word in NAMING or other.noun.word == name.word):
            return other
    return None


# --- could_match -------------------------------------------------------------------------------------------------


def _takes_a_match(schema: object, names: tuple[str, ...], known: frozenset[str], depth: int) -> bool:
    """Whether a value of this schema may hold a matching string. What cannot be told counts as yes."""
    if not isinstance(schema, Mapping) or "$ref" in schema or depth > _MAX_SCHEMA_DEPTH:
        return schema is not False and (depth > 0 or _may_match(schema, names, known))
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if isinstance(values, list):
        listed = any(isinstance(value, str) and (not known or value in known) for value in values)
        return listed and _may_match(schema, names, known)
    branches = [branch for word in ("anyOf", "oneOf") if isinstance(schema.get(word), list) for branch in schema[word]]
    if branches:
        # What is said of the whole holds for its branches.
        told = {"description": schema.get("description")}
        each = ({**told, **branch} if isinstance(branch, Mapping) else branch for branch in branches)
        return any(_takes_a_match(branch, names, known, depth + 1) for branch in each)
    kinds = schema.get("type", "string")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "string" in kinds and _may_match(schema, names, known):
        return True
    return any(_takes_a_match(part, (*names, *key), known, depth + 1) for key, part in _members(schema, kinds))


_MAX_SCHEMA_DEPTH = 32


def _may_match(schema: object, names: tuple[str, ...], known: frozenset[str]) -> bool:
    name = meant(names, Declared.of(schema))
    if addresses(name, "x"):
        return not name.is_content
    return not (name.is_content or name.word in OPTIONS) and any(form(text, name) for text in known or ("/",))


def _members(schema: Mapping[str, Any], kinds: Sequence[object]) -> list[tuple[tuple[str, ...], object]]:
    """The schemas of what a list or an object holds, with its key; ``True`` for what is not declared."""
    found: list[tuple[tuple[str, ...], object]] = [((), schema.get("items", True))] if "array" in kinds else []
    if "object" in kinds:
        properties = schema.get("properties")
        declared = [((str(key),), part) for key, part in properties.items()] if isinstance(properties, Mapping) else []
        found += [*declared, ((), schema.get("additionalProperties", not declared))]
    return found
