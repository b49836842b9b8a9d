"""The one way from a question to its answer: candidates, exact matches, silence, trust, order, then what is left of it.

Every number that decides is a named term of log-odds, and a hit's score is the sigmoid of their sum. Whether anything is
said at all is decided by the odds that anything here answers, and by what the question calls by its name: trust, age and
variety put hits in order, they never make or unmake one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from mneme.index.backend import EVERY_STATE, Wanted
from mneme.index.rank import load_weights, rank
from mneme.index.search import find_ranked, look
from mneme.recall import belief, trust
from mneme.recall.answer import ASKED, INJECTION, Answer
from mneme.recall.exact import exact_terms
from mneme.recall.moment import Moment, find_moment
from mneme.recall.order import Scored, arrange

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mneme.index.backend import Backend, Outline
    from mneme.index.rank import Days, Ranked, View
    from mneme.index.search import Meaning
    from mneme.recall.question import Question

# So many of the likeliest are read whole; a hit below them would need to pass most of them by trust alone.
LEAST_POOL, POOL_PER_HIT = 40, 3
IN_DAYS = 4.0
# The odds are fitted among the ten best of each question: where fewer stand, each is so much likelier to be the one.
USUAL_FIELD, FEW = 10, "few"
# Of events that are as likely to be meant, the last one is.
AS_LIKELY = 0.5
BY_WORDS, BY_BOTH = "words", "words and meaning"
MOST_OF_DAYS = 400

# What gives a text its vectors, or nothing where meaning has no part.
Means = Callable[[str], "Meaning | None"]


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked, of whom, and how much of it: everything that an answer depends on beside the index itself."""

    question: Question
    standing: trust.Standing
    wanted: Wanted = field(default_factory=Wanted)
    k: int = 5
    point: str = ASKED
    as_of: str = ""
    budget_tokens: int = 0
    is_cut: Callable[[str], bool] = bool

    @property
    def allowed(self) -> Wanted:
        """What a look-up may return: as of a day, every state that there was until then."""
        if not self.as_of:
            return self.wanted
        until = min(self.as_of, self.wanted.until) if self.wanted.until else self.as_of
        return replace(self.wanted, until=until, states=EVERY_STATE)

    @property
    def is_filtered(self) -> bool:
        """Say whether something beside the audience and the usual states is asked for."""
        return self.wanted != Wanted(shared_only=self.wanted.shared_only)

    @property
    def unfiltered(self) -> Request:
        """The same request of everything that whoever asks may see."""
        return replace(self, wanted=Wanted(shared_only=self.wanted.shared_only))


def find_answer(backend: Backend, request: Request, means: Means) -> Answer:
    """Return the hits of a request, or none where nothing clears the point that it is made at."""
    moment = _moment(backend, request)
    if moment and moment.event:
        request = replace(request, question=request.question.leaving_out(moment.event))
    named = _named(backend, request)
    meaning = None if named and request.question.is_names else means(request.question.sense)
    pool = _pool(backend, request, meaning, moment, named)
    by = BY_BOTH if meaning else BY_WORDS
    window = (moment.days.first, moment.days.last) if moment else None
    best = max((one.relevance for one in pool), default=None)
    points = _points(meaning)
    if best is not None and request.is_filtered and best >= points[request.point]:
        # A filter takes away; it never makes something of what is nothing to everybody else.
        whole = _pool(backend, request.unfiltered, meaning, moment, named)
        best = min(best, max((one.relevance for one in whole), default=best))
    if best is None or best < points[request.point]:
        return Answer(by=by, window=window)
    judged = _judged(backend, request, pool, timeless=bool(moment or request.as_of))
    hits = arrange(backend, judged, request, of_days=bool(moment and moment.alone))
    return Answer(hits, certain=best >= points[INJECTION], by=by, window=window)


def find_view(backend: Backend, request: Request, means: Means) -> View:
    """Return what is measured of a request's candidates, before anything is judged: what the ranking is fitted to."""
    moment = _moment(backend, request)
    if moment and moment.event:
        request = replace(request, question=request.question.leaving_out(moment.event))
    return _view(backend, request, means(request.question.sense), moment)


def _view(backend: Backend, request: Request, meaning: Meaning | None, moment: Moment | None) -> View:
    question, days = request.question, moment.days if moment else None
    holds = partial(_is_asked, question=question) if question.without or question.phrases else None
    return look(backend, question.words, meaning, request.allowed, days=days, holds=holds)


def _points(meaning: Meaning | None) -> dict[str, float]:
    return dict(load_weights()["both" if meaning else "words"].points)


