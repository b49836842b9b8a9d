"""Which files of the palace change: only what stands between the marks, and only where it differs."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from mneme import files
from mneme.consolidate.palace.dimension import parse_dimension
from mneme.consolidate.palace.page import print_view
from mneme.consolidate.palace.views import custom, projects, shown, technology, timeline
from mneme.formats.edit import set_region
from mneme.formats.note import parse_note
from mneme.formats.record import SHARED
from mneme.formats.region import PALACE, end_marker, start_marker
from mneme.profiles.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.consolidate.palace.views import View
    from mneme.files import Change
    from mneme.formats.piece import Piece
    from mneme.workspace import Workspace


def plan_palace(workspace: Workspace, pieces: Sequence[Piece]) -> Iterator[Change]:
    """Yield the changes that bring the palace up to what is remembered; none where it is."""
    folder = workspace.profile.places.palace
    # A page that a shared context may read holds nothing that it may not: each page has the audience of its path.
    for name in ("timeline", "projects", "technology", "custom"):
        path = posixpath.join(folder, f"{name}.md")
        audience = workspace.audience_of(path)
        seen = [piece for piece in pieces if shown(piece) and (audience != SHARED or piece.record.audience == SHARED)]
        view = _view(name, seen, workspace)
        content = files.find_file(files.place_of(workspace.root, path))
        if content is None and not view.groups:
            continue
        yield from _change(path, content, view)


def _view(name: str, pieces: Sequence[Piece], workspace: Workspace) -> View:
    if name == "timeline":
        return timeline(pieces)
    if name == "projects":
        return projects(pieces)
    if name == "technology":
        tags = workspace.profile.tags or TABLES["default"].tags
        words = workspace.settings["palace.technology"] or tags.get("infrastructure", ())
        return technology(pieces, [*words, *workspace.settings["palace.more_technology"]])
    queries = workspace.settings.table("palace.dimensions")
    return custom(pieces, {name: parse_dimension(query, name) for name, query in queries.items()})


def _change(path: str, content: bytes | None, view: View) -> Iterator[Change]:
    inner = print_view(view, posixpath.dirname(path))
    reason = f"the palace's {view.name}"
    if content is None:
        text = f"# {view.title}\n\n{start_marker(PALACE)}\n{inner}\n{end_marker(PALACE)}\n"
        yield files.plan_create(path, text.encode("utf-8", "surrogateescape"), reason)
        return
    note = parse_note(content.decode("utf-8", "surrogateescape"), path)
    start, end, new = set_region(note, PALACE, inner)
    if note.text[start:end] != new:
        yield files.plan_edit(path, content, files.text_edits(note.text, [(start, end, new)]), reason)
