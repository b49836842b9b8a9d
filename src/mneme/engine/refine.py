"""The verb that verifies what was dreamt and what is new, and writes the day's report.

The report and what it suggests are one plan; where nothing has changed since the last report, there is none. Promotion to
MEMORY.md stays with a person: a suggestion is a proposal like any other.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.accept import PROMOTION
from mneme.engine.check import refuse_shared
from mneme.errors import WARN, MnemeError, NotFoundError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from mneme.consolidate.refine.finding import Classed, Finding
    from mneme.consolidate.refine.look import Promoted
    from mneme.engine.accept import Accepted
    from mneme.engine.memory import Memory
    from mneme.engine.results import Checked, Done
    from mneme.formats.piece import Piece
    from mneme.formats.proposal import Proposal

BY = "refine"
MOST_SUGGESTED = 20
# A candidate that lacks so little is told of: one of its gates, and not much of its score.
NEAR_SCORE = 0.75
MOST_ASKED_ABOUT = 120
_MARK = re.compile(r"^(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?")
_SUGGESTED_KINDS = frozenset({"decision", "preference", "correction", "gotcha", "fact"})


@dataclass(frozen=True, slots=True)
class Refined:
    """What a verification came to."""

    done: Done
    path: str
    findings: tuple[Finding, ...] = ()
    classed: tuple[Classed, ...] = ()
    proposed: tuple[Proposal, ...] = ()
    accepted: tuple[Accepted, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the files that changed."""
        return tuple(dict.fromkeys((*self.done.paths, *(path for one in self.accepted for path in one.done.paths))))

    def as_json(self) -> dict[str, object]:
        """Return the published JSON form."""
        return {
            "report": self.path,
            "plan": self.done.n,
            "diff": self.done.diff,
            "findings": [one.as_json() for one in self.findings],
            "classes": [one.as_json() for one in self.classed],
            "proposed": [one.as_json() for one in self.proposed],
            "accepted": [one.as_json() for one in self.accepted],
        }


def refine(memory: Memory, *, force: bool = False, dry_run: bool = False) -> Refined:
    """Verify what was dreamt and what is new; write the report and propose what it suggests, in one plan."""
    from mneme.memory import load_pieces

    refuse_shared(memory, "refine")
    checked = memory.check_first("refine", force=force)
    pieces = list(load_pieces(memory.workspace))
    wanted = _not_rejected(memory, [*_near_misses(memory), *_left_in_days(memory, pieces)])[:MOST_SUGGESTED]
    problems: list[Problem] = []
    findings = _findings(memory, checked, pieces, wanted, problems)
    classed = tuple(_classed(memory, pieces))
    path = memory.workspace.profile.report_path(memory.today)
    report = _report_change(memory, path, findings, classed)

    def joined(plan: files.Plan) -> files.Plan:
        note = f"{len(findings)} findings"
        return dataclasses.replace(plan, changes=(*plan.changes, *([report] if report else [])), note=note)

    memory.joined = joined
    try:
        done, named = memory.propose(wanted, verb="refine", dry_run=dry_run)
    finally:
        memory.joined = None
    accepted = () if dry_run else _classified(memory, named, force=force)
    return Refined(done, path, findings, classed, named, accepted, (*problems, *done.problems))


def refine_prompt(memory: Memory, *, dry_run: bool = False) -> Done:
    """Write the words that a model is asked with to a file of the workspace, where they can be edited."""
    from mneme.consolidate.refine.ask import PROMPT, PROMPT_PATH

    with memory.writing("refine", dry_run=dry_run):
        there = files.find_file(files.place_of(memory.root, PROMPT_PATH))
        changes = () if there is not None else (files.plan_create(PROMPT_PATH, PROMPT.encode(), "to be edited"),)
        done = memory.apply(files.Plan("refine", changes, PROMPT_PATH), dry_run=dry_run)
    return dataclasses.replace(done, paths=(PROMPT_PATH,))


