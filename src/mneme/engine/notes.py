"""Memories in Markdown: classified ones with a file each, entries of tagged files and MEMORY.md, tasks, projects.

Each verb edits drafts of all the files it concerns (the memory, its index line, USER.md, today's note) and applies them
as one plan.
"""

from __future__ import annotations

import dataclasses
import posixpath
from typing import TYPE_CHECKING

from mneme import files
from mneme.errors import RefusedError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import date

    from mneme.engine.memory import Memory
    from mneme.engine.naming import Named
    from mneme.engine.remember import Wish
    from mneme.engine.results import Done
    from mneme.errors import Problem
    from mneme.memory.notes.classified import Saying
    from mneme.memory.notes.drafts import Drafts

USER = "user"


def remember_classified(memory: Memory, wish: Wish, *, dry_run: bool) -> Done:
    """Write a memory to a file of its own, with its line in the index; one about the user renews USER.md."""
    saying = _saying(wish)
    with memory.writing("remember", dry_run=dry_run):
        if (twin := _twin(memory, wish)) is not None:
            return twin
        drafts = _drafts(memory)
        folder = memory.workspace.home_of(str(wish.kind)).path
        path, problems = _put_classified(memory, drafts, folder, saying, day=wish.day(memory.today))
        _point(memory, drafts, saying.name, path)
        return _apply(memory, drafts, "remember", path, (path,), problems, dry_run=dry_run)


def remember_entry(memory: Memory, wish: Wish, *, dry_run: bool) -> Done:
    """Add an entry to the file that is the home of its kind."""
    from mneme.memory.notes import entries

    profile, kind = memory.workspace.profile, str(wish.kind)
    wanted = entries.check_tags(wish.tags, profile)
    home = memory.workspace.home_of(kind)
    path = home.place(topic=_topic(wish))
    if wish.tags and not profile.is_tagged(path):
        raise RefusedError(f"'{path}' has no tags line", f"mneme remember ... --kind {kind}")
    entry = entries.print_entry(_saying(wish), kind, wish.day(memory.today))
    with memory.writing("remember", dry_run=dry_run):
        if (twin := _twin(memory, wish)) is not None:
            return twin
        drafts = _drafts(memory)
        problems: tuple[Problem, ...] = ()
        if profile.is_tagged(path):
            tags = wanted or (entries.tags_in(wish.text, profile) if drafts.find(path) is None else ())
            name = entries.put_tagged(drafts, path, entry, kind, tags, memory.today)
        elif path == profile.places.memory:
            name = entries.put_curated(drafts, path, entry, kind)
            problems = _budget_problems(memory, drafts)
        else:
            name = entries.put_entry(drafts, path, entry)
        _point(memory, drafts, _saying(wish).name, path)
        new = f"{path}#{name}"
        return _apply(memory, drafts, "remember", new, (new,), problems, dry_run=dry_run)


def remember_task(memory: Memory, wish: Wish, *, dry_run: bool) -> Done:
    """Add a task to be ticked."""
    from mneme.memory.notes import entries

    with memory.writing("remember", dry_run=dry_run):
        if (twin := _twin(memory, wish)) is not None:
            return twin
        drafts = _drafts(memory)
        path = memory.workspace.home_of(str(wish.kind)).path
        name = entries.put_task(drafts, path, wish.text)
        new = f"{path}#{name}"
        return _apply(memory, drafts, "remember", new, (new,), dry_run=dry_run)


def remember_status(memory: Memory, wish: Wish, *, dry_run: bool) -> Done:
    """Add where a project stands to the tracker."""
    from mneme.memory.notes import entries

    entry = entries.print_entry(_saying(wish), str(wish.kind), wish.day(memory.today))
    with memory.writing("remember", dry_run=dry_run):
        if (twin := _twin(memory, wish)) is not None:
            return twin
        drafts = _drafts(memory)
        path = memory.workspace.home_of(str(wish.kind)).path
        name = entries.put_status(drafts, path, " ".join(str(wish.project).split()), entry)
        new = f"{path}#{name}"
        return _apply(memory, drafts, "remember", new, (new,), dry_run=dry_run)


def supersede_note(memory: Memory, named: Named, wish: Wish, *, dry_run: bool) -> Done:
    """Put a new memory in the place of one in a note; the old one moves to the archive, but stays in a day's note."""
    from mneme.formats.record import SUPERSEDED
    from mneme.memory.notes import revise

    revise.check_ending(named.record, SUPERSEDED)
    with memory.writing("supersede", dry_run=dry_run):
        drafts = _drafts(memory)
        path, _, anchor = named.record.id.partition("#")
        problems: tuple[Problem, ...] = ()
        if not anchor:
            new, old, problems = _supersede_file(memory, drafts, path, wish)
        elif memory.workspace.profile.is_day(path):
            new = _new_day_entry(memory, drafts, wish)
            revise.end_in_place(drafts, path, anchor, successor=new)
            old = named.record.id
        else:
            new, old = _supersede_part(memory, drafts, named, wish)
        note = f"{named.record.id} -> {new}"
        return _apply(memory, drafts, "supersede", note, (new, old), problems, dry_run=dry_run)


