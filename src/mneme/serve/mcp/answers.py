"""What each tool does and answers: a text for the model, and the same as data for whoever computes with it.

All tools work on one open workspace, one call after the other, so that the index and the embedder stay warm. What goes
wrong is an answer too: what is wrong, and what would help.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

from mcp.types import CallToolResult, TextContent
from pydantic import BaseModel, Field

from mneme.engine import published, telling
from mneme.engine.home import open_home
from mneme.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from mneme.engine import Memory
    from mneme.errors import MnemeError, Problem
    from mneme.formats.record import Record


class Use(Protocol):
    """What gives the open workspace to a function, in the right thread, and returns what it returns."""

    async def __call__(self, do: Callable[[Memory], CallToolResult], /) -> CallToolResult:
        """Do it after whatever else is being done."""


class Records(BaseModel):
    """Records as every surface gives them, with what was odd on the way."""

    version: int = 1
    records: list[dict[str, Any]] = []
    problems: list[dict[str, Any]] = []
    alarm: str = ""


class Found(Records):
    """What a recall found: each record with its score, its trust and why; none when memory is silent."""

    fresh: bool = True
    behind_files: int = 0


class Written(Records):
    """What a writing tool did: `status` says whether it was new, there already, or probably there already."""

    status: str = ""
    plan: int = 0


class Text(BaseModel):
    """A text, and what it is of."""

    text: str = ""
    alarm: str = ""


class Excerpt(BaseModel):
    """Some lines of a file, and where to go on."""

    text: str
    path: str
    first: int = Field(1, alias="from")
    lines: int = 0
    truncated: bool = False
    next_line: int = Field(0, alias="nextFrom")
    model_config = {"populate_by_name": True}


class Rows(BaseModel):
    """Things that are no records, one object each."""

    rows: list[dict[str, Any]] = []
    alarm: str = ""


MOST_PROBLEMS = 100

Ask = Annotated[str, Field(description="a question or a few words, in any language")]
Id = Annotated[str, Field(alias="id", description="an id such as DEC-0042, or path#anchor as recall gives it")]
Kind = Annotated[str, Field(description="only this kind: decision, preference, gotcha, fact, lesson, day, ...")]


def result(text: str, data: BaseModel) -> CallToolResult:
    """Return an answer in both forms; some hosts show their model the data and not the text, so it is harmless too."""
    values = data.model_dump(mode="json", by_alias=True)
    told = values if isinstance(data, Text) else telling.tell_data(values)
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=told)


def refused(fault: MnemeError) -> CallToolResult:
    """Return a fault as the answer that it is to a model."""
    text = f"{fault.message}\nhint: {fault.hint}" if fault.hint else fault.message
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def _json(things: Iterable[Record] | Iterable[Problem]) -> list[dict[str, Any]]:
    return [dict(thing.as_json()) for thing in things]


def _listed(memory: Memory, found: Sequence[Record]) -> CallToolResult:
    """Return records as an answer, as many as one holds."""
    shown, more = telling.fitting(found)
    told = _with_more(telling.tell_records(memory, shown), more)
    return result(told, Records(records=_json(shown), alarm=memory.alarm))


def _with_more(told: str, more: str) -> str:
    return f"{told}\n({more})" if more else told


class Tools:
    """The tools; `use` gives the open workspace to a function and returns what it returns, in the right thread."""

    def __init__(self, use: Use) -> None:
        self._use = use

    async def recall(
        self,
        query: Ask,
        k: Annotated[int, Field(ge=1, le=50, description="how many at most")] = 5,
        kind: Kind | None = None,
        since: Annotated[str, Field(description="only what holds since this day, month or year")] | None = None,
        as_of: Annotated[str, Field(description="what was believed on this day")] | None = None,
        budget: Annotated[int, Field(ge=1, description="how many tokens at most")] | None = None,
    ) -> Annotated[CallToolResult, Found]:
        """Find the memories that answer a question, best first, each with its source and what it may be used for.

        Nothing comes back when nothing in memory is about it. Ask before you decide, redo work, or say that you don't
        know. `"phrase"`, `-word`, `lex:`, `sem:` and `id:` say more precisely what is wanted.
        """

        def find(memory: Memory) -> CallToolResult:
            answer = memory.recall(query, k=k, kind=kind, since=since, as_of=as_of, budget=budget)
            found = Found(
                records=[dict(hit.as_json()) for hit in answer.hits],
                problems=_json(answer.problems),
                alarm=memory.alarm,
                fresh=answer.fresh,
                behind_files=answer.behind_files,
            )
            return result(telling.tell_answer(memory, answer), found)

        return await self._use(find)

    async def memory_search(
        self,
        query: Ask,
        max_results: Annotated[int, Field(alias="maxResults", ge=1, le=50)] = 6,
        min_score: Annotated[float, Field(alias="minScore", ge=0, le=1)] = 0.0,
    ) -> Annotated[CallToolResult, Rows]:
        """Find memories: path, lines, score and snippet of each, as OpenClaw's tool of this name gives them."""

        def find(memory: Memory) -> CallToolResult:
            if published.searches_as_openclaw(memory):
                passages = published.search_as_openclaw(memory, query, max_results, min_score or None)
                found = [one.as_json() for one in passages]
                return result(telling.tell_passages(memory, passages), Rows(rows=found, alarm=memory.alarm))
            answer = memory.recall(query, k=max_results)
            rows = [
                {
                    "path": hit.record.path,
                    "startLine": hit.record.line,
                    "endLine": hit.record.end_line,
                    "score": round(hit.score, 6),
                    "snippet": hit.text[:700],
                    "source": "memory",
                    "citation": published.citation(hit.record.path, hit.record.line, hit.record.end_line),
                }
                for hit in answer.hits
                if hit.score >= min_score
            ]
            kept = dataclasses.replace(answer, hits=tuple(hit for hit in answer.hits if hit.score >= min_score))
            return result(telling.tell_answer(memory, kept), Rows(rows=rows, alarm=memory.alarm))

        return await self._use(find)

    async def get(self, wanted: Id) -> Annotated[CallToolResult, Records]:
        """Read one memory in full: by its id, `path#L5-L9`, an entity's name, or a day in words such as "last Tuesday"."""

        def read(memory: Memory) -> CallToolResult:
            shown = memory.show(wanted)
            text = "\n".join(
                [one.text.rstrip("\n") for one in shown if one.text]
                + [f"- {record.text}" for one in shown for record in one.active or ()]
            )
            records = [record for one in shown for record in one.records]
            told = telling.tell_text(memory, telling.cut_text(text, wanted))
            return result(told, Records(records=_json(records), alarm=memory.alarm))

        return await self._use(read)

    async def memory_get(
        self,
        path: str,
        first: Annotated[int, Field(alias="from", ge=1)] = 1,
        lines: Annotated[int, Field(ge=1)] | None = None,
    ) -> Annotated[CallToolResult, Excerpt]:
        """Read some lines of a Markdown memory file, from a line on; says where to go on when there is more."""

        def read(memory: Memory) -> CallToolResult:
            excerpt = memory.read_lines(path, first, lines)
            text = telling.tell_text(memory, excerpt.text) + published.going_on(excerpt)
            return result(text, Excerpt(**excerpt.as_json()))  # type: ignore[arg-type]

        return await self._use(read)

    async def remember(  # noqa: PLR0913, PLR0917 - a tool's own arguments
        self,
        text: Annotated[str, Field(description="one self-contained sentence that will still make sense in a year")],
        kind: Annotated[str, Field(description="decision, goal, preference, gotcha, fact, todo, lesson, user, ...")],
        topic: Annotated[str, Field(description="for cells: where it belongs, as a path such as storage/cache")] = "",
        why: Annotated[str, Field(description="the reason, the cost, the context")] = "",
        cue: Annotated[str, Field(description="for cells: words that should bring it back, parted by ' / '")] = "",
        title: Annotated[str, Field(description="for memories with a file of their own: what to call it")] = "",
        how: Annotated[str, Field(description="for user, feedback, lesson, ...: when and how to apply it")] = "",
        about: Annotated[str, Field(description="for facts about an entity: its name")] = "",
        project: Annotated[str, Field(description="for the kind status: which project")] = "",
        force: Annotated[bool, Field(description="store it although it is probably there already")] = False,  # noqa: FBT002 - a tool's argument
    ) -> Annotated[CallToolResult, Written]:
        """Store one memory in the home of its kind. The test: would a future session be wrong, or redo work, without it?

        `exists` and `probable` mean that it is there already and nothing was written: affirm or supersede that one.
        """
        return await self._write(
            lambda memory: memory.remember(
                text,
                kind=kind,
                topic=topic,
                why=why,
                cue=cue,
                title=title,
                how=how,
                about=about,
                project=project,
                force=force,
            )
        )

    async def note(
        self,
        text: Annotated[str, Field(description="what happened, in a sentence or two")],
        section: Annotated[str, Field(description="the section of the day's note; empty: the timeline")] = "",
    ) -> Annotated[CallToolResult, Written]:
        """Write into today's note: what happened, not what should hold for long."""
        return await self._write(lambda memory: memory.note(text, section=section or None))

    async def supersede(
        self,
        wanted: Id,
        text: str,
        why: str = "",
    ) -> Annotated[CallToolResult, Written]:
        """Replace a memory that is no longer true by a new one; the old one is kept, marked, and linked."""
        return await self._write(lambda memory: memory.supersede(wanted, text, why=why))

    async def affirm(self, wanted: Id) -> Annotated[CallToolResult, Written]:
        """Say that a memory still holds: only when you have just checked it against the thing itself."""
        return await self._write(lambda memory: memory.affirm(wanted))

    async def mark(
        self,
        wanted: Id,
        state: Literal["live", "stale", "retired"],
    ) -> Annotated[CallToolResult, Written]:
        """Set the state of a memory: stale when it should be verified first, retired when it holds no longer."""
        return await self._write(lambda memory: memory.mark(wanted, state))

    async def undo(self) -> Annotated[CallToolResult, Written]:
        """Take back the last change of memory."""
        return await self._write(lambda memory: memory.undo())

    async def buffer_add(self, text: str) -> Annotated[CallToolResult, Written]:
        """Write into the working buffer, which outlives a compaction: corrections, decisions, values you need again."""
        return await self._write(lambda memory: memory.buffer_add(text))

    async def wrap_up(self, summary: str = "") -> Annotated[CallToolResult, Written]:
        """End a session: its summary goes to the day's note once, and the working buffer is emptied."""
        return await self._write(lambda memory: memory.wrap_up(summary).done)

    async def _write(self, do: Callable[[Memory], Any]) -> CallToolResult:
        def write(memory: Memory) -> CallToolResult:
            done = do(memory)
            written = Written(
                records=_json(done.records),
                problems=_json(done.problems),
                alarm=memory.alarm,
                status=done.status,
                plan=done.n,
            )
            told = telling.tell_records(memory, done.records) if done.records else ""
            head = f"{done.status}: {', '.join(done.paths)}".rstrip(": ")
            return result("\n".join(part for part in (head, told, *map(str, done.problems)) if part), written)

        return await self._use(write)

    async def boot(
        self, budget: Annotated[int, Field(ge=100, description="how many tokens at most")] | None = None
    ) -> Annotated[CallToolResult, Text]:
        """Load what a session should begin with: what is always loaded, today and yesterday, what is under way."""
        return await self._tell(lambda memory: str(memory.boot(budget)))

    async def spine(self) -> Annotated[CallToolResult, Text]:
        """List the working cells, a line each."""

        def lines(memory: Memory) -> str:
            shown, more = telling.fitting([record for record in memory.spine_records() if memory.sees(record)])
            return _with_more(telling.tell_records(memory, shown), more)

        return await self._tell(lines)

    async def _tell(self, do: Callable[[Memory], str]) -> CallToolResult:
        def tell(memory: Memory) -> CallToolResult:
            text = do(memory) or "Nothing."
            return result(text, Text(text=text, alarm=memory.alarm))

        return await self._use(tell)

    async def list(
        self, kind: Kind | None = None, state: str | None = None, topic: str | None = None
    ) -> Annotated[CallToolResult, Records]:
        """List memories by kind, state or topic, in the order of their files."""

        def read(memory: Memory) -> CallToolResult:
            return _listed(memory, memory.list(kind=kind, state=state, topic=topic))

        return await self._use(read)

    async def related(self, wanted: Id) -> Annotated[CallToolResult, Records]:
        """Find what lies beside a memory: its links, its entity, its topic."""

        def read(memory: Memory) -> CallToolResult:
            return _listed(memory, [one.record for one in memory.related(wanted).beside])

        return await self._use(read)

    async def capabilities(self, task: str) -> Annotated[CallToolResult, Text]:
        """Find the tools, skills and workflows that were made for a task, or that did it before."""

        def find(memory: Memory) -> str:
            # What was asked and done before is in the home, and the home is its owner's.
            return "" if memory.shared else open_home(now=memory.now).capability_block(task)

        return await self._tell(find)

    async def record_correction(
        self,
        request: Annotated[str, Field(description="what was asked for")],
        capability: Annotated[str, Field(description="the id of the card that should have been told")],
    ) -> Annotated[CallToolResult, Text]:
        """Note that a request like this one wants that capability: when the user says that another one was meant."""

        def note(memory: Memory) -> str:
            if memory.shared:
                message = "capability memory is its owner's, and this context is shared"
                raise RefusedError(message, "mneme mcp, without --context shared")
            return f"noted: a request like this one wants {open_home(now=memory.now).correct(request, capability).id}"

        return await self._tell(note)

    async def check(self) -> Annotated[CallToolResult, Records]:
        """Check the integrity of memory: what is broken, contradicts itself, or names what is gone; mends nothing."""

        def look(memory: Memory) -> CallToolResult:
            found = memory.check().problems
            problems = found[:MOST_PROBLEMS]
            more = f"{len(found) - len(problems)} more; mend these first" if len(found) > len(problems) else ""
            text = _with_more("\n".join(map(str, problems)), more) or "Nothing is wrong."
            return result(telling.tell_text(memory, text), Records(problems=_json(problems), alarm=memory.alarm))

        return await self._use(look)

    async def proposals(self) -> Annotated[CallToolResult, Rows]:
        """List what waits for a person's word before it counts as memory."""

        def read(memory: Memory) -> CallToolResult:
            found = memory.proposals()
            text = "\n".join(f"{one.id} {one.kind}: {one.text}" for one in found) or "Nothing waits."
            rows = [dict(one.as_json()) for one in found]
            return result(telling.tell_text(memory, text), Rows(rows=rows, alarm=memory.alarm))

        return await self._use(read)
