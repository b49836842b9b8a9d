"""Would memory still answer what it answered? Questions asked again, of memory as it is and as a plan would leave it.

The questions are those that settings pin and those that were asked lately, here or of OpenClaw. Words alone decide, on
both sides, over a copy of the index that is thrown away: nothing is written, no recall is counted.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme import files
from mneme.formats.asked import KEPT_LINES, LONGEST_QUESTION, QUESTIONS, Asked, parse_asked, print_asked, recent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.engine.memory import Memory
    from mneme.files import Change, Plan
    from mneme.formats.piece import Piece
    from mneme.index.backend import Backend
    from mneme.recall.answer import Answer, Hit

MOST_QUESTIONS = 40
K = 5
LONGEST_LINE = 120
FIRST_FEW = 3  # an answer that was first stays among so many, that to a pinned question stays first


@dataclass(frozen=True, slots=True)
class Worse:
    """A question that a plan would answer worse: what answered it, and what would instead (nothing: silence)."""

    question: str
    before: str
    after: str
    pinned: bool = False

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {"question": self.question, "before": self.before, "after": self.after, "pinned": self.pinned}

    def __str__(self) -> str:
        instead = f"'{self.after}'" if self.after else "nothing"
        return f"'{self.question}' is answered by '{self.before}', and would be by {instead}"


def keep_question(memory: Memory, text: str) -> None:
    """Take down a question that was asked; one that holds a secret, or is asked in a shared context, is not kept."""
    from mneme.check.secret import find_secrets

    words = " ".join(text.split())
    if memory.shared or not words or len(words) > LONGEST_QUESTION or find_secrets(words):
        return
    line = print_asked(Asked(memory.now().isoformat(timespec="seconds"), words))
    files.append_line(files.workplace(memory.root) / QUESTIONS, line)


def find_worse(memory: Memory, plan: Plan, pinned: Sequence[str]) -> tuple[Worse, ...]:
    """Return the questions that memory would answer worse once a plan is applied."""
    from mneme.engine.indexing import bring_in, with_index

    asked = _questions(memory, pinned)
    if not plan or not asked:
        return ()

    def compare(backend: Backend) -> tuple[Worse, ...]:
        bring_in(memory, backend, float("inf"))
        with _planned(memory, backend, plan) as later:
            found = (_worse(memory, backend, later, question, pinned=question in pinned) for question in asked)
            return tuple(one for one in found if one is not None)

    return with_index(memory, compare)


def _questions(memory: Memory, pinned: Sequence[str]) -> list[str]:
    from mneme.consolidate.dream.recalls import asked_elsewhere
    from mneme.consolidate.dream.state import EVENTS

    place = files.workplace(memory.root) / QUESTIONS
    own = list(parse_asked((files.find_file(place) or b"").decode("utf-8", "replace")))
    if len(own) > KEPT_LINES:
        files.write_derived(place, "".join(f"{print_asked(one)}\n" for one in own[-KEPT_LINES // 2 :]).encode())
    theirs = asked_elsewhere(files.find_file(files.place_of(memory.root, EVENTS)) or b"")
    lately = recent(iter([*own, *theirs]), memory.today, MOST_QUESTIONS)
    return list(dict.fromkeys([*pinned, *lately]))


# Memory as it would be


@contextlib.contextmanager
def _planned(memory: Memory, backend: Backend, plan: Plan) -> Iterator[Backend]:
    """Give a copy of the index in which the plan's files are as they would be."""
    with _copied(memory, backend) as later:
        for change in plan.changes:
            if change.remove or change.to:
                later.drop([change.path])
            if not change.remove:
                path = change.to or change.path
                later.put(path, "planned", _pieces(memory, change, path))
        yield later


def _pieces(memory: Memory, change: Change, path: str) -> Sequence[Piece]:
    from mneme.memory import read_pieces

    if not _is_memory(memory, path):
        return ()
    before = change.content if change.content is not None else files.find_file(files.place_of(memory.root, change.path))
    return read_pieces(memory.workspace, path, files.edited(before or b"", change.edits))


def _is_memory(memory: Memory, path: str) -> bool:
    from mneme.profiles.select import SUFFIXES, select_memory

    found = select_memory([path] if path.endswith(SUFFIXES) else [], memory.workspace.profile)
    return any((found.cells, found.notes, found.facts))


@contextlib.contextmanager
def _copied(memory: Memory, backend: Backend) -> Iterator[Backend]:
    import copy
    import sqlite3

    from mneme.engine.indexing import INDEX
    from mneme.index.sqlite import SqliteBackend

    if not isinstance(backend, SqliteBackend):
        yield copy.deepcopy(backend)
        return
    with files.scratch_folder() as folder:
        place = folder / INDEX
        own = files.workplace(memory.root) / INDEX
        with contextlib.closing(sqlite3.connect(own)) as source, contextlib.closing(sqlite3.connect(place)) as target:
            source.backup(target)
        later = SqliteBackend(place)
        try:
            yield later
        finally:
            later.close()


# One question


def _worse(memory: Memory, backend: Backend, later: Backend, question: str, *, pinned: bool) -> Worse | None:
    """Return how a question fares worse, or None; what was no sure answer before is nothing to lose unless pinned."""
    before = _answered(memory, backend, question)
    if not before.hits or not (before.certain or pinned):
        return None
    best = before.hits[0]
    after = _answered(memory, later, question)
    if any(_says(hit, best) for hit in after.hits[: 1 if pinned else FIRST_FEW]):
        return None
    return Worse(question, _line(best), _line(after.hits[0]) if after.hits else "", pinned)


def _answered(memory: Memory, backend: Backend, question: str) -> Answer:
    from mneme.engine.recalling import plain_request
    from mneme.recall.find import find_answer

    return find_answer(backend, plain_request(memory, question, K), lambda _: None)


def _says(hit: Hit, best: Hit) -> bool:
    """Say whether a hit is the answer that there was: the same record, its like, or what takes its place."""
    from mneme.consolidate.dream.deep import relation

    if best.id in (hit.id, *hit.same):
        return True
    one, two = (" ".join(each.text.lower().split()).strip("- ") for each in (hit, best))
    return one in two or two in one or bool(relation(hit.text, best.text))


def _line(hit: Hit) -> str:
    return f"{' '.join(hit.text.split())[:LONGEST_LINE]} [{hit.source}]"
