"""The checks of cell files: each file by itself, all of them together, and against the day.

`check_cells` looks at whole columns first and at single cells only where a column says that something is wrong, so
that a clean file of any length costs little more than reading it. It returns problems and changes nothing;
`fix_cells` returns the edits that mend what is mechanical, and never touches a person's words.
"""

from __future__ import annotations

from bisect import bisect_right
from datetime import date
from itertools import accumulate, chain
from operator import attrgetter, gt
from typing import TYPE_CHECKING

from mneme.check.cell_rules import make_problem
from mneme.check.graph import find_cycles
from mneme.check.rule import in_report_order, with_severities
from mneme.check.secret import find_secrets
from mneme.check.suspect import DEPENDS_ON, Ground, find_suspects
from mneme.check.twin import CONFLICT, find_twins
from mneme.check.wording import GIST_WIDTH, is_compound, named_relation, width_of
from mneme.formats.cell import ALLOWED_TRANSITIONS, INVERSE_RELATIONS, Cell, CellFile, TextEdit, is_date
from mneme.formats.cell_edit import edit_add_line, link_line
from mneme.formats.columns import collector_off
from mneme.formats.record import LIVE, PROPOSED, STALE, STATES, SUPERSEDED, WORKING_STATES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from mneme.errors import Problem
    from mneme.formats.columns import Columns

DECAY_AFTER_DAYS = 45
STALE_FOR_EVER_DAYS = 90
BODY_CHARACTERS = 1800

# Relations that say one thing comes before another: followed round in a circle they make no sense.
ORDERED_RELATIONS = ("supersedes", "depends-on", "blocks", "refines")

# Where a cell lies: the number of its file, and its index in that file.
Place = tuple[int, int]
Found = tuple[Place, int, "Problem"]


def check_cells(
    files: Sequence[CellFile],
    *,
    today: date,
    severities: Mapping[str, str] | None = None,
    decay_days: int = DECAY_AFTER_DAYS,
    gist_width: int = GIST_WIDTH,
    body_characters: int = BODY_CHARACTERS,
) -> list[Problem]:
    """Return every fault of some cell files, taken together as one memory: warnings, then errors, then the rest.

    Links may lead from one file to another. Among the warnings come first the superseded cells without a successor,
    then for each cell its decay and its links; what else there is follows by line.
    """
    with collector_off():
        return in_report_order(
            with_severities(_problems(_Scope(files), today, decay_days, gist_width, body_characters), severities)
        )


def _problems(scope: _Scope, today: date, decay_days: int, gist_width: int, body_characters: int) -> list[Problem]:
    per_cell = [*_decayed(scope, today, decay_days), *_faulty_links(scope), *_suspects(scope)]
    first = [*_without_successor(scope), *(problem for _, _, problem in sorted(per_cell, key=_by_place))]
    rest: list[Problem] = []
    for number, file in enumerate(scope.files):
        found = [*_check_file(scope, number, file, today), *_wordy(scope, number, gist_width, body_characters)]
        rest += sorted(found, key=lambda problem: problem.line)
    rest += [*_cycles(scope), *_several_successors(scope), *_twins(scope)]
    return [*first, *rest]


def _by_place(found: Found) -> tuple[Place, int]:
    return found[0], found[1]


class _Scope:
    """All cells under check, and where each id lies (the last one, where an id is there twice)."""

    __slots__ = ("_numbers", "_starts", "columns", "files", "repeated")

    def __init__(self, files: Sequence[CellFile]) -> None:
        self.files = files
        self.columns: list[Columns] = [file.columns for file in files]
        # Counted through all files, so that the table of ids is made in one step.
        self._starts = list(accumulate(map(len, self.columns), initial=0))
        ids = chain.from_iterable(columns.ids for columns in self.columns)
        self._numbers = dict(zip(ids, range(self._starts[-1]), strict=True))
        self._numbers.pop("", None)
        self.repeated = len(self._numbers) < self._starts[-1]

    def __contains__(self, cell_id: str) -> bool:
        return cell_id in self._numbers

    def find(self, cell_id: str) -> Place | None:
        """Return where an id lies, or None."""
        number = self._numbers.get(cell_id)
        return None if number is None else self.place(number)

    def place(self, number: int) -> Place:
        """Return the place of a cell counted through all files."""
        file = bisect_right(self._starts, number) - 1
        return file, number - self._starts[file]

    def state(self, place: Place) -> str:
        return self.columns[place[0]].states[place[1]]

    def id(self, place: Place) -> str:
        return self.columns[place[0]].ids[place[1]]

    def line(self, place: Place) -> int:
        return self.columns[place[0]].line(place[1])

    def path(self, place: Place) -> str:
        return self.files[place[0]].path

    def spot(self, place: Place, other: Place) -> str:
        """Return where a cell lies, as one says it at another cell."""
        line = self.line(place)
        return f"line {line}" if place[0] == other[0] else f"{self.path(place)}:{line}"

    def problem(self, rule: str, place: Place, line: int = 0, **values: object) -> Problem:
        return make_problem(rule, self.path(place), line or self.line(place), id=self.id(place), **values)

    def links(self) -> Iterator[tuple[Place, str, str, int]]:
        for number, columns in enumerate(self.columns):
            for at, relation, target, nth in columns.links:
                yield (number, at), relation, target, nth


