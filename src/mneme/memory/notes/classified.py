"""Classified memories: one file each, with frontmatter, in the folder of its class.

A file says what holds under `Rule / Fact`, then why, then how to apply it; what nobody said has no heading. Its name
comes of its title and is never one that is taken.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mneme.formats.front import print_scalar
from mneme.formats.section import slug
from mneme.profiles.profile import CLASSES

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from mneme.formats.note import Note
    from mneme.profiles import Profile

RULE, WHY, HOW = "Rule / Fact", "Why", "How to apply"
TITLE_CHARS, DESCRIPTION_CHARS, NAME_CHARS = 48, 90, 50
_WIDE_TITLE_CHARS = 20
# Where a sentence may end early and still say what it is about.
_BREAK = re.compile(
    r"\s+(?:on|in|around)\s+(?=\d{4}-\d\d)|\s+(?:because|since|so that|which|although|unless|until)\s|[,;:.!?](?:\s|$)|[，；：。！？]|\s[\u2013\u2014-]\s"
)
# An address as far as it says where it leads.
_ADDRESS = re.compile(r"\bhttps?://(?:www\.)?([^/\s:]+)\S*", re.IGNORECASE)
# What parts the words of an address or a path.
_INNER = re.compile(r"(?<=\w)[./\\:@]+(?=\w)")
_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Saying:
    """What somebody wants remembered, in their words; a title is made of the text where none is given."""

    text: str
    title: str = ""
    why: str = ""
    how: str = ""
    conf: str = ""

    @property
    def name(self) -> str:
        """Return what to call it."""
        return " ".join(self.title.split()) or short_title(self.text)

    @property
    def description(self) -> str:
        """Return the line to judge it by: what it says."""
        return cut(first_line(self.text), DESCRIPTION_CHARS)

    @property
    def index_line(self) -> str:
        """Return what the index says behind its title: what it says, or why, where the title says it all already."""
        same = self.description.rstrip(".。") == self.name
        return f"why: {cut(first_line(self.why), DESCRIPTION_CHARS)}" if same and self.why else self.description


def first_line(text: str) -> str:
    """Return the first line of a text that says something."""
    return next((" ".join(line.split()) for line in text.splitlines() if line.strip()), "")


def short_title(text: str) -> str:
    """Return the beginning of a text as far as it says what it is about."""
    line = _ADDRESS.sub(r"\1", first_line(text))
    limit = _WIDE_TITLE_CHARS if _WIDE.search(line) else TITLE_CHARS
    stop = next((match.start() for match in _BREAK.finditer(line) if match.start() >= limit // 4), len(line))
    return cut(line[:stop].rstrip(" ,;:.!?，；：。！？"), limit, mark="")


def cut(text: str, limit: int, mark: str = "…") -> str:
    """Return a text that is no longer than this, cut between words where it has any."""
    if len(text) <= limit:
        return text
    head = text[: limit - len(mark)]
    space = head.rfind(" ")
    kept = head[:space] if space > limit // 2 and not text[len(head)].isspace() else head
    return kept.rstrip(" ,;:，；：") + mark


def print_memory(saying: Saying, kind: str, day: date) -> str:
    """Return the file of a classified memory."""
    keys = [
        ("name", saying.name),
        ("description", saying.description),
        ("type", kind),
        ("created", day.isoformat()),
        *([("conf", saying.conf)] if saying.conf else []),
    ]
    front = "".join(f"{key}: {print_scalar(value)}\n" for key, value in keys)
    parts = ((RULE, saying.text), (WHY, saying.why), (HOW, saying.how))
    body = "\n".join(f"## {title}\n\n{words.strip()}\n" for title, words in parts if words.strip())
    return f"---\n{front}---\n\n{body}"


def class_of(profile: Profile, folder: str) -> str:
    """Return the class whose folder this is; a folder of one's own is a reference."""
    return next((name for name, place in profile.class_folders.items() if place == folder), CLASSES[-1])


def free_path(folder: str, title: str, is_taken: Callable[[str], bool]) -> str:
    """Return a path for a memory of this title that nothing has."""
    name = file_name(title)
    path, number = posixpath.join(folder, f"{name}.md"), 2
    while is_taken(path):
        path, number = posixpath.join(folder, f"{name}-{number}.md"), number + 1
    return path


def file_name(title: str) -> str:
    """Return what a file with this title is called, without its ending."""
    apart = _INNER.sub("-", re.sub(r"['\u2019]", "", title))
    words = [word for word in slug(apart).replace("_", "-").split("-") if word]
    name = ""
    for word in words:
        if name and len(name) + len(word) >= NAME_CHARS:
            break
        name = f"{name}-{word}".lstrip("-")[:NAME_CHARS]
    return name if name not in {"", "index", "readme"} else f"memory-{name}".rstrip("-")


def name_and_line(note: Note) -> tuple[str, str]:
    """Return the name and the description that a memory gives itself."""
    front = note.front
    title = note.headings[0].text if note.headings else posixpath.basename(note.path).rpartition(".")[0]
    return (front.text("name") if front else "") or title, front.text("description") if front else ""
