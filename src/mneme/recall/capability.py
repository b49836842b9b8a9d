"""Prompt -> the capabilities that bear on it: likely categories first, then the cards within them; or nothing.

Words and meaning are fused by the one ranking of the index, and its odds are laid on a scale on which 0.65 stands
where nine of ten first cards are right (`calibration`). A trigger that makes up enough of a prompt is a ranker of its own, with
a threshold of its own: its words are the author's, in whatever language. What a person corrected goes first; what has kept failing, or
was not used for long, needs more. A prompt that is hardly nearer to a card than to what people say that no tool is needed
for is told none. One look at the embedder serves a prompt: categories and cards keep their vectors.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING

from mneme.formats.card import pattern_of
from mneme.formats.record import HIGH, LOW
from mneme.index.backend import Wanted
from mneme.index.embed.instructions import CAPABILITY
from mneme.index.search import BY_VECTOR, Meaning, find_ranked
from mneme.index.words import QUIET_WORDS, parse_parts, parse_query, parse_terms
from mneme.recall.calibration import THRESHOLD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from mneme.formats.card import Card
    from mneme.formats.piece import Piece
    from mneme.index.backend import Backend
    from mneme.index.embed import Embedder
    from mneme.recall.calibration import Scale

CARD, WORKFLOW, REFLECTION, CORRECTION, CATEGORY = "card", "workflow", "reflection", "correction", "category"
REMARK = "remark"
# The note of an index under the name of a kind of which it has no piece: it need not be looked for.
NOTHING = "0"
LONGEST_PROMPT = 4_000
FEW_CARDS = 10
BONUS = 0.001
# What experience with a card adds to its log-odds: enough to order near equals, never to bring in what does not fit.
STANDING = {HIGH: 0.2, LOW: -0.4}
MOST_CATEGORIES = 2_000
# Unless settings say how many are kept, the nearest ten settle what is about equal: what a guess at the category leaves
# out is lost, and on the sets of tools a filter costs a tenth of the order and saves no time (`bench/capabilities.py`).
USUAL_CATEGORIES = 10
OTHER_CATEGORY = -0.1
# A trigger that stands in a prompt is its author's word that the card is meant, though the prompt says more besides.
TRIGGER_SAID = 0.8
# Portuguese words that ask or join, beside the English ones of the index; without accents, as they are compared.
_QUIET = """
    o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para pra com sem sob sobre entre ate e ou
    mas se que qual quais quem quando onde como porque eu tu ele ela nos eles elas voce me te lhe meu minha seu sua isso
    isto esse essa este esta aquele aquela ao aos foi ser estar tem ter ja nao sim mais muito so tambem favor fazer faz quanto
    quanta quantos quantas estao estou esta temos tenho vamos vou pode podes posso preciso quero algum alguma"""
# Those that are no English word of weight, so that leaving them out of a prompt never costs one.
_ONLY_PORTUGUESE = frozenset(_QUIET.split()) - {
    "a",
    "as",
    "do",
    "no",
    "me",
    "so",
    "e",
    "o",
    "se",
    "te",
    "com",
    "sob",
    "tem",
    "ate",
    "mas",
}
QUIET = QUIET_WORDS | frozenset(_QUIET.split())


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is returned, and what it must reach on the calibrated scale."""

    categories: int = 0
    cards: int = 5
    workflows: int = 3
    reflections: int = 2
    least: float = THRESHOLD
    least_share: float = 0.3
    least_correction: float = 0.80
    least_reflection: float = 0.75

    def categories_of(self, cards: int) -> int:
        """Return how many categories come first in a collection of that size; in a small one all do."""
        return MOST_CATEGORIES if cards < FEW_CARDS else self.categories or USUAL_CATEGORIES

    @property
    def is_strict(self) -> bool:
        """Say whether cards of other categories stay out, because somebody said how many are kept."""
        return self.categories > 0