# --- by the day ---------------------------------------------------------------------------------------------------


def _days_before(today: date, days: int) -> str:
    return date.fromordinal(max(1, today.toordinal() - days)).isoformat()


def _age(seen: str, today: date) -> int:
    return (today - date.fromisoformat(seen)).days


def _decayed(scope: _Scope, today: date, decay_days: int) -> Iterator[Found]:
    live_limit, stale_limit = _days_before(today, decay_days), _days_before(today, STALE_FOR_EVER_DAYS)
    latest = max(live_limit, stale_limit)
    for number, columns in enumerate(scope.columns):
        if min(columns.seens, default=latest) >= latest:
            continue
        for at in [at for at, seen in enumerate(columns.seens) if seen < latest]:
            state, seen = columns.states[at], columns.seens[at]
            if not is_date(seen):
                continue
            place = number, at
            if state == LIVE and seen < live_limit:
                yield place, -1, scope.problem("decayed", place, value=_age(seen, today))
            elif state == STALE and seen < stale_limit:
                yield place, -1, scope.problem("stale-for-ever", place, value=_age(seen, today))


def _wrong_days(scope: _Scope, number: int, columns: Columns, today: date) -> Iterator[Problem]:
    now = today.isoformat()
    for key, days in (("since", columns.sinces), ("seen", columns.seens)):
        for at in [at for at, day in enumerate(days) if day > now] if max(days, default="") > now else ():
            if is_date(days[at]):
                yield scope.problem("future-date", (number, at), value=f"{key} {days[at]}")
    if not any(map(gt, columns.sinces, columns.seens)):
        return
    for at, (since, seen) in enumerate(zip(columns.sinces, columns.seens, strict=True)):
        if since <= seen:
            continue
        if is_date(since) and is_date(seen):
            yield scope.problem("seen-before-since", (number, at), value=seen, other=since)


# --- by link ------------------------------------------------------------------------------------------------------


def _without_successor(scope: _Scope) -> Iterator[Problem]:
    for number, columns in enumerate(scope.columns):
        if SUPERSEDED in columns.states:
            replaced = [at for at, state in enumerate(columns.states) if state == SUPERSEDED]
            linked = {at for at, relation, _, _ in columns.links if relation == "superseded-by"}
            for at in replaced:
                if at not in linked:
                    yield scope.problem("superseded-without-successor", (number, at))


def _faulty_links(scope: _Scope) -> Iterator[Found]:
    paired = _pairs(scope)
    told: set[tuple[str, str]] = set()
    for place, relation, target, nth in scope.links():
        if relation in _WATCHED or target not in scope or target == scope.id(place):
            for found in _check_link(scope, place, (relation, target), paired, told):
                yield place, nth, found(scope.columns[place[0]].link_line(place[1], nth))


def _pairs(scope: _Scope) -> set[tuple[str, str, str]]:
    """Return every half of a supersession that is written down."""
    return {(scope.id(place), rel, target) for place, rel, target, _ in scope.links() if rel in INVERSE_RELATIONS}


_WATCHED = frozenset(INVERSE_RELATIONS)


