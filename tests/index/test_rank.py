"""The ranking: explanations sum, order of candidates changes nothing, and every number has a name and a reason."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mneme.index.backend import Near, Outline, Tally
from mneme.index.rank import (
    ANSWERS,
    DOUBT,
    FEATURES,
    GATED,
    GROUNDLESS,
    SHAPES,
    SURE,
    WEIGHTS_FILE,
    Candidate,
    Days,
    Weights,
    both,
    load_weights,
    names,
    probability,
    rank,
)
from mneme.index.survey import survey
from mneme.index.words import Traits, parse_query, parse_terms
from mneme.recall.why import in_words

WORDS = ("zebra", "horse", "turtle", "paint", "cache", "Ann", "when", "2024")
NEAR = Near((), 100, 0.1, 0.1)


def outline(row: int, body: str, **more: object) -> Outline:
    """Return an outline of a body."""
    return Outline(row, f"F-{row}", "a.md", row, ((), (), (), (), tuple(parse_terms(body))), **more)


def tally(candidates: list[Candidate], question: str) -> Tally:
    """Return the tally of a store that holds these candidates and nothing else."""
    terms = parse_query(question).terms
    held = [{term for column in one.outline.terms for term in column} for one in candidates]
    spread = {term: sum(term in one for one in held) for term in terms}
    return Tally(len(candidates), 5.0, {term: count for term, count in spread.items() if count})


def ranked(question: str, candidates: list[Candidate], days: Days | None = None, near: Near = NEAR) -> list:
    """Return candidates ranked by the shipped weights."""
    return rank(
        survey(parse_query(question), candidates, tally(candidates, question), near, usual=(0.08, 0.11), days=days)
    )


def lines_of(question: str, candidates: list[Candidate]) -> list[dict[str, float]]:
    """Return what is measured of each candidate, in order, by name."""
    view = survey(parse_query(question), candidates, tally(candidates, question), NEAR, usual=(0.08, 0.11))
    return [dict(zip(FEATURES, line, strict=True)) for line in view.lines]


texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
cosines = st.one_of(st.none(), st.floats(-1, 1))


@st.composite
def candidate_lists(draw: st.DrawFn) -> list[Candidate]:
    """Draw candidates with neighbours, speakers, dates and traits."""
    found = []
    for row in range(draw(st.integers(0, 7))):
        held = outline(
            row,
            draw(texts),
            group=draw(st.sampled_from(["", "g", "h"])),
            place=row,
            speaker=tuple(parse_terms(draw(st.sampled_from(["", "Ann", "Bob"])))),
            date=draw(st.sampled_from(["", "2024-01-01", "2024-05-05", "nonsense"])),
            traits=Traits(draw(st.floats(0, 1)), draw(st.booleans()), draw(st.booleans()), draw(st.floats(0, 1))),
        )
        found.append(Candidate(held, draw(cosines)))
    return found


@given(question=texts, candidates=candidate_lists())
def test_explanations_sum_to_the_score(question: str, candidates: list[Candidate]) -> None:
    """The terms of an explanation sum to the log-odds exactly, and the score is their sigmoid."""
    for one in ranked(question, candidates, Days("2024-05-01", "2024-05-31")):
        assert math.fsum(value for _, value in one.why) == one.log_odds
        assert one.score == probability(one.log_odds)
        assert 0.0 <= one.score <= 1.0


@given(question=texts, candidates=candidate_lists(), random=st.randoms(use_true_random=False))
def test_the_order_of_candidates_changes_nothing(question: str, candidates: list[Candidate], random: object) -> None:
    """The same candidates in another order get the same scores in the same order."""
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert ranked(question, shuffled) == ranked(question, candidates)


def test_words_decide_without_an_embedder() -> None:
    """Without cosines the piece with the question's words comes first, by the weights that know of no vectors."""
    candidates = [
        Candidate(outline(1, "a horse in a field")),
        Candidate(outline(2, "zebra stripes")),
        Candidate(outline(3, "paint")),
    ]
    first, *_ = ranked("zebra stripes", candidates, near=Near())
    assert first.row == 2
    assert not {"sense", "leads", "part_sense"} & {name for name, _ in first.why}


def test_meaning_decides_where_no_word_is_shared() -> None:
    """Where no word meets, the nearest vector comes first."""
    candidates = [
        Candidate(outline(row, text), cosine)
        for row, text, cosine in [(1, "horse", 0.1), (2, "equine", 0.7), (3, "paint", 0.05)]
    ]
    assert ranked("pony", candidates)[0].row == 2