def affirm_note(memory: Memory, named: Named, *, conf: str | None, dry_run: bool) -> Done:
    """Say that a memory in a note, or a whole note, was seen to hold today."""
    from mneme.formats.record import LIVE
    from mneme.memory.notes import revise

    revise.check_ending(named.record, LIVE)
    with memory.writing("affirm", dry_run=dry_run):
        drafts = _drafts(memory)
        path, _, anchor = named.record.id.partition("#")
        if anchor:
            revise.affirm_entry(drafts, path, anchor, memory.today, conf)
        else:
            revise.affirm_file(drafts, path, memory.today, conf)
            renew_user(memory, drafts, path)
        return _apply(memory, drafts, "affirm", named.record.id, (named.record.id,), dry_run=dry_run)


def mark_note(memory: Memory, named: Named, state: str | None, *, conf: str | None, dry_run: bool) -> Done:
    """Set the state or the confidence of a memory in a note; one that is retired moves to the archive."""
    from mneme.formats.record import RETIRED
    from mneme.memory.notes import revise

    if state:
        revise.check_ending(named.record, state)
    path, _, anchor = named.record.id.partition("#")
    if not anchor and not memory.workspace.profile.is_classified(path):
        message = f"'{path}' holds many memories; mark one of them"
        raise RefusedError(message, f"mneme show {path}")
    with memory.writing("mark", dry_run=dry_run):
        drafts = _drafts(memory)
        now = named.record.id
        if state == RETIRED and named.record.state != RETIRED:
            now = _retire(memory, drafts, path, anchor)
        elif anchor:
            revise.mark_entry(drafts, path, anchor, state, conf)
        else:
            revise.mark_file(drafts, path, state, conf)
            renew_user(memory, drafts, path)
        return _apply(memory, drafts, "mark", named.record.id, (now,), dry_run=dry_run)


def tick_task(memory: Memory, named: Named, *, dry_run: bool) -> Done:
    """Tick the box of a task."""
    from mneme.formats.edit import tick
    from mneme.memory.notes.revise import find_spot

    path, _, anchor = named.record.id.partition("#")
    with memory.writing("done", dry_run=dry_run):
        drafts = _drafts(memory)
        note = drafts.note(path)
        line = note.lines.line_of(find_spot(note, anchor).start) if anchor else 0
        item = next((one for one in note.items if one.line == line), None)
        if item is None:
            raise RefusedError(f"'{named.record.id}' is no task", "mneme list --kind task --state live")
        if not item.done:
            drafts.edit(path, tick(note, item, done=True))
        return _apply(memory, drafts, "done", named.record.id, (named.record.id,), dry_run=dry_run)


def _retire(memory: Memory, drafts: Drafts, path: str, anchor: str) -> str:
    """End a memory without another in its place; return its id from now on."""
    from mneme.formats.record import RETIRED
    from mneme.memory.notes import index, revise
    from mneme.memory.notes.archive import follow_links

    profile = memory.workspace.profile
    if not anchor:
        index.drop_line(drafts, profile, path)
        to = revise.archive_file(drafts, profile, path, memory.today)
        follow_links(drafts, memory.workspace, {path: to})
        renew_user(memory, drafts, path)
        return to
    if profile.is_day(path):
        revise.end_in_place(drafts, path, anchor, state=RETIRED)
        return f"{path}#{anchor}"
    return revise.archive_entry(drafts, profile, path, anchor, memory.today, state=RETIRED)


def _supersede_file(memory: Memory, drafts: Drafts, path: str, wish: Wish) -> tuple[str, str, tuple[Problem, ...]]:
    """Archive a classified memory and write the one that takes its place."""
    from mneme.formats.edit import set_front
    from mneme.memory.notes import revise
    from mneme.memory.notes.archive import follow_links

    profile = memory.workspace.profile
    if not profile.is_classified(path):
        message = f"'{path}' holds many memories; supersede one of them"
        raise RefusedError(message, f"mneme show {path}")
    folder = posixpath.dirname(path) + "/"
    new, problems = _put_classified(memory, drafts, folder, _saying(wish), instead_of=path)
    old = revise.archive_file(drafts, profile, path, memory.today, successor=new)
    drafts.edit(new, set_front(drafts.note(new), "supersedes", old))
    follow_links(drafts, memory.workspace, {path: old})
    renew_user(memory, drafts, new)
    _point(memory, drafts, _saying(wish).name, new)
    return new, old, problems