def _check_link(
    scope: _Scope,
    place: Place,
    link: tuple[str, str],
    paired: set[tuple[str, str, str]],
    told: set[tuple[str, str]],
) -> Iterator[Callable[[int], Problem]]:
    """Yield what is wrong with one link, as functions of its line (which costs a second look at the cell)."""
    (relation, target), mine = link, scope.id(place)
    value, other = f"{relation} {target}", scope.find(target)
    if target == mine:
        yield lambda line: scope.problem("self-link", place, line, value=value)
    elif other is None:
        prefix = target.rpartition("-")[0] or target
        yield lambda line: scope.problem("dangling-link", place, line, value=value, prefix=prefix)
    elif relation in INVERSE_RELATIONS:
        if (target, INVERSE_RELATIONS[relation], mine) not in paired:
            yield lambda line: scope.problem("missing-inverse-link", place, line, value=value, other=target)
        winner, loser = (place, other) if relation == "supersedes" else (other, place)
        pair = scope.id(winner), scope.id(loser)
        if scope.state(loser) in WORKING_STATES and scope.state(winner) != PROPOSED and pair not in told:
            told.add(pair)
            yield lambda _: _still_live(scope, winner, loser)


def _suspects(scope: _Scope) -> Iterator[Found]:
    """Yield the cells in force that rest on one that fell, at the link by which they do."""
    rests = [(place, target, nth) for place, relation, target, nth in scope.links() if relation == DEPENDS_ON]
    if not rests:
        return
    grounds = _grounds(scope, [(place, target) for place, target, _ in rests])
    suspects = find_suspects(grounds, lambda name: _fell_on(scope, name))
    for place, target, nth in rests:
        why = suspects.get(scope.id(place))
        if why is None or why.chain[0] != target or scope.state(place) != LIVE:
            continue
        line = scope.columns[place[0]].link_line(place[1], nth)
        state = scope.state(scope.find(why.chain[-1]) or place)
        if len(why.chain) == 1:
            yield place, nth, scope.problem("depends-on-dead", place, line, other=target, value=state)
        else:
            last = f"'{why.chain[-1]}' is {state}"
            yield place, nth, scope.problem("rests-on-suspect", place, line, other=target, value=last)


def _grounds(scope: _Scope, rests: Iterable[tuple[Place, str]]) -> dict[str, Ground]:
    targets: dict[Place, list[str]] = {}
    for place, target in rests:
        targets.setdefault(place, []).append(target)
        if (other := scope.find(target)) is not None:
            targets.setdefault(other, [])
    columns = scope.columns
    return {
        scope.id((file, at)): Ground(
            scope.state((file, at)),
            columns[file].sinces[at],
            columns[file].seens[at],
            tuple(named),
            columns[file].cell(at).affirmed,
        )
        for (file, at), named in targets.items()
    }


def _fell_on(scope: _Scope, name: str) -> str:
    """Return the day on which a cell fell: when its successor came, or when it was retired; else as long as it was seen."""
    place = scope.find(name)
    if place is None:
        return ""
    file, at = place
    cell = scope.columns[file].cell(at)
    heirs = [scope.find(link.target) for link in cell.links if link.relation == "superseded-by"]
    days = [scope.columns[heir[0]].sinces[heir[1]] for heir in heirs if heir is not None]
    return min(filter(None, days), default="") or cell.retired or cell.seen


def _still_live(scope: _Scope, winner: Place, loser: Place) -> Problem:
    where = f"{scope.path(loser)}:{scope.line(loser)}"
    ids = {"id": scope.id(winner), "other": scope.id(loser)}
    state = scope.state(loser)
    return make_problem("superseded-still-live", scope.path(loser), scope.line(loser), value=state, place=where, **ids)


def _several_successors(scope: _Scope) -> Iterator[Problem]:
    winners: dict[str, set[str]] = {}
    for place, relation, target, _ in scope.links():
        if relation in INVERSE_RELATIONS and target in scope:
            winner, loser = (scope.id(place), target) if relation == "supersedes" else (target, scope.id(place))
            winners.setdefault(loser, set()).add(winner)
    for loser, found in winners.items():
        where = scope.find(loser) if len(found) > 1 else None
        if where is not None:
            yield scope.problem("several-successors", where, value=", ".join(sorted(found)))


