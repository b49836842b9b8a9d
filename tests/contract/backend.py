"""What every backend of the index promises, as tests: a backend's own test file inherits these and says how to open it.

A subclass provides the fixture `backend`, an empty one. Nothing here knows what a backend is made of.
"""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mneme.formats.piece import Piece
from mneme.formats.record import COLD, LIVE, PRIVATE, PROPOSED, RETIRED, SHARED, STALE, SUPERSEDED, Link, Record
from mneme.index.backend import ANY, Wanted
from mneme.index.words import parse_query, parse_terms

if TYPE_CHECKING:
    from collections.abc import Callable

    from mneme.index.backend import Backend

# One backend serves all examples of a test on purpose, and each backend inherits the same tests.
SHARED_CHECKS = [HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]

WORKING = Wanted()
MODEL, OTHER_MODEL = "tiny/3@1", "tiny/3@2"


def vector(*numbers: float) -> bytes:
    """Return a unit vector in the stored form."""
    length = math.sqrt(sum(number * number for number in numbers)) or 1.0
    return struct.pack(f"<{len(numbers)}f", *(number / length for number in numbers))


def piece(identity: str, body: str = "", **more: object) -> Piece:
    """Return a piece; what belongs to its record is given with the rest."""
    names = ("kind", "tier", "state", "conf", "since", "seen", "audience", "links")
    about = {name: more.pop(name) for name in names if name in more}
    record = Record(**{"id": identity, "kind": "fact", "path": "a.md", "line": 1, "end_line": 1, "text": body, **about})
    return Piece(record, body=body, **more)


def ids(found: list[tuple[int, Piece]]) -> list[str]:
    """Return the record ids of whole pieces."""
    return [one.record.id for _, one in found]