# What is looked at


def _findings(
    memory: Memory, checked: Checked, pieces: Sequence[Piece], wanted: Sequence[Proposal], problems: list[Problem]
) -> tuple[Finding, ...]:
    from mneme.check.versions import project_versions
    from mneme.consolidate.refine import look
    from mneme.consolidate.refine.finding import SUGGESTED, Finding

    promotions = list(_promotions(memory))
    found = list(look.told_by_check(checked.problems))
    found += look.conflicting(pieces, found)
    found += look.unsupported(promotions, {one.source: _source_text(memory, one.source) for one in promotions})
    found += look.superseded(promotions, pieces)
    found += look.outdated_versions(pieces, project_versions(_project_root(memory)))
    found += look.unlinked(pieces)
    found += _asked_of_model(memory, pieces, problems)
    found += [
        Finding(SUGGESTED, *_place(one.sources[0].anchor), f"{one.kind}: {one.text}", "mneme proposals --by refine")
        for one in wanted
    ]
    return tuple(sorted(dict.fromkeys(found)))


def _project_root(memory: Memory) -> Path:
    from mneme import git

    return git.find_repository(memory.root) or memory.root


def _place(anchor: str) -> tuple[str, int]:
    path, _, line = anchor.rpartition(":")
    return (path, int(line)) if path and line.isdigit() else (anchor.partition("#")[0], 0)


def _promotions(memory: Memory) -> Iterator[Promoted]:
    """Yield what stands promoted in MEMORY.md, each with its line."""
    from mneme.consolidate.dream.sentence import parse_promotions
    from mneme.consolidate.refine.look import Promoted

    path = memory.workspace.profile.places.memory
    text = (files.find_file(files.place_of(memory.root, path)) or b"").decode("utf-8", "replace") if path else ""
    rows = text.split("\n")
    lines = {row: number for number, row in enumerate(rows, 1)}
    found, _ = parse_promotions(rows)
    for one in found:
        fate = f"{one.fate} {one.by}".strip()
        yield Promoted(one.text, one.day, one.source, path, lines.get(one.rows[-1], 0), fate)


def _source_text(memory: Memory, source: str) -> str | None:
    """Return what stands at the source of a promotion, in the archive too; None where it is gone."""
    from mneme.memory import read_pieces

    path, _, name = source.partition("#")
    first = last = 0
    if not name:
        path, _, span = source.rpartition(":")
        first, last = (int(part) for part in (span.split("-") * 2)[:2]) if span.replace("-", "").isdigit() else (0, 0)
    for place in _places_of(memory, path):
        content = files.find_file(files.place_of(memory.root, place))
        if content is None:
            continue
        text = content.decode("utf-8", "replace")
        if first:
            return "\n".join(text.split("\n")[first - 1 : last])
        pieces = {piece.record.id.partition("#")[2]: piece for piece in read_pieces(memory.workspace, place, content)}
        piece = pieces.get(name)
        return f"{piece.title}\n{piece.record.text}" if piece is not None else text
    return None


def _places_of(memory: Memory, path: str) -> Iterator[str]:
    yield path
    profile = memory.workspace.profile
    day = profile.find_day(path)
    if day is not None and not profile.is_archived(path):
        yield profile.archive_path(path, day.date)


# What is new


def _classed(memory: Memory, pieces: Sequence[Piece]) -> Iterator[Classed]:
    """Yield the memories of the last days, each with its class."""
    from mneme.consolidate.refine.classes import class_of
    from mneme.consolidate.refine.finding import Classed
    from mneme.consolidate.refine.look import FLEETING
    from mneme.formats.record import WORKING_STATES
    from mneme.memory.notes.classified import first_line
    from mneme.profiles.profile import CLASSES

    profile = memory.workspace.profile
    oldest = (memory.today - timedelta(days=profile.budgets.working_days)).isoformat()
    for piece in pieces:
        record = piece.record
        fresh = oldest <= record.since[:10] <= memory.today.isoformat()
        if (
            not fresh
            or record.kind in FLEETING
            or record.state not in WORKING_STATES
            or profile.is_archived(record.path)
        ):
            continue
        text = _MARK.sub("", first_line(piece.gist or record.text))
        kind, conf = class_of(text, record.kind)
        has = record.kind if record.kind in CLASSES else ""
        yield Classed(record.id, record.path, record.line, text, kind, conf, has)