def _cycles(scope: _Scope) -> Iterator[Problem]:
    edges: dict[str, list[tuple[str, str]]] = {relation: [] for relation in ORDERED_RELATIONS}
    for place, relation, target, _ in scope.links():
        if relation == "superseded-by":
            edges["supersedes"].append((target, scope.id(place)))
        elif relation in edges:
            edges[relation].append((scope.id(place), target))
    for relation, pairs in edges.items():
        for circle in find_cycles(pairs):
            where = min(filter(None, map(scope.find, circle)), default=None)
            if where is not None:
                value = " -> ".join((*circle, circle[0]))
                yield scope.problem("link-cycle", where, relation=relation, value=value)


# --- by file ------------------------------------------------------------------------------------------------------


def _check_file(scope: _Scope, number: int, file: CellFile, today: date) -> Iterator[Problem]:
    columns = scope.columns[number]
    for fault in columns.faults:
        yield make_problem(fault.rule, file.path, fault.line, id=fault.id, value=fault.value)
    if scope.repeated:
        yield from _repeated_ids(scope, number, columns)
    yield from _wrong_days(scope, number, columns, today)
    for secret in find_secrets(file.text):
        yield make_problem("exposed-secret", file.path, secret.line, value=secret.kind, id=_id_at(columns, secret.line))


def _id_at(columns: Columns, line: int) -> str:
    """Return the id of the cell that holds a line, or an empty text before the first one."""
    low, high = 0, len(columns)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if columns.line(middle) <= line else (low, middle)
    return columns.ids[low - 1] if low else ""


def _repeated_ids(scope: _Scope, number: int, columns: Columns) -> Iterator[Problem]:
    earlier: dict[str, Place] = {}
    for before, others in enumerate(scope.columns[:number]):
        for at, cell_id in enumerate(others.ids):
            earlier.setdefault(cell_id, (before, at))
    for at, cell_id in enumerate(columns.ids):
        first = earlier.setdefault(cell_id, (number, at))
        if cell_id and first != (number, at):
            prefix = cell_id.rpartition("-")[0] or "DEC"
            where = scope.spot(first, (number, at))
            yield scope.problem("duplicate-id", (number, at), value=where, prefix=prefix)