class BackendContract:
    """The promises; `backend` is an empty backend of the kind under test."""

    def found(self, backend: Backend, words: str, wanted: Wanted = WORKING, limit: int = 10) -> list[str]:
        """Return the ids that words find, best first."""
        rows = [row for row, _ in backend.by_words(parse_query(words).terms, limit, wanted)]
        return ids(backend.pieces(rows, wanted))

    def test_empty_finds_nothing(self, backend: Backend) -> None:
        """An empty index answers every question with nothing."""
        assert backend.by_words(["cache"], 5, ANY) == []
        assert backend.by_vector(MODEL, vector(1, 0, 0), 5, ANY).hits == ()
        assert backend.known() == {}
        assert backend.tally(["cache"]).pieces == 0
        assert backend.unembedded(MODEL, 5) == []

    def test_round_trip(self, backend: Backend) -> None:
        """A piece comes back as it was put, whatever its fields hold."""
        whole = piece(
            "DEC-1", "body\nof 小王 \udc80", gist="a gist", cue="a / b", topic="storage/cache", tags=("x", "y z"),
            title="Title", group="g", place=7, speaker="Ann", entity="acme", kind="decision", tier=COLD, state=STALE,
            conf="low", since="2026-01-02", seen="2026-02-03", audience=SHARED, links=(Link("needs", "DEC-2", 4),),
        )  # fmt: skip
        backend.put("notes/caf\udce9.md", "stamp", [whole])
        assert [one for _, one in backend.get(["DEC-1"], ANY)] == [whole]
        assert backend.known() == {"notes/caf\udce9.md": "stamp"}

    def test_several_files_are_put_at_once_and_anew(self, backend: Backend) -> None:
        """Many files come in one step; put anew, nothing of what was there is kept, vectors included."""
        backend.put_many([("a.md", "1", [piece("F-1", "zebra")]), ("b.md", "1", [piece("F-2", "horse")])])
        backend.put_vectors(MODEL, {row: [vector(1, 0, 0)] for row, _ in backend.unembedded(MODEL, 9)})
        assert (backend.known(), backend.embedded(MODEL)) == ({"a.md": "1", "b.md": "1"}, 2)
        backend.put_many([("a.md", "2", [piece("F-1", "zebra")])], anew=True)
        assert (backend.known(), backend.embedded(MODEL)) == ({"a.md": "2", "b.md": "1"}, 1)
        assert self.found(backend, "zebra") == ["F-1"]
        assert backend.tally(["zebra"]).frequency == {"zebra": 1}

    def test_a_stamp_changes_without_its_pieces(self, backend: Backend) -> None:
        """A file that was looked at again keeps its pieces; one that is unknown stays so."""
        backend.put("a.md", "1", [piece("F-1", "zebra")])
        backend.restamp({"a.md": "2", "b.md": "2"})
        assert backend.known() == {"a.md": "2"}
        assert self.found(backend, "zebra") == ["F-1"]

    def test_an_id_of_before_leads_to_the_piece(self, backend: Backend) -> None:
        """An alias finds its piece, unless some other has the id now; it goes when the piece no longer has it."""
        backend.put("a.md", "1", [piece("F-1", aliases=("F-8", "F-2")), piece("F-2")])
        assert ids(backend.get(["F-8"], ANY)) == ["F-1"]
        assert ids(backend.get(["F-2"], ANY)) == ["F-2"]
        backend.put("a.md", "1", [piece("F-1")])
        assert backend.get(["F-8"], ANY) == []

    def test_links_are_followed_back(self, backend: Backend) -> None:
        """Whoever links to an id or a path is found, by the path as it is written and as the workspace has it."""
        to = replace(piece("F-2", links=(Link("links", "../b.md#top"),)).record, path="notes/day.md")
        backend.put("a.md", "1", [piece("F-1", links=(Link("supersedes", "DEC-1"),)), piece("F-3", audience=SHARED)])
        backend.put("notes/day.md", "1", [Piece(to)])
        assert ids(backend.linking(["DEC-1"], ANY)) == ["F-1"]
        assert ids(backend.linking(["b.md"], ANY)) == ids(backend.linking(["b.md#top"], ANY)) == ["F-2"]
        assert ids(backend.linking(["DEC-1", "b.md"], ANY)) == ["F-1", "F-2"]
        assert backend.linking(["DEC-1"], Wanted(shared_only=True)) == backend.linking([], ANY) == []
        backend.put("a.md", "1", [piece("F-1")])
        assert backend.linking(["DEC-1"], ANY) == []

    def test_what_is_wanted_is_listed(self, backend: Backend) -> None:
        """A list needs no question: it is in order of path and line, and no longer than asked."""
        backend.put("b.md", "1", [Piece(replace(piece("F-1").record, path="b.md"))])
        backend.put("a.md", "1", [piece("F-2", topic="x/y"), piece("F-3", topic="x")])
        assert ids(backend.listed(ANY, 9)) == ["F-2", "F-3", "F-1"]
        assert ids(backend.listed(ANY, 1)) == ["F-2"]
        assert ids(backend.listed(Wanted(topic="x/y"), 9)) == ["F-2"]

    def test_words_find_by_stem_and_rarity(self, backend: Backend) -> None:
        """Inflections meet, and the piece with the rarer word comes first."""
        backend.put("a.md", "1", [piece(f"F-{n}", "the cache is warm") for n in range(5)])
        backend.put("b.md", "1", [piece("F-9", "caching migrations")])
        assert self.found(backend, "which migration warmed it?")[0] == "F-9"
        assert set(self.found(backend, "caches")) == {"F-0", "F-1", "F-2", "F-3", "F-4", "F-9"}

    def test_a_gist_weighs_more_than_a_body(self, backend: Backend) -> None:
        """The same word counts for more in a weighted column."""
        backend.put("a.md", "1", [piece("F-1", "zebra stripes here"), piece("F-2", "stripes here", gist="zebra")])
        assert self.found(backend, "zebra")[0] == "F-2"

    @pytest.mark.parametrize("column", ["gist", "cue", "topic", "title", "body"])
    def test_every_column_is_searched(self, backend: Backend, column: str) -> None:
        """A word is found wherever it stands."""
        backend.put("a.md", "1", [replace(piece("F-1"), **{column: "zebra"}), piece("F-2", "horse")])
        assert self.found(backend, "zebras") == ["F-1"]

    def test_tags_are_searched(self, backend: Backend) -> None:
        """A tag is a word too."""
        backend.put("a.md", "1", [piece("F-1", tags=("zebra",)), piece("F-2", "horse")])
        assert self.found(backend, "zebra") == ["F-1"]

    def test_chinese_is_found_by_characters_and_pairs(self, backend: Backend) -> None:
        """A question in Chinese finds the note that shares a word with it, the closer one first."""
        backend.put(
            "a.md", "1", [piece("F-1", "小王对花生严重过敏"), piece("F-2", "花园里的学生"), piece("F-3", "部署脚本")]
        )
        assert self.found(backend, "谁对花生过敏") == ["F-1", "F-2"]

    @pytest.mark.parametrize(
        "typed",
        [
            '"',
            '"a',
            "NEAR(zebra, 2)",
            "zebra*",
            "body:zebra",
            "zebra AND",
            "NOT zebra",
            "(zebra",
            "^zebra",
            "-zebra",
            "zebra' OR 1=1 --",
            "{zebra}",
            "zebra\x00horse",
        ],
    )
    def test_search_syntax_is_text(self, backend: Backend, typed: str) -> None:
        """Quotes, operators, column names and brackets are words or nothing, never an error."""
        backend.put("a.md", "1", [piece("F-1", "a zebra, body near"), piece("F-2", "cow")])
        assert "F-2" not in self.found(backend, typed)
        assert ("zebra" in parse_terms(typed)) == (self.found(backend, typed) == ["F-1"]) or typed.startswith('"')

    @settings(max_examples=40, deadline=None, suppress_health_check=SHARED_CHECKS)
    @given(typed=st.text(max_size=60))
    def test_any_text_is_a_question(self, backend: Backend, typed: str) -> None:
        """Whatever is typed, and whatever is indexed, looking it up is no error."""
        backend.put("a.md", "1", [piece("F-1", typed)])
        terms = parse_query(typed).terms
        assert bool(terms) == bool(backend.by_words(terms, 5, ANY))

    def test_put_replaces_a_file(self, backend: Backend) -> None:
        """After a put the file's pieces are those that were given, and no others."""
        backend.put("a.md", "1", [piece("F-1", "zebra"), piece("F-2", "horse")])
        backend.put("a.md", "2", [piece("F-2", "horse"), piece("F-3", "donkey")])
        assert self.found(backend, "zebra") == []
        assert ids(backend.get(["F-1", "F-2", "F-3"], ANY)) == ["F-2", "F-3"]
        assert backend.known() == {"a.md": "2"}
        assert backend.tally(["horse"]).pieces == 2

    def test_a_changed_state_keeps_the_vector(self, backend: Backend) -> None:
        """A piece whose texts are the same needs no new vector, though it moved and aged."""
        backend.put("a.md", "1", [piece("F-1", "zebra")])
        self.embed(backend, lambda _: vector(1, 0, 0))
        backend.put("a.md", "2", [piece("F-0", "new"), piece("F-1", "zebra", state=STALE, seen="2026-01-01")])
        assert [text for _, text in backend.unembedded(MODEL, 9)] == ["new"]
        assert [one.record.state for _, one in backend.get(["F-1"], ANY)] == [STALE]

    def test_a_changed_text_loses_the_vector(self, backend: Backend) -> None:
        """The vector of a text that is gone is not found again."""
        backend.put("a.md", "1", [piece("F-1", "zebra")])
        self.embed(backend, lambda _: vector(1, 0, 0))
        backend.put("a.md", "2", [piece("F-1", "horse")])
        assert backend.by_vector(MODEL, vector(1, 0, 0), 5, ANY).hits == ()
        assert [text for _, text in backend.unembedded(MODEL, 9)] == ["horse"]

    def test_drop_forgets(self, backend: Backend) -> None:
        """A dropped file is found by nothing; dropping what is unknown is no fault."""
        backend.put("a.md", "1", [piece("F-1", "zebra")])
        backend.put("b.md", "1", [piece("F-2", "zebra")])
        self.embed(backend, lambda _: vector(1, 0, 0))
        backend.drop(["a.md", "never.md"])
        assert self.found(backend, "zebra") == ["F-2"]
        assert ids(backend.get(["F-1"], ANY)) == []
        near = backend.by_vector(MODEL, vector(1, 0, 0), 5, ANY)
        assert ids(backend.pieces([row for row, _ in near.hits], ANY)) == ["F-2"]
        assert backend.tally(["zebra"]).frequency == {"zebra": 1}

    def test_one_id_in_two_files(self, backend: Backend) -> None:
        """Two records may claim one id; both are kept and found."""
        backend.put("a.md", "1", [piece("F-1", "zebra")])
        backend.put("b.md", "1", [piece("F-1", "horse"), piece("F-1", "horse")])
        assert len(backend.get(["F-1"], ANY)) == 3
        backend.drop(["b.md"])
        assert [one.body for _, one in backend.get(["F-1"], ANY)] == ["zebra"]

    def test_vectors_nearest_first(self, backend: Backend) -> None:
        """The nearest by cosine comes first, with its cosine and how all of them lie."""
        backend.put("a.md", "1", [piece("F-1", "one"), piece("F-2", "two"), piece("F-3", "three")])
        places = {"one": vector(1, 0, 0), "two": vector(1, 1, 0), "three": vector(0, 0, 1)}
        self.embed(backend, places.__getitem__)
        near = backend.by_vector(MODEL, vector(1, 0.1, 0), 2, ANY)
        assert ids(backend.pieces([row for row, _ in near.hits], ANY)) == ["F-1", "F-2"]
        assert near.hits[0][1] == pytest.approx(0.995, abs=0.001)
        cosines = backend.similar(MODEL, vector(1, 0.1, 0), [row for row, _ in backend.get(["F-3", "F-1"], ANY)])
        assert sorted(cosines.values()) == pytest.approx([0.0, 0.995], abs=0.001)
        assert near.count == 3
        assert near.mean == pytest.approx((0.995 + 0.774 + 0.0) / 3, abs=0.001)

    def test_what_lacks_a_vector_is_told_wherever_it_lies(self, backend: Backend) -> None:
        """Before, between and after rows that have one; no more are told than are asked for, and they are counted."""
        backend.put("a.md", "1", [piece(f"F-{n}", f"text {n}") for n in range(5)])
        rows = {text: row for row, text in backend.unembedded(MODEL, 9)}
        assert len(rows) == 5
        backend.put_vectors(MODEL, {rows[text]: [vector(1, 0, 0)] for text in ("text 1", "text 3")})
        assert {text for _, text in backend.unembedded(MODEL, 9)} == {"text 0", "text 2", "text 4"}
        assert len(backend.unembedded(MODEL, 2)) == 2
        backend.put_vectors(MODEL, {rows["text 4"]: [vector(1, 0, 0)], rows["text 3"]: [vector(0, 1, 0)]})
        assert {text for _, text in backend.unembedded(MODEL, 9)} == {"text 0", "text 2"}
        assert (backend.embedded(MODEL), backend.embedded(OTHER_MODEL)) == (3, 0)

    def test_the_nearest_stretch_speaks_for_the_whole(self, backend: Backend) -> None:
        """A row of several vectors is found once, by the nearest of them; others put in their place leave none behind."""
        backend.put("a.md", "1", [piece(f"F-{n}", f"text {n}") for n in range(3)])
        rows = {text: row for row, text in backend.unembedded(MODEL, 9)}
        long, short, other = (rows[f"text {n}"] for n in range(3))
        backend.put_vectors(MODEL, {long: [vector(0, 1, 0), vector(1, 0.1, 0), vector(1, 0.2, 0)]})
        backend.put_vectors(MODEL, {short: [vector(1, 0.5, 0)], other: [vector(0, 0, 1)]})
        near = backend.by_vector(MODEL, vector(1, 0, 0), 2, ANY)
        assert [row for row, _ in near.hits] == [long, short]
        assert near.hits[0][1] == pytest.approx(0.995, abs=0.001)
        assert near.mean == pytest.approx((0.995 + 0.894 + 0.0) / 3, abs=0.001)
        assert backend.similar(MODEL, vector(0, 1, 0), [long]) == {long: pytest.approx(1.0)}
        assert (backend.embedded(MODEL), backend.unembedded(MODEL, 9)) == (3, [])
        backend.put_vectors(MODEL, {long: [vector(0, 1, 0)]})
        assert backend.similar(MODEL, vector(1, 0, 0), [long]) == {long: pytest.approx(0.0)}
        backend.drop(["a.md"])
        assert backend.by_vector(MODEL, vector(0, 1, 0), 9, ANY).hits == ()

    def test_embedders_are_never_mixed(self, backend: Backend) -> None:
        """A vector is found under the name of the model that made it, and under no other."""
        backend.put("a.md", "1", [piece("F-1", "one")])
        self.embed(backend, lambda _: vector(1, 0, 0))
        assert backend.by_vector(OTHER_MODEL, vector(1, 0, 0), 5, ANY).hits == ()
        assert len(backend.unembedded(OTHER_MODEL, 5)) == 1
        backend.forget_embedder(MODEL)
        assert backend.by_vector(MODEL, vector(1, 0, 0), 5, ANY).hits == ()
        assert len(backend.unembedded(MODEL, 5)) == 1

    def test_a_vector_for_a_row_that_is_gone(self, backend: Backend) -> None:
        """Embedding takes time: a row dropped meanwhile is ignored."""
        backend.put("a.md", "1", [piece("F-1", "one")])
        ((row, _),) = backend.unembedded(MODEL, 5)
        backend.drop(["a.md"])
        backend.put_vectors(MODEL, {row: [vector(1, 0, 0)]})
        assert backend.by_vector(MODEL, vector(1, 0, 0), 5, ANY).hits == ()

    @pytest.mark.parametrize(
        ("wanted", "expected"),
        [
            (Wanted(), ["F-1", "F-2", "F-3"]),
            (ANY, ["F-1", "F-2", "F-3", "F-4", "F-5"]),
            (Wanted(kinds=("decision",)), ["F-2"]),
            (Wanted(tiers=(COLD,)), ["F-3"]),
            (Wanted(states=(SUPERSEDED,)), ["F-4"]),
            (Wanted(topic="storage"), ["F-1", "F-2"]),
            (Wanted(topic="storage/cache"), ["F-1"]),
            (Wanted(tags=("red", "blue")), ["F-2"]),
            (Wanted(entity="acme"), ["F-3"]),
            (Wanted(since="2026-02-01"), ["F-2", "F-3"]),
            (Wanted(until="2026-02-01"), ["F-1", "F-2"]),
            (Wanted(since="2026-02-01", until="2026-02-01"), ["F-2"]),
            (Wanted(shared_only=True), ["F-3"]),
            (Wanted(kinds=("' OR 1=1 --",)), []),
            (Wanted(topic="%"), []),
        ],
    )
    def test_filters(self, backend: Backend, wanted: Wanted, expected: list[str]) -> None:
        """Every look-up keeps to what is wanted, by words, by vector, by id and by place alike."""
        everything = [
            piece("F-1", "zebra one", topic="storage/cache", since="2026-01-01", tags=("red",), group="g", place=1),
            piece("F-2", "zebra two", topic="storage", kind="decision", since="2026-02-01", tags=("red", "blue"), group="g", place=2, state=PROPOSED),
            piece("F-3", "zebra three", topic="storages", tier=COLD, entity="acme", since="2026-03-01T10:00", audience=SHARED, group="g", place=3, state=STALE),
            piece("F-4", "zebra four", state=SUPERSEDED, group="g", place=4),
            piece("F-5", "zebra five", state=RETIRED, group="g", place=5),
        ]  # fmt: skip
        backend.put("a.md", "1", everything)
        self.embed(backend, lambda text: vector(1, len(text), 0))
        assert sorted(self.found(backend, "zebra", wanted)) == expected
        near = backend.by_vector(MODEL, vector(1, 1, 0), 10, wanted)
        assert sorted(ids(backend.pieces([row for row, _ in near.hits], ANY))) == expected
        assert sorted(ids(backend.get([one.record.id for one in everything], wanted))) == expected
        rows = [row for row, _ in backend.get([one.record.id for one in everything], ANY)]
        assert sorted(ids(backend.pieces(rows, wanted))) == expected
        beside = backend.beside(rows[:1], 9, wanted)
        assert sorted(ids(backend.pieces(beside, ANY))) == [one for one in expected if one != "F-1"]

    @settings(max_examples=30, deadline=None, suppress_health_check=SHARED_CHECKS)
    @given(data=st.data())
    def test_nothing_private_reaches_a_shared_context(self, backend: Backend, data: st.DataObject) -> None:
        """Whatever else is asked for, a context that may see shared records sees no private one."""
        texts = st.text(max_size=8)
        odd = st.sampled_from(["", "shared", "' OR '1'='1", "%", "*", "private", PRIVATE, SHARED])
        wanted = Wanted(
            kinds=tuple(data.draw(st.lists(odd, max_size=2))), states=data.draw(st.sampled_from([(), (LIVE,), ("' OR 1",)])),
            topic=data.draw(odd), tags=tuple(data.draw(st.lists(texts, max_size=2))), since=data.draw(odd), until=data.draw(odd),
            shared_only=True,
        )  # fmt: skip
        backend.put(
            "a.md",
            "1",
            [
                piece("F-1", "zebra", kind="shared", group="g", place=1),
                piece("F-2", "zebra", audience=SHARED, group="g", place=2),
            ],
        )
        self.embed(backend, lambda _: vector(1, 0, 0))
        rows = [row for row, _ in backend.get(["F-1", "F-2"], ANY)]
        seen = [row for row, _ in backend.by_words(["zebra"], 9, wanted)]
        seen += [row for row, _ in backend.by_vector(MODEL, vector(1, 0, 0), 9, wanted).hits]
        seen += backend.beside(rows, 9, wanted)
        seen += [row for row, _ in (*backend.pieces(rows, wanted), *backend.get(["F-1", "F-2"], wanted))]
        assert "F-1" not in ids(backend.pieces(seen, ANY))

    def test_neighbours(self, backend: Backend) -> None:
        """Neighbours are those within reach in the same group of the same file; no group, no neighbours."""
        chat = [piece(f"T-{n}", f"turn {n}", group="monday", place=n) for n in range(6)]
        backend.put(
            "chat.md", "1", [*chat, piece("T-9", "else", group="tuesday", place=2), piece("T-8", "lone", place=2)]
        )
        backend.put("b.md", "1", [piece("T-7", "elsewhere", group="monday", place=2)])
        rows = {one.record.id: row for row, one in backend.get([*(f"T-{n}" for n in range(10))], ANY)}
        assert sorted(ids(backend.pieces(backend.beside([rows["T-2"]], 2, ANY), ANY))) == ["T-0", "T-1", "T-3", "T-4"]
        assert backend.beside([rows["T-8"]], 2, ANY) == []

    def test_outlines_hold_what_ranking_reads(self, backend: Backend) -> None:
        """An outline is in the order asked for, with terms by column and without a row that is gone."""
        backend.put(
            "a.md",
            "1",
            [
                piece(
                    "F-1",
                    "Who paints? Ann, in 2024.",
                    gist="the painting",
                    speaker="Ann Lee",
                    group="g",
                    place=3,
                    since="2026-01-02",
                )
            ],
        )
        ((row, _),) = backend.get(["F-1"], ANY)
        (outline,) = backend.outlines([row, row + 99])
        assert outline.terms == (("the", "paint"), (), (), (), ("who", "paint", "ann", "in", "2024"))
        assert (outline.id, outline.path, outline.line, outline.group, outline.place) == ("F-1", "a.md", 1, "g", 3)
        assert (outline.speaker, outline.date, outline.traits.timed) == (("ann", "lee"), "2026-01-02", True)
        assert outline.length == 2 * 2.0 + 5.0

    def test_tally(self, backend: Backend) -> None:
        """The tally counts pieces with a term, not its occurrences, and weighs lengths by column."""
        backend.put("a.md", "1", [piece("F-1", "zebra zebra"), piece("F-2", "horse", gist="zebra")])
        tally = backend.tally(["zebra", "hors", "cow"])
        assert (tally.pieces, tally.mean_length, tally.frequency) == (2, 2.5, {"zebra": 2, "hors": 1})

    def test_notes_about_the_index(self, backend: Backend) -> None:
        """A note is kept under its name, the last one counts, and there is none to begin with."""
        assert backend.meta("scan") == ""
        backend.set_meta("scan", "1")
        backend.set_meta("scan", "2")
        assert backend.meta("scan") == "2"

    def test_the_order_of_indexing_changes_nothing(self, backend: Backend) -> None:
        """Files put in another order, or twice, or after others were dropped, are found with the same scores."""
        files = {f"{n}.md": [piece(f"F-{n}", f"zebra {'horse ' * (n % 3)}number{n}")] for n in range(8)}
        for path, pieces in files.items():
            backend.put(path, "1", pieces)
        first = self.scores(backend)
        backend.put("x.md", "1", [piece("X-1", "zebra horse horse")])
        backend.drop([*files, "x.md"])
        for path in reversed(files):
            backend.put(path, "1", files[path])
        assert self.scores(backend) == first

    def test_scores_are_the_same_everywhere(self, backend: Backend) -> None:
        """A score is BM25 with weighted columns, to the digit; a word that is in most pieces still adds a little."""
        backend.put("a.md", "1", [piece("F-1", "zebra", gist="the zebra"), piece("F-2", "zebra horse horse")])
        backend.put("b.md", "1", [piece("F-3", "zebra stripes, many and long"), piece("F-4", "cow")])
        lengths = {"F-1": 3, "F-2": 3, "F-3": 5}
        often = {"F-1": {"zebra": 3.0}, "F-2": {"zebra": 1.0, "hors": 2.0}, "F-3": {"zebra": 1.0}}
        weighs = {"zebra": 1e-6, "hors": math.log((4 - 1 + 0.5) / (1 + 0.5))}
        norms = {one: 1.2 * (0.25 + 0.75 * length / 3.0) for one, length in lengths.items()}
        assert self.scores(backend, 12) == {
            one: pytest.approx(sum(weighs[term] * 2.2 * n / (n + norms[one]) for term, n in held.items()), rel=1e-9)
            for one, held in often.items()
        }

    def test_no_word_is_too_common_to_be_looked_up(self, backend: Backend) -> None:
        """Which words are worth their time is decided by whoever asks: a backend looks up what it is given."""
        backend.put("a.md", "1", [piece(f"F-{n}", "zebra") for n in range(9_000)])
        backend.put("b.md", "1", [piece("G-1", "horse")])
        assert len(backend.by_words(["hors", "zebra"], 10_000, ANY)) == 9_001

    def test_ties_are_settled_by_place(self, backend: Backend) -> None:
        """Of more pieces that are as good than are asked for, the same come back in whatever order they were put."""
        files = {f"{n:03}.md": [piece(f"F-{n}", "zebra", kind="fact" if n % 3 else "todo")] for n in range(700)}
        first = [f"F-{n}" for n in range(700) if n % 3][:10]
        for order in (list(files), list(reversed(files))):
            backend.put_many([(path, "1", files[path]) for path in order])
            self.embed(backend, lambda _: vector(1, 0, 0))
            assert self.found(backend, "zebra", Wanted(kinds=("fact",))) == first
            near = backend.by_vector(MODEL, vector(1, 1, 0), 10, Wanted(kinds=("fact",)))
            assert ids(backend.pieces([row for row, _ in near.hits], ANY)) == first
            backend.drop(files)

    def test_some_stand_for_all(self, backend: Backend) -> None:
        """How cosines lie is told by the same few hundred pieces, in whatever order they were put."""
        files = {f"{n:03}.md": [piece(f"F-{n}", f"text {n}")] for n in range(400)}
        told = set()
        for order in (list(files), list(reversed(files))):
            backend.put_many([(path, "1", files[path]) for path in order])
            self.embed(backend, lambda text: vector(1, int(text[5:]), 0))
            near = backend.by_vector(MODEL, vector(1, 100, 0), 1, ANY)
            told.add((near.count, round(near.mean, 5), round(near.deviation, 5)))
            backend.drop(files)
        cosines = {n: (1 + 100 * n) / math.hypot(1, n) / math.hypot(1, 100) for n in range(400)}
        drawn = [cosines[n] for n in sorted(cosines, key=lambda n: (zlib.crc32(b"F-%d" % n), f"F-{n}"))[:256]]
        mean = math.fsum(drawn) / 256
        deviation = math.sqrt(math.fsum((one - mean) ** 2 for one in drawn) / 256)
        assert told == {(256, round(mean, 5), round(deviation, 5))}

    def scores(self, backend: Backend, digits: int = 9) -> dict[str, float]:
        """Return the score of each id for a question."""
        found = backend.by_words(["zebra", "hors"], 20, ANY)
        return {
            one.record.id: round(score, digits)
            for (_, score), (_, one) in zip(found, backend.pieces([row for row, _ in found], ANY), strict=True)
        }

    def embed(self, backend: Backend, embed: Callable[[str], bytes]) -> None:
        """Give every piece that lacks one a vector."""
        backend.put_vectors(MODEL, {row: [embed(text)] for row, text in backend.unembedded(MODEL, 1000)})
