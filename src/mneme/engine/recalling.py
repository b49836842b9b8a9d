"""The verbs that find memories: by a question, or beside one that is known.

A recall first brings in what was just written, then asks the index, then writes one line to the recall log. What lies in
files that could not be brought in in time is read anew before it is shown: no answer says what a file no longer does.
"""

from __future__ import annotations

import contextlib
import shlex
import time
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.indexing import bring_in, serving_embedder, take_notices, with_index
from mneme.engine.replay import keep_question
from mneme.errors import BadInputError, MnemeError, NotFoundError
from mneme.formats.recalled import ORIGINS, RECALL_LOG, UPKEEP, Recalled, Seen, print_recalled, query_hash
from mneme.formats.record import STATES, TIERS
from mneme.index.backend import EVERY_STATE, Wanted, targets_of
from mneme.recall.answer import ASKED, INJECTION, POINTS, Answer
from mneme.recall.find import Request, find_answer
from mneme.recall.question import parse_question
from mneme.recall.trust import Standing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from mneme.engine.memory import Memory
    from mneme.engine.results import Related
    from mneme.formats.piece import Piece
    from mneme.index.backend import Backend
    from mneme.index.search import Meaning

__all__ = ["Answer", "recall", "related"]

K = 5
MOST_HITS = 1000
# Files that changed while they were being found are read again; one that never rests is left out.
MOST_ROUNDS = 3
ANY_STATE = "any"
# What people call layers, as the kinds of memory that lie in them; every tier is a layer too.
LAYERS = {
    "episodic": ("day", "event", "dream", "buffer", "report", "turn"),
    "procedural": ("howto", "lesson", "workflow", "capability"),
    "semantic": (
        *(
            "decision",
            "goal",
            "preference",
            "gotcha",
            "fact",
            "todo",
            "memory",
            "note",
            "entity",
            "user-file",
            "identity",
        ),
        *("user", "feedback", "project", "reference", "infrastructure", "status", "task", "reminder"),
    ),
}


def recall(  # noqa: PLR0913 - the verb's own options
    memory: Memory,
    text: str,
    *,
    k: int = K,
    kind: str | Iterable[str] | None = None,
    layer: str | Iterable[str] | None = None,
    topic: str | None = None,
    tag: str | Iterable[str] | None = None,
    entity: str | None = None,
    state: str | Iterable[str] | None = None,
    since: str | None = None,
    until: str | None = None,
    as_of: str | None = None,
    budget: int | None = None,
    origin: str = "asked",
    point: str = ASKED,
    session: str = "",
    words: bool = False,
) -> Answer:
    """Return the memories that answer a question, best first, each with its score, trust and reasons; or none.

    `point` is `asked`, generous, or `injection`, strict; `origin` says in the recall log who wanted it. As of a day,
    what was believed then. `words` leaves meaning out.
    """
    _check(k, budget, origin, point)
    wanted = _wanted(memory, kind, layer, topic, tag, entity, state, since, until)
    asked = parse_question(text, literal=point == INJECTION)
    then = _day(as_of, "as-of")
    request = Request(
        question=asked,
        standing=_standing(memory, then),
        wanted=wanted,
        k=k,
        point=point,
        as_of=then,
        budget_tokens=budget or 0,
        is_cut=_is_cut(memory),
    )
    answer = with_index(memory, lambda backend: _answer(memory, backend, request, words=words))
    answer = replace(answer, notices=take_notices(memory))
    _log(memory, text, answer, origin, session)
    return answer


def plain_request(memory: Memory, text: str, k: int) -> Request:
    """Return the request of a question that says nothing but its words."""
    standing = _standing(memory, "")
    wanted = Wanted(shared_only=memory.shared)
    return Request(question=parse_question(text), standing=standing, wanted=wanted, k=k, is_cut=_is_cut(memory))


def related(memory: Memory, wanted: str, *, k: int = 20) -> Related:
    """Return what lies beside a record: what it links to, what links to it, its entity and its topic."""
    return with_index(memory, lambda backend: _related(memory, backend, wanted, k))


