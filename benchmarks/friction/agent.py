"""A competent agent, as a program: it reads what the servers list and return, and does what a person would do next.

It knows what it wants and which tool is for it (a reader of descriptions would); names, schemas, results and errors it
takes as they come. It knows nothing of defects, and nothing of the critic.
"""

import csv
import io
import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from benchmarks.friction.calling import Caller, Stuck
from benchmarks.friction.made import Item, Made, items, sourced
from benchmarks.friction.surface import Kind, Role, Tool

from mcp_assay.core.naming import label

__all__ = ["Agent"]

BY_HEAD = 10  # so many records are looked through without a program
MOST_PAGES = 8
_NAME = re.compile(r"[A-Z][a-z]+ [A-Z][a-z]+")
_RUNNING = ("queued", "running", "pending")


@dataclass
class Agent(Caller):
    """What agents do all day, over tools that it finds by what they are for."""

    _rows: dict[str, list[Item]] = field(default_factory=dict)

    def tool(self, server: str, kind: str, entity: str) -> Tool:
        """Raises Stuck where the server has none."""
        found = self.surfaces[server].of(kind, entity)
        if found is None:
            raise Stuck(f"{server} has no tool to {kind} {entity}")
        return found

    def has(self, server: str, kind: str, entity: str) -> bool:
        return self.surfaces[server].of(kind, entity) is not None

    # --- lists --------------------------------------------------------------------------------------------------------

    async def collect(
        self, server: str, entity: str, wanted: Mapping[str, Any], most: int = 0, because: Sequence[str] = ()
    ) -> list[Item]:
        """The records whose members are as wanted (at most so many, 0: all). What no filter does is done by hand."""
        await self._wander(server)
        tool, first = await self._sure(server, Kind.LIST, entity, self._filters(server, entity, wanted), because)
        given = self._filters(server, entity, wanted)
        left = {at: value for at, value in wanted.items() if at not in {tool.role.filters[name] for name in given}}
        pages = await self._pages(server, tool, given, 0 if left else most, because, first=first)
        found = [item for page in pages for item in self._read_already(page, tool.role)]
        if left:
            found = await self._filtered(server, tool, found, left, [page.id for page in pages])
        return found[:most] if most else found

    def _filters(self, server: str, entity: str, wanted: Mapping[str, Any]) -> dict[str, Any]:
        """What is wanted, as far as the list has filters for it."""
        tool = self.tool(server, Kind.LIST, entity)
        params = self.parameters(tool)
        return {name: wanted[at] for name, at in tool.role.filters.items() if at in wanted and name in params}

    async def _sure(
        self, server: str, kind: str, entity: str, args: Mapping[str, Any], because: Sequence[str] = ()
    ) -> tuple[Tool, Made | None]:
        """Which tool to use. Where two do the same one is unsure, and may ask both; then also what the first said."""
        own = self.tool(server, kind, entity)
        twins = [
            (name, tool)
            for name, surface in self.surfaces.items()
            for tool in surface.tools.values()
            if (tool.role.kind, tool.role.entity) == (kind, entity) and tool.name != own.name
        ]
        if not twins:
            return own, None
        if self.rng.random() < 0.4:
            return self.rng.choice([own, *(tool for name, tool in twins if name == server)]), None
        one = await self.tried(server, own, args, "list", because)
        await self._read(server, own, one)
        where, twin = twins[0]
        await self.tried(where, twin, args, "twin", [one.id])
        return own, one

    async def _pages(
        self,
        server: str,
        tool: Tool,
        args: Mapping[str, Any],
        most: int,
        because: Sequence[str] = (),
        *,
        first: Made | None = None,
    ) -> list[Made]:
        role, params, sent = tool.role, self.parameters(tool), dict(args)
        if first is None:
            if role.limit in params and self.rng.random() < 0.4:
                sent[role.limit] = max(5, most) if most else params[role.limit].get("maximum", 50)
            if "maximum" in params.get(role.limit, {}) and self.rng.random() < 0.04:
                slip = {**sent, role.limit: params[role.limit]["maximum"] * 5}
                because = [*because, (await self.use(server, tool, slip, "slip", because)).id]
            first = await self.tried(server, tool, sent, "list", because)
        pages = [first]
        while len(pages) < MOST_PAGES:
            shown = [item for page in pages for item in await self._read(server, tool, page)]
            more = self._more(tool, pages, len(shown))
            if more is None or (most and len(shown) >= most):
                break
            pages.append(await self.tried(server, tool, more, "page", [pages[-1].id]))
        return pages

    def _more(self, tool: Tool, pages: Sequence[Made], shown: int) -> dict[str, Any] | None:
        """The arguments that ask for what the pages do not show yet, if there are any."""
        role, params, last = tool.role, self.parameters(tool), pages[-1]
        cursor = self._cursor(last, role)
        if cursor and role.cursor_param in params:
            return {**last.args, role.cursor_param: cursor}
        total = last.data.get("total")
        larger = isinstance(total, int) and total > shown and role.limit in params and role.limit not in last.args
        return {**last.args, role.limit: params[role.limit].get("maximum", 100)} if larger else None

    @staticmethod
    def _cursor(made: Made, role: Role) -> Any:
        if not role.cursor or made.data:
            return made.data.get(role.cursor)
        told = re.search(rf"{role.cursor}: (\w+)", made.text)
        return told[1] if told else None

    async def _read(self, server: str, tool: Tool, made: Made) -> list[Item]:
        """The records of a result. A table in a text is read by a program if it is long."""
        if made.id not in self._rows:
            found = items(made, tool.role.items)
            if not found and not made.data:
                found = sourced(made, _table(made.text))
                if len(found) > BY_HEAD:
                    command = f"printf '%s' {shlex.quote(made.text)} | cut -d, -f1-3 | head -n {len(found) + 1}"
                    reason = "its result is a table in a text, which is taken apart here"
                    await self.step(command, self.why_not(server, tool.name, reason), "parse", [made.id])
            self._rows[made.id] = found
        return self._rows[made.id]

    def _read_already(self, made: Made, role: Role) -> list[Item]:
        return self._rows.get(made.id) or items(made, role.items)

    async def _filtered(
        self, server: str, tool: Tool, found: Sequence[Item], wanted: Mapping[str, Any], pages: Sequence[str]
    ) -> list[Item]:
        kept = [item for item in found if all(_is(item.get(member), value) for member, value in wanted.items())]
        if len(found) > BY_HEAD:
            test = " and ".join(f"str(i.get({member!r})) == {str(value)!r}" for member, value in wanted.items())
            few = json.dumps([{name: item.get(name) for name in (tool.role.id, *wanted)} for item in found])
            program = f"import json,sys; print([i for i in json.load(sys.stdin) if {test}])"
            by = " and ".join(wanted)
            reason = self.rng.choice((f"it cannot filter by {by}", f"it takes no {by}, so its items are picked here"))
            command = f"printf '%s' {shlex.quote(few)} | python3 -c {shlex.quote(program)}"
            await self.step(command, self.why_not(server, tool.name, reason), "filter", pages)
        return kept

    async def find(self, server: str, entity: str, key: str, value: Any, because: Sequence[str] = ()) -> Item | None:
        """The one record with this natural key: by a lookup, else by leafing through the list until it comes."""
        tool = self.tool(server, Kind.LIST, entity)
        role, params = tool.role, self.parameters(tool)
        keys = {**role.lookups, **role.filters}
        by = next((name for name, member in keys.items() if member == key and name in params), "")
        made = await self.tried(server, tool, {by: value} if by else {}, "lookup" if by else "find", because)
        while True:
            for item in await self._read(server, tool, made):
                if _is(item.get(key), value):
                    return item
            cursor = self._cursor(made, role)
            if by or not cursor or role.cursor_param not in params:
                return None
            made = await self.tried(server, tool, {**made.args, role.cursor_param: cursor}, "find-page", [made.id])

    async def again_with_all(
        self, server: str, entity: str, wanted: Mapping[str, Any], because: Sequence[str]
    ) -> list[Item]:
        """The list once more with whatever includes more, where it showed fewer than there are."""
        tool = self.tool(server, Kind.LIST, entity)
        more = [name for name, schema in self.parameters(tool).items() if schema.get("type") == "boolean"]
        if not more:
            return []
        args = {**self._filters(server, entity, wanted), more[0]: True}
        return await self._read(server, tool, await self.tried(server, tool, args, "all", because))

    # --- one record, or several ---------------------------------------------------------------------------------------

    async def get(self, server: str, entity: str, wanted: Sequence[Item]) -> list[Item]:
        """Each of the records, whole: at once where the server can, else one by one."""
        await self._wander(server)
        tool, lister = self.tool(server, Kind.GET, entity), self.surfaces[server].of(Kind.LIST, entity)
        role, params = tool.role, self.parameters(tool)
        key = lister.role.id if lister else role.id
        if role.batch in params and len(wanted) > 1 and all(key in item for item in wanted):
            ids, others = [item[key] for item in wanted], [_forms(item, key) for item in wanted]
            forms = {role.batch: [list(form) for form in zip(*others, strict=False)]}
            sources = dict.fromkeys(item.source for item in wanted)
            made = await self.tried(server, tool, {role.batch: ids}, "batch", sources, forms=forms)
            await self._parts(server, role, made)
            return items(made, role.items)
        found: list[Item] = []
        for item in wanted:
            found += await self._one(server, tool, item, key)
        return found

    async def _one(self, server: str, tool: Tool, item: Item, key: str) -> list[Item]:
        """One record, by its identifier; where there is none, by what it is called."""
        role, value = tool.role, item.get(key, _name(item))
        made = await self.tried(
            server, tool, {role.id_param: value}, "each", [item.source], forms={role.id_param: _forms(item, key)}
        )
        await self._parts(server, role, made)
        return items(made, role.items) or sourced(made, [made.data])

    async def _parts(self, server: str, role: Role, made: Made) -> None:
        """What a get leaves to other tools."""
        for part in self.surfaces[server].tools.values():
            if (part.role.kind, part.role.entity) == (Kind.PART, role.entity):
                await self.tried(server, part, made.args, "part", [made.id])

    async def asked_for(self, server: str, entity: str, identifier: Any) -> bool:
        """Whether it can be told what somebody has mentioned, be it only that there is none."""
        tool = self.tool(server, Kind.GET, entity)
        try:
            await self.tried(server, tool, {tool.role.id_param: identifier}, "asked for")
        except Stuck:
            return str(identifier) in self.made[-1].text
        return True

    async def search(self, server: str, entity: str, words: str) -> list[Item]:
        """What the search finds; where there is none to be had, what the list has of it."""
        await self._wander(server)
        tool = self.tool(server, Kind.SEARCH, entity)
        try:
            tool, made = await self._sure(server, Kind.SEARCH, entity, {tool.role.id_param: words})
            made = made or await self.tried(server, tool, {tool.role.id_param: words}, "search")
        except Stuck as why:
            if "unavailable" not in str(why) or not self.has(server, Kind.LIST, entity):
                raise
            return await self._searched_by_hand(server, entity, words, tool)
        found = await self._read(server, tool, made)
        if not found:  # written otherwise, perhaps
            other = {**made.args, tool.role.id_param: words[:1].swapcase() + words[1:]}
            found = await self._read(server, tool, await self.tried(server, tool, other, "respelt", [made.id]))
        return found

    async def _searched_by_hand(self, server: str, entity: str, words: str, broken: Tool) -> list[Item]:
        failed = [made.id for made in self.made if made.tool == broken.name and made.refused]
        lister = self.tool(server, Kind.LIST, entity)
        pages = await self._pages(server, lister, {}, 0, failed)
        found = [item for page in pages for item in self._read_already(page, lister.role)]
        kept = [item for item in found if words.lower() in str(_name(item)).lower()]
        names = "\n".join(str(_name(item)) for item in found)
        reason = f"it failed, so what {lister.name} gives is searched here"
        command = f"printf '%s' {shlex.quote(names)} | grep -i {shlex.quote(words)} || true"
        why = self.why_not(server, broken.name, reason)
        await self.step(command, why, "compute", [*failed, *(page.id for page in pages)])
        return kept

    # --- figures and jobs ---------------------------------------------------------------------------------------------

    async def figure(self, server: str, entity: str, wanted: Mapping[str, Any], member: str = "") -> float:
        """How many there are, or the sum of a member: by a summary tool, else by hand."""
        await self._wander(server)
        tool = self.surfaces[server].of(Kind.SUMMARY, entity)
        if tool is None:
            return await self._by_hand(server, entity, wanted, member)
        params = self.parameters(tool)
        args = {name: wanted[at] for name, at in tool.role.filters.items() if at in wanted and name in params}
        try:
            made = await self.tried(server, tool, args, "figure")
        except Stuck as why:
            if "unavailable" not in str(why):
                raise
            return await self._by_hand(server, entity, wanted, member, tool)
        told = made.data if member else {"count": made.data.get("count"), **made.data}
        return float(next((value for value in told.values() if isinstance(value, int | float)), 0))

    async def _by_hand(
        self, server: str, entity: str, wanted: Mapping[str, Any], member: str, broken: Tool | None = None
    ) -> float:
        failed = [made.id for made in self.made if broken and made.tool == broken.name and made.refused]
        lister, given = self.tool(server, Kind.LIST, entity), self._filters(server, entity, wanted)
        if not member and len(given) == len(wanted):
            listed = await self.tried(server, lister, given, "list", failed)
            if isinstance(listed.data.get("total"), int):
                return float(listed.data["total"])
        began = len(self.made)
        found = await self.collect(server, entity, wanted, because=failed)
        values = [item.get(member, 0) if member else 1 for item in found]
        if len(values) > BY_HEAD:
            used = {item.source for item in found}
            because = [*failed, *(made.id for made in self.made[began:] if made.id in used)]
            tool, reason = (
                (broken, f"it failed, so what {lister.name} gives is added up here")
                if broken
                else (lister, f"it only lists, and no tool of {server} adds up what {entity}s have")
            )
            command = f"echo {shlex.quote(' '.join(map(str, values)))} | tr ' ' '\\n' | awk '{{s+=$1}} END {{print s}}'"
            await self.step(command, self.why_not(server, tool.name, reason), "compute", because)
        return float(sum(value for value in values if isinstance(value, int | float)))

    async def job(self, server: str, entity: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        """Start a job and have its end."""
        start, status = self.tool(server, Kind.START, entity), self.tool(server, Kind.STATUS, entity)
        begun = await self.tried(server, start, args, "start")
        asked = {status.role.id_param: begun.data.get(start.role.id)}
        params = self.parameters(status)
        if status.role.wait in params:
            asked[status.role.wait] = params[status.role.wait].get("maximum", 30)
        made = await self.tried(server, status, asked, "status", [begun.id])
        pauses = self.rng.random() < 0.7
        for _ in range(MOST_PAGES):
            if made.data.get("state") not in _RUNNING:
                break
            if pauses:
                reason = f"{label(server, status.name)} answers at once, so there is a pause before the next look"
                await self.step("sleep 0.01", reason, "pause", [made.id])
            made = await self.tried(server, status, asked, "poll", [made.id])
        return made.data

    async def known(self, server: str, entity: str, made: Made, wanted: Mapping[str, Any]) -> Any:
        """The identifier of what was just created: in the result, else to be found in the list."""
        key = self.tool(server, Kind.CREATE, entity).role.id
        for value in (made.data, *(value for value in made.data.values() if isinstance(value, dict))):
            if key in value:
                return value[key]
        tool = self.tool(server, Kind.LIST, entity)
        args, because = self._filters(server, entity, wanted), [made.id]
        for _ in range(MOST_PAGES):
            listed = await self.tried(server, tool, args, "created", because)
            for item in await self._read(server, tool, listed):
                if all(_is(item.get(at), value) for at, value in wanted.items() if at in item):
                    return item.get(tool.role.id)
            cursor = self._cursor(listed, tool.role)
            if not cursor or tool.role.cursor_param not in self.parameters(tool):
                break
            args, because = {**listed.args, tool.role.cursor_param: cursor}, [made.id, listed.id]
        return None

    # --- from one call to the next ------------------------------------------------------------------------------------

    async def hand_over(self, server: str, entity: str, item: Item, member: str, other: str) -> tuple[Any, list[str]]:
        """A member of a record as the other server takes it, and the ids of the calls that it comes from.

        A form that can be read off is brought into the other's in the head; what is encoded takes a program, and who is
        only named is looked up.
        """
        value, because = item.get(member), [item.source]
        if not isinstance(value, str):
            return value, because
        if ";base64," in value:
            tool = self.tool(server, Kind.LIST, entity)
            why = f"it gives {member} encoded, and {other} takes it as it is"
            raw = await self.convert(
                f"echo {shlex.quote(value)} | sed 's/.*base64,//' | base64 -d", server, tool, because, why
            )
            because = [*because, self.made[-1].id]
            value = await self.convert(f"echo {shlex.quote(raw)} | cut -d= -f2", server, tool, because[-1:], why)
            return value, [*because, self.made[-1].id]
        if _NAME.fullmatch(value):
            return await self._looked_up(other, value, because)
        return re.split(r"[/:@]", value)[-1] if re.match(r"\W|\w+[:/]", value) else value, because

    async def _looked_up(self, server: str, name: str, because: list[str]) -> tuple[Any, list[str]]:
        """The login of a person of that name, by the server's own directory."""
        for tool in self.surfaces[server].tools.values():
            if tool.role.kind == Kind.LIST and "name" in tool.role.lookups.values():
                found = await self.find(server, tool.role.entity, "name", name, because)
                if found:
                    return found.get("login"), [*because, found.source]
        return name, because

    async def as_date(self, server: str, value: Any, tool: Tool, because: Sequence[str]) -> tuple[str, list[str]]:
        """A date of a result as other calls take it, and the ids of what that took."""
        if isinstance(value, int) or (isinstance(value, str) and value.isdigit()):
            reason = "it gives seconds since 1970 where a date is wanted"
            found = await self.convert(f"date -u -d @{value} +%F", server, tool, because, reason)
            return found, [*because, self.made[-1].id]
        return str(value)[:10], list(because)

    async def convert(self, command: str, server: str, tool: Tool, because: Sequence[str], reason: str) -> str:
        """A value in another form, by a program, since no tool gives or takes it as it is needed. Its output."""
        return (await self.step(command, self.why_not(server, tool.name, reason), "convert", because)).text.strip()

    # --- what comes in between ----------------------------------------------------------------------------------------

    async def _wander(self, server: str) -> None:
        luck = self.rng.random()
        if luck < 0.05:
            await self.aside()
        elif luck < 0.10:
            await self._glance(server)
        elif luck < 0.13 and self.made:
            await self._note()

    async def _glance(self, server: str) -> None:
        """A look at what else there is, as one has who is new to a server."""
        lists = [tool for tool in self.surfaces[server].tools.values() if tool.role.kind == Kind.LIST]
        tool = self.rng.choice(lists)
        args = {tool.role.limit: self.rng.randint(3, 6)} if tool.role.limit in self.parameters(tool) else {}
        await self.tried(server, tool, args, "glance")

    async def _note(self) -> None:
        """Something of the last result, for the user's own notes."""
        last = self.made[-1]
        names = "\n".join(str(_name(item)) for item in items(last, "")[:3]) or "nothing yet"
        reason = self.rng.choice(("the user keeps notes in a file", "the names are counted for the user's own list"))
        command = f"printf '%s\\n' {shlex.quote(names)} | wc -l"
        await self.step(command, f"no attached MCP covers this step: {reason}", "note", [last.id])


def _table(text: str) -> list[dict[str, Any]]:
    """The rows of comma-separated values; lines that begin with a mark are none."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return list(csv.DictReader(io.StringIO("\n".join(lines)))) if "," in text else []


def _is(value: Any, wanted: Any) -> bool:
    return str(value) == str(wanted) or (isinstance(value, list) and wanted in value)


def _name(item: Mapping[str, Any]) -> Any:
    names = ("name", "title", "subject", "path", "preview", "login")
    return next((item[name] for name in names if name in item), "unknown")


def _forms(item: Item, key: str) -> list[Any]:
    """What else a record's identifier might look like: without a mark or prefix, as a number, by its name."""
    value = item.get(key)
    forms: list[Any] = []
    if isinstance(value, str):
        tail = re.split(r"[/:#]", value)[-1]
        forms = [tail, re.sub(r"^\W+", "", value)]
    return [form for form in dict.fromkeys([*forms, _name(item)]) if form != value]