def _near_misses(memory: Memory) -> Iterator[Proposal]:
    """Yield what dreaming has not promoted for the want of one thing, and not much of it."""
    from mneme.formats.proposal import Proposal, Source

    try:
        explained = memory.dream_explain()
    except NotFoundError:
        return
    for one in explained:
        failed = [(name, have, need) for name, have, need, passed in one.checks if not passed]
        if len(failed) == 1 and _is_near(failed[0][1], failed[0][2]):
            name, have, need = failed[0]
            why = f"asked for again and again; dreaming lacks {name}: {have:g} of {need:g}"
            source = Source(f"{one.path}:{one.line}", one.text)
            yield Proposal(one.text, PROMOTION, BY, said={"why": why}, sources=(source,))


def _not_rejected(memory: Memory, wanted: Sequence[Proposal]) -> list[Proposal]:
    """Return what nobody has turned down, in these words or nearly so: it is not so much as told again."""
    from mneme.check.asked import duplicate_claim, settled_claims
    from mneme.formats.proposal import REJECTED
    from mneme.memory.cells.proposals import load_queue

    queue = load_queue(memory.workspace)
    rejected = {one.id for one in queue.proposals if one.fate == REJECTED}
    claims = settled_claims(cell for cell in queue.file.cells if cell.id in rejected)
    return [one for one in wanted if not duplicate_claim(one.text, one.topic, claims)]


def _is_near(have: float, need: float) -> bool:
    """Say whether a candidate lacks little: one of a count, or a quarter of a score."""
    return have >= need - 1 > 0 or 0 < NEAR_SCORE * need <= have


def _left_in_days(memory: Memory, pieces: Sequence[Piece]) -> Iterator[Proposal]:
    """Yield what the days' notes state that no home has."""
    from mneme.capture.source import note_passages
    from mneme.capture.statement import find_statements
    from mneme.check.asked import claims_of, duplicate_claim
    from mneme.consolidate.refine.look import FLEETING
    from mneme.formats.proposal import Proposal, Source

    profile = memory.workspace.profile
    oldest = (memory.today - timedelta(days=profile.budgets.working_days)).isoformat()
    claims = claims_of(piece for piece in pieces if piece.record.kind not in FLEETING)
    for path in memory.workspace.note_files():
        day = None if profile.is_archived(path) else profile.find_day(path)
        content = files.find_file(files.place_of(memory.root, path)) if day and day.date >= oldest else None
        if content is None or day is None:
            continue
        for passage in note_passages(content.decode("utf-8", "replace"), path, day.date):
            for one in find_statements(passage.text, spoken=False, line=passage.line):
                if one.kind in _SUGGESTED_KINDS and not duplicate_claim(one.text, "", claims):
                    source = Source(passage.anchor(one.line), one.quote)
                    kind = _kind_of(memory, one.kind, one.text)
                    yield Proposal(one.text, kind, BY, said={"day": day.date}, sources=(source,))


def _kind_of(memory: Memory, kind: str, text: str) -> str:
    """Return the class of a statement where the profile has a folder for it, else the kind that has a home."""
    from mneme.consolidate.refine.classes import class_of
    from mneme.engine.accept import home_kind

    found, _ = class_of(text, {"correction": "feedback"}.get(kind, kind))
    folders = memory.workspace.profile.class_folders
    decided = kind in memory.workspace.profile.homes
    return home_kind(memory, kind if decided or found not in folders else found)