def _answer(memory: Memory, backend: Backend, request: Request, *, words: bool) -> Answer:
    """Ask until nothing that is shown comes from a file that has changed since it was read."""
    budget_seconds = int(memory.workspace.settings["index.budget_ms"]) / 1000.0
    deadline = time.monotonic() + budget_seconds
    state = bring_in(memory, backend, budget_seconds)
    means = _Means(memory, backend, deadline, words=words)
    answer = find_answer(backend, request, means)
    for _ in range(MOST_ROUNDS):
        late = {hit.record.path for hit in answer.hits} & set(state.behind)
        if not late:
            break
        state = bring_in(memory, backend, budget_seconds, urgent=late)
        answer = find_answer(backend, request, means)
    behind = set(state.behind)
    return replace(
        answer,
        hits=tuple(hit for hit in answer.hits if hit.record.path not in behind),
        because=means.because,
        fresh=state.fresh,
        behind_files=len(behind),
        unembedded=means.missing,
        problems=() if memory.shared else state.problems,
    )


class _Means:
    """What gives a question its vectors: the embedder is opened when the first text comes, and each is embedded once."""

    __slots__ = ("_backend", "_deadline", "_known", "_memory", "_words", "because", "missing")

    def __init__(self, memory: Memory, backend: Backend, deadline: float, *, words: bool) -> None:
        self._memory, self._backend, self._deadline, self._words = memory, backend, deadline, words
        self._known: dict[str, Meaning | None] = {}
        self.because, self.missing = "only words were asked for" if words else "", 0

    def __call__(self, text: str) -> Meaning | None:
        """Return the vectors of a text and its parts, or None and say why."""
        if self._words or not text.strip():
            return None
        if text not in self._known:
            self._known[text] = self._made(text)
        return self._known[text]

    def _made(self, text: str) -> Meaning | None:
        from mneme.index.search import Meaning
        from mneme.index.words import parse_parts

        left = max(0.0, self._deadline - time.monotonic())
        embedder, self.missing, self.because = serving_embedder(self._memory, self._backend, left)
        if embedder is None:
            return None
        try:
            whole, *parts = embedder.embed_query([text, *parse_parts(text)])
        except MnemeError as fault:
            self.because = fault.message
            return None
        return Meaning(embedder.name, whole, tuple(parts))


def _standing(memory: Memory, as_of: str) -> Standing:
    workspace = memory.workspace
    today = memory.today
    return Standing(
        today=min(today, date.fromisoformat(as_of)) if as_of else today,
        authoritative=memory.authoritative,
        stale_days=int(workspace.settings["cells.stale_after_days"]),
        verified_days=workspace.profile.budgets.verified_days,
    )


def _is_cut(memory: Memory) -> Callable[[str], bool]:
    """Return what says of a path whether its file is a document that was cut into sections."""
    workspace = memory.workspace
    known: dict[str, bool] = {}

    def is_cut(path: str) -> bool:
        if path not in known:
            known[path] = path.endswith((".md", ".MD", ".markdown")) and is_document(path)
        return known[path]

    def is_document(path: str) -> bool:
        from mneme.formats.record import SECTIONS
        from mneme.memory.notes.grain import grain_of

        return grain_of(path, workspace) == SECTIONS

    return is_cut


# What is asked for, checked


def _check(k: int, budget: int | None, origin: str, point: str) -> None:
    if not 1 <= k <= MOST_HITS:
        raise BadInputError(f"'{k}' hits cannot be asked for; between 1 and {MOST_HITS} can", "mneme recall QUERY -k 5")
    if budget is not None and budget < 1:
        raise BadInputError(f"a budget of '{budget}' tokens holds nothing", "mneme recall QUERY --budget 500")
    for value, known, what in ((origin, ORIGINS, "origin"), (point, POINTS, "point")):
        if value not in known:
            raise BadInputError(f"there is no {what} '{value}'; there are {', '.join(known)}", "mneme recall --help")


def _wanted(  # noqa: PLR0913, PLR0917 - the filters that there are
    memory: Memory,
    kind: str | Iterable[str] | None,
    layer: str | Iterable[str] | None,
    topic: str | None,
    tag: str | Iterable[str] | None,
    entity: str | None,
    state: str | Iterable[str] | None,
    since: str | None,
    until: str | None,
) -> Wanted:
    kinds, tiers = _several(kind), []
    for one in _several(layer):
        if one in TIERS:
            tiers.append(one)
        elif one in LAYERS:
            kinds = tuple(set(kinds) & set(LAYERS[one])) or ("nothing",) if kinds else LAYERS[one]
        else:
            known = ", ".join((*TIERS, *LAYERS))
            raise BadInputError(f"there is no layer '{one}'; there are {known}", "mneme recall QUERY --layer warm")
    states = _several(state)
    for one in states:
        if one not in (*STATES, ANY_STATE):
            raise BadInputError(f"there is no state '{one}'", f"mneme recall QUERY --state {ANY_STATE}")
    return Wanted(
        kinds=kinds,
        tiers=tuple(tiers),
        states=EVERY_STATE if ANY_STATE in states else states or Wanted().states,
        topic=(topic or "").strip("/"),
        tags=tuple(one.removeprefix("#") for one in _several(tag)),
        entity=entity or "",
        since=_day(since, "since"),
        until=_day(until, "until", last=True),
        shared_only=memory.shared,
    )