def _moment(backend: Backend, request: Request) -> Moment | None:
    """Return the days that the question is about, as far as whoever asks may know of them."""
    question, allowed = request.question, request.allowed
    if not question.words and not question.sense:
        return None

    def holds(days: Days) -> bool:
        return bool(backend.listed(replace(allowed, since=days.first, until=_earlier(days.last, allowed.until)), 1))

    def dated(event: str) -> str:
        ranked, view = find_ranked(backend, event, None, replace(allowed, states=EVERY_STATE))
        days = {one.outline.row: one.outline.date for one in view.candidates}
        told = [one for one in ranked if days[one.row]] if view.answerable() >= _points(None)[ASKED] else []
        return max((days[one.row] for one in told if one.log_odds > told[0].log_odds - AS_LIKELY), default="")

    return find_moment(question.sense or question.words, request.standing.today, holds=holds, dated=dated)


def _earlier(one: str, other: str) -> str:
    return min(one, other) if other else one


def _pool(
    backend: Backend, request: Request, meaning: Meaning | None, moment: Moment | None, named: Mapping[int, float]
) -> list[Scored]:
    """Return the likeliest pieces, with what makes them relevant."""
    question, wanted = request.question, request.allowed
    ranked: list[Ranked] = []
    answerable, few = 0.0, 0.0
    if (question.words or meaning) and not (named and question.is_names):
        view = _view(backend, request, meaning, moment)
        ranked, answerable = rank(view), view.answerable()
        few = math.log(USUAL_FIELD / min(USUAL_FIELD, max(1, len(ranked))))
    of_days = _of_days(backend, wanted, moment) if moment and moment.alone else {}
    most = max(LEAST_POOL, POOL_PER_HIT * request.k)
    by_row = {one.row: one for one in ranked}
    rows = list(dict.fromkeys((*named, *of_days, *(one.row for one in ranked[:most]))))
    pool = []
    for row, piece in backend.pieces(rows, replace(wanted, states=EVERY_STATE)):
        found = by_row.get(row)
        sure = exact_terms(piece, question, called=named.get(row, 0.0))
        if row in of_days:
            sure.append(("in these days", IN_DAYS))
        speaks = (answerable if found else 0.0) + sum(value for _, value in sure)
        why = (*found.why, *([(FEW, few)] if few else [])) if found else ()
        pool.append(Scored(row, piece, [*why, *sure], relevance=speaks))
    return _as_it_was(backend, pool, request) if request.as_of else pool


def _is_asked(outline: Outline, question: Question) -> bool:
    """Say whether a piece holds every phrase that must be there, and no word that must not."""
    if any(word in column for word in question.without for column in outline.terms):
        return False
    columns = [f" {' '.join(column)} " for column in outline.terms]
    return all(any(f" {' '.join(phrase)} " in column for column in columns) for phrase in question.phrases)


def _named(backend: Backend, request: Request) -> dict[int, float]:
    """Return the rows of records that the question calls by id, in whatever state they are, and how surely it does."""
    question = request.question
    wanted = request.allowed
    if not request.is_filtered or wanted.states == Wanted().states:
        wanted = replace(wanted, states=EVERY_STATE)
    asked = {row: 1.0 for row, _ in backend.get(question.ids, wanted)} if question.ids else {}
    said = {row: 1.0 for row, _ in backend.get(question.names, wanted)} if question.names else {}
    return said | asked


def _of_days(backend: Backend, wanted: Wanted, moment: Moment) -> dict[int, None]:
    """Return everything of the days that a question is about, when it is about nothing else."""
    since = max(moment.days.first, wanted.since)
    timely = replace(wanted, since=since, until=_earlier(moment.days.last, wanted.until))
    return dict.fromkeys(row for row, _ in backend.listed(timely, MOST_OF_DAYS))


def _as_it_was(backend: Backend, pool: list[Scored], request: Request) -> list[Scored]:
    """Return the pool as it was believed on the day that is asked for."""
    states = request.wanted.states
    then = []
    for one in pool:
        piece = belief.as_it_was(backend, one.piece, request.as_of, request.wanted)
        if piece is not None and (not states or piece.record.state in states):
            then.append(replace(one, piece=piece))
    return then


def _judged(backend: Backend, request: Request, pool: Sequence[Scored], *, timeless: bool) -> list[Scored]:
    """Add to each what trust and age are worth, and its label."""
    standing = request.standing
    doubtful = belief.find_doubtful(backend, (one.piece.record for one in pool), request.wanted)
    return [
        replace(
            one,
            terms=[*one.terms, *trust.terms(one.piece.record, standing.today, timeless=timeless)],
            label=trust.label(one.piece.record, standing, doubtful=one.piece.record.id in doubtful),
        )
        for one in pool
    ]
