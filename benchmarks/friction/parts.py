"""What the clean servers share: how a careful author lists, filters, pages, fetches several, counts, and refuses.

Names and styles differ from server to server, as they do in the wild; what is right about them is the same.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.friction.surface import Kind, Role, Tool, ToolError, World

__all__ = ["Collection", "date", "job_tools", "number", "obj", "text", "words"]

Json = Mapping[str, Any]
READ: Json = {"readOnlyHint": True}
WRITE: Json = {"readOnlyHint": False, "destructiveHint": False}


def obj(properties: Json, required: Iterable[str] = (), *, closed: bool = True) -> dict[str, Any]:
    """An object's schema."""
    schema: dict[str, Any] = {"type": "object", "properties": dict(properties)}
    if required:
        schema["required"] = list(required)
    if closed:
        schema["additionalProperties"] = False
    return schema


def text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def date(description: str) -> dict[str, Any]:
    return {"type": "string", "format": "date", "description": f"{description}, YYYY-MM-DD."}


def words(allowed: Sequence[str], description: str) -> dict[str, Any]:
    return {"type": "string", "enum": list(allowed), "description": description}


def number(description: str) -> dict[str, Any]:
    return {"type": "number", "description": description}


@dataclass(frozen=True)
class Collection:
    """One kind of records of a server, and the tools over it.

    ``table`` is where the world keeps them; ``id`` their identifier; ``short`` the members that a list shows, with
    their schemas, and ``whole`` what a get shows beside these. ``filters`` are parameters with their schemas, each held
    against the member of the same name or of ``members``; ``lookups`` are natural keys, held so too. ``since`` and
    ``until`` are parameters against the member ``dated``.
    """

    entity: str
    table: str
    id: str
    short: Json
    whole: Json = field(default_factory=dict)
    filters: Json = field(default_factory=dict)
    lookups: Json = field(default_factory=dict)
    members: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)
    dated: str = ""
    since: str = ""
    until: str = ""
    items: str = ""
    cursor: str = "next_cursor"
    cursor_param: str = "cursor"
    limit: str = "limit"
    size: int = 20
    most: int = 100
    noun: str = ""

    # --- the tools ----------------------------------------------------------------------------------------------------

    def list_tool(self, name: str, description: str) -> Tool:
        paging = {
            self.limit: {
                "type": "integer",
                "minimum": 1,
                "maximum": self.most,
                "default": self.size,
                "description": "How many to return on one page.",
            },
            self.cursor_param: text(f"{self.cursor} of the page before; leave it out for the first page."),
        }
        output = {
            self._items: {"type": "array", "items": obj(self.short, self.short)},
            "total": {"type": "integer", "description": "How many match, on all pages."},
            self.cursor: {
                "type": ["string", "null"],
                "description": f"Give it as {self.cursor_param} to go on; null at the end.",
            },
        }
        role = Role(
            Kind.LIST,
            self.entity,
            items=self._items,
            id=self.id,
            cursor=self.cursor,
            cursor_param=self.cursor_param,
            limit=self.limit,
            filters=self._against(self.filters),
            lookups=self._against(self.lookups),
            shared=self.shared,
            dates=self._dates,
            enums=self._enums,
        )
        return Tool(
            name,
            description,
            obj({**self._narrowing, **paging}),
            obj(output, output),
            self._list,
            role,
            annotations=READ,
        )

    def get_tool(self, name: str, description: str, *, param: str = "", batch: str = "") -> Tool:
        """``param`` takes one identifier, ``batch`` several."""
        param = param or self.id
        members = {**self.short, **self.whole}
        one = text(f"The {self.id} of a {self.entity}, as the list gives it.")
        params: dict[str, Any] = {param: one}
        if batch:
            params[batch] = {
                "type": "array",
                "items": {"type": "string"},
                "maxItems": 50,
                "description": f"Several of them, instead of {param}.",
            }
        output = obj({self._items: {"type": "array", "items": obj(members, members)}}, [self._items])
        role = Role(
            Kind.GET, self.entity, items=self._items, id=self.id, id_param=param, batch=batch, shared=self.shared
        )

        def run(world: World, args: Json) -> Json:
            wanted = args[batch] if batch and batch in args else [args[param]] if param in args else []
            if not wanted:
                raise ToolError(f"{param} is required{f', or {batch} for more than one' if batch else ''}.")
            known = {record[self.id]: record for record in world[self.table]}
            unknown = [each for each in wanted if each not in known]
            if unknown:
                named = batch if batch and batch in args else param
                raise ToolError(f"{named}: there is no {self.entity} {unknown[0]!r}.")
            return {self._items: [{member: known[each][member] for member in members} for each in wanted]}

        return Tool(name, description, obj(params, () if batch else [param]), output, run, role, annotations=READ)

    def count_tool(self, name: str, description: str) -> Tool:
        role = Role(
            Kind.SUMMARY, self.entity, filters=self._against(self.filters), dates=self._dates, enums=self._enums
        )
        output = obj({"count": {"type": "integer"}}, ["count"])

        def run(world: World, args: Json) -> Json:
            return {"count": len(self._matching(world, args))}

        return Tool(name, description, obj(self._narrowing), output, run, role, annotations=READ)

    def sum_tool(self, name: str, description: str, member: str) -> Tool:
        role = Role(
            Kind.SUMMARY, self.entity, filters=self._against(self.filters), dates=self._dates, enums=self._enums
        )
        output = obj({"total": {"type": "number"}, "count": {"type": "integer"}}, ["total", "count"])

        def run(world: World, args: Json) -> Json:
            found = self._matching(world, args)
            return {"total": round(sum(record[member] for record in found), 2), "count": len(found)}

        return Tool(name, description, obj(self._narrowing), output, run, role, annotations=READ)

    def search_tool(self, name: str, description: str, *, over: Sequence[str], param: str = "query") -> Tool:
        """Records in which every word stands."""
        role = Role(
            Kind.SEARCH,
            self.entity,
            items=self._items,
            id=self.id,
            id_param=param,
            limit="limit",
            over=tuple(over),
            shared=self.shared,
        )
        limit = {"type": "integer", "minimum": 1, "maximum": 50, "default": 10, "description": "How many to return."}
        params = {param: text("Words that all have to occur."), "limit": limit}
        members = {self._items: {"type": "array", "items": obj(self.short, self.short)}, "total": {"type": "integer"}}

        def run(world: World, args: Json) -> Json:
            asked = args[param].lower().split()
            if not asked:
                raise ToolError(f"{param}: say at least one word.")
            found = [r for r in world[self.table] if all(any(w in str(r[at]).lower() for at in over) for w in asked)]
            shown = found[: args.get("limit", 10)]
            return {self._items: list(map(self._short, shown)), "total": len(found)}

        return Tool(name, description, obj(params, [param]), obj(members, members), run, role, annotations=READ)

    def create_tool(
        self, name: str, description: str, params: Json, required: Sequence[str], new: Callable[[World, Json], Json]
    ) -> Tool:
        """``new`` gives the record that the arguments make."""
        members = {**self.short, **self.whole}
        noun = self.noun or self.entity
        enums = tuple(each for each, schema in params.items() if "enum" in schema)
        dates = tuple(each for each, schema in params.items() if schema.get("format") == "date")
        role = Role(Kind.CREATE, self.entity, id=self.id, enums=enums, dates=dates)

        def run(world: World, args: Json) -> Json:
            record = dict(new(world, args))
            world[self.table].append(record)
            return {noun: {member: record[member] for member in members}}

        return Tool(
            name,
            description,
            obj(params, required),
            obj({noun: obj(members, members)}, [noun]),
            run,
            role,
            annotations=WRITE,
        )

    # --- what they do -------------------------------------------------------------------------------------------------

    @property
    def _items(self) -> str:
        return self.items or self.table

    @property
    def _narrowing(self) -> dict[str, Any]:
        dates = {}
        if self.since:
            dates[self.since] = date(f"Only {self.table} of this day or later")
        if self.until:
            dates[self.until] = date(f"Only {self.table} of this day or earlier")
        return {**self.filters, **self.lookups, **dates}

    @property
    def _dates(self) -> tuple[str, ...]:
        return tuple(name for name in (self.since, self.until) if name)

    @property
    def _enums(self) -> tuple[str, ...]:
        return tuple(name for name, schema in self.filters.items() if "enum" in schema)

    def _against(self, params: Json) -> dict[str, str]:
        return {name: self.members.get(name, name) for name in params}

    def _short(self, record: Json) -> dict[str, Any]:
        return {member: record[member] for member in self.short}

    def _matching(self, world: World, args: Json) -> list[Any]:
        tests = {**self._against(self.filters), **self._against(self.lookups)}
        found = [r for r in world[self.table] if all(r[at] == args[name] for name, at in tests.items() if name in args)]
        if self.since in args:
            found = [record for record in found if record[self.dated] >= args[self.since]]
        if self.until in args:
            found = [record for record in found if record[self.dated] <= args[self.until]]
        return found

    def _list(self, world: World, args: Json) -> Json:
        found, size, cursor = (
            self._matching(world, args),
            args.get(self.limit, self.size),
            args.get(self.cursor_param, "p0"),
        )
        start = int(cursor[1:]) if cursor[:1] == "p" and cursor[1:].isdigit() else -1
        if not 0 <= start <= len(found):
            raise ToolError(f"{self.cursor_param}: not one of this list's; leave it out to begin with the first page.")
        more = f"p{start + size}" if start + size < len(found) else None
        return {
            self._items: list(map(self._short, found[start : start + size])),
            "total": len(found),
            self.cursor: more,
        }


