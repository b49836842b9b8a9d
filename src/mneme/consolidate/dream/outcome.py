"""From what a night decided to the changes of files: MEMORY.md, the diary, the archive, and the state of dreaming.

A person's text in MEMORY.md is never touched: promotions live in a region of their own, under the budget of the whole
file. State files are changed entry by entry, so that history keeps what changed and not the whole store every night.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.consolidate.dream import diary, ingest, sessions
from mneme.consolidate.dream import memo as memos
from mneme.consolidate.dream.blocks import block_edits
from mneme.consolidate.dream.deep import source_paths
from mneme.consolidate.dream.entry import iso, parse_json
from mneme.consolidate.dream.fade import plan_fading
from mneme.consolidate.dream.ingest import digest_of
from mneme.consolidate.dream.phases import DEEP, LIGHT, REM
from mneme.consolidate.dream.rules import INDEX as SHELVED
from mneme.consolidate.dream.rules import SENTENCE
from mneme.consolidate.dream.sentence import archive_row, markers, parse_promotions, region_rows
from mneme.consolidate.dream.shelf import Shelf, find_shelf, write_shelf
from mneme.consolidate.dream.state import (
    EVENTS,
    REPAIRS,
    SIGNALS,
    STORE,
    VERB,
    Night,
    State,
    closing_entries,
    closing_signals,
    fingerprint,
)
from mneme.errors import WARN, Problem, RefusedError
from mneme.formats.edit import set_region
from mneme.formats.note import parse_note
from mneme.formats.region import INDEX, PROMOTED
from mneme.formats.span import apply_edits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mneme.consolidate.dream.ingest import Notes
    from mneme.consolidate.dream.rules import Rules
    from mneme.consolidate.dream.sentence import Promotion
    from mneme.consolidate.dream.table import Decision, Fits
    from mneme.formats.note import Note
    from mneme.formats.recalled import Seen
    from mneme.profiles import Profile

REPORT = "memory/dreaming/{phase}/{day}.md"
MOST_EVENTS, KEPT_EVENTS = 2_000, 1_500
FIRST_LINE = "# Long-Term Memory\n\n"
OURS = b'"by": "mneme"}'  # how each of our own events ends
LEFT_FILE, DIARY_FILE = "promoted.md", "dreams.md"
_TITLES = {LIGHT: "Light Sleep", REM: "REM Sleep", DEEP: "Deep Sleep"}


@dataclass(frozen=True, slots=True)
class Memory:
    """MEMORY.md as Deep sees it: its text, the promotions in it, and what a person wrote."""

    path: str
    text: str
    promotions: tuple[Promotion, ...] = ()
    others: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()
    refused: str = ""

    def with_promotions(self, promotions: Sequence[Promotion], so_far: str | None = None) -> str:
        """Return the file's text, as it is or as it was made so far, with these promotions in its region."""
        rows = region_rows([one for one in promotions if one.rows], self.others)
        before = self.text if so_far is None else so_far
        text = before if before.strip() or not rows else FIRST_LINE
        note = _read(text, self.path)
        if not rows and note.find_region(PROMOTED) is None:
            return before
        return apply_edits(text, [set_region(note, PROMOTED, "\n".join(rows))])

    def fits(self, rules: Rules) -> Fits:
        """Return the function that says whether promotions leave the file within its budget."""

        def within(promotions: Sequence[Promotion]) -> bool:
            if self.refused:
                return False
            text = self.with_promotions(promotions)
            return text.count("\n") <= rules.memory_lines and len(text) <= rules.memory_chars

        return within


@lru_cache(maxsize=2)
def _read(text: str, path: str) -> Note:
    """Read MEMORY.md; asked for each promotion whether it fits, one reading will do."""
    return parse_note(text, path)