def _several(value: str | Iterable[str] | None) -> tuple[str, ...]:
    return () if value is None else (value,) if isinstance(value, str) else tuple(value)


def _day(value: str | None, what: str, *, last: bool = False) -> str:
    """Return a day as it is compared; a month or a year is its first day, or its last."""
    if not value:
        return ""
    text = value.strip()
    year, _, rest = text.partition("-")
    month, _, day = rest.partition("-")
    try:
        if day or not last:
            return date(int(year), int(month or 1), int(day or 1)).isoformat()
        after = date(int(year) + 1, 1, 1) if not month or month == "12" else date(int(year), int(month) + 1, 1)
        return (after - timedelta(1)).isoformat()
    except (ValueError, OverflowError) as fault:
        raise BadInputError(f"'{value}' is no day, month or year", f"mneme recall QUERY --{what} 2026-01-31") from fault


def _log(memory: Memory, text: str, answer: Answer, origin: str, session: str) -> None:
    """Append the recall to the log; what found nothing is no recall, and a disk that is full stops no answer."""
    if not answer.hits or origin == UPKEEP:
        return
    hits = tuple(
        Seen(hit.record.id, hit.record.path, hit.record.line, hit.record.end_line, hit.score) for hit in answer.hits
    )
    _log_hits(memory, text, hits, origin, session)


def log_places(memory: Memory, text: str, found: Iterable[tuple[str, int, int, float]]) -> None:
    """Append a recall of places that are no records, each a path, its lines and its score."""
    if hits := tuple(Seen("", *one) for one in found):
        _log_hits(memory, text, hits, ASKED, "")


def _log_hits(memory: Memory, text: str, hits: tuple[Seen, ...], origin: str, session: str) -> None:
    line = print_recalled(Recalled(memory.now().isoformat(timespec="seconds"), origin, session, query_hash(text), hits))
    with contextlib.suppress(MnemeError, OSError):
        files.append_line(files.workplace(memory.root) / RECALL_LOG, line)
        if origin == ASKED:
            keep_question(memory, text)


# What lies beside a record


def _related(memory: Memory, backend: Backend, wanted: str, k: int) -> Related:
    from mneme.engine.results import Beside, Related

    bring_in(memory, backend, int(memory.workspace.settings["index.budget_ms"]) / 1000.0)
    visible = Wanted(states=EVERY_STATE, shared_only=memory.shared)
    found = backend.get([wanted], visible) or backend.get([wanted.upper()], visible)
    if not found:
        raise NotFoundError(f"there is no record '{wanted}'", f"mneme recall {shlex.quote(wanted)}")
    row, piece = found[0]
    beside = {row: Beside(piece.record, "") for row, piece in found}
    for other, one, how in _around(backend, piece, visible, k):
        beside.setdefault(other, Beside(one.record, how))
    rest = [one for other, one in beside.items() if other not in dict(found)]
    return Related(beside[row].record, tuple(rest[:k]))


def _around(backend: Backend, piece: Piece, visible: Wanted, k: int) -> Iterator[tuple[int, Piece, str]]:
    """Yield what lies beside a piece, nearest first, each with how: by links, by entity, by topic."""
    record = piece.record
    for link in record.links:
        for row, one in backend.get(targets_of(replace(piece, record=replace(record, links=(link,)))), visible):
            yield row, one, link.relation
    for row, one in backend.linking([record.id], visible):
        back = [link.relation for link in one.record.links if link.target == record.id]
        yield row, one, f"{back[0] if back else 'links'} {record.id}"
    working = Wanted(shared_only=visible.shared_only)
    if piece.entity:
        for row, one in backend.listed(replace(working, entity=piece.entity), k + 1):
            yield row, one, f"about {piece.entity}"
    if piece.topic:
        for row, one in backend.listed(replace(working, topic=piece.topic), k + 1):
            yield row, one, f"topic {piece.topic}"
