"""Tags: the `#tags:` line of a WARM file, and the `#word` tags inside a text.

The line is found wherever it stands, so that a check can say that it is on the wrong one; each of its tags knows its
place. Inline tags are read from a text in which code and comments are blanked out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.formats.block import CODE, COMMENT, FRONT

if TYPE_CHECKING:
    from mneme.formats.span import Lines

FRICTION = "friction"

_MAX_INDENT = 80

_TAG_LINE = re.compile(r"#[Tt]ags[ \t]*[:\uff1a]")
_TAG = re.compile(r"[^\s,|;\uff0c\u3001\uff1b\uff5c]+")
# The look behind comes after the `#`, so that the search can jump from one to the next.
_HASHTAG = re.compile(
    r"#(?<![^\s(\[{*_~>\u3000-\u303f\uff00-\uff0f]#)"
    r"(?P<name>[^\W\d_][\w/-]*+|[0-9][0-9/_-]*+[^\W\d_][\w/-]*+)(?P<colon>[:\uff1a])?"
)


@dataclass(frozen=True, slots=True)
class Tag:
    """One tag and where it is written, a leading `#` not included."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TagLine:
    """A `#tags:` line; `value_start` to `end` is everything after its colon."""

    tags: tuple[Tag, ...]
    start: int
    end: int
    line: int
    value_start: int

    @property
    def names(self) -> tuple[str, ...]:
        """Return the tags as words."""
        return tuple(tag.name for tag in self.tags)


@dataclass(frozen=True, slots=True)
class Hashtag:
    """A tag inside a text; `said` is the rest of the line behind the first tag with a colon, as in `#friction: ...`."""

    name: str
    said: str
    start: int
    end: int
    line: int


def parse_tag_line(lines: Lines, kinds: bytearray) -> TagLine | None:
    """Return the first `#tags:` line of a text, or None."""
    if "tags" not in lines.flat and "Tags" not in lines.flat:
        return None
    for match in _TAG_LINE.finditer(lines.flat):
        index = lines.line_of(match.start()) - 1
        indent = match.start() - lines.starts[index]
        if (
            indent <= _MAX_INDENT
            and lines.rows[index][:indent].strip() in ("", ">")
            and kinds[index] not in (CODE, COMMENT, FRONT)
        ):
            end = lines.end_of(index)
            tags = tuple(_tags(lines.flat, match.end(), end))
            return TagLine(tags, match.start(), end, index + 1, min(match.end(), end))
    return None


def _tags(flat: str, start: int, end: int) -> list[Tag]:
    tags = []
    for match in _TAG.finditer(flat, start, end):
        name = match[0].lstrip("#")
        if name:
            tags.append(Tag(name, match.end() - len(name), match.end()))
    return tags


def parse_hashtags(lines: Lines, prose: str, tag_line: TagLine | None) -> tuple[Hashtag, ...]:
    """Return every `#word` of a text in order, those of its `#tags:` line left out."""
    if "#" not in prose:
        return ()
    tags = []
    said_on = 0
    for match in _HASHTAG.finditer(prose):
        line = lines.line_of(match.start())
        if tag_line and tag_line.line == line:
            continue
        said = ""
        if match["colon"] and line != said_on:
            said, said_on = lines.text[match.end() : lines.end_of(line - 1)].strip(), line
        tags.append(Hashtag(match["name"], said, match.start(), match.end("name"), line))
    return tuple(tags)