def test_a_better_hit_scores_higher_than_a_worse_one_elsewhere() -> None:
    """The chance is worth something across questions: an answer in every word beats one word in a hundred."""
    filler = [Candidate(outline(row, "turtle paint cache"), 0.1) for row in range(10, 30)]
    good = ranked("zebra horse", [Candidate(outline(1, "the zebra and the horse"), 0.8), *filler])[0]
    poor = ranked(
        "zebra unicorn dragon", [Candidate(outline(1, "zebra " * 3 + "horse cache paint " * 9), 0.15), *filler]
    )[0]
    assert good.score > 0.5 > poor.score


def test_ties_are_settled_by_place() -> None:
    """Pieces that nothing tells apart come in the order of the text, never of the rows."""
    candidates = [
        Candidate(Outline(row, f"F-{line}", "a.md", line, ((), (), (), (), ("zebra",))))
        for row, line in [(9, 1), (1, 9), (5, 5)]
    ]
    assert [one.row for one in ranked("zebra", candidates, near=Near())] == [9, 5, 1]


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("2024-05-01", 1.0),
        ("2024-05-31", 1.0),
        ("2024-06-08", 0.5),
        ("2024-04-27", 0.5),
        ("2024-07-30", 0.0),
        ("", 0.0),
        ("2024-13-99", 0.0),
    ],
)
def test_days(day: str, expected: float) -> None:
    """A day within counts whole, one after it counts for longer than one before, and no date counts for nothing."""
    assert Days("2024-05-01", "2024-05-31").closeness(day) == expected


def test_nothing_to_rank() -> None:
    """No candidates, no hits; an empty question is no fault."""
    assert ranked("", []) == []
    assert len(ranked("", [Candidate(outline(1, ""))])) == 1


def test_the_weights_file_names_what_is_measured() -> None:
    """Every number in the file is the weight of something that is measured, and everything measured has one."""
    held = json.loads(WEIGHTS_FILE.read_text("utf-8"))
    assert set(held) == {"both", "words", "fitted to"}
    for mode in (held["both"], held["words"]):
        assert tuple(mode["answers"]) == ("base", *ANSWERS)
        assert mode["points"]["asked"] < mode["points"]["injection"]
        assert tuple(mode["features"]) == FEATURES
        assert tuple(mode["gates"]) == GATED
        assert all(tuple(gate) == SHAPES for gate in mode["gates"].values())
    for weights in load_weights().values():
        weigh = weights.under(dict.fromkeys(SHAPES, 1.0))
        assert len(weigh) == len(FEATURES)
        assert all(map(math.isfinite, weigh))


def test_a_shape_moves_what_a_feature_weighs() -> None:
    """A gated feature weighs its own weight and that of each shape in the measure of the shape; others stay."""
    weights = Weights({"words": 1.0, "sense": 2.0}, {"words": {"grip": 4.0}}, {})
    weigh = dict(zip(FEATURES, weights.under({"grip": 0.5}), strict=True))
    assert (weigh["words"], weigh["sense"], weigh["phrase"]) == (3.0, 2.0, 0.0)
    assert len(names()) == len(FEATURES) + len(GATED) * len(SHAPES)


def test_other_weights_may_be_given() -> None:
    """A fit under way ranks by its own numbers."""
    backwards = Weights({"words": -1.0}, {}, {"base": 2.0})
    view = survey(
        parse_query("zebra"),
        [Candidate(outline(1, "zebra")), Candidate(outline(2, "horse"))],
        Tally(2, 1.0, {"zebra": 1}),
        Near(),
        usual=None,
    )
    first, second = rank(view, {"words": backwards, "both": backwards})
    assert (first.row, first.why) == (2, (("base", 2.0),))
    assert (second.row, second.log_odds) == (1, 1.0)


@given(one=st.floats(-40, 40), other=st.floats(-40, 40))
def test_two_chances_together_are_their_product(one: float, other: float) -> None:
    """That anything answers, and that this does if anything: the chance of both is the product of their chances."""
    assert probability(both(one, other)) == pytest.approx(probability(one) * probability(other), rel=1e-6, abs=1e-15)
    assert both(one, other) <= min(one, other)
    assert math.isfinite(both(-900.0, 900.0))


def test_a_question_about_something_else_is_doubted() -> None:
    """Where no word is known and nothing is near, every hit is doubted; where something is near, hardly."""
    far = ranked("unicorn dragon", [Candidate(outline(1, "zebra horse"), 0.05)])[0]
    near = ranked("unicorn dragon", [Candidate(outline(1, "zebra horse"), 0.8)])[0]
    assert dict(far.why)["doubt"] < dict(near.why)["doubt"] <= 0.0
    assert far.score < 0.05 < near.score