@dataclass(frozen=True, slots=True)
class Capability:
    """A card that bears on a prompt, with its score on the calibrated scale and, as named terms, why."""

    piece: Piece
    score: float | None
    why: tuple[tuple[str, float], ...] = ()

    @property
    def id(self) -> str:
        """Return the card's id."""
        return self.piece.record.id


@dataclass(frozen=True, slots=True)
class Capabilities:
    """Everything that bears on a prompt; all empty where nothing does."""

    cards: tuple[Capability, ...] = ()
    workflows: tuple[Piece, ...] = ()
    reflections: tuple[Piece, ...] = ()
    categories: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.cards or self.workflows or self.reflections)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it is looked up: its text, its vectors, and the folder that its session works in.

    `shares` says of each card how much of the prompt its triggers make up, and `homes` which category it is in.
    """

    text: str
    meaning: Meaning
    here: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)
    homes: Mapping[str, str] = field(default_factory=dict)


def read_prompt(text: str, embedder: Embedder, here: str = "", cards: Iterable[Card] = ()) -> Prompt:
    """Return a prompt with its vectors, all from one call to the embedder; of a long one, its two ends.

    `cards` are those whose triggers are looked for in it.
    """
    text = shortened(text)
    whole, *parts = embedder.embed_query([text, *parse_parts(text)], CAPABILITY)
    shares = trigger_shares(text, cards := tuple(cards))
    homes = {card.id: card.category for card in cards if card.id in shares}
    return Prompt(text, Meaning(embedder.name, whole, tuple(parts)), here, shares, homes)


def shortened(text: str) -> str:
    """Return the two ends of a long prompt: what is asked stands at the beginning or at the end."""
    half = LONGEST_PROMPT // 2
    return text if len(text) <= LONGEST_PROMPT else f"{text[:half]}\n{text[-half:]}"


def find_capabilities(backend: Backend, prompt: Prompt, scale: Scale, limits: Limits | None = None) -> Capabilities:
    """Return the cards, workflows and lessons that bear on a prompt, each where it clears its threshold."""
    limits = limits or Limits()
    categories = find_categories(backend, prompt, limits)
    return Capabilities(
        cards=tuple(_find_cards(backend, prompt, scale, limits, categories)),
        workflows=_near(backend, prompt, WORKFLOW, scale, limits.least, limits.workflows),
        reflections=_near(backend, prompt, REFLECTION, scale, limits.least_reflection, limits.reflections),
        categories=categories,
    )


# --- first stage ------------------------------------------------------------------------------------------------------


def find_categories(backend: Backend, prompt: Prompt, limits: Limits) -> tuple[str, ...]:
    """Return the categories to look in: those whose triggers make up the prompt, then the nearest by description."""
    triggered = [name for name, share in prompt.shares.items() if share >= limits.least_share]
    triggered.sort(key=lambda name: -prompt.shares[name])
    kept = limits.categories_of(int(backend.meta("cards") or 0))
    described = dict(backend.listed(Wanted(kinds=(CATEGORY,)), MOST_CATEGORIES))
    near = backend.similar(prompt.meaning.embedder, prompt.meaning.vector, list(described))
    names = (described[row].entity for row in sorted(near, key=lambda row: (-near[row], row)))
    return tuple(dict.fromkeys((*(prompt.homes[name] for name in triggered), *names)))[:kept]


# --- second stage -----------------------------------------------------------------------------------------------------


def _find_cards(
    backend: Backend, prompt: Prompt, scale: Scale, limits: Limits, categories: tuple[str, ...]
) -> list[Capability]:
    ranked = _ranked(backend, prompt, scale, categories, limits) if says_something(prompt.text) else []
    ranked = _with_triggered(backend, prompt, ranked, categories, limits)
    kept = [one for one in ranked if one.score is not None and one.score >= limits.least][: limits.cards]
    corrected = _corrected(backend, prompt, scale, limits)
    if corrected is None:
        return kept
    best = max(THRESHOLD, (kept[0].score or 0.0) if kept else 0.0)
    first = Capability(corrected, min(1.0, best + BONUS), (("corrected", BONUS),))
    return [first, *(one for one in kept if one.id != first.id)][: limits.cards]


def _ranked(
    backend: Backend, prompt: Prompt, scale: Scale, categories: tuple[str, ...], limits: Limits
) -> list[Capability]:
    """Return cards, best first; in strict limits those of the kept categories alone.

    The best of the whole collection are looked at first, which is all of a small one; where too few of them are in the
    kept categories, these are searched one by one, so that what the filter leaves out never empties the answer.
    """
    found = list(_look(backend, prompt, scale, categories, Wanted(kinds=(CARD,)), strict=limits.is_strict))
    if limits.is_strict and len(found) < limits.cards and int(backend.meta("cards") or 0) > BY_VECTOR:
        known = {one.id for one in found}
        for category in categories:
            wanted = Wanted(kinds=(CARD,), topic=category)
            more = _look(backend, prompt, scale, categories, wanted, strict=True)
            found.extend(one for one in more if one.id not in known)
            known |= {one.id for one in found}
    return _sorted(found)


def _look(
    backend: Backend, prompt: Prompt, scale: Scale, categories: tuple[str, ...], wanted: Wanted, *, strict: bool
) -> Iterator[Capability]:
    ranked, _ = find_ranked(backend, _without(prompt.text, _ONLY_PORTUGUESE), prompt.meaning, wanted)
    wish = wish_of(backend, prompt, scale)
    pieces = dict(backend.pieces([one.row for one in ranked], wanted))
    for one in ranked:
        piece = pieces.get(one.row)
        if piece is None or not is_visible(piece.entity, prompt.here) or (strict and piece.topic not in categories):
            continue
        more = (
            ("standing", STANDING.get(piece.record.conf, 0.0)),
            ("trigger said", TRIGGER_SAID if prompt.shares.get(piece.record.id) else 0.0),
            ("another category", 0.0 if piece.topic in categories else OTHER_CATEGORY),
        )
        odds = one.log_odds + sum(value for _, value in more)
        doubt = scale.doubt(odds, wish)
        why = (*one.why, *(term for term in (*more, ("may want none", doubt)) if term[1]))
        yield Capability(piece, scale.score(odds + doubt), why)


def wish_of(backend: Backend, prompt: Prompt, scale: Scale) -> float | None:
    """Return the log-odds that a prompt wants a card at all; None where that can't be told."""
    lead = lead_of(backend, prompt) if scale.wants else None
    return None if lead is None else scale.wish(lead)


