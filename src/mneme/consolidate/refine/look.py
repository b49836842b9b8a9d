"""Looking at memory for what is doubtful: conflicts, promotions without a source, what is outdated, twice there, unlinked.

What a check found is taken over; what only a second look finds is added: memories of different homes that contradict
each other, promotions whose source does not say them, versions that the project has left behind, ids that are named and not linked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.check.claim import claim_of
from mneme.check.support import is_supported
from mneme.check.twin import CONFLICT, DUPLICATE, find_twins, judge_pair
from mneme.check.versions import Asked, find_outdated
from mneme.consolidate.refine.finding import CONFLICTS, DUPLICATES, LINKS, OUTDATED, UNSUPPORTED, Finding
from mneme.formats.record import LIVE, WORKING_STATES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mneme.errors import Problem
    from mneme.formats.piece import Piece

# Which section tells of what a check finds.
SECTION_OF = {
    "suspected-conflict": CONFLICTS,
    "several-active-heads": CONFLICTS,
    "superseded-still-live": CONFLICTS,
    "gone-file": CONFLICTS,
    "gone-function": CONFLICTS,
    "dead-path": CONFLICTS,
    "depends-on-dead": OUTDATED,
    "rests-on-suspect": OUTDATED,
    "decayed": OUTDATED,
    "stale-for-ever": OUTDATED,
    "unverified-note": OUTDATED,
    "near-duplicate": DUPLICATES,
    "fact-in-two-homes": DUPLICATES,
    "dead-link": LINKS,
    "dead-anchor": LINKS,
    "dangling-link": LINKS,
    "missing-inverse-link": LINKS,
    "superseded-without-successor": LINKS,
    "dangling-successor": LINKS,
    "index-out-of-step": LINKS,
    "broken-decision-link": LINKS,
}
# What happens on a day, and what programs draw or plan, is not held against other memories.
FLEETING = frozenset(
    {"day", "buffer", "dream", "palace", "report", "reminder", "index", "proposal", "turn", "task", "event"}
)
_AGED = re.compile(r"\b\d+ days?\b")
_ID = re.compile(r"\b[A-Z][A-Z0-9]{1,9}-\d{3,6}\b")
LONGEST_TEXT_CHARS = 160
LONGEST_COMPARED_CHARS = 240


@dataclass(frozen=True, slots=True)
class Promoted:
    """A promotion as it stands in MEMORY.md: its sentence, its day, its source's name, its line, and what became of it."""

    text: str
    day: str
    source: str
    path: str
    line: int
    fate: str = ""


def told_by_check(problems: Iterable[Problem]) -> Iterator[Finding]:
    """Yield what a check found that a verification tells of."""
    for one in problems:
        if section := SECTION_OF.get(one.rule):
            hint = next(iter(one.hint.splitlines()), "")
            # An age would make each day's report another one.
            message = _AGED.sub("some days", one.message)
            yield Finding(section, one.path, one.line, _short(message), hint)


def conflicting(pieces: Sequence[Piece], known: Iterable[Finding]) -> Iterator[Finding]:
    """Yield pairs of memories in force, of whatever homes, that say the same or contradict each other."""
    mine = [piece for piece in pieces if _is_compared(piece)]
    told = {(one.path, one.line) for one in known if one.section in (CONFLICTS, DUPLICATES)}
    gists = [_claim(piece) for piece in mine]
    found = find_twins(gists, [_topic(piece) for piece in mine], [LIVE] * len(mine))
    for earlier, later, kind, reason in found.pairs:
        one, two = mine[earlier].record, mine[later].record
        if {(one.path, one.line), (two.path, two.line)} & told or one.id == two.id:
            continue
        if kind == CONFLICT:
            text = f"'{one.id}' and '{two.id}' seem to contradict each other ({reason}): {_short(two.text)}"
            yield Finding(CONFLICTS, two.path, two.line, text, f"mneme supersede '{one.id}' 'what holds'")
        elif kind == DUPLICATE:
            text = f"'{two.id}' says the same as '{one.id}': {_short(two.text)}"
            yield Finding(DUPLICATES, two.path, two.line, text, f"mneme mark '{two.id}' retired")


