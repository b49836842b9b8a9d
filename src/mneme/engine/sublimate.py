"""Sublimation: memories that have ripened are proposed as pages of knowledge; where projects stand is written at once."""

from __future__ import annotations

import dataclasses
import posixpath
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.check import refuse_shared
from mneme.errors import INFO, MnemeError, NotFoundError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mneme.consolidate.sublimate import Task
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.formats.piece import Piece
    from mneme.formats.proposal import Proposal

# Headings of a list of tasks that are no project's name.
_NO_PROJECT = frozenset(
    [
        "now",
        "next",
        "later",
        "today",
        "tomorrow",
        "soon",
        "someday",
        "done",
        "todo",
        "todos",
        "to-do",
        "tasks",
        "inbox",
        "backlog",
        "doing",
        "waiting",
        "long-term",
        "this-week",
        "week",
        "projects",
        "home",
        "待办",
        "今天",
        "完成",
    ]
)


@dataclass(frozen=True, slots=True)
class Sublimated:
    """What ripened: what is proposed, what was written to the tracker, and why nothing could be where it could not."""

    done: Done | None
    proposed: tuple[Proposal, ...] = ()
    tracked: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    message: str = ""
    diff: str = ""
    problems: tuple[Problem, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that changed."""
        return tuple(dict.fromkeys((*self.written, *(self.done.paths if self.done else ()))))

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {
            "message": self.message,
            "plan": self.done.n if self.done else 0,
            "diff": self.diff,
            "proposed": [one.as_json() for one in self.proposed],
            "tracked": list(self.tracked),
        }


def sublimate(memory: Memory, *, force: bool = False, dry_run: bool = False) -> Sublimated:
    """Propose what has ripened into knowledge, and write where projects stand to their tracker."""
    from mneme.memory import load_pieces

    refuse_shared(memory, "sublimate")
    if not memory.workspace.profile.places.knowledge:
        name = memory.workspace.profile.name
        return Sublimated(None, message=f"the profile '{name}' has no place for knowledge")
    memory.check_first("sublimate", force=force)
    pieces = list(load_pieces(memory.workspace))
    names = _project_names(memory, pieces)
    problems: list[Problem] = []
    told = list(_track(memory, names, problems, dry_run=dry_run))
    found = list(_ripe(memory, pieces, names))
    done, named = memory.propose(found, verb="sublimate", dry_run=dry_run)
    return Sublimated(
        done,
        named,
        tuple(text for text, _ in told),
        tuple(path for _, one in told for path in one.paths),
        diff="".join(one.diff for _, one in told) + done.diff,
        problems=(*problems, *done.problems),
    )


# What has ripened


def _ripe(memory: Memory, pieces: Sequence[Piece], names: Sequence[str]) -> Iterator[Proposal]:
    """Yield what the triggers find among memories that are on no page yet; each memory serves one of them."""
    from mneme.consolidate import sublimate as ripe

    by_class = _by_class(memory, pieces)
    taken: set[str] = set()
    triggers: tuple[Callable[[], Iterator[Proposal]], ...] = (
        lambda: ripe.complete_projects(names, list(_tasks(memory, pieces)), by_class["project"]),
        lambda: ripe.feedback_patterns(by_class["feedback"]),
        lambda: ripe.user_depth(by_class["user"]),
        lambda: ripe.dense_categories(by_class, taken),
    )
    for trigger in triggers:
        for one in trigger():
            taken.update(source.anchor for source in one.sources)
            yield one


def _by_class(memory: Memory, pieces: Sequence[Piece]) -> dict[str, list[Piece]]:
    """Return the durable memories in force by class, those left out that a page of knowledge links to."""
    from mneme.consolidate.refine.classes import class_of
    from mneme.consolidate.refine.look import FLEETING
    from mneme.formats.record import WORKING_STATES
    from mneme.profiles.profile import CLASSES

    profile = memory.workspace.profile
    merged = _merged(memory)
    found: dict[str, list[Piece]] = {name: [] for name in CLASSES}
    for piece in pieces:
        record = piece.record
        passed = record.kind in FLEETING or record.state not in WORKING_STATES or profile.is_archived(record.path)
        if passed or record.path.startswith(profile.places.knowledge) or record.id in merged:
            continue
        folders = profile.class_folders.items()
        kind = next((name for name, folder in folders if record.path.startswith(folder)), record.kind)
        if kind in ("entity", "memory", "user-file", "identity"):
            continue
        found[kind if kind in found else class_of(piece.gist or record.text, kind)[0]].append(piece)
    return found


def _merged(memory: Memory) -> set[str]:
    """Return the ids of the memories that a page of knowledge came of."""
    from mneme.consolidate.sublimate import KNOWLEDGE
    from mneme.formats.proposal import ACCEPTED
    from mneme.memory.cells.proposals import load_queue

    settled = (one for one in load_queue(memory.workspace).proposals if one.kind == KNOWLEDGE and one.fate == ACCEPTED)
    return {source.anchor for one in settled for source in one.sources}


def _project_names(memory: Memory, pieces: Sequence[Piece]) -> list[str]:
    """Return what projects are called: in the tracker, in the list of tasks, and by topics of decisions and tasks."""
    profile = memory.workspace.profile
    names: dict[str, str] = {}
    for path in (f"{profile.places.knowledge}project-tracker.md", profile.places.todos):
        content = files.find_file(files.place_of(memory.root, path)) if path else None
        if content is not None:
            from mneme.formats.note import parse_note

            for section in parse_note(content.decode("utf-8", "replace"), path).sections:
                if section.level > 1:
                    names.setdefault(section.title.strip().casefold(), section.title.strip())
    for piece in pieces:
        first = piece.topic.partition("/")[0]
        if piece.record.kind in ("todo", "decision") and first not in ("", "general"):
            names.setdefault(first.casefold(), first)
    return [name for key, name in names.items() if key.replace(" ", "-") not in _NO_PROJECT and len(name) > 1]


def _tasks(memory: Memory, pieces: Sequence[Piece]) -> Iterator[Task]:
    from mneme.consolidate.sublimate import Task
    from mneme.formats.note import parse_note
    from mneme.formats.record import RETIRED

    path = memory.workspace.profile.places.todos
    content = files.find_file(files.place_of(memory.root, path)) if path else None
    note = parse_note((content or b"").decode("utf-8", "replace"), path or "")
    for item in note.items:
        if item.box is not None:
            above = [one for one in note.sections if one.line < item.line <= one.end_line]
            yield Task(item.text, above[-1].title.strip() if above else "", item.done)
    for piece in pieces:
        if piece.record.kind == "todo" and piece.gist:
            yield Task(piece.gist, piece.topic.partition("/")[0], piece.record.state == RETIRED)


# Where projects stand


def _track(
    memory: Memory, names: Sequence[str], problems: list[Problem], *, dry_run: bool
) -> Iterator[tuple[str, Done]]:
    """Write what the last days say of where a project stands to the tracker, each thing once."""
    if "status" not in memory.workspace.profile.homes:
        return
    for project, text, anchor in _standings(memory, names):
        try:
            done = memory.remember(text, kind="status", project=project, dry_run=dry_run)
        except MnemeError as fault:
            path, _, line = anchor.rpartition(":")
            problems.append(Problem(path, int(line), "left-in-day", INFO, f"not tracked: {fault.message}", fault.hint))
            continue
        if done.n or done.diff:
            yield f"{project}: {text}", done


def _standings(memory: Memory, names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield what days' notes say of a project's progress, blockers and needs: the project, the words, and where."""
    from mneme.capture.source import note_passages
    from mneme.capture.statement import sentences_of
    from mneme.check.kind import guess_kinds
    from mneme.consolidate.sublimate import is_named
    from mneme.formats.when.absolute import with_dates

    profile = memory.workspace.profile
    oldest = (memory.today - timedelta(days=profile.budgets.working_days)).isoformat()
    tracker = posixpath.dirname(memory.workspace.home_of("status").path)
    for path in memory.workspace.note_files():
        day = None if profile.is_archived(path) else profile.find_day(path)
        content = files.find_file(files.place_of(memory.root, path)) if day and day.date >= oldest else None
        if content is None or day is None:
            continue
        for passage in note_passages(content.decode("utf-8", "replace"), path, day.date):
            for offset, sentence in sentences_of(passage.text):
                guess = guess_kinds(sentence)[0]
                project = next((name for name in names if is_named(sentence, name)), "")
                if project and guess.kind == "status" and guess.weight >= 3:  # noqa: PLR2004 - says so plainly
                    words = with_dates(_bare(sentence), date.fromisoformat(day.date))
                    link = posixpath.relpath(path, tracker or ".")
                    yield project, f"{words} ([{day.date}]({link}))", passage.anchor(passage.line + offset)


def _bare(sentence: str) -> str:
    from mneme.memory.notes.promote import plain_words

    return plain_words(sentence).strip()


# A proposal that was accepted


def merge(memory: Memory, one: Proposal, *, dry_run: bool) -> Done:
    """Write the section that the sources of a proposal become to its page; the sources stay, and are linked."""
    from mneme.consolidate.sublimate import print_section
    from mneme.memory import load_pieces
    from mneme.memory.notes.drafts import Drafts

    wanted = {source.anchor for source in one.sources}
    told = [piece for piece in load_pieces(memory.workspace) if piece.record.id in wanted]
    if not told:
        message = f"nothing of what '{one.id}' came of is there any more"
        raise NotFoundError(message, f"mneme reject {one.id} --why 'its sources are gone'")
    page = one.said.get("category", "notes")
    path = f"{memory.workspace.profile.places.knowledge or 'knowledge/'}{page}.md"
    title = one.said.get("title") or page.replace("-", " ").capitalize()
    section = print_section(title, told, lambda piece: _link(piece, path))
    with memory.writing("accept", dry_run=dry_run):
        drafts = Drafts(memory.root)
        before = drafts.find(path)
        head = before.rstrip("\n") if before and before.strip() else f"# {page.replace('-', ' ').capitalize()}"
        drafts.write(path, f"{head}\n\n{section}")
        done = memory.apply(
            files.Plan("accept", drafts.changes("knowledge"), f"{path}#{_slug(title)}"), dry_run=dry_run
        )
    return dataclasses.replace(done, records=())


def _slug(title: str) -> str:
    from mneme.formats.section import slug

    return slug(title)


def _link(piece: Piece, page: str) -> str:
    from urllib.parse import quote

    record = piece.record
    target = posixpath.relpath(record.path, posixpath.dirname(page) or ".")
    name = piece.title.strip() or record.id.rpartition("/")[2]
    return f"[{name.replace('[', '(').replace(']', ')')}]({quote(target, safe='/@+,=~')})"