def lead_of(backend: Backend, prompt: Prompt) -> float | None:
    """Return by how much the nearest card is nearer to a prompt than the nearest remark that wants none."""
    nearest = [
        backend.by_vector(prompt.meaning.embedder, prompt.meaning.vector, 1, Wanted(kinds=(kind,))).hits
        for kind in (CARD, REMARK)
    ]
    return nearest[0][0][1] - nearest[1][0][1] if all(nearest) else None


def _with_triggered(
    backend: Backend, prompt: Prompt, ranked: list[Capability], categories: tuple[str, ...], limits: Limits
) -> list[Capability]:
    """Lift the cards whose triggers make up enough of the prompt, each by how much of it they are."""
    shares = prompt.shares
    lifted = {
        name: THRESHOLD + (1.0 - THRESHOLD) * (share - limits.least_share) / (1.0 - limits.least_share)
        for name, share in shares.items()
        if share >= limits.least_share
    }
    if not lifted:
        return ranked
    known = {one.id: one for one in ranked}
    for _, piece in backend.get(list(lifted), Wanted(kinds=(CARD,))):
        if (piece.topic in categories or not limits.is_strict) and is_visible(piece.entity, prompt.here):
            before = known.get(piece.record.id, Capability(piece, 0.0))
            score = max(before.score or 0.0, lifted[piece.record.id])
            known[piece.record.id] = Capability(piece, score, (*before.why, ("trigger", shares[piece.record.id])))
    return _sorted(known.values())