def _is_compared(piece: Piece) -> bool:
    record = piece.record
    return (
        record.state in WORKING_STATES
        and record.kind not in FLEETING
        and "/archive/" not in record.path
        and 0 < len(_claim(piece)) <= LONGEST_COMPARED_CHARS
    )


def _claim(piece: Piece) -> str:
    from mneme.check.asked import claim_text

    return piece.gist or claim_text(piece.body)


def _topic(piece: Piece) -> str:
    return piece.topic or piece.entity or piece.record.kind


def unsupported(promotions: Iterable[Promoted], source_of: Mapping[str, str | None]) -> Iterator[Finding]:
    """Yield the promotions whose source is gone or does not say them; `source_of` is what each source says."""
    for one in promotions:
        said = source_of.get(one.source)
        if said is None:
            text = f"the source of a promotion, '{one.source}', is gone: {_short(one.text)}"
        elif not is_supported(_own_words(one.text), said):
            text = f"'{one.source}' does not say what was promoted from it: {_short(one.text)}"
        else:
            continue
        yield Finding(UNSUPPORTED, one.path, one.line, text, f"mneme show {one.source.partition('#')[0]}")


def _own_words(text: str) -> str:
    """Return a promotion without the subject that was put before it."""
    subject, mark, rest = text.partition(": ")
    return rest if mark and len(subject) < len(rest) else text


def superseded(promotions: Iterable[Promoted], pieces: Sequence[Piece]) -> Iterator[Finding]:
    """Yield the promotions that are marked as old, or that a later memory contradicts."""
    mine = [piece for piece in pieces if _is_compared(piece) and piece.record.kind != "memory"]
    for one in promotions:
        if one.fate:
            yield Finding(OUTDATED, one.path, one.line, f"a promotion is {one.fate}: {_short(one.text)}")
            continue
        claim = claim_of(_own_words(one.text))
        for piece in mine:
            later = piece.record.since[:10] > one.day
            if later and judge_pair(claim, claim_of(_claim(piece)), same_topic=True)[0] == CONFLICT:
                text = f"'{piece.record.id}' is newer and says otherwise than the promotion: {_short(one.text)}"
                yield Finding(OUTDATED, one.path, one.line, text, f"mneme show '{piece.record.id}'")
                break


def outdated_versions(pieces: Iterable[Piece], asked: Mapping[str, Asked]) -> Iterator[Finding]:
    """Yield the memories that name a version which the project has left behind."""
    for piece in pieces:
        record = piece.record
        if record.state not in WORKING_STATES or record.kind in FLEETING or "/archive/" in record.path:
            continue
        for one in find_outdated(f"{piece.gist}\n{piece.body}", asked):
            text = f"'{record.id}' says {one.name} {one.said}, and {one.path} says {one.asked}"
            yield Finding(CONFLICTS, record.path, record.line, text, f"mneme supersede '{record.id}' 'what holds'")


def unlinked(pieces: Sequence[Piece]) -> Iterator[Finding]:
    """Yield the memories that name another by its id and do not link to it."""
    known = {piece.record.id for piece in pieces}
    for piece in pieces:
        record = piece.record
        if record.state not in WORKING_STATES or record.kind in FLEETING:
            continue
        linked = {link.target for link in record.links}
        for name in dict.fromkeys(_ID.findall(f"{piece.gist}\n{piece.body}")):
            if name in known and name != record.id and name not in linked:
                text = f"'{record.id}' names '{name}' and does not link to it"
                yield Finding(LINKS, record.path, record.line, text, f"mneme show {name}")


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TEXT_CHARS else line[: LONGEST_TEXT_CHARS - 1].rstrip() + "…"