def _supersede_part(memory: Memory, drafts: Drafts, named: Named, wish: Wish) -> tuple[str, str]:
    """Archive an entry or the text of a section, and write in its place what holds now."""
    from mneme.formats.entry import entry_hash
    from mneme.memory.notes import days, entries, revise

    path, _, anchor = named.record.id.partition("#")
    note = drafts.note(path)
    spot = revise.find_spot(note, anchor)
    if spot.alone:
        text, name = wish.text, anchor
    else:
        kind = named.record.kind
        box = next((one.box for one in note.items if one.line == note.lines.line_of(spot.start)), None)
        task = days.entry_text(wish.text).replace("- ", "- [ ] ", 1)
        text = task if box is not None else entries.print_entry(_saying(wish), kind, memory.today)
        name = entry_hash(text)
    new = f"{path}#{name}"
    old = revise.archive_entry(drafts, memory.workspace.profile, path, anchor, memory.today, successor=new)
    revise.put_at(drafts, path, spot.start, text, alone=spot.alone)
    return new, old


def _new_day_entry(memory: Memory, drafts: Drafts, wish: Wish) -> str:
    from mneme.engine.days import put_today

    return put_today(memory, drafts, wish.text)


def _put_classified(
    memory: Memory, drafts: Drafts, folder: str, saying: Saying, *, instead_of: str = "", day: date | None = None
) -> tuple[str, tuple[Problem, ...]]:
    """Write the file of a memory and its line in the index; return where it lies."""
    from mneme.memory.notes import classified, index

    profile = memory.workspace.profile
    path = classified.free_path(folder, saying.name, lambda one: drafts.find(one) is not None or one == instead_of)
    kind = classified.class_of(profile, folder)
    drafts.write(path, classified.print_memory(saying, kind, day or memory.today))
    problems = index.add_line(drafts, profile, path, saying.name, saying.index_line, instead_of=instead_of)
    renew_user(memory, drafts, path)
    return path, problems


def renew_user(memory: Memory, drafts: Drafts, path: str) -> None:
    """Draw the region of USER.md anew where a memory about the user was written."""
    from mneme.memory.notes.known import renew_known

    profile = memory.workspace.profile
    folder = profile.class_folders.get(USER, "")
    if folder and path.startswith(folder):
        known = {one for one in memory.workspace.note_files() if one.startswith(folder) and profile.is_classified(one)}
        renew_known(drafts, profile, drafts.kept(sorted(known | {path})))


def _budget_problems(memory: Memory, drafts: Drafts) -> tuple[Problem, ...]:
    from mneme.memory.notes import index

    profile = memory.workspace.profile
    note = drafts.note(profile.places.memory)
    return (index.over_budget(note, profile),) if index.is_over(note, profile) else ()


def _point(memory: Memory, drafts: Drafts, title: str, path: str) -> None:
    from mneme.engine.days import leave_pointer

    leave_pointer(memory, drafts, title, path)


def _topic(wish: Wish) -> str:
    """Return the file name of a topic: a path of topics is one name."""
    from mneme.memory.notes.classified import file_name

    said = wish.topic or ""
    return file_name(said.replace("/", " ")) if said else ""


def _saying(wish: Wish) -> Saying:
    from mneme.memory.notes.classified import Saying

    return Saying(wish.text.strip(), wish.title or "", wish.why or "", wish.how or "", wish.conf or "")


def _drafts(memory: Memory) -> Drafts:
    from mneme.memory.notes.drafts import Drafts

    return Drafts(memory.root)


def _twin(memory: Memory, wish: Wish) -> Done | None:
    from mneme.engine import twins

    if wish.force:
        return None
    cells = {path: files.find_file(files.place_of(memory.root, path)) for path in memory.workspace.cell_files()}
    return twins.find_twin(memory, wish.text, "", {path: content for path, content in cells.items() if content})


def _apply(
    memory: Memory,
    drafts: Drafts,
    verb: str,
    note: str,
    ids: Iterable[str],
    problems: tuple[Problem, ...] = (),
    *,
    dry_run: bool,
) -> Done:
    from mneme.engine import results
    from mneme.engine.naming import whole_note
    from mneme.memory import load_pieces

    done = memory.apply(files.Plan(verb, drafts.changes(note), note), dry_run=dry_run)
    done = dataclasses.replace(done, problems=(*problems, *done.problems))
    if dry_run:
        return done
    wanted = tuple(dict.fromkeys(ids))
    paths = dict.fromkeys(one.partition("#")[0] for one in wanted)
    known = {piece.record.id: piece.record for piece in load_pieces(memory.workspace, paths)}
    whole = (one for one in wanted if one in paths and one not in known)  # a note that holds many memories
    known |= {one: record for one in whole if (record := whole_note(memory, one))}
    records = tuple(known[one] for one in wanted if one in known and memory.sees(known[one]))
    return dataclasses.replace(done, records=records, status=results.NEW if verb == "remember" else done.status)