def memory_of(notes: Notes, style: str = SENTENCE) -> Memory:
    """Read MEMORY.md, and the classified memories where promotions are those; where they have no place, say why."""
    profile = notes.workspace.profile
    path = profile.places.memory
    content = notes.content(path)
    text = "" if content is None else content.decode("utf-8", "surrogateescape")
    note = _read(text, path)
    region = note.find_region(PROMOTED)
    rows = text[region.inner_start : region.inner_end].splitlines() if region else []
    promotions, others = parse_promotions(rows)
    shelf = find_shelf(notes) if style == SHELVED else Shelf()
    refused = _refusal(note, profile, style)
    written = (*(" ".join(entry.text.split()) for entry in note.entries), *shelf.others)
    known = frozenset(markers(text)) | {one.key for one in shelf.promotions}
    return Memory(path, text, (*promotions, *shelf.promotions), tuple(others), written, known, refused)


def _refusal(note: Note, profile: Profile, style: str) -> str:
    """Say why nothing can be promoted here; empty where it can."""
    if style == SHELVED and (INDEX not in profile.regions or not profile.class_folders):
        return f"the profile '{profile.name}' keeps no classified memories with an index"
    if style != SHELVED and PROMOTED not in profile.regions:
        return f"the profile '{profile.name}' keeps no promotions in MEMORY.md"
    broken = any(problem.rule == "broken-region" for problem in note.problems)
    return "the markers of a region in MEMORY.md do not pair" if broken else ""


def promoted_at(notes: Notes, hit: Seen) -> str:
    """Return the key of the promotion that a hit in MEMORY.md is, or the empty string."""
    from mneme.formats.entry import entry_hash

    memory = memory_of(notes)
    name = hit.id.partition("#")[2][:8]
    rows = memory.text.splitlines()
    here = rows[hit.line - 1] if 0 < hit.line <= len(rows) else ""
    for one in memory.promotions:
        if (name and entry_hash(one.rows[-1]) == name) or (not name and here in one.rows):
            return one.key
    return ""


# The plan


def night_of(state: State, wanted: Sequence[str], decision: Decision | None) -> Night:
    """Return the night as a plan: every change of every file, the state of dreaming last."""
    made = _Made(state)
    memory = memory_of(state.notes, state.rules.style)
    if decision is not None and not memory.refused:
        if state.rules.style == SHELVED:
            _write_shelf(made, decision)
        _write_memory(made, memory, decision)
    if decision is not None:
        made.faded = plan_fading(made, state, decision)
    _write_diary(made)
    if state.rules.reports:
        _write_reports(made, wanted, decision)
    _write_corpus(made)
    _write_state(made, wanted, memory.path, decision)
    problems = list(state.report.problems)
    if memory.refused and decision is not None:
        hint = 'edit mneme.toml: regions = ["promoted"]'
        problems.append(Problem(memory.path, 1, "no-promotions", WARN, memory.refused, hint))
    report = replace(state.report, decision=decision, faded=tuple(made.faded), problems=tuple(problems))
    sources = {path: state.notes.digest(path) for path in _sources(decision)}
    return Night(files.Plan(VERB, tuple(made.changes()), state.today), report, sources)


def _sources(decision: Decision | None) -> Iterator[str]:
    for _, candidate, _ in decision.added if decision else ():
        yield from source_paths(candidate.entry.path)


class _Made:
    """The contents that files shall have; each is set once and becomes one change, where it is one."""

    __slots__ = ("contents", "faded", "moves", "reasons", "state")

    def __init__(self, state: State) -> None:
        self.state = state
        self.contents: dict[str, bytes] = {}
        self.reasons: dict[str, str] = {}
        self.moves: dict[str, str] = {}
        self.faded: list[tuple[str, str]] = []

    def text(self, path: str) -> str:
        """Return what a file shall hold, as far as that is known."""
        content = self.content(path)
        return (content or b"").decode("utf-8", "surrogateescape")

    def content(self, path: str) -> bytes | None:
        """Return the content that a file shall have, or has."""
        return self.contents.get(path, self.state.notes.content(path))

    def put(self, path: str, content: bytes, reason: str) -> None:
        """Set what a file shall hold."""
        self.contents[path] = content
        self.reasons[path] = reason

    def append(self, path: str, rows: Iterable[str], title: str, reason: str) -> None:
        """Add lines at the end of a page, under a title where it is new; lines that it has already are not added."""
        text = self.text(path)
        new = [row for row in rows if row not in text]
        if new:
            head = text if text.strip() else f"# {title}\n\n"
            end = "" if head.endswith("\n") else "\n"
            body = f"{head}{end}" + "".join(f"{row}\n" for row in new)
            self.put(path, body.encode("utf-8", "surrogateescape"), reason)

    def changes(self) -> Iterator[files.Change]:
        """Yield one change for each file that will not be as it was."""
        for path, content in self.contents.items():
            before = self.state.notes.content(path)
            to = self.moves.get(path)
            if to is not None and before is not None:
                yield files.plan_move(path, before, to, block_edits(before, content), self.reasons[path])
            elif before is None:
                yield files.plan_create(path, content, self.reasons[path])
            elif before != content:
                yield files.plan_edit(path, before, block_edits(before, content), self.reasons[path])


