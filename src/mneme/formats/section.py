"""Sections of a note: what stands under each heading, and the name a link calls it by.

Slugs follow GitHub's rules, so that an anchor written for one works for the other: lower case, letters, digits, marks,
hyphens and underscores of any script kept, every space a hyphen, repeated names numbered. Pure text in, records out.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.formats.block import code_span_end, code_spans_in
from mneme.formats.span import apply_edits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mneme.formats.block import Heading
    from mneme.formats.span import Lines

# A heading without a letter still needs a name: an empty anchor would be the note itself.
NAMELESS = "section"

_MARKUP = re.compile(
    r"\\[\[\]<\\]|!?\[(?P<words>(?:[^\[\]\\]++|\\.)*+)\](?:\([^()\s]*+(?:\([^()\s]*+\)[^()\s]*+)*+(?:[ \t]++[^()]*+)?\)|\[[^\[\]]*+\])"
    r"|\[\[(?:[^\[\]|]*+\|)?(?P<wiki>[^\[\]|]*+)\]\]|<[/A-Za-z!][^<>]*+>"
)
_UNDERSCORES = re.compile(r"_+")
_KEPT_CATEGORIES = frozenset(("Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl", "Pc"))


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what it heads.

    `body_start` to `own_end` is its text up to the next heading of any level, `end` where its last subsection ends;
    both stop before the heading that follows. `end_line` is the line of `end`.
    """

    heading: Heading
    slug: str
    parent: int
    start: int
    end: int
    line: int
    end_line: int
    body_start: int
    own_end: int
    own_end_line: int

    @property
    def title(self) -> str:
        """Return the words of its heading."""
        return self.heading.text

    @property
    def level(self) -> int:
        """Return the level of its heading, 1 to 6."""
        return self.heading.level


def slug(text: str) -> str:
    """Return the anchor of a heading's text, before numbering."""
    if "[" in text or "<" in text:
        text = _MARKUP.sub(_words, text)
    if "_" in text:
        text = _without_emphasis(text)
    return text.strip().lower().translate(_SLUG)


class _SlugTable(dict[int, int | None]):
    """What becomes of each character in a slug, worked out when one is first met."""

    def __missing__(self, code: int) -> int | None:
        kept = unicodedata.category(chr(code)) in _KEPT_CATEGORIES
        self[code] = code if kept else None
        return self[code]


_SLUG = _SlugTable({ord(" "): ord("-"), ord("-"): ord("-"), ord("_"): ord("_")})


def _words(match: re.Match[str]) -> str:
    return match["words"] or match["wiki"] or (match[0] if match[0][0] == "\\" else "")


def _without_emphasis(text: str) -> str:
    """Drop the underscores that stand for emphasis, and keep those of names and code."""
    spans = code_spans_in(text)
    opened: dict[int, int] = {}
    dropped = []
    for match in _UNDERSCORES.finditer(text):
        start, end = match.span()
        before, after = text[start - 1 : start] if start else "", text[end : end + 1]
        if code_span_end(spans, start):
            continue
        if end - start in opened and not before.isspace() and not after.isalnum():
            dropped += [(opened.pop(end - start), end - start), (start, end - start)]
        elif after and not after.isspace() and not before.isalnum():
            opened[end - start] = start
    return apply_edits(text, [(start, start + length, "") for start, length in dropped])


def numbered(names: Sequence[str]) -> list[str]:
    """Give each name that came before a number of its own: a, a-1, a-2."""
    taken: dict[str, int] = {}
    result = []
    for name in names:
        unique = name
        while unique in taken:
            taken[name] += 1
            unique = f"{name}-{taken[name]}"
        taken[unique] = 0
        result.append(unique)
    return result


def parse_sections(lines: Lines, headings: Sequence[Heading]) -> tuple[Section, ...]:
    """Return the section of every heading, in order."""
    slugs = numbered([slug(heading.text) or NAMELESS for heading in headings])
    ends = _tree_ends(headings)
    parents = _parents(headings)
    total = len(lines.text)
    sections = []
    for number, heading in enumerate(headings):
        after = number + 1
        own_line = headings[after].line - 1 if after < len(headings) else lines.count
        tree = ends[number]
        end_line = headings[tree].line - 1 if tree < len(headings) else lines.count
        sections.append(
            Section(
                heading,
                slugs[number],
                parents[number],
                heading.start,
                lines.starts[end_line] if tree < len(headings) else total,
                heading.line,
                max(end_line, heading.end_line),
                lines.after(heading.end_line - 1),
                lines.starts[own_line] if after < len(headings) else total,
                max(own_line, heading.end_line),
            )
        )
    return tuple(sections)


def _tree_ends(headings: Sequence[Heading]) -> list[int]:
    """Return for each heading the index of the one that ends its section, or the number of headings."""
    ends = [len(headings)] * len(headings)
    stack: list[int] = []
    for number, heading in enumerate(headings):
        while stack and headings[stack[-1]].level >= heading.level:
            ends[stack.pop()] = number
        stack.append(number)
    return ends


def _parents(headings: Sequence[Heading]) -> list[int]:
    """Return for each heading the index of the one it stands under, or -1."""
    parents = []
    stack: list[int] = []
    for number, heading in enumerate(headings):
        while stack and headings[stack[-1]].level >= heading.level:
            stack.pop()
        parents.append(stack[-1] if stack else -1)
        stack.append(number)
    return parents
