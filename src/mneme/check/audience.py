"""What is private and can be read by others all the same: a shared file that says or shows what a private one does."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from mneme.check.found import Found, find
from mneme.check.statements import keys_of, statements_in
from mneme.formats.link import EMBED
from mneme.formats.note import parse_note
from mneme.formats.record import PRIVATE, SHARED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from mneme.check.links import Links
    from mneme.check.statements import Statement

# Kinds of notes that no setting shares; frontmatter that says so is a mistake with consequences.
NEVER_SHARED = frozenset({"memory", "day", "buffer", "user-file"})


def find_leaks(
    shared: Sequence[str],
    stated: Iterable[Statement],
    private: Iterable[str],
    read: Callable[[str], str | None],
) -> Iterator[tuple[str, Found]]:
    """Yield what shared files, and the shared statements of cells, repeat word for word of a private file."""
    public = [one for path in shared for one in statements_in(read(path) or "", path)] + list(stated)
    if not public:
        return
    by_words = {_plain(one.text): one for one in public}
    wanted = {key for one in public for key in keys_of(_bytes(one.text))}
    told: set[str] = set()
    for path in private:
        text = read(path) or ""
        if wanted.isdisjoint(keys_of(_bytes(text))):
            continue
        for one in statements_in(text, path):
            leak = by_words.get(_plain(one.text))
            if leak is not None and _plain(one.text) not in told:
                told.add(_plain(one.text))
                value = f"this is shared, and repeats what is private at {one.path}:{one.line}"
                yield leak.path, find("audience-leak", leak.line, value=value)


def _plain(text: str) -> str:
    return text.lower().rstrip(" .,;!")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def find_shown(path: str, text: str, links: Links, audience_of: Callable[[str], str]) -> Iterator[Found]:
    """Yield where a shared note shows a private one within itself."""
    if "![[" not in text:
        return
    for link in parse_note(text, path).links:
        if link.kind == EMBED:
            place = links.place_of(path, link.path)
            if place is not None and place != path and audience_of(place) == PRIVATE:
                yield find(
                    "audience-leak", link.line, value=f"this note is shared, and shows '{place}', which is private"
                )


def check_globs(
    globs: Sequence[str], paths: Sequence[str], audience_of: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    """Yield each glob of the settings that shares nothing, with a file that it was meant to share and may not."""
    for glob in globs:
        meant = [path for path in paths if fnmatchcase(path, glob)]
        if meant and not any(audience_of(path) == SHARED for path in meant):
            yield glob, meant[0]
