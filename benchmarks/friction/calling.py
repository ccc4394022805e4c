"""One call at a time, and what a person does when it fails: reads the error, and puts right what it names.

A caller reads live schemas, results and errors, and remembers what it has learnt of a tool.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from benchmarks.friction.made import Made
from benchmarks.friction.phrases import ASIDES, CANNOT, GENERIC, IMAGINED, NOWHERE
from benchmarks.friction.surface import Surface, Tool

from mcp_assay.core.model import Reply, ToolCall
from mcp_assay.core.naming import label
from mcp_assay.gate import Refusal

__all__ = ["Caller", "Stuck"]

MOST_TRIES = 3
DATES: Mapping[str, Callable[[str, str, str], str]] = {
    "DD/MM/YYYY": lambda year, month, day: f"{day}/{month}/{year}",
    "DD.MM.YYYY": lambda year, month, day: f"{day}.{month}.{year}",
    "YYYYMMDD": lambda year, month, day: f"{year}{month}{day}",
}
_DAY = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_QUOTED = re.compile(r"['\"`]([\w./:@ -]+)['\"`]")
_REQUIRED = re.compile(r"['\"`]?(\w+)['\"`]? is (?:a )?(?:required|missing|needed)")
_TEMPLATE = re.compile(r"^(.*\W)?[A-Z]{3,}(\W.*)?$")

Forms = Mapping[str, Sequence[Any]]
"""By parameter: in which other forms its value is known."""


class Stuck(Exception):
    """The goal cannot be reached; the message says why."""


@dataclass
class Caller:
    """``surfaces`` are the servers as they are; ``call`` is the gate's. ``made`` is what was done, in order.

    ``habit`` is a fault of the caller's own, if it has one.
    """

    scenario: str
    surfaces: Mapping[str, Surface]
    call: Callable[[ToolCall], Awaitable[Reply | Refusal]]
    rng: Random
    habit: str = ""
    made: list[Made] = field(default_factory=list)
    _guesses: set[str] = field(default_factory=set)
    _forms: dict[tuple[str, str], int] = field(default_factory=dict)  # which of the other forms a parameter takes
    _words: dict[tuple[str, str, str], Any] = field(default_factory=dict)  # what it takes in the place of a value
    _added: dict[str, dict[str, Any]] = field(default_factory=dict)  # what a tool wants beside
    _dates: dict[tuple[str, str], str] = field(default_factory=dict)  # how it writes dates

    # --- one call -----------------------------------------------------------------------------------------------------

    async def use(
        self, server: str, tool: Tool, args: Mapping[str, Any], why: str = "", because: Iterable[str] = ()
    ) -> Made:
        """One MCP call, as it is. An error is no exception: see ``Made.ok``."""
        return await self._make(ToolCall(server, tool.name, dict(args)), why, because)

    async def step(self, command: str, reason: str, why: str = "", because: Iterable[str] = ()) -> Made:
        """One step outside MCP: a shell command, for a stated reason."""
        call = ToolCall(None, "Bash", {"command": command}, justification=self._in_my_way(reason))
        return await self._make(call, why, because)

    async def aside(self) -> Made:
        """Something that has nothing to do with any server, as happens in between."""
        command, reason = self.rng.choice(ASIDES)
        return await self.step(command, self.rng.choice(NOWHERE).format(reason), "aside")

    def why_not(self, server: str, tool: str, reason: str) -> str:
        return self.rng.choice(CANNOT).format(tool=label(server, tool), reason=reason)

    async def _make(self, call: ToolCall, why: str, because: Iterable[str]) -> Made:
        name = f"{self.scenario}-{len(self.made) + 1:03d}"
        answer = await self.call(call)
        reply = None if isinstance(answer, Refusal) else answer
        made = Made(name, call.mcp or "", call.tool, call.args, reply, tuple(dict.fromkeys(because)), why)
        self.made.append(made)
        return made

    def _in_my_way(self, reason: str) -> str:
        if self.habit == "generic_justification":
            return self.rng.choice(GENERIC)
        if self.habit == "unknown_tool_considered":
            tool = self.rng.choice(IMAGINED)
            return self.why_not(self.rng.choice(sorted(self.surfaces)), tool, "it does not support what is needed here")
        return reason

    # --- until it works -----------------------------------------------------------------------------------------------

    async def tried(
        self,
        server: str,
        tool: Tool,
        args: Mapping[str, Any],
        why: str,
        because: Iterable[str] = (),
        *,
        forms: Forms | None = None,
    ) -> Made:
        """A call, put right as its error says; where it says nothing, by what else a value could look like.

        Raises Stuck after three tries, and where nobody would know what to try.
        """
        trail, forms = list(because), forms or {}
        wanted = self.filled(tool, args)
        made = await self.use(server, tool, self._as_known(tool, wanted, forms), why, trail)
        tries = 1
        while made.reads_as_failure and made.reply is not None:
            if made.is_busy:
                await self._wait(server, tool, made)
                made = await self.use(server, tool, made.args, why, trail)
                continue
            if tries == MOST_TRIES:
                break
            tries += 1
            better, how = await self._better(server, tool, made, forms, trail)
            if better is None:
                break
            made = await self.use(server, tool, better, how, trail)
        if made.reads_as_failure:
            raise Stuck(f"{tool.name}: {made.text[:120]}")
        self._learn(tool, wanted, made.args, forms)
        return made

    async def _wait(self, server: str, tool: Tool, made: Made) -> None:
        reason = f"{label(server, tool.name)} asked for a moment's patience, so there is a pause"
        await self.step("sleep 0.05", reason, "pause", [made.id])

    async def _better(
        self, server: str, tool: Tool, made: Made, forms: Forms, trail: list[str]
    ) -> tuple[Mapping[str, Any] | None, str]:
        """The arguments to try next, after whatever has to come first, and whether that puts something right ("retry")
        or is the same once more ("again"). What it is due to is added to the trail.
        """
        others = self.surfaces[server].tools.items()
        first = next((each for name, each in others if name != tool.name and name in made.text), None)
        if first is not None:
            needed = {name: self._guess(first, name) for name in first.input_schema.get("required", ())}
            trail += [made.id, (await self.use(server, first, needed, "first", [made.id])).id]
            return made.args, "retry"
        trail.append(made.id)
        better = self.corrected(tool, made, forms)
        if better is None and self._is_vague(made) and not self._was_repeated(made):
            return made.args, "again"
        return better, "retry"

    @staticmethod
    def _is_vague(made: Made) -> bool:
        """Whether an error gives no reason, or one that may pass: the same once more might do."""
        return "unavailable" in made.text or ":" not in made.text

    def _was_repeated(self, made: Made) -> bool:
        return sum(each.tool == made.tool and each.args == made.args for each in self.made) > 1

    # --- arguments ----------------------------------------------------------------------------------------------------

    @staticmethod
    def parameters(tool: Tool) -> Mapping[str, Mapping[str, Any]]:
        return dict(tool.input_schema.get("properties", {}))

    def filled(self, tool: Tool, args: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as the schema wants them: known parameters only, enums in its spelling, what is required.

        Where all that there is to fill is one object of which nothing more is said, they go into that.
        """
        schema = self.parameters(tool)
        if args and len(schema) == 1 and not set(args) & set(schema):
            (only,) = schema
            if schema[only].get("type") == "object" and not schema[only].get("properties"):
                return {only: dict(args)}
        known = {name: self._spelt(schema[name], value) for name, value in args.items() if name in schema}
        missing = [name for name in tool.input_schema.get("required", ()) if name not in known]
        return {**known, **{name: self._guess(tool, name) for name in missing}}

    @staticmethod
    def _spelt(schema: Mapping[str, Any], value: Any) -> Any:
        allowed = schema.get("enum")
        if isinstance(allowed, list) and isinstance(value, str) and value not in allowed:
            return _nearest(value, [word for word in allowed if isinstance(word, str)])
        return value

    def _guess(self, tool: Tool, name: str) -> Any:
        """What a person would put there who has nothing to go by: what the schema offers, else something plausible."""
        schema = self.parameters(tool).get(name, {})
        if "enum" in schema or "default" in schema:
            return next(iter(schema.get("enum", ())), schema.get("default"))
        noun = re.sub(r"_(id|uuid|key)$", "", name)
        tries = [f"{noun}-{self.scenario.lower()}", f"{noun}_main", f"my-{noun}"]
        found = next((each for each in tries if not self._was_tried(tool, name, each)), tries[0])
        self._guesses.add(found)
        return found

    def corrected(self, tool: Tool, made: Made, forms: Forms) -> dict[str, Any] | None:
        """Other arguments to try, by what the error says; None if a person would not know any."""
        args, said = dict(made.args), made.text
        for change in (
            self._redated,
            self._completed,
            self._reformed,
            self._guessed_anew,
            self._renamed,
            self._offered,
        ):
            better = change(tool, args, said, forms)
            if better is not None:
                return better
        return None

    def _redated(self, _tool: Tool, args: dict[str, Any], said: str, _forms: Forms) -> dict[str, Any] | None:
        form = next((form for form in DATES if form in said), "")
        days = {name: value for name, value in args.items() if isinstance(value, str) and _DAY.fullmatch(value)}
        return {**args, **{name: _written(value, form) for name, value in days.items()}} if form and days else None

    def _reformed(self, tool: Tool, args: dict[str, Any], said: str, forms: Forms) -> dict[str, Any] | None:
        for name, others in forms.items():
            if name in args and (name in said or not any(each in said for each in args)):
                left = [form for form in others if form != args[name] and not self._was_tried(tool, name, form)]
                if left:
                    return {**args, name: left[0]}
        return None

    def _completed(self, tool: Tool, args: dict[str, Any], said: str, _forms: Forms) -> dict[str, Any] | None:
        missing = _REQUIRED.search(said)
        if missing is None or missing[1] in args:
            return None
        offered = [word for word in _QUOTED.findall(said) if word != missing[1]]
        return {**args, missing[1]: offered[0] if offered else self._guess(tool, missing[1])}

    def _guessed_anew(self, tool: Tool, args: dict[str, Any], said: str, _forms: Forms) -> dict[str, Any] | None:
        guessed = [name for name, value in args.items() if name in said and f"{value}" in self._guesses]
        return {**args, guessed[0]: self._guess(tool, guessed[0])} if guessed else None

    def _renamed(self, _tool: Tool, args: dict[str, Any], said: str, _forms: Forms) -> dict[str, Any] | None:
        """With the members of an object renamed to what the error lists."""
        quoted = _QUOTED.findall(said)
        for name, value in args.items():
            if isinstance(value, dict) and any(word.endswith(f"_{key}") for key in value for word in quoted):
                names = {key: next((word for word in quoted if word.endswith(f"_{key}")), key) for key in value}
                return {**args, name: {names[key]: each for key, each in value.items()}}
        return None

    def _offered(self, _tool: Tool, args: dict[str, Any], said: str, _forms: Forms) -> dict[str, Any] | None:
        """With the nearest of the values that the error offers, or the value in the form that it shows."""
        for name, value in args.items():
            if name not in said or not isinstance(value, str):
                continue
            offered = [word for word in _QUOTED.findall(said) if word not in (name, value)]
            if not offered:
                continue
            template = _TEMPLATE.match(offered[0])
            if len(offered) == 1 and template and any(template.groups()):
                return {**args, name: f"{template[1] or ''}{value}{template[2] or ''}"}
            return {**args, name: _nearest(value, offered)}
        return None

    def _was_tried(self, tool: Tool, name: str, form: Any) -> bool:
        return any(made.tool == tool.name and made.args.get(name) == form for made in self.made)

    # --- what was learnt ----------------------------------------------------------------------------------------------

    def _learn(self, tool: Tool, wanted: Mapping[str, Any], taken: Mapping[str, Any], forms: Forms) -> None:
        """What a tool took in the place of what was wanted: the next call says so at once."""
        for name, value in taken.items():
            if name not in wanted:
                self._added.setdefault(tool.name, {})[name] = value
            elif value != wanted[name]:
                self._remember(tool, name, wanted[name], value, forms)

    def _remember(self, tool: Tool, name: str, wanted: Any, value: Any, forms: Forms) -> None:
        if value in forms.get(name, ()):
            self._forms[tool.name, name] = list(forms[name]).index(value)
            return
        if isinstance(wanted, str) and _DAY.fullmatch(wanted):
            form = next((form for form in DATES if _written(wanted, form) == value), "")
            self._dates[tool.name, name] = form
            return
        if isinstance(wanted, str):
            self._words[tool.name, name, wanted] = value

    def _as_known(self, tool: Tool, args: Mapping[str, Any], forms: Forms) -> dict[str, Any]:
        known = {**self._added.get(tool.name, {}), **args}
        for name, value in args.items():
            form = self._forms.get((tool.name, name))
            if form is not None and form < len(forms.get(name, ())):
                known[name] = forms[name][form]
            elif isinstance(value, str):
                date = self._dates.get((tool.name, name), "")
                known[name] = self._words.get((tool.name, name, value), _written(value, date) if date else value)
        return known


def _written(day: str, form: str) -> str:
    found = _DAY.fullmatch(day)
    return DATES[form](*found.groups()) if found and form else day


def _nearest(value: str, offered: Sequence[str]) -> str:
    """The word that begins alike, else the first."""
    begins = value.lower()[:3]
    return next((word for word in offered if word.lower()[:3] == begins), offered[0])