# MEMORY.md and what leaves it


def _write_shelf(made: _Made, decision: Decision) -> None:
    for path, content, to in write_shelf(decision, made.state.notes, made.content, made.state.today):
        made.put(path, content, "promoted, or let go")
        if to:
            made.moves[path] = to


def _write_memory(made: _Made, memory: Memory, decision: Decision) -> None:
    added = [] if made.state.rules.style == SHELVED else [one for one, _, _ in decision.added]
    left = [one for one in decision.left if one.promotion.rows]
    standing = [one for one in decision.standing if one.rows]
    if not (standing or added or left):
        return
    try:
        text = memory.with_promotions([*standing, *added], made.text(memory.path))
    except RefusedError:
        return
    made.put(memory.path, _encoded(text), f"promoted {len(added)}, left {len(left)}")
    today = made.state.today
    path = made.state.notes.workspace.profile.archive_path(LEFT_FILE, today)
    rows = [archive_row(one.promotion, today, one.reason) for one in left]
    made.append(path, rows, f"Promoted once ({today[:7]})", "what left MEMORY.md")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _write_diary(made: _Made) -> None:
    state = made.state
    path = state.notes.workspace.profile.places.dreams
    if not path or not state.told:
        return
    if path == "DREAMS.md" and state.notes.content(path) is None and state.notes.content("dreams.md") is not None:
        path = "dreams.md"
    text = diary.add_entries(made.text(path), state.told, state.rules.local(state.now))
    text, left = diary.within_budget(text, state.rules.diary_chars)
    made.put(path, _encoded(text), "the night's diary")
    if left:
        archive = state.notes.workspace.profile.archive_path(DIARY_FILE, state.today)
        rows = [f"{diary.RULE}\n\n{entry}\n" for entry in left]
        made.append(archive, rows, f"Dreams of old ({state.today[:7]})", "the oldest entries of the diary")


def _write_reports(made: _Made, wanted: Sequence[str], decision: Decision | None) -> None:
    state = made.state
    for phase in wanted:
        if phase == DEEP and decision is not None:
            state.bodies[DEEP] = [
                f"- Ranked {len(decision.added) + len(decision.waiting())} candidate(s) for durable promotion.",
                f"- Promoted {len(decision.added) + len(decision.reconciled)} candidate(s) into MEMORY.md.",
            ]
        body = "\n".join(state.bodies.get(phase) or ["- No notable updates."])
        path = REPORT.format(phase=phase, day=state.today)
        made.put(path, f"# {_TITLES[phase]}\n\n{body}\n".encode("utf-8", "replace"), f"the report of {phase}")


def _write_corpus(made: _Made) -> None:
    for day, rows in made.state.corpus.items():
        path = sessions.corpus_path(day)
        before = made.content(path) or b""
        gap = b"" if not before or before.endswith(b"\n") else b"\n"
        made.put(path, before + gap + "".join(f"{row}\n" for row in rows).encode(), "what was said in sessions")


# The state of dreaming


