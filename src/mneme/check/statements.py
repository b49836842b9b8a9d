"""What the homes of memory state, line by line: found again in another home, or in no home at all.

A statement goes by a number made of its words, so that a hundred thousand of them are compared as numbers; only those
that meet are read. Where there are few enough, they are also compared by meaning, as cells are.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

from mneme.check.found import Found, find
from mneme.check.twin import DUPLICATE, find_twins
from mneme.formats.note import parse_note
from mneme.formats.record import LIVE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

LEAST_BYTES = 20
LEAST_WORDS = 4
# Two files with so many statements in common are made from one form, unless one is a copy of the other.
FORM_STATEMENTS = 4
COPY_FIFTHS = 4
# So many statements are compared by meaning within a second; beyond, they are compared word by word.
MOST_BY_MEANING = 20_000

_LEAD = b" \t-*+>0123456789.)\xe2\x80\xa2"
_TRAIL = b" \t\r.,;!"
_NO_STATEMENT = (b"#", b"|", b"<!--", b"```", b"~~~", b"---", b"> last_", b"![", b"http")
_SKIPPED_LEAD = re.compile(r"^[ \t]*(?:(?:[-*+]|\d+[.)])(?=[ \t])|>)?[ \t]*(?:\[[ xX]\][ \t]*)?")


class Statement(NamedTuple):
    """A line that states something: where, and its words."""

    path: str
    line: int
    text: str


def keys_of(content: bytes) -> array[int]:
    """Return the numbers of the statements of a text."""
    return array(
        "I",
        [
            crc32(row.lower().strip(_LEAD).rstrip(_TRAIL))
            for row in content.split(b"\n")
            if len(row) >= LEAST_BYTES and not row.startswith(_NO_STATEMENT)
        ],
    )


def _key(row: str) -> int:
    return crc32(row.encode("utf-8", "surrogateescape").lower().strip(_LEAD).rstrip(_TRAIL))


def repeated_keys(keys: Mapping[str, array[int]]) -> dict[int, list[str]]:
    """Return the numbers that more than one file has, with those files."""
    seen: set[int] = set()
    again: set[int] = set()
    for one in keys.values():
        mine = set(one)
        again |= mine & seen
        seen |= mine
    if not again:
        return {}
    where: dict[int, list[str]] = {}
    for path, one in keys.items():
        for key in again.intersection(one):
            where.setdefault(key, []).append(path)
    return where


def statements_in(text: str, path: str) -> list[Statement]:
    """Return what people and agents stated in a note, line by line: no headings, code, tables or programs' regions."""
    note = parse_note(text, path)
    rows = note.lines.rows
    pointed = {one.line for one in note.pointers}
    stated: list[Statement] = []
    for entry in note.entries:
        if entry.kind in {"table", "code"}:
            continue
        for number in range(entry.line, entry.end_line + 1):
            row = rows[number - 1]
            words = _SKIPPED_LEAD.sub("", row).strip()
            if number not in pointed and len(row.encode("utf-8", "replace")) >= LEAST_BYTES and _says_enough(words):
                stated.append(Statement(path, number, words))
    return stated


def _says_enough(words: str) -> bool:
    if words.startswith(("#", "http", "![")) or words.endswith((":", "\uff1a")):
        return False
    return len(words.split()) >= LEAST_WORDS or not words.isascii()


def find_repeats(
    keys: Mapping[str, array[int]],
    read: Callable[[str], str | None],
    others: Iterable[Statement],
    linked: Callable[[str, str], bool],
) -> Iterator[tuple[str, Found]]:
    """Yield the statements that stand in two homes; `others` are what cells and facts state.

    Files of which one leads to the other by a link are no two homes: one tells of the other.
    """
    others = list(others)
    count = sum(map(len, keys.values())) + len(others)
    if count <= MOST_BY_MEANING:
        stated = [one for path in keys if (text := read(path)) is not None for one in statements_in(text, path)]
        yield from _by_meaning([*stated, *others], linked)
        return
    yield "./", find("unfinished-comparison", 0, value=count)
    repeated = repeated_keys(keys)
    suspects = sorted({path for paths in repeated.values() for path in paths})
    first_of: dict[str, Statement] = {}
    sizes: Counter[str] = Counter()
    pairs: list[tuple[Statement, Statement]] = []
    for path in suspects:
        for one in statements_in(read(path) or "", path):
            sizes[path] += 1
            if _key(one.text) in repeated:
                pairs.append((one, first_of.setdefault(one.text.lower().rstrip("."), one)))
    yield from _told(pairs, sizes, linked)


def _by_meaning(stated: Sequence[Statement], linked: Callable[[str, str], bool]) -> Iterator[tuple[str, Found]]:
    found = find_twins([one.text for one in stated], [""] * len(stated), [LIVE] * len(stated))
    pairs = [(stated[later], stated[earlier]) for earlier, later, kind, _ in found.pairs if kind == DUPLICATE]
    yield from _told(pairs, Counter(one.path for one in stated), linked)


def _told(
    pairs: Iterable[tuple[Statement, Statement]], sizes: Mapping[str, int], linked: Callable[[str, str], bool]
) -> Iterator[tuple[str, Found]]:
    """Yield what is to be told of statements that say the same: each once, and a copied file as one."""
    by_files: dict[tuple[str, str], dict[Statement, Statement]] = {}
    for one, first in pairs:
        if one.path != first.path and not linked(one.path, first.path):
            by_files.setdefault((one.path, first.path), {}).setdefault(one, first)
    told: set[Statement] = set()
    for (path, other), found in by_files.items():
        fresh = [one for one in found if one not in told]
        told.update(fresh)
        if len(found) < FORM_STATEMENTS:
            yield from ((path, _repeat(one, found[one])) for one in fresh)
        elif fresh and len(found) * 5 >= COPY_FIFTHS * min(sizes[path], sizes[other]):
            more = f", with {len(found) - 1} more that are in both"
            yield path, _repeat(fresh[0], found[fresh[0]], more)


def _repeat(one: Statement, first: Statement, more: str = "") -> Found:
    place = f"{first.path}#L{first.line}"
    return find("fact-in-two-homes", one.line, value=one.text, other=f"{first.path}:{first.line}{more}", target=place)