def job_tools(
    entity: str,
    start: tuple[str, str],
    status: tuple[str, str],
    params: Json,
    required: Sequence[str],
    *,
    key: str,
    looks: int = 4,
) -> tuple[Tool, Tool]:
    """Two tools, each a name and a description: one starts a job, one tells its state or waits for its end.

    A look that does not wait finds it running for so many times, or up to two more.
    """
    states = ["queued", "running", "succeeded"]
    output = obj({key: text(f"The {entity}'s id."), "state": words(states, "Where it stands.")}, [key, "state"])

    def begin(world: World, args: Json) -> Json:
        jobs = world.setdefault(f"_{entity}", {})
        found = f"{entity}-{4100 + len(jobs)}"
        jobs[found] = looks + len(str(args)) % 3
        return {key: found, "state": "queued"}

    def look(world: World, args: Json) -> Json:
        jobs = world.get(f"_{entity}", {})
        if args[key] not in jobs:
            raise ToolError(f"{key}: there is no {entity} {args[key]!r}.")
        jobs[args[key]] = 0 if args.get("wait_seconds", 0) else jobs[args[key]] - 1
        return {key: args[key], "state": "running" if jobs[args[key]] > 0 else "succeeded"}

    wait = {
        "type": "integer",
        "minimum": 0,
        "maximum": 60,
        "default": 0,
        "description": "Seconds to wait for its end before answering.",
    }
    asked = obj({key: text(f"The {entity}'s id, as {start[0]} gives it."), "wait_seconds": wait}, [key])
    return (
        Tool(*start, obj(params, required), output, begin, Role(Kind.START, entity, id=key), annotations=WRITE),
        Tool(
            *status,
            asked,
            output,
            look,
            Role(Kind.STATUS, entity, id=key, id_param=key, wait="wait_seconds"),
            annotations=READ,
        ),
    )