def _wordy(scope: _Scope, number: int, gist_width: int, body_characters: int) -> Iterator[Problem]:
    """Yield the gists that say too much, and the bodies that hold what should be a link."""
    columns = scope.columns[number]
    widest = max(map(len, columns.gists), default=0)
    wide = (
        [at for at, gist in enumerate(columns.gists) if len(gist) > gist_width // 2] if widest > gist_width // 2 else []
    )
    for at in wide:
        width = width_of(columns.gists[at])
        if width > gist_width:
            yield scope.problem("overlong-gist", (number, at), value=width, limit=gist_width)
    for at in is_compound(columns.gists):
        yield scope.problem("compound-gist", (number, at))
    longest = max(map(len, columns.bodies), default=0)
    long = (
        [at for at, body in enumerate(columns.bodies) if len(body) > body_characters]
        if longest > body_characters
        else []
    )
    for at in sorted({*long, *columns.strict}):
        size = sum(map(len, columns.cell(at).body))
        if size > body_characters:
            yield scope.problem("overlong-body", (number, at), value=size, limit=body_characters)
    for at, cell in columns.strict.items():
        for line in cell.body:
            if named_relation(line):
                yield scope.problem("link-in-body", (number, at), value=line.strip())


# --- by meaning ---------------------------------------------------------------------------------------------------


def _twins(scope: _Scope) -> Iterator[Problem]:
    """Yield the pairs of cells that say the same, or that seem to contradict each other."""
    columns = scope.columns
    gists, topics, states = (list(chain.from_iterable(map(field, columns))) for field in _TWIN_FIELDS)
    found = find_twins(gists, topics, states)
    if found.pairs:
        linked = {frozenset((scope.id(place), target)) for place, _, target, _ in scope.links()}
        for one, two, kind, reason in found.pairs:
            first, second = scope.place(one), scope.place(two)
            ids = frozenset((scope.id(first), scope.id(second)))
            if len(ids) == 2 and ids not in linked:  # noqa: PLR2004 - two cells, two ids
                if kind == CONFLICT:
                    yield _conflict(scope, first, second, reason)
                else:
                    yield scope.problem("near-duplicate", second, other=scope.id(first))
    if found.unfinished:
        yield make_problem("unfinished-comparison", scope.files[0].path, 0, value=found.unfinished)


_TWIN_FIELDS = attrgetter("gists"), attrgetter("topics"), attrgetter("states")


def _conflict(scope: _Scope, first: Place, second: Place, reason: str) -> Problem:
    def strength(place: Place) -> tuple[int, str]:
        columns, at = scope.columns[place[0]], place[1]
        return _CONF_RANK.get(columns.confs[at], 0), columns.seens[at]

    one, two = strength(first), strength(second)
    winner, loser = (first, second) if one > two else (second, first)
    by = "conf" if one[0] != two[0] else "seen" if one[1] != two[1] else "standing later"
    ids = {"id": scope.id(second), "other": scope.id(first), "winner": scope.id(winner), "loser": scope.id(loser)}
    return make_problem("suspected-conflict", scope.path(second), scope.line(second), value=reason, reason=by, **ids)


_CONF_RANK = {"high": 3, "med": 2, "low": 1}


# --- against what was there before --------------------------------------------------------------------------------


def check_transitions(
    old: CellFile, new: CellFile, *, severities: Mapping[str, str] | None = None, elsewhere: Iterable[str] = ()
) -> list[Problem]:
    """Return what a file's cells became that they could not: illegal states, edited content, cells that are gone.

    `old` is the file as it was known (in git, or in history); `elsewhere` are ids that other files hold now, whither a
    cell may have moved. A cell that was renumbered is known by its `# was` line.
    """
    now = {name: cell for cell in new.cells for name in cell.was} | {cell.id: cell for cell in new.cells}
    moved = frozenset(elsewhere)
    problems: list[Problem] = []
    for was in old.cells:
        cell = now.get(was.id)
        if cell is not None:
            problems += _changed(was, cell, new.path)
        elif was.id and was.id not in moved:
            problems.append(make_problem("vanished-cell", new.path, 0, id=was.id))
    return in_report_order(with_severities(problems, severities))


def _changed(was: Cell, cell: Cell, path: str) -> Iterator[Problem]:
    known = was.state in STATES and cell.state in STATES
    if known and cell.state != was.state and not can_become(was.state, cell.state):
        yield make_problem("illegal-transition", path, cell.line, id=cell.id, other=was.state, value=cell.state)
    for name, before, after in (
        ("gist", was.gist, cell.gist),
        ("body", was.body, cell.body),
        ("cue", was.cue, cell.cue),
    ):
        if before != after:
            yield make_problem("edited-content", path, cell.line, id=cell.id, value=name)


def can_become(state: str, other: str) -> bool:
    """Say whether one state leads to another, by as many allowed steps as it takes."""
    reached: set[str] = set()
    ahead = [state]
    while ahead:
        following = ALLOWED_TRANSITIONS.get(ahead.pop(), ())
        ahead += [each for each in following if each not in reached]
        reached.update(following)
    return other in reached


# --- mending ------------------------------------------------------------------------------------------------------


def fix_cells(file: CellFile, others: Sequence[CellFile] = ()) -> list[TextEdit]:
    """Return the edits that mend what is mechanical in one file, with an eye on the other files of the workspace.

    Misplaced headers, keys that are nearly right, dates in another form, and the missing half of a supersession. Edits
    never overlap; what one mends can bring another fault to light, so call again until there are none.
    """
    edits = [edit for fault in file.columns.faults for edit in fault.fixes]
    edits += _inverse_links(file, others)
    kept: list[TextEdit] = []
    for edit in sorted(edits):
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
    return kept


def _inverse_links(file: CellFile, others: Sequence[CellFile]) -> Iterator[TextEdit]:
    """Yield the edits that give this file's cells the links which other cells' supersessions call for."""
    scope = _Scope([file, *(other for other in others if other is not file)])
    paired = _pairs(scope)
    missing: dict[int, list[str]] = {}
    for place, relation, target, _ in scope.links():
        mine, inverse = scope.id(place), INVERSE_RELATIONS.get(relation)
        number, at = (inverse and scope.find(target)) or (-1, -1)
        if inverse and mine and number == 0 and target != mine and (target, inverse, mine) not in paired:
            paired.add((target, inverse, mine))
            missing.setdefault(at, []).append(link_line(inverse, mine))
    for at, lines in missing.items():
        yield from edit_add_line(file, scope.columns[0].cell(at), *lines)
