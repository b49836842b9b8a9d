"""A promotion as it is written: one sentence that stands alone, its day, its source, and the key it was counted under.

    - Backups: move them to S3 Glacier. (2026-04-01, memory/2026-04-01.md#1a2b3c4d) <!-- openclaw-memory-promotion:... -->

What has grown old or was replaced says so before the bracket closes (`formats.promoted`). The other program's form, a marker line and a
bullet under a dated heading, is read and kept as it is, and written where the scoring is `openclaw`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING

from mneme.consolidate.dream.score import fixed
from mneme.consolidate.dream.taint import MARKER, day_of, plain_snippet
from mneme.formats.entry import entry_hash
from mneme.formats.promoted import STALE_SINCE, SUPERSEDED_BY, PromotedRow, find_promoted, print_promoted
from mneme.formats.standing import parse_standing
from mneme.formats.when.absolute import with_dates

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mneme.consolidate.dream.chunk import Chunk
    from mneme.consolidate.dream.score import Candidate

HEADING = "## Promoted"
THEIR_HEADING = "## Promoted From Short-Term Memory"
LONGEST_SENTENCE, CUT_AT_SENTENCE, CUT_AT_WORD = 280, 0.55, 0.65
STALE, SUPERSEDED = STALE_SINCE, SUPERSEDED_BY

_MARK = re.compile(rf"<!--\s*{MARKER}(?P<key>[^\n]+?)\s*-->", re.IGNORECASE)
_THEIRS = re.compile(
    r"- (?P<text>.*) \[score=[\d.]+ recalls=\d+ avg=[\d.]+ (?:signals=\d+ )?source=(?P<source>[^\]]+)\]"
)
_COMMENT = re.compile(r"<!--.*?-->|<!--|-->", re.DOTALL)
_LEAD = re.compile(r"^(?:[>\s]*(?:[-*+]|\d+[.)])\s+)+")
_TIME_LEAD = re.compile(
    r"^[\s*_`(\[]*(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:\s*(?:UTC|GMT|[ap]m))?[\s*_`)\]]*\s*(?:[:\u2013\u2014-]\s*)?",
    re.IGNORECASE,
)
# What somebody says before a memory to say that it is one; what follows says it all.
_SPOKEN_LEAD = re.compile(
    r"^(?:reminder|remember|note(?: to self)?|to repeat|nb|fyi|as (?:i )?said|记住|提醒|注意|备注|再记一遍)\s*[:：]\s*(?=\S)",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|$|[^\x00-\x7f])")
_OPEN_END = re.compile(r"[.!?。！？…:;,]$")


@dataclass(frozen=True, slots=True)
class Promotion:
    """One promoted memory as it stands: `rows` are its lines in MEMORY.md, `heading` what they stand under.

    One that is a classified memory has no lines there but a file, `place`. `seen` is when somebody last affirmed it.
    """

    key: str
    text: str
    day: str
    source: str
    rows: tuple[str, ...]
    fate: str = ""
    by: str = ""
    heading: str = ""
    standing: str = ""
    place: str = ""
    seen: str = ""

    @property
    def theirs(self) -> bool:
        """Say whether it has the other program's form."""
        return len(self.rows) > 1


def promotion_of(candidate: Candidate, chunk: Chunk) -> Promotion:
    """Return the promotion of what a candidate says in its note today."""
    entry = candidate.entry
    day = day_of(entry.path)
    source = f"{entry.path}#{entry_hash(chunk.written)}" if chunk.written else f"{entry.path}:{chunk.line}"
    return printed(Promotion(entry.key, sentence(chunk, day), day, source, ()))


def printed(one: Promotion) -> Promotion:
    """Return a promotion with its line written anew; one with a file of its own has none."""
    if one.place:
        return one
    row = PromotedRow(one.text, one.day, one.source, one.key, one.fate, one.by, one.standing)
    return replace(one, rows=(print_promoted(row),))


def promotion_as_openclaw(candidate: Candidate, chunk: Chunk, day: str) -> Promotion:
    """Return the promotion in the reference's form: the live text of the lines, with its figures."""
    entry = candidate.entry
    source = f"{entry.path}:{chunk.line}-{chunk.end_line}"
    figures = f"score={fixed(candidate.score, 3)} recalls={entry.recalls} avg={fixed(entry.average, 3)} source={source}"
    rows = (f"<!-- {MARKER}{entry.key} -->", f"- {chunk.snippet or '(no snippet captured)'} [{figures}]")
    return Promotion(entry.key, chunk.snippet, day_of(entry.path), source, rows, heading=f"{THEIR_HEADING} ({day})")