def _sorted(found: Iterable[Capability]) -> list[Capability]:
    return sorted(found, key=lambda one: (-(one.score or 0.0), one.id))


def trigger_shares(text: str, cards: Iterable[Card]) -> dict[str, float]:
    """Return, for each card with a trigger in the prompt, the share of the prompt's telling words that it makes up.

    A pattern that fits is the whole of it: whoever wrote one meant it.
    """
    said = folded(text)
    terms = set(parse_query(_without(text, QUIET)).terms)
    shares: dict[str, float] = {}
    for card in cards:
        found = [trigger for trigger in card.triggers if card.active and is_triggered(trigger, said)]
        if any(pattern_of(trigger) is not None for trigger in found):
            shares[card.id] = 1.0
        elif found and terms:
            covered = {term for trigger in found for term in parse_terms(trigger)}
            shares[card.id] = len(covered & terms) / len(terms)
    return shares


def says_something(text: str) -> bool:
    """Say whether a prompt has a word in it that could tell one card from another."""
    return bool(_without(text, QUIET).strip(" \t\n.,;:!?'\""))


def _without(text: str, quiet: frozenset[str]) -> str:
    """Return a text without words that say nothing."""
    return re.sub(r"\w+", lambda word: "" if folded(word[0]) in quiet else word[0], text)


def is_visible(namespace: str, here: str) -> bool:
    """Say whether a card may be told in a folder: one whose namespace is another folder may not."""
    if not namespace.startswith(("/", "~")):
        return True
    return bool(here) and PurePath(here).is_relative_to(PurePath(namespace))


def _corrected(backend: Backend, prompt: Prompt, scale: Scale, limits: Limits) -> Piece | None:
    """Return the card that a person said a request like this one wants, if it is there and active."""
    nearest = _near(backend, prompt, CORRECTION, scale, limits.least_correction, 1)
    found = backend.get([nearest[0].entity], Wanted(kinds=(CARD,))) if nearest else []
    return found[0][1] if found and is_visible(found[0][1].entity, prompt.here) else None


def _near(backend: Backend, prompt: Prompt, kind: str, scale: Scale, least: float, limit: int) -> tuple[Piece, ...]:
    """Return the pieces of a kind in whose situation the prompt is as good as asked again, nearest first."""
    if backend.meta(kind) == NOTHING:
        return ()
    wanted = Wanted(kinds=(kind,))
    hits = backend.by_vector(prompt.meaning.embedder, prompt.meaning.vector, limit, wanted).hits
    rows = [row for row, cosine in hits if scale.likeness(cosine) >= least]
    return tuple(piece for _, piece in backend.pieces(rows, wanted))


# --- without an embedder ----------------------------------------------------------------------------------------------


def find_triggered(cards: Iterable[Card], text: str, here: str = "", limit: int = 5) -> list[Card]:
    """Return the first active cards of which a trigger stands in a text: whole words in any case, or a pattern."""
    said = folded(shortened(text))
    active = (card for card in cards if card.active and is_visible(card.namespace, here))
    found = []
    for card in active:
        if any(is_triggered(trigger, said) for trigger in card.triggers):
            found.append(card)
        if len(found) == limit:
            break
    return found


def is_triggered(trigger: str, said: str) -> bool:
    """Say whether a trigger stands in a folded text; one of quiet words alone never does."""
    pattern = pattern_of(trigger)
    if pattern is not None:
        return re.search(pattern, said, re.IGNORECASE) is not None
    words = folded(trigger).split()
    if all(word in QUIET for word in words) or words[0] not in said:
        return False
    phrase = r"\s+".join(map(re.escape, words))
    return re.search(rf"(?<!\w){phrase}(?!\w)", said) is not None


def folded(text: str) -> str:
    """Return a text in small letters and without accents, as triggers are compared."""
    bare = unicodedata.normalize("NFKD", text.lower())
    return "".join(letter for letter in bare if not unicodedata.combining(letter))
