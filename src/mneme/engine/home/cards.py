"""The verbs of `mneme cards`: look at cards, add them, find what this machine has, and see which are really there."""

from __future__ import annotations

import hashlib
import shutil
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.home.index import categories_of, category_names, find_embedder, load_cards, open_index
from mneme.engine.home.recall import find, limits_of
from mneme.errors import BadInputError, NotFoundError, Problem
from mneme.formats.card import DISCOVERED, Card, check_card
from mneme.formats.guess import guess_category
from mneme.formats.record import LIVE, RETIRED, Record
from mneme.formats.usage import count_uses, counted, slug_of
from mneme.memory import skills

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from mneme.engine.home import Home
    from mneme.engine.results import Done
    from mneme.formats.outcome import Workflow
    from mneme.hosts.sources import Found
    from mneme.hosts.sources.scan import Scan
    from mneme.index.embed import Embedder

LONGEST_ID = 80
LONGEST_QUERY = 500


@dataclass(frozen=True, slots=True)
class CardView:
    """A card as verbs answer with it, with its score where it was searched; `told` says that a prompt would get it."""

    card: Card
    score: float | None = None
    told: bool = False
    why: tuple[tuple[str, float], ...] = ()

    @property
    def record(self) -> Record:
        """Return the card as a record."""
        card = self.card
        state = LIVE if card.active else RETIRED
        return Record(card.id, "card", skills.CARDS, card.line, card.end_line, card.description, state=state)

    def as_json(self) -> dict[str, object]:
        """Return the record's JSON form, with the card in it."""
        values = self.record.as_json() | {"card": self.card.as_json()}
        if self.score is not None:
            values |= {"score": round(self.score, 4), "told": self.told, "why": [list(term) for term in self.why]}
        return values


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search found, best first, and in which categories it looked; `reason` says why meaning had no part in it."""

    cards: tuple[CardView, ...]
    categories: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Checked:
    """What `verify` found: cards that are there again, cards that are gone, and the plan that says so."""

    activated: tuple[str, ...]
    deactivated: tuple[str, ...]
    untouched: int
    counted: tuple[str, ...]
    done: Done
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True)
class Scanned:
    """What a scan found: cards that are new, how many were there already, and the plan that adds them."""

    new: tuple[Card, ...]
    known: int
    done: Done
    problems: tuple[Problem, ...] = ()


# --- looking ----------------------------------------------------------------------------------------------------------


def counted_cards(home: Home) -> tuple[Card, ...]:
    """Return every card with what has happened since it was last counted."""
    from mneme.formats.outcome import parse_failures, parse_workflows
    from mneme.memory.skills.rows import load_text

    cards = load_cards(home).cards
    workflows, _ = parse_workflows(load_text(home.root, skills.WORKFLOWS), skills.WORKFLOWS)
    failures, _ = parse_failures(load_text(home.root, skills.FAILURES), skills.FAILURES)
    uses = count_uses(cards, workflows, failures)
    return tuple(counted(card, uses.get(card.id), home.memory.today) for card in cards)


def list_cards(
    home: Home, *, category: str | None = None, source: str | None = None, active: bool | None = None
) -> list[Card]:
    """Return the cards that fit, in the order of their ids."""
    if category is not None and category not in category_names(home):
        raise _unknown_category(home, category)
    fitting = (
        card
        for card in counted_cards(home)
        if category in (None, card.category) and source in (None, card.source) and active in (None, card.active)
    )
    return sorted(fitting, key=lambda card: card.id)


def get_card(home: Home, wanted: str) -> Card:
    """Return one card; an unknown id is told with the nearest."""
    load_cards(home).get(wanted)
    return next(card for card in counted_cards(home) if card.id == wanted)


def get_workflow(home: Home, wanted: str) -> Workflow:
    """Return a workflow by its key, or by the id that its record has."""
    from mneme.memory.skills.rows import load_rows

    key = wanted.rpartition("#")[2]
    found = next((one for one in load_rows(home.root).workflows if one.key == key), None)
    if found is None:
        message = f"there is no workflow '{wanted}'"
        raise NotFoundError(message, "mneme cards workflows")
    return found


def search_cards(home: Home, query: str, *, here: str = "", limit: int = 5) -> Searched:
    """Return the cards nearest to a request, told or not, each with its score."""
    from mneme.recall.capability import find_triggered

    limits = limits_of(home)
    found = find(home, query, here=here, limits=replace(limits, cards=limit, least=0.0))
    cards = {card.id: card for card in counted_cards(home)}
    if found is None:
        _, reason = find_embedder(home)
        triggered = find_triggered(cards.values(), query, here, limit)
        return Searched(tuple(CardView(card) for card in triggered), (), reason or "the embedder does not answer")
    views = (
        CardView(cards[one.id], one.score, (one.score or 0.0) >= limits.least, one.why)
        for one in found.cards
        if one.id in cards
    )
    return Searched(tuple(views), found.categories)


# --- writing ----------------------------------------------------------------------------------------------------------


def add_card(home: Home, card: Card, *, dry_run: bool = False) -> Done:
    """Add one card; without a category, it gets the one that its words fit best."""
    category = card.category or _category_of(home, find_embedder(home)[0], card.name, card.description, card.triggers)
    made = check_card(_clean(replace(card, category=category)), category_names(home))
    with home.memory.writing("cards add", dry_run=dry_run):
        if any(known.id == made.id for known in load_cards(home).cards):
            message = f"there is a card '{made.id}' already"
            raise BadInputError(message, f"mneme cards show {made.id}")
        return _write(home, "cards add", made.id, add=[made], dry_run=dry_run)


def correct(home: Home, query: str, wanted: str) -> Card:
    """Note that a request like this one wants that card."""
    from mneme.check.mask import mask_text
    from mneme.formats.outcome import Correction
    from mneme.memory.skills.rows import append_rows

    card = load_cards(home).get(wanted)
    asked = mask_text(" ".join(query.split())[:LONGEST_QUERY])
    if not asked:
        message = "there is no request to correct: the text is empty"
        raise BadInputError(message, f"mneme cards correct 'what was asked' {wanted}")
    with home.memory.writing("cards correct", dry_run=False):
        append_rows(home.root, [Correction(asked, wanted, home.moment)])
    return card


def verify(home: Home, *, here: Path | None = None, dry_run: bool = False) -> Checked:
    """Turn cards on and off by what is really there, and write down what was counted since."""
    scan = _scan(home, here)
    values: dict[str, dict[str, object]] = {}
    with home.memory.writing("cards verify", dry_run=dry_run):
        before = load_cards(home)
        known = {card.id: card for card in before.cards}
        presence = {card.id: _is_there(home, card, scan) for card in before.cards}
        for card in counted_cards(home):
            there = presence[card.id]
            now = replace(card, active=known[card.id].active if there is None else there)
            names = ("active", "last_used", "success_count", "failure_count", "decay_score")
            values[card.id] = {name: getattr(now, name) for name in names}
        done = _write(home, "cards verify", "", values=values, dry_run=dry_run)
    changed = {name: one for name, one in values.items() if one["active"] != known[name].active}
    return Checked(
        tuple(name for name, one in changed.items() if one["active"]),
        tuple(name for name, one in changed.items() if not one["active"]),
        sum(there is None for there in presence.values()),
        tuple(name for name, one in values.items() if one["last_used"] != known[name].last_used),
        done,
        (*before.problems, *scan.problems),
    )


def scan(home: Home, *, here: Path | None = None, ask: Collection[str] = (), apply: bool = False) -> Scanned:
    """Find what this machine has and there is no card of; with `apply`, add it. What is there is left as it is."""
    found = _scan(home, here, ask)
    embedder, _ = find_embedder(home)
    with home.memory.writing("cards scan", dry_run=not apply):
        known = load_cards(home)
        taken = {card.id for card in known.cards}
        programs = {card.example.split()[0] for card in known.cards if card.source == "os" and card.example.split()}
        cards = {
            name: one
            for name, one in named(found.found).items()
            if name not in taken and not (one.source == "os" and one.name in programs)
        }
        new = [_card_of(home, embedder, name, one) for name, one in cards.items()]
        done = _write(home, "cards scan", f"{len(new)} new", add=new, dry_run=not apply)
    return Scanned(tuple(new), len(found.found) - len(new), done, (*known.problems, *found.problems))


def named(found: Iterable[Found]) -> dict[str, Found]:
    """Give each capability an id of its own: two that would have the same one are told apart by where they come from."""
    names: dict[str, Found] = {}
    for one in found:
        plain = _id_of(one.key, one.source)
        origin = slug_of(one.origin) if one.source == "plugin" else ""
        project = slug_of(one.namespace.rpartition("/")[2]) if one.namespace != "global" else ""
        digest = hashlib.sha256(
            f"{one.key}\0{one.origin}\0{one.namespace}".encode("utf-8", "surrogatepass")
        ).hexdigest()
        tries = [
            plain,
            *(f"{plain}_{more}" for more in (origin, project, digest[:6]) if more),
            f"{plain}_{digest[:12]}",
        ]
        names[next(name for name in tries if name not in names)] = one
    return names


def _id_of(key: str, source: str) -> str:
    """Return a key as an id, which begins with a letter and is not empty, whatever script the key is in."""
    slug = slug_of(key)[:LONGEST_ID]
    if not slug:
        slug = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return slug if slug[0].isalpha() else f"{source}_{slug}"


def _card_of(home: Home, embedder: Embedder | None, name: str, found: Found) -> Card:
    return _clean(
        Card(
            id=name,
            name=found.name,
            category=_category_of(home, embedder, found.name, f"{found.verb} {found.description}", found.triggers),
            action_verb=found.verb or found.name,
            triggers=tuple(trigger for trigger in found.triggers if trigger.strip()) or (name,),
            description=found.description or found.name,
            params_required=found.params_required,
            params_optional=found.params_optional,
            example=found.example,
            schema_version=DISCOVERED,
            source=found.source,
            namespace=found.namespace,
            active=found.active,
        )
    )


def _clean(card: Card) -> Card:
    """Return a card whose texts a file can hold; a trigger that was found is never a pattern."""

    def text(value: str) -> str:
        return " ".join(value.encode("utf-8", "replace").decode("utf-8").split())

    discovered = card.schema_version == DISCOVERED
    triggers = tuple(text(one.strip("/") if discovered else one) for one in card.triggers)
    return replace(
        card,
        name=text(card.name),
        action_verb=text(card.action_verb),
        description=text(card.description),
        example=text(card.example),
        triggers=tuple(dict.fromkeys(one for one in triggers if one)),
        params_required=tuple(map(text, card.params_required)),
        params_optional=tuple(map(text, card.params_optional)),
    )


def _category_of(home: Home, embedder: Embedder | None, name: str, text: str, triggers: Iterable[str]) -> str:
    said = f"{text} {' '.join(triggers)}"
    return guess_category(name, said, categories_of(home), _nearness(home, embedder, f"{name}\n{text}"))


def _nearness(home: Home, embedder: Embedder | None, text: str) -> Mapping[str, float] | None:
    """Return how near each category's description lies to a text; None where there is no embedder to tell."""
    from mneme.index.backend import Wanted
    from mneme.index.embed.protocol import EmbedderError
    from mneme.recall.capability import CATEGORY, MOST_CATEGORIES

    if embedder is None or not home.root.is_dir():
        return None
    wanted = Wanted(kinds=(CATEGORY,))
    try:
        (vector,) = embedder.embed_documents([text])
        with open_index(home, embedder) as backend:
            hits = backend.by_vector(embedder.name, vector, MOST_CATEGORIES, wanted).hits
            pieces = dict(backend.pieces([row for row, _ in hits], wanted))
    except EmbedderError:
        return None
    return {pieces[row].entity: cosine for row, cosine in reversed(hits) if row in pieces}