def sentence(chunk: Chunk, day: str) -> str:
    """Return what a chunk says as one line that needs no neighbour: its subject before it, its dates written out."""
    text = _LEAD.sub("", plain_snippet(_COMMENT.sub(" ", chunk.snippet)))
    text = without_lead(without_time(text))
    text = shortened(dated(text, day))
    subject = next((words for words in reversed(chunk.context) if words), "")
    if subject and not _mentions(text, subject):
        text = f"{subject}: {text}"
    return text if _OPEN_END.search(text) else f"{text}."


def without_time(text: str) -> str:
    """Return a text without the time of day that it begins with."""
    return _TIME_LEAD.sub("", text, count=1) or text


def without_lead(text: str) -> str:
    """Return a text without the words before it that only say that it should be kept in mind."""
    rest = _SPOKEN_LEAD.sub("", text, count=1)
    return rest if rest == text else f"{rest[:1].upper()}{rest[1:]}"


def _mentions(text: str, subject: str) -> bool:
    """Say whether a sentence names its subject already."""
    words = [word for word in re.findall(r"[^\W_]+", subject.lower()) if len(word) > 2 or not word.isascii()]  # noqa: PLR2004
    said = text.lower()
    return bool(words) and all(word in said for word in words)


def dated(text: str, day: str) -> str:
    """Return a text in which `yesterday` and its like are dates, as its day meant them."""
    try:
        return with_dates(text, date.fromisoformat(day))
    except ValueError:
        return text


def shortened(text: str, most: int = LONGEST_SENTENCE) -> str:
    """Return a text within a length, cut where a sentence ends, else between words."""
    if len(text) <= most:
        return text
    ends = [found.end() for found in _SENTENCE_END.finditer(text, 0, most)]
    if ends and ends[-1] >= CUT_AT_SENTENCE * most:
        return text[: ends[-1]]
    space = text.rfind(" ", 0, most)
    return f"{text[: space if space >= CUT_AT_WORD * most else most].rstrip()}…"


# Reading what is there


def parse_promotions(rows: Sequence[str]) -> tuple[list[Promotion], list[str]]:
    """Return the promotions among the lines of a region, and the lines that are neither they nor their headings."""
    found: list[Promotion] = []
    others: list[str] = []
    heading = ""
    waiting = ""
    for row in rows:
        ours, mark, theirs = find_promoted(row.strip()), _MARK.fullmatch(row.strip()), _THEIRS.fullmatch(row.strip())
        if ours:
            seen = parse_standing(ours.standing).seen
            said = {"fate": ours.fate, "by": ours.by, "standing": ours.standing, "seen": seen}
            found.append(Promotion(ours.key, ours.text, ours.day, ours.source, (row,), **said))
        elif mark:
            waiting = row
        elif theirs and waiting:
            key = _key(waiting)
            path = theirs["source"].rpartition(":")[0]
            found.append(
                Promotion(key, theirs["text"], day_of(path), theirs["source"], (waiting, row), heading=heading)
            )
            waiting = ""
        elif row.startswith(HEADING):
            heading = row if row.startswith(THEIR_HEADING) else ""
        elif row.strip():
            others += [waiting, row] if waiting else [row]
            waiting = ""
    return found, [*others, *([waiting] if waiting else [])]


def _key(row: str) -> str:
    found = _MARK.search(row)
    return found["key"].strip() if found else ""


def markers(text: str) -> set[str]:
    """Return the keys of all promotion markers of a text."""
    return {found["key"].strip() for found in _MARK.finditer(text)}


def region_rows(promotions: Iterable[Promotion], others: Sequence[str]) -> list[str]:
    """Return the lines of the region: a person's own lines first, ours under one heading, the other form under its own."""
    listed = list(promotions)
    rows = list(others)
    ours = [one for one in listed if not one.theirs]
    if ours:
        rows += [HEADING, "", *(row for one in ours for row in one.rows)]
    for heading in dict.fromkeys(one.heading for one in listed if one.theirs):
        rows += ["", heading, ""] if rows else [heading, ""]
        rows += [row for one in listed if one.theirs and one.heading == heading for row in one.rows]
    return rows


def archive_row(one: Promotion, day: str, reason: str) -> str:
    """Return the line by which a promotion that has left is found again."""
    return f"- {one.text} ({one.day}, {one.source}; left MEMORY.md on {day}: {reason})"
