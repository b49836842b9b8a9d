"""Planning the repairs of `check --fix`: everything mechanical, in every kind of file, as one plan.

What a person wrote is never reworded, and nothing is said to be verified. A link follows its file, tags move to their
line, an index is renewed within its marks, a fact with a successor is marked superseded. A MEMORY.md over its budget
is made to fit by moving whole sections, word for word, each to a file of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mneme import files
from mneme.check.head import TAG_LINE
from mneme.check.index_region import renewed_index
from mneme.check.mend import plan_mend
from mneme.check.overflow import moved_sections
from mneme.check.scan import scan_tree
from mneme.check.whole import Whole
from mneme.errors import MnemeError, RefusedError
from mneme.formats.cell import parse_cells
from mneme.formats.fact import parse_facts, supersede_fact
from mneme.formats.note import parse_note
from mneme.formats.record import SUPERSEDED
from mneme.formats.span import BOM, apply_edits
from mneme.memory.cells.load import CellSet, decoded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from mneme.check.links import Links
    from mneme.files import Change
    from mneme.formats.fact import Fact, FactFile
    from mneme.formats.note import Note
    from mneme.workspace import Workspace


def plan_mends(workspace: Workspace, now: datetime) -> list[Change]:
    """Return the changes that mend what is mechanical in a workspace."""
    tree = scan_tree(workspace.root, workspace.settings.find("files.ignore") or ())
    whole = Whole(workspace, now, tree, {}, ())
    wrong: dict[str, set[str]] = {}
    for problem in whole.check():
        wrong.setdefault(problem.path, set()).add(problem.rule)
    cells = _cell_set(whole)
    facts = {path: parse_facts(decoded(content), path) for path, content in _contents(whole, whole.fact_paths)}
    links = whole.links_among(cells.files, facts)
    changes = list(plan_mend(cells, cells.files))
    for path in whole.note_paths:
        changes += _mend_note(whole, path, wrong.get(path, set()), links)
    for path, file in facts.items():
        late = list(_late(file))
        if late and not file.broken:
            edits = [edit for one in late for edit in supersede_fact(file, one.id, one.superseded_by)]
            content = file.text.encode("utf-8", "surrogateescape")
            changes.append(files.plan_edit(path, content, files.text_edits(file.text, edits), "superseded"))
    return changes


def _late(file: FactFile) -> Iterator[Fact]:
    """Yield the facts that have a successor and do not say so; in a circle nobody can tell which of them holds."""
    for fact in file.facts:
        seen, one = {fact.id}, file.find(fact.superseded_by) if fact.superseded_by else None
        if fact.status == SUPERSEDED or one is None:
            continue
        while one is not None and one.id not in seen:
            seen.add(one.id)
            one = file.find(one.superseded_by) if one.superseded_by else None
        if one is None:
            yield fact


def _contents(whole: Whole, paths: list[str]) -> Iterator[tuple[str, bytes]]:
    for path in paths:
        try:
            yield path, files.read_file(files.place_of(whole.workspace.root, path), name=path)
        except MnemeError:
            continue


def _cell_set(whole: Whole) -> CellSet:
    contents = dict(_contents(whole, whole.cell_paths))
    return CellSet(tuple(parse_cells(decoded(content), path) for path, content in contents.items()), contents)


def _mend_note(whole: Whole, path: str, rules: set[str], links: Links) -> Iterator[Change]:
    """Yield the changes that mend one note, those of the files that its sections move to among them."""
    wanted = rules & {
        "byte-order-mark",
        "misplaced-tags",
        "dead-link",
        "broken-decision-link",
        "index-out-of-step",
        "overlong-memory",
    }
    if not wanted:
        return
    try:
        content = files.read_file(files.place_of(whole.workspace.root, path), name=path)
    except (RefusedError, MnemeError):
        return
    note = parse_note(decoded(content), path)
    if "byte-order-mark" in wanted:
        note = parse_note(note.text.removeprefix(BOM), path)
    if "misplaced-tags" in wanted:
        note = parse_note(_with_tags_moved(note), path)
    if wanted & {"dead-link", "broken-decision-link"}:
        note = parse_note(_with_links_led(note, links), path)
    if "index-out-of-step" in wanted:
        unlisted = whole.unlisted(links) if path == whole.main_index else []
        note = parse_note(renewed_index(note, links, unlisted, lambda one: _note(whole, one)), path)
    if "overlong-memory" in wanted:
        text, moved = moved_sections(note, whole.profile.budgets, whole.places, links)
        note = parse_note(text, path)
        yield from (
            files.plan_create(to, body.encode("utf-8", "surrogateescape"), f"moved from {path}") for to, body in moved
        )
    change = files.plan_replace(path, content, note.text.encode("utf-8", "surrogateescape"), "mended")
    if change is not None:
        yield change


def _note(whole: Whole, path: str) -> Note | None:
    text = whole.read(path)
    return None if text is None else parse_note(text, path)


def _with_tags_moved(note: Note) -> str:
    """Return a note with its `#tags:` line below its first line; one that begins with frontmatter stays as it is."""
    line = note.tag_line
    if line is None or line.line <= TAG_LINE or note.front is not None:
        return note.text
    lines, at = note.lines, line.line - 1
    row = note.text[lines.starts[at] : lines.after(at)]
    row = row if row.endswith(("\n", "\r")) else row + lines.newline
    second = lines.starts[TAG_LINE - 1]
    return apply_edits(note.text, [(second, second, row), (lines.starts[at], lines.after(at), "")])


def _with_links_led(note: Note, links: Links) -> str:
    """Return a note whose dead links lead to the only file that is called as theirs was."""
    edits = []
    for link, near in links.led(note):
        anchor = f"#{link.target.partition('#')[2]}" if "#" in link.target else ""
        edits.append((link.target_start, link.target_end, near + anchor))
    return apply_edits(note.text, sorted(set(edits)))