# --- what is really there ---------------------------------------------------------------------------------------------


def _scan(home: Home, here: Path | None, ask: Collection[str] = ()) -> Scan:
    from mneme.hosts.sources import Machine
    from mneme.hosts.sources.scan import scan_machine
    from mneme.workspace import quiet_environment, search_path, user_folder

    del home
    return scan_machine(Machine(user_folder(), here, search_path(), quiet_environment()), ask)


def _is_there(home: Home, card: Card, found: Scan) -> bool | None:
    """Say whether what a card tells of is on this machine; None where nobody can tell but the person who wrote it."""
    if card.source in ("manual", "project", "service"):
        return None
    if card.source == "os":
        from mneme.workspace import search_path

        words = (card.example.split() or [""])[0], card.name, card.id.removeprefix("program_")
        return any(shutil.which(word, path=search_path()) for word in words if word)
    del home
    same = [one for one in found.found if one.source == card.source]
    names = {card.id, *(slug_of(trigger) for trigger in card.triggers), slug_of(card.name)}
    hits = [one for one in same if names & {_id_of(one.key, one.source), slug_of(one.name)} or _is_tool_of(card, one)]
    return any(one.active for one in hits)


def _is_tool_of(card: Card, server: Found) -> bool:
    """Say whether a card tells of one tool of a server that was found as a whole."""
    return card.source == "mcp" and card.id.startswith(f"{_id_of(server.key, server.source)}_")


def _write(
    home: Home,
    verb: str,
    note: str,
    *,
    add: Collection[Card] = (),
    values: Mapping[str, Mapping[str, object]] | None = None,
    dry_run: bool,
) -> Done:
    from mneme.memory.skills.cards import plan_cards

    change = plan_cards(home.root, category_names(home), add=add, values=values, reason=verb)
    return home.memory.apply(files.Plan(verb, (change,) if change else (), note), dry_run=dry_run)


def _unknown_category(home: Home, name: str) -> BadInputError:
    from difflib import get_close_matches

    near = get_close_matches(name, sorted(category_names(home)), n=1)
    message = f"there is no category '{name}'" + (f"; did you mean '{near[0]}'?" if near else "")
    return BadInputError(message, f"mneme cards list --category {near[0] if near else 'db'}")
