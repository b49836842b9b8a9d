"""The verb that stores one memory: whatever its kind, in the one home that the profile has for it.

What a person may say about a memory depends on the form of its home: a cell has a topic and a cue, a classified memory
a title and how to apply it, a fact somebody whom it is about. An option that a kind does not take is refused with one
that does.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from mneme.errors import BadInputError, UnsureError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mneme.engine.memory import Memory
    from mneme.engine.results import Done
    from mneme.errors import Problem
    from mneme.profiles import Home

CELL, CLASSIFIED, ENTRY, FACT, TASK, STATUS, EVENT = "cell", "classified", "entry", "fact", "task", "status", "event"

# Which forms take an option that not all of them take.
TAKEN_BY = {
    "prefix": (CELL,),
    "topic": (CELL, ENTRY),
    "cue": (CELL,),
    "why": (CELL, CLASSIFIED, ENTRY),
    "conf": (CELL, CLASSIFIED),
    "state": (CELL,),
    "links": (CELL,),
    "file": (CELL,),
    "title": (CLASSIFIED, ENTRY),
    "how": (CLASSIFIED, ENTRY),
    "tags": (ENTRY,),
    "about": (FACT,),
    "category": (FACT,),
    "source": (FACT,),
    "new": (FACT,),
    "since": (CELL, CLASSIFIED, ENTRY, FACT, STATUS),
    "project": (STATUS,),
}
# What a text is that says nothing of its kind: the first of these that has a home for it.
_PLAIN = ("fact", "reference", "event")
_SPELT = {"links": "link"}
_TEXTS = ("cue", "why", "title", "how")


@dataclass(frozen=True, slots=True)
class Wish:
    """What somebody asked to be remembered: the text, its kind, and what they said about it."""

    text: str
    kind: str | None = None
    prefix: str | None = None
    topic: str | None = None
    cue: str | None = None
    why: str | None = None
    conf: str | None = None
    state: str | None = None
    links: tuple[str, ...] = ()
    file: str | None = None
    title: str | None = None
    how: str | None = None
    tags: tuple[str, ...] = ()
    about: str | None = None
    category: str | None = None
    source: str | None = None
    project: str | None = None
    new: bool = False
    since: str | None = None
    force: bool = False

    def day(self, today: date) -> date:
        """Return the day from which it holds: the one that was named, else today."""
        return date.fromisoformat(self.since) if self.since else today


def remember(  # noqa: PLR0913 - the verb's own options
    memory: Memory,
    text: str,
    *,
    kind: str | None = None,
    prefix: str | None = None,
    topic: str | None = None,
    cue: str | None = None,
    why: str | None = None,
    conf: str | None = None,
    state: str | None = None,
    links: Iterable[str] = (),
    file: str | None = None,
    title: str | None = None,
    how: str | None = None,
    tags: Iterable[str] = (),
    about: str | None = None,
    category: str | None = None,
    source: str | None = None,
    project: str | None = None,
    new: bool = False,
    since: str | None = None,
    guess: bool = False,
    redact: bool = False,
    force: bool = False,
    dry_run: bool = False,
) -> Done:
    """Store one memory in the home of its kind, unless one that means the same is there already.

    Without a kind the words of the text say which it may be: with `guess` the likeliest is taken, else it is asked.
    """
    wish = Wish(
        text, kind, prefix, topic, cue, why, conf, state, tuple(links), file,
        title, how, tuple(tags), about, category, source, project, new, since, force,
    )  # fmt: skip
    named = dataclasses.replace(wish, kind=_kind_of(memory, wish, guess=guess))
    form = form_of(memory, named)
    _refuse_strange(memory, named, form)
    _refuse_other_days(memory, since)
    worded, problems = _worded(memory, named, redact=redact)
    done = _write(memory, worded, form, dry_run=dry_run)
    return dataclasses.replace(done, problems=(*problems, *done.problems))


def _write(memory: Memory, wish: Wish, form: str, *, dry_run: bool) -> Done:
    from mneme.engine import cells, facts, notes

    if form == CELL:
        return cells.remember_cell(memory, wish, dry_run=dry_run)
    if form == FACT:
        return facts.remember_fact(memory, wish, dry_run=dry_run)
    if form == EVENT:
        return memory.note(wish.text, dry_run=dry_run)
    makers = {CLASSIFIED: notes.remember_classified, ENTRY: notes.remember_entry, TASK: notes.remember_task}
    return makers.get(form, notes.remember_status)(memory, wish, dry_run=dry_run)


def form_of(memory: Memory, wish: Wish) -> str:
    """Return how the home of a kind holds its memories."""
    if wish.prefix is not None:
        return CELL
    return _home_form(memory, memory.workspace.home_of(str(wish.kind)))


def _home_form(memory: Memory, home: Home) -> str:
    from mneme.profiles import CELLS, DAY, FACTS, FOLDER

    forms = {CELLS: CELL, FOLDER: CLASSIFIED, FACTS: FACT, DAY: EVENT}
    if home.form in forms:
        return forms[home.form]
    if home.path == memory.workspace.profile.places.todos:
        return TASK
    return STATUS if home.kind == "status" else ENTRY


def _kind_of(memory: Memory, wish: Wish, *, guess: bool) -> str | None:
    """Return the kind that was named, or that the options name, or that the text is likeliest to be."""
    if wish.kind is not None or wish.prefix is not None:
        return wish.kind
    for option in ("about", "project"):
        if getattr(wish, option) is not None:
            if kind := _kind_taking(memory, option):
                return kind
            message = f"no kind of the profile '{memory.workspace.profile.name}' takes --{option}"
            raise BadInputError(message, "mneme remember --help")
    return _guessed(memory, wish.text, take=guess)


def _guessed(memory: Memory, text: str, *, take: bool) -> str:
    from mneme.check.kind import guess_kinds

    homes = memory.workspace.profile.homes
    guesses = [guess for guess in guess_kinds(text) if _fits(memory, guess.kind)]
    plain = [kind for kind in _PLAIN if _fits(memory, kind)]
    kinds = tuple(dict.fromkeys([*(guess.kind for guess in guesses if guess.weight), *plain, *homes]))
    if take:
        return kinds[0]
    first = guesses[0] if guesses else None
    why = f"it looks like '{first.kind}' ('{first.cue}')" if first and first.cue else "nothing in its words says"
    message = f"which kind of memory is it? {why}; there are {', '.join(homes)}"
    raise UnsureError(message, f"mneme remember '...' --kind {kinds[0]}", choices=kinds)


def _fits(memory: Memory, kind: str) -> bool:
    """Say whether a kind has a home that needs no more than a text: a fact needs somebody whom it is about."""
    home = memory.workspace.profile.find_home(kind)
    return home is not None and _home_form(memory, home) not in (FACT, STATUS)


def _kind_taking(memory: Memory, option: str) -> str:
    homes = memory.workspace.profile.homes
    return next((kind for kind, home in homes.items() if _home_form(memory, home) in TAKEN_BY[option]), "")


def _refuse_strange(memory: Memory, wish: Wish, form: str) -> None:
    """Refuse an option that this kind does not take, with a kind that does."""
    for option, forms in TAKEN_BY.items():
        if not getattr(wish, option) or form in forms:
            continue
        flag = f"--{_SPELT.get(option, option)}"
        taker = _kind_taking(memory, option)
        message = f"the kind '{wish.kind}' takes no {flag}"
        if not taker:
            raise BadInputError(
                f"{message}, nor does any of the profile '{memory.workspace.profile.name}'", "mneme remember --help"
            )
        raise BadInputError(f"{message}; '{taker}' does", f"mneme remember ... --kind {taker} {flag} ...")
    if form == FACT and not wish.about:
        raise BadInputError("whom is it about?", f"mneme remember ... --kind {wish.kind} --about NAME")
    if form == STATUS and not wish.project:
        raise BadInputError("which project is it about?", f"mneme remember ... --kind {wish.kind} --project NAME")


def _refuse_other_days(memory: Memory, since: str | None) -> None:
    """Refuse a day that is none, or that is still to come."""
    if not since:
        return
    try:
        ahead = date.fromisoformat(since) > memory.today
    except ValueError:
        ahead = True
    if ahead:
        message = f"'{since}' is no day that has been"
        raise BadInputError(message, f"mneme remember ... --since {memory.today}")


def _worded(memory: Memory, wish: Wish, *, redact: bool) -> tuple[Wish, tuple[Problem, ...]]:
    from mneme.engine.wording import check_worth, word

    given = {name: value for name in _TEXTS if (value := getattr(wish, name))}
    worded = word(memory, {"text": wish.text, **given}, redact=redact, day=wish.day(memory.today))
    kind = wish.kind or "fact"
    if not wish.force and kind in memory.workspace.profile.homes:
        check_worth(memory, worded.texts["text"], kind)
    return dataclasses.replace(wish, **worded.texts), worded.problems  # type: ignore[arg-type] # each is a text
