"""The verb that turns what was said lately into proposals: candidate memories, each with its words and its place.

Notes and sessions are read from where the last capture left off; what was proposed, remembered or rejected before is not
proposed again, so a lost checkpoint costs time and nothing else. What a capture read that was undone is read again. Without a language model patterns find what is said
outright; with one, its claims are added as far as their quotes support them.
"""

from __future__ import annotations

import dataclasses
import json
import re
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.engine.check import refuse_shared
from mneme.errors import WARN, BadInputError, MnemeError, NotFoundError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mneme.capture.source import Passage
    from mneme.capture.statement import Statement
    from mneme.engine.accept import Accepted
    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.formats.proposal import Proposal
    from mneme.models import Asking

NOTE, TRANSCRIPT, STDIN = "note", "transcript", "stdin"
SOURCES = (NOTE, TRANSCRIPT, STDIN)
CHECKPOINT = "capture.json"
VERSION = 1
MOST_SESSIONS_KEPT = 2000
MOST_PLANS_KEPT = 16
LINES_ASKED, CHARS_ASKED = 40, 8000
BY = "capture"
# A correction of how whoever answers behaves; any other is one of what is so.
_OF_CONDUCT = re.compile(
    r"\b(?:you|your)\b|^(?:please |pls )?(?:don't|do not|stop|never|always|use|keep|call|write|put|not)\b|instead\b|你|^(?:请|别|不要|用|叫)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Captured:
    """What came of a capture: how much was read, what waits now, and what was accepted by rule."""

    done: Done
    read: int
    proposed: tuple[Proposal, ...] = ()
    accepted: tuple[Accepted, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that changed."""
        more = (path for one in self.accepted for path in one.done.paths)
        return tuple(dict.fromkeys((*self.done.paths, *more)))

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {
            "read": self.read,
            "plan": self.done.n,
            "diff": self.done.diff,
            "proposed": [one.as_json() for one in self.proposed],
            "accepted": [one.as_json() for one in self.accepted],
        }


@dataclass(slots=True)
class _Reading:
    """What is read in one capture: the passages, and the checkpoint after them."""

    passages: list[Passage]
    checkpoint: dict[str, Any]


def capture(
    memory: Memory,
    sources: Sequence[str] = (NOTE, TRANSCRIPT),
    *,
    paths: Sequence[str] = (),
    text: str = "",
    force: bool = False,
    dry_run: bool = False,
) -> Captured:
    """Propose what was said outright since the last capture, in notes, sessions, the files named, or a text."""
    if unknown := [one for one in sources if one not in SOURCES]:
        message = f"'{unknown[0]}' is nothing to capture from; there are {', '.join(SOURCES)}"
        raise BadInputError(message, "mneme capture --from note")
    refuse_shared(memory, "capture")
    memory.check_first("capture", force=force)
    reading = _read(memory, sources, paths, text)
    found, problems = _proposals(memory, reading.passages)
    done, named = memory.propose([one for one, _ in found], verb="capture", dry_run=dry_run)
    if not dry_run:
        _keep_checkpoint(memory, reading, done.n)
    accepted = () if dry_run else _accepted_by_rule(memory, found, named, force=force)
    if memory.shared:  # what waits for a person's word is private, and so is where it was said
        return Captured(done, len(reading.passages), problems=done.problems)
    ids = {one.id for one in accepted}
    waiting = tuple(one for one in named if one.id not in ids)
    return Captured(done, len(reading.passages), waiting, accepted, (*problems, *done.problems))


# What is read


def _read(memory: Memory, sources: Sequence[str], paths: Sequence[str], text: str) -> _Reading:
    reading = _Reading([], _checkpoint(memory))
    if STDIN in sources:
        from mneme.capture.source import said_passages

        reading.passages += said_passages(text, STDIN, memory.today.isoformat())
    elif paths:
        for path in paths:
            _read_named(memory, reading, path)
    else:
        if NOTE in sources:
            _read_notes(memory, reading)
        if TRANSCRIPT in sources:
            _read_sessions(memory, reading)
    return reading


def _read_notes(memory: Memory, reading: _Reading) -> None:
    """Read the days' notes that are working memory and that changed since they were last read."""
    profile = memory.workspace.profile
    oldest = (memory.today - timedelta(days=profile.budgets.working_days)).isoformat()
    kept = {}
    for path in memory.workspace.note_files():
        day = None if profile.is_archived(path) else profile.find_day(path)
        if day is None or day.date < oldest:
            continue
        content = files.find_file(files.place_of(memory.root, path))
        if content is None:
            continue
        kept[path] = files.digest(content)[:16]
        if reading.checkpoint["notes"].get(path) != kept[path]:
            reading.passages += _passages_of_note(memory, path, content)
    reading.checkpoint["notes"] = kept


def _passages_of_note(memory: Memory, path: str, content: bytes) -> Iterator[Passage]:
    from mneme.capture.source import note_passages

    day = memory.workspace.profile.find_day(path)
    return note_passages(content.decode("utf-8", "replace"), path, day.date if day else "")


def _read_sessions(memory: Memory, reading: _Reading) -> None:
    """Read on in the sessions that settings name, as far as they are about this workspace."""
    known = reading.checkpoint["sessions"]
    for path in memory.workspace.transcript_files():
        content = files.find_file(Path(path))
        if content is None:
            continue
        head = files.digest(content.split(b"\n", 1)[0])[:16]
        lines = content.count(b"\n")
        before = known.get(path) or {}
        after = before.get("lines", 0) if before.get("head") == head and before.get("lines", 0) <= lines else 0
        if after < lines or not before:
            reading.passages += _passages_of_session(memory, path, content, after=after)
        known[path] = {"head": head, "lines": lines}
    reading.checkpoint["sessions"] = dict(list(known.items())[-MOST_SESSIONS_KEPT:])


def _passages_of_session(memory: Memory, path: str, content: bytes, *, after: int = 0) -> Iterator[Passage]:
    from mneme.capture.source import turn_passages
    from mneme.formats.transcript import parse_transcript

    text = content.decode("utf-8", "replace")
    folder = parse_transcript(text).folder
    here = not folder or PurePath(folder).is_relative_to(memory.root)
    if not here and not memory.workspace.settings["transcripts.everywhere"]:
        return iter(())
    return turn_passages(text, path, own=here and bool(folder), after=after)


def _read_named(memory: Memory, reading: _Reading, path: str) -> None:
    """Read one file that somebody named, whole: a session's log or a note."""
    from mneme.capture.source import note_passages, turn_passages
    from mneme.workspace import given_folder

    place = given_folder(path)
    content = files.find_file(place) if place.is_file() else None
    if content is None:
        message = f"there is no file '{path}'"
        raise NotFoundError(message, "mneme capture --from note")
    text = content.decode("utf-8", "replace")
    inside = place.is_relative_to(memory.root)
    name = place.relative_to(memory.root).as_posix() if inside else str(place)
    if place.suffix.startswith(".jsonl"):
        reading.passages += turn_passages(text, name, own=False)
    else:
        day = memory.workspace.profile.find_day(name) if inside else None
        reading.passages += note_passages(text, name, day.date if day else memory.today.isoformat())


def _checkpoint(memory: Memory) -> dict[str, Any]:
    """Return how far was read; one that cannot be read is empty."""
    empty: dict[str, Any] = {"version": VERSION, "notes": {}, "sessions": {}, "plans": {}}
    try:
        kept = json.loads(files.find_file(memory.root / files.WORKPLACE / CHECKPOINT) or b"{}")
    except ValueError:
        return empty
    if not isinstance(kept, dict) or kept.get("version") != VERSION:
        return empty
    found = {name: kept[name] if isinstance(kept.get(name), type(value)) else value for name, value in empty.items()}
    return _without_undone(memory, found)


def _without_undone(memory: Memory, checkpoint: dict[str, Any]) -> dict[str, Any]:
    """Forget how far those files were read whose capture was taken back since."""
    plans = {int(number): paths for number, paths in checkpoint["plans"].items() if str(number).isdigit()}
    if not plans:
        return checkpoint
    for number in files.undone_numbers(memory.root, after=min(plans)) & plans.keys():
        for path in plans.pop(number):
            checkpoint["notes"].pop(path, None)
            checkpoint["sessions"].pop(path, None)
    return checkpoint | {"plans": {str(number): paths for number, paths in plans.items()}}


def _keep_checkpoint(memory: Memory, reading: _Reading, plan: int) -> None:
    """Write down how far was read, and from which files a plan of proposals was made."""
    checkpoint = reading.checkpoint
    if plan:
        read = sorted({one.path for one in reading.passages})
        plans = {**checkpoint["plans"], str(plan): read}
        checkpoint = checkpoint | {"plans": dict(list(plans.items())[-MOST_PLANS_KEPT:])}
    if checkpoint != _checkpoint(memory):
        files.workplace(memory.root)
        files.write_derived(memory.root / files.WORKPLACE / CHECKPOINT, json.dumps(checkpoint).encode())


# What is found


def _proposals(memory: Memory, passages: Sequence[Passage]) -> tuple[list[tuple[Proposal, bool]], list[Problem]]:
    """Return what the passages state, each with whether a rule may accept it, and what was odd about a model."""
    from mneme.capture.statement import find_statements
    from mneme.engine.models import find_asking

    found = [
        (passage, one)
        for passage in passages
        for one in find_statements(passage.text, spoken=passage.spoken, line=passage.line)
    ]
    problems: list[Problem] = []
    asking, reason = find_asking(memory) if passages else (None, "")
    if asking is not None:
        found += _extracted(asking, passages, problems)
    elif reason and memory.workspace.settings["model.kind"] != "none":
        problems.append(Problem("", 0, "no-model", WARN, f"captured without a model: {reason}"))
    return [(_proposal(memory, passage, one), _by_rule(memory, passage, one)) for passage, one in found], problems


def _extracted(asking: Asking, passages: Sequence[Passage], problems: list[Problem]) -> list[tuple[Passage, Statement]]:
    from mneme.capture import extract

    found: list[tuple[Passage, Statement]] = []
    for group in _groups(passages):
        lines = [passage.text for passage in group]
        try:
            answer = asking.ask("capture", extract.prompt_for(lines, group[0].day), extract.SCHEMA)
        except MnemeError as fault:
            problems.append(Problem("", 0, "no-model", WARN, f"captured without a model: {fault.message}", fault.hint))
            break
        if faults := extract.faults_of(answer, lines):
            message = f"{len(faults)} claims of the model were left out: {faults[0]}"
            problems.append(Problem("", 0, "unsupported-claim", WARN, message))
        for at, one in extract.statements_of(answer, lines):
            found.append((group[at], dataclasses.replace(one, line=group[at].line)))
    return found


def _groups(passages: Sequence[Passage]) -> Iterator[list[Passage]]:
    """Yield passages in groups that one question can be about: of one day, and not too long."""
    group: list[Passage] = []
    length = 0
    for passage in passages:
        full = len(group) >= LINES_ASKED or length + len(passage.text) > CHARS_ASKED
        if group and (full or passage.day != group[0].day):
            yield group
            group, length = [], 0
        group.append(passage)
        length += len(passage.text)
    if group:
        yield group


def _proposal(memory: Memory, passage: Passage, one: Statement) -> Proposal:
    """Return a statement as a proposal that is routed to its home."""
    from mneme.engine.accept import SELF
    from mneme.formats.proposal import Proposal, Source

    line = passage.line if passage.spoken and passage.path != STDIN else one.line
    kind = _kind_in(memory, passage, one)
    about = one.name or (SELF if passage.spoken else "")
    said = {"about": about} if about and kind in ("fact", "entity") else {}
    said |= {"day": passage.day} if passage.day else {}
    return Proposal(
        _dated(one.text, passage.day), kind, BY, said=said, sources=(Source(passage.anchor(line), one.quote),)
    )


def _kind_in(memory: Memory, passage: Passage, one: Statement) -> str:
    """Return the kind of memory that a statement becomes in this profile."""
    from mneme.capture.source import is_first_person
    from mneme.engine.accept import SELF, home_kind

    kind = one.kind
    if kind == "correction":
        kind = "feedback" if _OF_CONDUCT.search(one.text) else "fact"
    homes = memory.workspace.profile.homes
    home = homes.get(home_kind(memory, kind))
    filed = home is None or home.form == "folder"  # no home of entities or cells, but files of the user's own
    own = kind in ("fact", "entity") and passage.spoken and is_first_person(one.quote)
    return SELF if own and filed and SELF in homes else home_kind(memory, kind)


def _dated(text: str, day: str) -> str:
    from mneme.formats.when.absolute import with_dates

    try:
        return with_dates(text, date.fromisoformat(day))
    except ValueError:
        return text


# What is accepted by rule


def _by_rule(memory: Memory, passage: Passage, one: Statement) -> bool:
    """Say whether a statement may be accepted without a word: the user's own, of themselves, in their own session."""
    from mneme.capture.source import is_first_person

    rule = str(memory.workspace.settings["capture.accept"]) or (
        "own" if memory.workspace.profile.name == "protocol" else "never"
    )
    return rule == "own" and passage.own and passage.spoken and is_first_person(one.quote)


def _accepted_by_rule(
    memory: Memory, found: Sequence[tuple[Proposal, bool]], named: Sequence[Proposal], *, force: bool
) -> tuple[Accepted, ...]:
    """Accept what the rule allows; what cannot be accepted without a question waits."""
    ruled = {(one.text, one.sources) for one, by_rule in found if by_rule}
    accepted: list[Accepted] = []
    for one in named:
        if (one.text, one.sources) in ruled:
            try:
                accepted += memory.accept([one.id], force=force)
            except MnemeError:
                continue  # whom it is about is not sure, or it is better not kept: a person decides
    return tuple(accepted)
