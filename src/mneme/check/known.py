"""Whether something is remembered already: asked before a new cell is written.

`duplicate_of` looks at cells that were read; `duplicate_in_text` gives the same answer on the text of a cell file
without reading it as cells: it finds the few gist lines that share the candidate's rare words, and reads only those.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

from mneme.check.claim import NUMBER, SAME, Claim, claim_of, compare_claims, framed, is_wide, likeness, raw_words
from mneme.check.lexicon import SYNONYMS
from mneme.check.twin import ACTIVE_STATES, ALIKE_ON_TOPIC, ALIKE_ON_TOPIC_FIFTHS, DUPLICATE, judge_pair
from mneme.formats.cell import BOM, Cell, count_lines, parse_cells, read_block

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

EXISTS, PROBABLE, NEW = "exists", "probable", "new"

_KEY = "gist"
_BENT_KEYS = ("Gist", "GIST")
_MANY_BROKEN_LINES = 1000
_MANY_LINES = 5000
_APOSTROPHES = (b"'", "\u2018".encode(), "\u2019".encode())
# Letters whose lower case begins with an ASCII letter.
_ODD_LETTERS = ("\u0130".encode(), "\u212a".encode())


def duplicate_of(gist: str, topic: str, cells: Iterable[Cell]) -> tuple[str, Cell | None]:
    """Say whether cells in force say the same as a gist (`exists`), nearly the same (`probable`), or not (`new`).

    The cell is the one most like it, the first of several; it is None when the gist is new.
    """
    best: tuple[float, Cell | None] = (0.0, None)
    candidate = claim_of(gist)
    for cell in cells:
        if cell.state in ACTIVE_STATES and cell.gist:
            rank = _rank(candidate, claim_of(cell.gist), same_topic=bool(topic) and cell.topic == topic)
            if rank > best[0]:
                best = rank, cell
    return (EXISTS if best[0] > 1 else PROBABLE if best[0] else NEW), best[1]


def _rank(one: Claim, two: Claim, *, same_topic: bool) -> float:
    """Return how surely two claims are one: 2 if they are, else their likeness if that is enough, else 0."""
    if one.frame == two.frame and one.stance == two.stance and (one.frame or one.words == two.words):
        return 2.0 if compare_claims(one, two)[0] == SAME else 0.0
    kind, _ = judge_pair(one, two, same_topic=same_topic)
    return likeness(one.frame, two.frame) if kind == DUPLICATE else 0.0


def duplicate_in_text(gist: str, topic: str, text: str) -> tuple[str, Cell | None]:
    """Return what `duplicate_of` says of all the cells of a text, reading only those that could matter."""
    claim = claim_of(gist)
    if not claim.frame or "\r" in text or any(key in text for key in _BENT_KEYS):
        return duplicate_of(gist, topic, parse_cells(text).cells)
    pieces = text.split(_KEY)
    lines = _lines_after_key(pieces)
    if lines is None:
        return duplicate_of(gist, topic, parse_cells(text).cells)
    near = _near_lines(claim, lines)
    if near is None:
        return duplicate_of(gist, topic, parse_cells(text).cells)
    if not near:
        return NEW, None
    sizes = list(accumulate(map(len, pieces)))
    verdict, cell = duplicate_of(gist, topic, _cells_at(text, [sizes[at - 1] + at * len(_KEY) - 1 for at in near]))
    if cell is not None:
        cell = read_block(text, cell.start, 1 + count_lines(text[: cell.start]), cell.end - cell.start)[0]
    return verdict, cell


def duplicate_in_bytes(gist: str, topic: str, content: bytes) -> tuple[str, Cell | None]:
    """Return what `duplicate_of` says of all the cells of a file, decoding it only where one may say the same."""
    blocks = _near_blocks(claim_of(gist), content)
    if blocks is not None:
        cells = (read_block(text, 0, 1, len(text))[0] for text in map(_decoded, blocks))
        if duplicate_of(gist, topic, cells)[0] == NEW:
            return NEW, None
    return duplicate_in_text(gist, topic, _decoded(content))


def _decoded(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape")


def _near_blocks(claim: Claim, content: bytes) -> list[bytes] | None:
    """Return the cells that hold one of a claim's words where a gist may; None if that is not to be told cheaply.

    A claim that says the same has all but a few of its words, so it has one of any few and one more. Letters are
    compared in ASCII: a file with one that only becomes such a letter in lower case is read in full.
    """
    wanted = len(claim.frame) + 1 - -(-ALIKE_ON_TOPIC_FIFTHS * len(claim.frame) // 5)
    sought = (_needle(place, "").encode() for place in claim.frame if place.isascii())
    needles = sorted(filter(None, sought), key=len, reverse=True)
    if len(needles) < wanted or not needles or b"\r" in content or _any_in(_ODD_LETTERS, content):
        return None
    low = content.lower()
    bare = _without_apostrophes(low)
    found: set[int] = set()
    for needle in needles:
        hits = _gists_with(bare, needle)
        if hits is not None:
            found.update(hits)
            wanted -= 1
        if not wanted:
            return _blocks_at(content, sorted(found)) if bare is low or not found else None
    return None


def _without_apostrophes(content: bytes) -> bytes:
    for mark in _APOSTROPHES:
        if _any_in((mark,), content):
            content = content.replace(mark, b"")
    return content


def _any_in(marks: Iterable[bytes], content: bytes) -> bool:
    plain = content.isascii()
    return any(mark in content for mark in marks if not plain or mark.isascii())


def _gists_with(low: bytes, needle: bytes) -> list[int] | None:
    """Return where a text stands in lines that may be gists; None if it stands in too many lines."""
    found: list[int] = []
    at = low.find(needle)
    for _ in range(_MANY_LINES):
        if at < 0:
            return found
        start, end = low.rfind(b"\n", 0, at) + 1, low.find(b"\n", at)
        end = len(low) if end < 0 else end
        if low.find(b"gist", start, end) >= 0:
            found.append(at)
        at = low.find(needle, end)
    return None


def _blocks_at(content: bytes, places: Iterable[int]) -> list[bytes]:
    """Return the cells that hold some offsets, each once."""
    blocks = []
    end = -1
    for place in places:
        if place < end:
            continue
        start, after = content.rfind(b"\n@", 0, place) + 1, content.find(b"\n@", place)
        end = len(content) if after < 0 else after + 1
        if start or content.startswith((b"@", BOM.encode() + b"@")):
            blocks.append(content[start:end])
    return blocks


def _near_lines(claim: Claim, lines: Sequence[str]) -> list[int] | None:
    """Return the lines whose words are alike enough to a claim's; None if its words can't be searched for."""
    joined = "\n".join(lines).replace("'", "").replace("\u2019", "").replace("\u2018", "").lower()
    least = -(-ALIKE_ON_TOPIC_FIFTHS * len(claim.frame) // 5)
    sought = (needle for place in claim.frame if (needle := _needle(place, joined)))
    needles = sorted((joined.count(needle), needle) for needle in sought)
    if len(needles) < len(claim.frame) - least + 1:
        return None
    found = _lines_with(joined, [needle for _, needle in needles[: len(claim.frame) - least + 1]])
    words = raw_words([lines[at] for at in found])
    frames = (frozenset(place for place, _ in map(framed, each) if place) for each in words)
    return [at for at, frame in zip(found, frames, strict=True) if likeness(frame, claim.frame) >= ALIKE_ON_TOPIC]


def _lines_with(joined: str, needles: Iterable[str]) -> list[int]:
    """Return the numbers of the lines that hold any of some texts."""
    sizes = list(accumulate(map(len, joined.split("\n"))))
    numbers = range(len(sizes))

    def end_of(number: int) -> int:
        return sizes[number] + number

    found: set[int] = set()
    for needle in needles:
        at = joined.find(needle)
        while at >= 0:
            number = bisect_left(numbers, at, key=end_of)
            found.add(number)
            at = joined.find(needle, end_of(number))
    return sorted(found)


def _needle(place: str, joined: str) -> str:
    """Return what every lower-case gist holds that has a word of this place in its frame; empty if nothing must be."""
    if NUMBER in place or place[0] == "=" or place in _SYNONYM_PLACES:
        return ""
    if place.isascii() or not is_wide(place[0]):
        return place[:-1] if place[-1] == "i" else place
    return min(place, key=joined.count)


_SYNONYM_PLACES = frozenset(SYNONYMS.values())


def _lines_after_key(pieces: Sequence[str]) -> list[str] | None:
    """Return the rest of the line for each place where the key stands; None where lines are all keys."""
    cuts = [piece.find("\n") for piece in pieces]
    lines = [piece[:cut] for piece, cut in zip(pieces, cuts, strict=True)]
    broken = [at for at, cut in enumerate(cuts) if cut < 0] if -1 in cuts else []
    if len(broken) > _MANY_BROKEN_LINES:
        return None
    for at in reversed(broken):
        lines[at] = pieces[at] + (_KEY + lines[at + 1] if at + 1 < len(pieces) else "")
    lines[0] = ""
    return lines


def _cells_at(text: str, places: Iterable[int]) -> Iterator[Cell]:
    """Yield the cells that hold some offsets, each once; their lines are counted from the cell itself."""
    end = -1
    for place in places:
        if place < end:
            continue
        start = text.rfind("\n@", 0, place) + 1
        if start or text.startswith(("@", BOM + "@")):
            start = start or text.index("@")
            after = text.find("\n@", place)
            end = len(text) if after < 0 else after + 1
            yield read_block(text, start, 1, end - start)[0]
