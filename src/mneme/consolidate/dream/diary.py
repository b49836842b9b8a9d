"""The dream diary: `DREAMS.md`, one entry for each phase of a night, in sentences that a person likes to read.

Written from templates, chosen by the night and not by chance: the same night always tells the same dream, the next one another. The
region and its entries have OpenClaw's form. When the diary grows past its budget the oldest entries move to the
archive. What may be a secret is never told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from mneme.check.secret import find_secrets
from mneme.consolidate.dream.phases import DEEP, LIGHT, PHASES, REM
from mneme.consolidate.dream.sentence import without_lead, without_time
from mneme.consolidate.dream.taint import plain_snippet

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from mneme.consolidate.dream.entry import Entry
    from mneme.consolidate.dream.phases import Theme, Truth

TITLE = "# Dream Diary"
START, END = "<!-- openclaw:dreaming:diary:start -->", "<!-- openclaw:dreaming:diary:end -->"
RULE = "---"
MOST_TOLD, MOST_THEMES, LONGEST_QUOTE = 3, 4, 110
CLEARED_SHARE = 0.9
LEAST_LEFT = 2  # entries that stay however long they are

_NUMBERED = re.compile(r"^\d+[.)]\s+")
_OPENINGS = {
    LIGHT: (
        "The day came back in pieces.",
        "I went through the pockets of the last days.",
        "It was quiet, and the notes lay where they had been put.",
        "First there was only the rustle of pages.",
        "The last days stood in a row, like cups to be washed.",
        "Before anything else I counted what the {weekday} had left on the table.",
        "Voices first, then words, then what the words were for.",
        "I walked back along the {weekday}, slowly, picking things up.",
        "Nothing pressed, so I let the day pass by once more.",
    ),
    REM: (
        "Then the same words kept coming round.",
        "Deeper down, the days began to rhyme.",
        "Some things had been said more than once.",
        "The week folded over on itself, and what lay double showed through.",
        "Further in, there was a pattern, or something that wished to be one.",
        "What had been apart by day stood side by side.",
        "I heard an echo and went to see what it came from.",
    ),
    DEEP: (
        "Towards morning I decided what to keep.",
        "At the end there was little to carry, and it was enough.",
        "Before waking I put things in their place.",
        "The last hour is for choosing.",
        "Then it was time to write in ink.",
        "A shelf is only so long; I looked at each thing twice.",
        "I held what was left up to the light.",
        "By the time the {weekday} was over for good, this was settled.",
    ),
}
_BRIDGES = {
    LIGHT: (
        "What stayed longest:",
        "I held on to",
        "Near the top lay",
        "One thing caught the light:",
        "My hand closed around",
        "I read it twice:",
        "Somebody will want to know this again:",
    ),
    REM: (
        "It may be that this holds:",
        "Something that may last:",
        "I would not be surprised if this were true for long:",
        "If I had to bet, I would bet on",
        "Under the noise there was perhaps a truth:",
    ),
}
_AGAIN = (
    "Again and again: {words}.",
    "It was mostly about {words}.",
    "{words} would not let go.",
    "Everywhere I met {words}.",
)
_ASKED = (
    "{many} asked for by day.",
    "{many} needed before the day was out.",
    "{many} looked for, and found.",
)
_READ = ("{notes} had something new.", "{notes} had grown.", "I turned {notes} over.")


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
    pick = _Picker(day, LIGHT)
    asked = sum(entry.recalls > 0 for entry in chosen)
    parts = [pick(_OPENINGS[LIGHT])]
    if notes:
        parts.append(_sentence(pick(_READ).format(notes=_count(notes, "note"))))
    parts.append(f"{pick(_BRIDGES[LIGHT])} {_listed(spoken)}")
    if asked:
        parts.append(_sentence(pick(_ASKED).format(many=_count(asked, "of them was", "of them were"))))
    return Told(LIGHT, " ".join(parts))


def tell_rem(day: str, themes: Sequence[Theme], truths: Sequence[Truth]) -> Told | None:
    """Tell what came back, and what may last; None where nothing did."""
    spoken = [quote for truth in truths if (quote := quoted(truth.entry.snippet))]
    themes = [theme for theme in themes if theme.count > 1]
    if not themes and not spoken:
        return None
    pick = _Picker(day, REM)
    parts = [pick(_OPENINGS[REM])]
    if themes:
        words = [f"`{theme.tag}` ({theme.count})" for theme in themes[:MOST_THEMES]]
        parts.append(pick(_AGAIN).format(words=_joined(words)))
    if spoken:
        parts.append(f"{pick(_BRIDGES[REM])} {_listed(spoken)}")
    return Told(REM, " ".join(parts))


def tell_deep(day: str, promoted: Sequence[str], faded: Sequence[str], left: Sequence[str]) -> Told | None:
    """Tell what was kept and what was let go; None where nothing was."""
    if not (promoted or faded or left):
        return None
    parts = [_Picker(day, DEEP)(_OPENINGS[DEEP])]
    for words, verb in ((promoted, "Now I keep"), (faded, "This has grown pale:"), (left, "I put away")):
        spoken = [quote for word in words if (quote := quoted(word))][:MOST_TOLD]
        if spoken:
            more = f" And {len(words) - len(spoken)} more." if len(words) > len(spoken) else ""
            parts.append(f"{verb} {_listed(spoken)}{more}")
    return Told(DEEP, " ".join(parts))


class _Picker:
    """Picks from lists by the night: always the same for one night, never the same on two nights in a row."""

    __slots__ = ("_day", "_place")

    def __init__(self, day: str, phase: str) -> None:
        self._day = date.fromisoformat(day)
        self._place = self._day.toordinal() + PHASES.index(phase)

    def __call__(self, choices: Sequence[str]) -> str:
        """Return one of some choices; lists of different lengths turn at different speeds."""
        return choices[self._place % len(choices)].replace("{weekday}", f"{self._day:%A}")


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def quoted(text: str) -> str:
    """Return a snippet as the diary quotes it: short, on one line, without marks; empty where it may not be told."""
    plain = _NUMBERED.sub("", plain_snippet(re.sub(r"<!--.*?-->|[*_`#>|]+", " ", text)))
    plain = without_lead(without_time(plain)).rstrip(" .;:,")
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
    return f"one {one}" if number == 1 else f"{number} {many}"


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
    """Return the diary within its budget, and the entries that left, oldest first.

    A full diary is cleared of its oldest tenth at once, so that it is not every night that moves an entry.
    """
    before, entries, after = split_diary(text)
    left: list[str] = []
    size = len(join_diary(before, entries, after))
    most = most_chars if size <= most_chars else CLEARED_SHARE * most_chars
    while size > most and len(entries) > LEAST_LEFT:
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
