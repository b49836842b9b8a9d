"""What the model is told at an event: one block each, from the part of the engine that knows, or the empty text.

Every block is data between marks of its own, says where each thing stands, and says nothing where there is nothing.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from mneme.formats.told import told_block, told_line
from mneme.hosts.event import RESUME

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mneme.engine.hooks import Scene
    from mneme.engine.memory import Memory
    from mneme.formats.piece import Piece

FILE_MARK = "memory-of-this-file"
FILE_NOTE = "Notes from earlier work that name this file. What the file says now outranks them."
MOST_ABOUT_A_FILE = 5
_DECIDED_KINDS = frozenset({"decision", "gotcha", "preference", "lesson", "feedback", "fact", "howto"})
_TELLING_STATES = frozenset({"live", "stale"})


def boot_block(scene: Scene) -> str:
    """Return what every session loads; a session that is resumed has it already."""
    boot = getattr(scene.memory, "boot", None)
    if boot is None or scene.event.cause == RESUME or scene.event.agent:
        return ""
    return str(boot())


def ask_ahead(scene: Scene) -> None:
    """Have the prompt embedded beside all that comes before its vectors are needed: two blocks look by them."""
    event = scene.event
    if scene.lexical or event.agent or not event.prompt.strip():
        return
    from mneme.engine.home.index import find_embedder
    from mneme.index.words import parse_parts
    from mneme.recall.capability import shortened

    embedder = find_embedder(scene.home)[0]
    if ask := getattr(embedder, "ask_ahead", None):
        text = shortened(event.prompt)
        ask([text, *parse_parts(text)])


def capability_block(scene: Scene) -> str:
    """Return the capabilities that bear on the prompt; without an embedder only what triggers were asked to tell.

    What was asked and done before is its owner's, so a shared chat is told none of it.
    """
    from mneme.workspace import wants_fallback

    event, home = scene.event, scene.home
    if (
        event.agent
        or event.shared
        or not event.prompt.strip()
        or not home.root.is_dir()
        or (scene.lexical and not wants_fallback())
    ):
        return ""
    return home.capability_block(event.prompt, session=event.session, here=event.cwd)


def alarm_block(scene: Scene) -> str:
    """Return the line that the last check of memory has failed, as long as it has."""
    return told_line(scene.memory.alarm) if scene.memory is not None else ""


def file_block(scene: Scene) -> str:
    """Return what was decided about the file that a tool is about to touch."""
    tool, memory = scene.event.tool, scene.memory
    if memory is None or tool is None or not tool.file:
        return ""
    found = list(_about(memory, tool.file))[-MOST_ABOUT_A_FILE:]
    return told_block(FILE_MARK, FILE_NOTE, (_told(piece, memory) for piece in reversed(found)))


def _about(memory: Memory, file: str) -> Iterator[Piece]:
    """Yield the decisions, lessons and the like that name a file, by its path or by its own name."""
    from mneme.memory import load_pieces

    name = PurePosixPath(file).name
    named = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\w)")
    for piece in load_pieces(memory.workspace):
        record = piece.record
        if record.kind in _DECIDED_KINDS and record.state in _TELLING_STATES and memory.sees(record):
            said = f"{piece.gist}\n{piece.cue}\n{piece.body}\n{record.text}"
            if named.search(said):
                yield piece


def _told(piece: Piece, memory: Memory) -> str:
    record = piece.record
    verify = ", verify first" if record.state == "stale" or record.conf == "low" else ""
    verify = verify if memory.authoritative else ", not authoritative"
    return (
        f"{told_line(piece.gist or record.text)} [{told_line(f'{record.path}:{record.line}')}, {record.state}{verify}]"
    )