def test_what_is_likelier_than_not_is_held_back() -> None:
    """Above even only the share `sure` of the log-odds is kept, as a term of its own; below, and in order, nothing moves."""
    view = survey(
        parse_query("zebra horse"),
        [Candidate(outline(1, "zebra horse")), Candidate(outline(2, "horse")), Candidate(outline(3, "cow"))],
        Tally(3, 1.0, {"zebra": 1, "horse": 2}),
        Near(),
        usual=None,
    )
    plain, held = (
        rank(view, dict.fromkeys(("both", "words"), Weights({"cover": 6.0}, {}, {"base": -3.0}, sure=share)))
        for share in (1.0, 0.5)
    )
    assert [one.row for one in plain] == [one.row for one in held] == [1, 2, 3]
    assert held[0].log_odds == pytest.approx(plain[0].log_odds / 2)
    assert dict(held[0].why)["sure"] == pytest.approx(-plain[0].log_odds / 2)
    assert (held[2].log_odds, "sure" in dict(held[2].why)) == (plain[2].log_odds, False)
    assert math.fsum(value for _, value in held[0].why) == pytest.approx(held[0].log_odds)


def test_length_counts_only_up_to_a_paragraph() -> None:
    """What is longer than that is not likelier for it, or the longest would always win."""
    texts = ("horse " * 10, "horse " * 80, "horse " * 2000)
    lines = lines_of("zebra", [Candidate(outline(place, text)) for place, text in enumerate(texts, 1)])
    short, long, longest = (line["length"] for line in lines)
    assert short < long == longest


def test_places_are_shared_by_equals() -> None:
    """The first by words has place 1, equals have the same, and what holds no word has none."""
    texts = ("zebra horse", "zebra horse", "zebra cow", "cow")
    lines = lines_of("zebra horse", [Candidate(outline(place, text)) for place, text in enumerate(texts, 1)])
    assert [round(line["words_place"], 3) for line in lines] == [1.0, 1.0, round(10 / 11, 3), 0.0]
    assert {line["sense_place"] for line in lines} == {0.0}


def test_what_would_come_by_chance_is_measured() -> None:
    """Rare words together are less likely by accident than one of them; the more pieces, the nearer the nearest stands."""
    together, alone = (
        survey(
            parse_query("zebra horse"),
            [Candidate(outline(1, text))],
            Tally(1000, 1.0, {"zebra": 3, "horse": 3}),
            Near(),
            usual=None,
        ).shape
        for text in ("zebra horse", "zebra")
    )
    assert together["chance"] > alone["chance"] == 0.0
    small, large = (
        survey(parse_query("zebra"), [], Tally(pieces, 1.0, {}), Near(), usual=None).shape["crowd"]
        for pieces in (100, 10_000)
    )
    assert 0.0 < small < large < 1.0


def test_every_term_is_told_in_words() -> None:
    """Whatever a score may be the sum of says in words what it is; an unknown term says nothing."""
    odds = {name for weights in load_weights().values() for name in weights.odds}
    beside = {"few", "id", "gist", "title", "cue", "entity", "in these days", "state", "conf", "seen", "recency"}
    beside |= {"superseded", "conflict", "diversity", "successor of DEC-0001"}
    assert [name for name in {*FEATURES, *odds, DOUBT, SURE, *beside} if not in_words(name)] == []
    assert in_words("zebra") == ""


def test_without_any_ground_nothing_answers() -> None:
    """No word known and nothing nearer than the unrelated: that is no answer, even where there is only one piece."""
    question = "unicorn dragon"
    grounds = [
        survey(parse_query(question), [one], tally([one], question), NEAR, usual=(0.08, 0.11)).answerable()
        for one in (
            Candidate(outline(1, "zebra horse"), 0.06),
            Candidate(outline(1, "zebra horse"), 0.5),
            Candidate(outline(1, "zebra dragon"), 0.06),
        )
    ]
    assert grounds[0] == GROUNDLESS < min(grounds[1:])


def test_ranking_needs_no_numpy() -> None:
    """Importing and using the ranking loads neither numpy nor a model runtime."""
    script = (
        "import sys; from mneme.index import rank, search, words, sqlite; rank.load_weights();"
        "sys.exit(bool({'numpy', 'onnxruntime'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
