"""The home's index, `semantic.sqlite`: brought up to date from the files before it is asked, vectors kept.

It is derived: a file that is missing, damaged, or was written by another program is made again.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from mneme import files
from mneme.formats.category import categories_with
from mneme.index.build import embed_missing
from mneme.index.sqlite import SqliteBackend
from mneme.memory import skills
from mneme.memory.skills import pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mneme.engine.home import Home
    from mneme.errors import Problem
    from mneme.formats.category import Category
    from mneme.formats.piece import Piece
    from mneme.index.embed import Embedder, EmbedderChoice
    from mneme.memory.skills.cards import CardSet

Row = TypeVar("Row")

ACTIVE_CARDS = "cards"
# What the pieces of each file are; the index notes how many there are of each kind.
_KINDS = {
    skills.CARDS: pieces.CARD,
    pieces.CATEGORIES_PATH: pieces.CATEGORY,
    pieces.REMARKS_PATH: pieces.REMARK,
    skills.WORKFLOWS: pieces.WORKFLOW,
    skills.REFLECTIONS: pieces.REFLECTION,
    skills.CORRECTIONS: pieces.CORRECTION,
}
_KEPT_CARDS, _KEPT_INDEX = "home-cards", "home-index"


def categories_of(home: Home) -> tuple[Category, ...]:
    """Return the categories that a home knows: the table, and what its settings add."""
    return categories_with(home.memory.workspace.settings.table("capabilities.categories"))


def category_names(home: Home) -> frozenset[str]:
    """Return the names that a card may give as its category."""
    return frozenset(category.name for category in categories_of(home))


def load_cards(home: Home) -> CardSet:
    """Return the cards of a home, read again when the file or the categories have changed."""
    from mneme.memory.skills.cards import CardSet, stamp_of
    from mneme.memory.skills.cards import load_cards as load

    names = category_names(home)
    content = files.find_file(files.place_of(home.root, skills.CARDS))
    kept = home.memory.kept.get(_KEPT_CARDS)
    if isinstance(kept, CardSet) and content is not None and kept.stamp == stamp_of(content, names):
        return kept
    found = load(home.root, names)
    note_problems(home, found.problems)
    home.memory.kept[_KEPT_CARDS] = found
    return found


@contextmanager
def open_index(home: Home, embedder: Embedder | None) -> Iterator[SqliteBackend]:
    """Open the index, brought up to date with the files and with vectors for whatever has none."""
    backend = _opened_index(home)
    try:
        _bring(home, backend)
        if embedder is not None:
            embed_missing(backend, embedder)
        yield backend
    finally:
        if not home.keep:
            home.memory.kept.pop(_KEPT_INDEX, backend).close()


def _opened_index(home: Home) -> SqliteBackend:
    """Return the index: the one that is kept open, unless another file lies in its place by now."""
    kept: SqliteBackend | None = home.memory.kept.get(_KEPT_INDEX)
    if kept is not None and kept.is_current():
        return kept
    if kept is not None:
        kept.close()
    backend = home.memory.kept[_KEPT_INDEX] = SqliteBackend(home.root / skills.INDEX)
    return backend


def _bring(home: Home, backend: SqliteBackend) -> None:
    """Read again what changed; a file that is not there has no pieces."""
    known = backend.known()
    found = load_cards(home)
    parts: list[tuple[str, str, Callable[[], Sequence[Piece]]]] = [
        (skills.CARDS, found.stamp, lambda: pieces.card_pieces(found.cards)),
        (pieces.CATEGORIES_PATH, _stamp_of_categories(home), lambda: pieces.category_pieces(categories_of(home))),
        (pieces.REMARKS_PATH, _stamp_of_remarks(), lambda: pieces.remark_pieces(pieces.load_remarks())),
        *_row_parts(home),
    ]
    fresh = [(path, stamp, make()) for path, stamp, make in parts if known.get(path) != stamp]
    if backend.notice:
        home.memory.note_fault(backend.notice)
        backend.notice = ""
    if fresh:
        backend.put_many(fresh)
    for path, _, some in fresh:
        backend.set_meta(_KINDS[path], str(len(some)))
        if path == skills.CARDS:
            backend.set_meta(ACTIVE_CARDS, str(sum(card.active for card in found.cards)))


def _row_parts(home: Home) -> Iterator[tuple[str, str, Callable[[], Sequence[Piece]]]]:
    from mneme.formats import outcome as shape
    from mneme.memory.skills.rows import load_text

    def kept(parsed: tuple[list[Row], list[Problem]]) -> list[Row]:
        note_problems(home, parsed[1])
        return parsed[0]

    readers: dict[str, Callable[[str, str], Sequence[Piece]]] = {
        skills.WORKFLOWS: lambda text, path: pieces.workflow_pieces(
            shape.merge_workflows(kept(shape.parse_workflows(text, path)))
        ),
        skills.REFLECTIONS: lambda text, path: pieces.reflection_pieces(kept(shape.parse_reflections(text, path))),
        skills.CORRECTIONS: lambda text, path: pieces.correction_pieces(kept(shape.parse_corrections(text, path))),
    }
    for path, read in readers.items():
        text = load_text(home.root, path)
        stamp = files.digest(text.encode("utf-8", "surrogateescape")) if text else ""
        yield path, stamp, lambda read=read, text=text, path=path: read(text, path)  # type: ignore[misc]


def note_problems(home: Home, problems: Sequence[Problem]) -> None:
    """Take down, in one line for each file, what could not be read of it."""
    for path in dict.fromkeys(problem.path for problem in problems):
        first, *more = [problem for problem in problems if problem.path == path]
        rest = f", and {len(more)} more" if more else ""
        home.memory.note_fault(f"{path}:{first.line}: {first.message}{rest}")


def _stamp_of_categories(home: Home) -> str:
    said = "\0".join(f"{one.name}\0{one.english}\0{one.portuguese}" for one in categories_of(home))
    return files.digest(said.encode("utf-8", "surrogatepass"))


def _stamp_of_remarks() -> str:
    return files.digest("\0".join(pieces.load_remarks()).encode("utf-8"))


def find_embedder(home: Home) -> tuple[Embedder | None, str]:
    """Return the embedder of a home, or None and the reason."""
    if home.lexical:
        return None, "no embedder is asked"
    if home.embedder is not None:
        return home.embedder, ""
    from mneme.engine.embedders import shared_embedder

    return shared_embedder(_choice(home), hurried=home.keep)


def _choice(home: Home) -> EmbedderChoice:
    """Return the embedder that the home's settings name; without a word about it, the one of the package."""
    from mneme.index.embed.choice import DEFAULT, EmbedderChoice
    from mneme.workspace import embedder_key

    settings = home.memory.workspace.settings
    kind = str(settings["embedder.kind"])
    return EmbedderChoice(
        kind=kind,
        model=str(settings["embedder.model"]),
        url=str(settings["embedder.url"]),
        key=embedder_key(),
        folder="" if kind == DEFAULT else str(settings["embedder.folder"]),
        dims=int(settings["embedder.dims"]),
        timeout_seconds=float(settings["embedder.timeout_seconds"]),
    )
