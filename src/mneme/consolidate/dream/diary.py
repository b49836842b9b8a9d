"""The dream diary: `DREAMS.md`, one entry for each phase of a night, in sentences that a person likes to read.

Written from templates, chosen by the night and not by chance, so that the same night always tells the same dream. The
region and its entries have OpenClaw's form. When the diary grows past its budget the oldest entries move to the
archive. What may be a secret is never told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from mneme.check.secret import find_secrets
from mneme.consolidate.dream.phases import DEEP, LIGHT, REM
from mneme.consolidate.dream.taint import plain_snippet

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from mneme.consolidate.dream.entry import Entry
    from mneme.consolidate.dream.phases import Theme, Truth

TITLE = "# Dream Diary"
START, END = "<!-- openclaw:dreaming:diary:start -->", "<!-- openclaw:dreaming:diary:end -->"
RULE = "---"
MOST_TOLD, MOST_THEMES, LONGEST_QUOTE = 3, 4, 110
LEAST_LEFT = 2  # entries that stay however long they are

_OPENINGS = {
    LIGHT: (
        "The day came back in pieces.",
        "I went through the pockets of the last days.",
        "It was quiet, and the notes lay where they had been put.",
        "First there was only the rustle of pages.",
        "The last days stood in a row, like cups to be washed.",
    ),
    REM: (
        "Then the same words kept coming round.",
        "Deeper down, the days began to rhyme.",
        "Some things had been said more than once.",
        "The week folded over on itself, and what lay double showed through.",
    ),
    DEEP: (
        "Towards morning I decided what to keep.",
        "At the end there was little to carry, and it was enough.",
        "Before waking I put things in their place.",
        "The last hour is for choosing.",
    ),
}
_BRIDGES = {
    LIGHT: ("What stayed longest:", "I held on to", "Near the top lay", "One thing caught the light:"),
    REM: (
        "It may be that this holds:",
        "Something that may last:",
        "I would not be surprised if this were true for long:",
    ),
}


@dataclass(frozen=True, slots=True)
class Told:
    """What came of a night, as the diary tells it."""

    phase: str
    prose: str


def tell_light(day: str, notes: int, chosen: Sequence[Entry]) -> Told | None:
    """Tell what Light saw; None where there was nothing."""
    spoken = [quote for entry in chosen if (quote := quoted(entry.snippet))][:MOST_TOLD]
    if not spoken:
        return None
    pick = _picker(day, LIGHT)
    read = f" {_count(notes, 'note')} had something new." if notes else ""
    asked = sum(entry.recalls > 0 for entry in chosen)
    needed = f" {_count(asked, 'of them was', 'of them were')} asked for by day." if asked else ""
    body = f"{pick(_BRIDGES[LIGHT])} {_listed(spoken)}"
    return Told(LIGHT, f"{pick(_OPENINGS[LIGHT])}{read} {body}{needed}")


def tell_rem(day: str, themes: Sequence[Theme], truths: Sequence[Truth]) -> Told | None:
    """Tell what came back, and what may last; None where nothing did."""
    spoken = [quote for truth in truths if (quote := quoted(truth.entry.snippet))]
    themes = [theme for theme in themes if theme.count > 1]
    if not themes and not spoken:
        return None
    pick = _picker(day, REM)
    parts = [pick(_OPENINGS[REM])]
    if themes:
        words = [f"`{theme.tag}` ({theme.count})" for theme in themes[:MOST_THEMES]]
        parts.append(f"Again and again: {_joined(words)}.")
    if spoken:
        parts.append(f"{pick(_BRIDGES[REM])} {_listed(spoken)}")
    return Told(REM, " ".join(parts))


def tell_deep(day: str, promoted: Sequence[str], faded: Sequence[str], left: Sequence[str]) -> Told | None:
    """Tell what was kept and what was let go; None where nothing was."""
    if not (promoted or faded or left):
        return None
    parts = [_picker(day, DEEP)(_OPENINGS[DEEP])]
    for words, verb in ((promoted, "Now I keep"), (faded, "This has grown pale:"), (left, "I put away")):
        spoken = [quote for word in words if (quote := quoted(word))][:MOST_TOLD]
        if spoken:
            more = f" And {len(words) - len(spoken)} more." if len(words) > len(spoken) else ""
            parts.append(f"{verb} {_listed(spoken)}{more}")
    return Told(DEEP, " ".join(parts))


def _picker(day: str, phase: str) -> Callable[[Sequence[str]], str]:
    """Return a function that picks from a list by the night: always the same, never twice alike in a row."""
    seed = int.from_bytes(sha256(f"{day}:{phase}".encode()).digest()[:4])

    def pick(choices: Sequence[str]) -> str:
        return choices[seed % len(choices)]

    return pick


def quoted(text: str) -> str:
    """Return a snippet as the diary quotes it: short, on one line, without marks; empty where it may not be told."""
    plain = plain_snippet(re.sub(r"<!--.*?-->|[*_`#>|]+", " ", text)).rstrip(" .;:,")
    if not plain or find_secrets(text) or "<!--" in plain or "-->" in plain:
        return ""
    if len(plain) > LONGEST_QUOTE:
        plain = plain[:LONGEST_QUOTE].rsplit(" ", 1)[0].rstrip(" .;:,") + " …"
    return f"“{plain}”"


def _listed(quotes: Sequence[str]) -> str:
    return f"{_joined(quotes)}."


def _joined(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def _count(number: int, one: str, many: str = "") -> str:
    many = many or f"{one}s"
    return f"One {one}" if number == 1 else f"{number} {many}"


# The file


def night_line(moment: datetime) -> str:
    """Return the date line of an entry: the day in words, the time, and the zone."""
    hour = moment.hour % 12 or 12
    half = "AM" if moment.hour < 12 else "PM"  # noqa: PLR2004 - noon
    day = f"{moment:%B} {moment.day}, {moment.year}"
    return f"*{day} at {hour}:{moment:%M} {half} {moment.tzname() or 'UTC'}*"


def add_entries(text: str, told: Sequence[Told], moment: datetime) -> str:
    """Return the diary with the night's entries at its end; an entry that it has already is not told twice."""
    before, entries, after = split_diary(text)
    known = {_body(entry) for entry in entries[-len(told) * 2 :]}
    line = night_line(moment)
    new = [f"{line}\n\n{one.prose}" for one in told]
    fresh = [entry for entry in new if _body(entry) not in known]
    return join_diary(before, [*entries, *fresh], after) if fresh else text