def _write_state(made: _Made, wanted: Sequence[str], memory_path: str, decision: Decision | None) -> None:
    state = made.state
    entries, store = closing_entries(state)
    signals = closing_signals(state, entries.by_key)
    if state.before.broken:
        kept = f"{REPAIRS}/{iso(state.now).replace(':', '-').replace('.', '-')}/short-term-recall.json"
        made.put(kept, state.notes.content(STORE) or b"", "a state file that could not be read")
    if entries.by_key or state.notes.content(STORE) is not None:
        made.put(STORE, store, "what was recalled")
    if signals is not None:
        made.put(SIGNALS, signals, "what the phases chose")
    stamps = _stamps(state)
    if stamps or state.notes.content(ingest.CHECKPOINT) is not None:
        made.put(ingest.CHECKPOINT, ingest.print_checkpoint(stamps), "which notes were read")
    if state.progress.files or state.notes.content(sessions.CHECKPOINT) is not None:
        made.put(sessions.CHECKPOINT, sessions.print_progress(state.progress), "how far transcripts were read")
    _write_events(made, wanted, decision)
    left = fingerprint(state, made.content(STORE), made.content(SIGNALS), made.content(memory_path))
    memo = replace(
        state.memo,
        last={**state.memo.last, **dict.fromkeys(wanted, iso(state.now))},
        left={**state.memo.left, **dict.fromkeys(wanted, left)},
        store=digest_of(store) if STORE in made.contents else "",
        owed=_owed(state, decision),
    )
    made.put(memos.PATH, memos.print_memo(memo), "what dreaming remembers of itself")


def _owed(state: State, decision: Decision | None) -> str:
    """Return the day since which a promotion waits to leave; where one has left, the next waits anew."""
    if decision is None:
        return state.memo.owed
    if decision.left or not state.memo.owed:
        return state.today if decision.owed else ""
    return state.memo.owed if decision.owed else ""


def _stamps(state: State) -> Mapping[str, Mapping[str, int]]:
    """Return the reference's checkpoint, so that the other program does not read again what this one has read."""
    if not state.rules.trusted:
        return state.stamps
    read = {path for seen in state.memo.read.values() for path in seen}
    return {path: stamp for path in sorted(read) if (stamp := state.notes.stamp(path)) is not None}


def _write_events(made: _Made, wanted: Sequence[str], decision: Decision | None) -> None:
    """Append what happened to the event log, as the reference does, and keep the log within its budget."""
    state = made.state
    at = iso(state.now)
    rows: list[dict[str, Any]] = []
    added = decision.added if decision else ()
    if added:
        rows.append(
            {
                "type": "memory.promotion.applied",
                "timestamp": at,
                "memoryPath": state.notes.workspace.profile.places.memory,
                "applied": len(added),
                "candidates": [_promoted(candidate, chunk) for _, candidate, chunk in added],
                "by": "mneme",
            }
        )
    for phase in wanted:
        report = {"reportPath": REPORT.format(phase=phase, day=state.today)} if state.rules.reports else {}
        lines = len(state.bodies.get(phase, ()))
        mode = "separate" if state.rules.reports else "diary"
        event = {"type": "memory.dream.completed", "timestamp": at, "phase": phase, **report}
        rows.append({**event, "lineCount": lines, "storageMode": mode, "by": "mneme"})
    before = made.content(EVENTS) or b""
    gap = b"" if not before or before.endswith(b"\n") else b"\n"
    text = before + gap + "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace")
    lines_now = text.splitlines(keepends=True)
    kept = lines_now[-KEPT_EVENTS:] if len(lines_now) > MOST_EVENTS else lines_now
    made.put(EVENTS, b"".join(kept), "what happened")


def _promoted(candidate: Any, chunk: Any) -> dict[str, object]:  # noqa: ANN401 - a candidate and its chunk
    entry = candidate.entry
    places = {"startLine": chunk.line, "endLine": chunk.end_line}
    return {"key": entry.key, "path": entry.path, **places, "score": candidate.score, "recallCount": entry.recalls}


def host_dreamt_at(content: bytes | None) -> str:
    """Return when another program last dreamt here, as its own events say; empty where none ever did."""
    for row in reversed((content or b"").splitlines()):
        if b"memory.dream.completed" not in row or row.rstrip().endswith(OURS):
            continue
        event, _ = parse_json(row)
        if event.get("type") == "memory.dream.completed" and event.get("by") != "mneme":
            return str(event.get("timestamp") or "")
    return ""