def _classified(memory: Memory, named: Sequence[Proposal], *, force: bool) -> tuple[Accepted, ...]:
    """Write what is surely of a class to its folder, where settings allow it; never to MEMORY.md."""
    from mneme.consolidate.refine.classes import class_of
    from mneme.formats.record import HIGH

    if not memory.workspace.settings["refine.classify"]:
        return ()
    homes = memory.workspace.profile.homes
    accepted: list[Accepted] = []
    for one in named:
        home = homes.get(one.kind)
        sure = class_of(one.text, one.kind)[1] == HIGH
        if home is not None and home.form == "folder" and sure and one.kind != PROMOTION:
            try:
                accepted += memory.accept([one.id], force=force)
            except MnemeError:
                continue  # better not kept, or not without a question: it waits
    return tuple(accepted)


# The report


def _report_change(
    memory: Memory, path: str, findings: Sequence[Finding], classed: Sequence[Classed]
) -> files.Change | None:
    """Return the change that writes the report, or None where the last one says the same."""
    from mneme.consolidate.refine.report import body_of, print_body, print_report

    last = _last_report(memory, path)
    if last is not None and body_of(last) == print_body(path, findings, classed):
        return None
    before = files.find_file(files.place_of(memory.root, path))
    if before is None and not findings and not classed:
        return None
    after = print_report(memory.today.isoformat(), path, findings, classed)
    return files.plan_replace(path, before, after.encode("utf-8", "surrogateescape"), "what was verified")


def _last_report(memory: Memory, path: str) -> str | None:
    folder = path.rpartition("/")[0]
    own = files.find_file(files.place_of(memory.root, path))
    if own is None:
        place = files.place_of(memory.root, folder) if folder else memory.root
        names = sorted(one.name for one in place.glob("????-??-??.md")) if place.is_dir() else []
        earlier = [name for name in names if name < path.rpartition("/")[2]]
        own = files.find_file(place / earlier[-1]) if earlier else None
    return None if own is None else own.decode("utf-8", "surrogateescape")


# With a model


def _asked_of_model(memory: Memory, pieces: Sequence[Piece], problems: list[Problem]) -> list[Finding]:
    from mneme.consolidate.refine import ask
    from mneme.engine.models import find_asking

    asking, reason = find_asking(memory)
    if asking is None:
        if memory.workspace.settings["model.kind"] != "none":
            problems.append(Problem("", 0, "no-model", WARN, f"verified without a model: {reason}"))
        return []
    shown = _shown(memory, pieces)
    if not shown:
        return []
    prompt = (files.find_file(files.place_of(memory.root, ask.PROMPT_PATH)) or ask.PROMPT.encode()).decode(
        "utf-8", "replace"
    )
    try:
        answer = asking.ask("refine", ask.question(prompt, shown, asking.limits.prompt_chars - 4000), ask.SCHEMA)
    except MnemeError as fault:
        problems.append(Problem("", 0, "no-model", WARN, f"verified without a model: {fault.message}", fault.hint))
        return []
    found, faulty = ask.findings_of(answer, shown, asking.model.name)
    if faulty:
        message = f"{faulty} findings of the model were left out: they name or quote what is not there"
        problems.append(Problem("", 0, "unsupported-claim", WARN, message))
    return found


def _shown(memory: Memory, pieces: Sequence[Piece]) -> list[Piece]:
    """Return the memories that a model is shown: those in force, newest first."""
    from mneme.check.secret import find_secrets
    from mneme.consolidate.refine.look import FLEETING
    from mneme.formats.record import WORKING_STATES

    mine = [
        piece
        for piece in pieces
        if piece.record.state in WORKING_STATES
        and piece.record.kind not in FLEETING
        and not memory.workspace.profile.is_archived(piece.record.path)
        and not find_secrets(piece.record.text)
    ]
    return sorted(mine, key=lambda piece: piece.record.since, reverse=True)[:MOST_ASKED_ABOUT]