def within_budget(text: str, most_chars: int) -> tuple[str, list[str]]:
    """Return the diary within its budget, and the entries that left, oldest first."""
    before, entries, after = split_diary(text)
    left: list[str] = []
    size = len(join_diary(before, entries, after))
    while size > most_chars and len(entries) > LEAST_LEFT:
        size -= len(_printed(entries[0]))
        left.append(entries.pop(0))
    return (join_diary(before, entries, after), left) if left else (text, [])


def split_diary(text: str) -> tuple[str, list[str], str]:
    """Return what stands before the diary's region, its entries, and what stands after; without a region all is after."""
    start, end = text.find(START), text.rfind(END)
    if start < 0 or end < start:
        return "", [], text
    inner = text[start + len(START) : end].strip("\n")
    entries = [part.strip("\n") for part in re.split(rf"(?m)^{RULE}[ \t]*$", inner)]
    return text[:start], [entry for entry in entries if entry.strip()], text[end + len(END) :]


def join_diary(before: str, entries: Sequence[str], after: str) -> str:
    """Return the diary's text; a diary that had no region gets one, above what was there."""
    head = before or f"{TITLE}\n\n"
    tail = after if before or not after.strip() else f"\n\n{after.lstrip()}"
    return f"{head}{START}\n{''.join(map(_printed, entries))}\n{END}{tail or chr(10)}"


def _printed(entry: str) -> str:
    return f"\n{RULE}\n\n{entry}\n"


def _body(entry: str) -> str:
    return "\n".join(row for row in entry.split("\n") if row.strip() and not row.startswith(("*", "<!--", "#")))
