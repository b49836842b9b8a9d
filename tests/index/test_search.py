"""Candidates are collected by words, by vector, by days and by neighbourhood, and never beyond what is wanted."""

from __future__ import annotations

import pytest
from tests.contract.backend import MODEL, piece, vector

from mneme.formats.record import RETIRED, SHARED
from mneme.index.backend import ANY, Wanted
from mneme.index.rank import Days
from mneme.index.reference import ReferenceBackend
from mneme.index.search import MOST_POSTINGS, Meaning, find_ranked, telling_terms
from mneme.index.sqlite import SqliteBackend

TURNS = [
    "Where did you go on holiday?", "To a small island, by boat.", "Lovely. Did you bring the dog?", "No, he stayed with Tom.",
    "My laptop crashed again.", "Oh no. All your work?", "Half of the screenplay is gone.", "I backed up mine yesterday.",
]  # fmt: skip


@pytest.fixture(params=["reference", "sqlite"])
def backend(request: pytest.FixtureRequest, tmp_path: object) -> object:
    """Return a chat of two sessions in either backend, with vectors of what each turn is about."""
    opened = ReferenceBackend() if request.param == "reference" else SqliteBackend(tmp_path / "index.sqlite")
    turns = [
        piece(f"T-{place}", text, group=f"s{place // 4}", place=place, since=f"2024-05-0{1 + place // 4 * 8}", audience=SHARED if place % 2 else "private", state=RETIRED if place == 7 else "live")
        for place, text in enumerate(TURNS)
    ]  # fmt: skip
    opened.put("chat.md", "1", turns)
    about = {text: vector(1.0, place // 4 * 2.0, 0.1 * place) for place, text in enumerate(TURNS)}
    opened.put_vectors(MODEL, {row: [about[text]] for row, text in opened.unembedded(MODEL, 99)})
    yield opened
    opened.close()


def found(
    backend: object, question: str, wanted: Wanted = ANY, meaning: Meaning | None = None, days: Days | None = None
) -> list[str]:
    """Return the ids found, best first."""
    ranked, _ = find_ranked(backend, question, meaning, wanted, days=days)
    return [one.record.id for _, one in backend.pieces([one.row for one in ranked], ANY)]


def test_words_bring_their_neighbours(backend: object) -> None:
    """A question that one turn asks brings that turn and what was answered first, and those beside them along."""
    order = found(backend, "where did they go on holiday")
    assert set(order[:2]) == {"T-0", "T-1"}
    assert "T-2" in order
    assert not {"T-4", "T-5", "T-6"} & set(order)


def test_vectors_bring_what_shares_no_word(backend: object) -> None:
    """Meaning finds pieces that no word leads to."""
    assert "T-6" in found(backend, "unrelated", meaning=Meaning(MODEL, vector(1.0, 2.0, 0.5)))
    assert found(backend, "unrelated") == []


def test_nothing_beyond_what_is_wanted(backend: object) -> None:
    """Neither words nor vectors nor neighbours nor days bring what a filter leaves out."""
    wanted = Wanted(shared_only=True)
    meaning = Meaning(MODEL, vector(1.0, 1.0, 0.1), (vector(1.0, 0.0, 0.0),))
    order = found(
        backend, "laptop screenplay holiday boat yesterday", wanted, meaning, Days("2024-05-01", "2024-05-09")
    )
    assert set(order) == {"T-1", "T-3", "T-5"}


def test_filters_never_add(backend: object) -> None:
    """What a filter leaves is a part of what is found without it."""
    question = "did you bring the dog on the boat?"
    assert set(found(backend, question, Wanted(since="2024-05-05"))) <= set(found(backend, question))


def test_both_backends_rank_alike(tmp_path: object) -> None:
    """The reference and SQLite give the same pieces the same odds."""
    odds = []
    for opened in (ReferenceBackend(), SqliteBackend(tmp_path / "index.sqlite")):
        opened.put(
            "chat.md", "1", [piece(f"T-{place}", text, group="s", place=place) for place, text in enumerate(TURNS)]
        )
        opened.put_vectors(
            MODEL, {row: [vector(1.0, len(text), text.count("o"))] for row, text in opened.unembedded(MODEL, 99)}
        )
        ranked, _ = find_ranked(opened, "did the laptop crash by boat?", Meaning(MODEL, vector(1.0, 20.0, 2.0)), ANY)
        rows = [one.row for one in ranked]
        odds.append(
            [
                (held.record.id, pytest.approx(one.log_odds, abs=1e-3))
                for one, (_, held) in zip(ranked, opened.pieces(rows, ANY), strict=True)
            ]
        )
        opened.close()
    assert odds[0] == odds[1]


def test_the_commonest_words_wait() -> None:
    """The rarest words are looked up, for as long as their pieces can be read in time; the first one always is."""
    most = MOST_POSTINGS
    assert telling_terms({"the": most, "zebra": 1, "hors": most - 1}) == ["zebra", "hors"]
    assert telling_terms({"b": 2, "a": 2}) == ["a", "b"]
    assert telling_terms({"the": 2 * most}) == ["the"]
    assert telling_terms({}) == []


def test_a_common_word_waits_in_every_backend(tmp_path: object) -> None:
    """What is left out of a search is the same whatever keeps the pieces."""
    found = []
    for opened in (ReferenceBackend(), SqliteBackend(tmp_path / "index.sqlite")):
        opened.put("a.md", "1", [piece(f"F-{place}", "zebra") for place in range(MOST_POSTINGS)])
        opened.put("b.md", "1", [piece("G-1", "horse"), piece("G-2", "zebra horse")])
        ranked, _ = find_ranked(opened, "horse zebra", None, ANY)
        found.append({held.record.id for _, held in opened.pieces([one.row for one in ranked], ANY)})
        opened.close()
    assert found == [{"G-1", "G-2"}] * 2
