"""What the home knows as pieces: what a card, a workflow, a lesson and a correction are found by."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mneme.formats.outcome import SUCCESS
from mneme.formats.piece import Piece
from mneme.formats.record import HIGH, LIVE, LOW, MED, RETIRED, Record
from mneme.formats.usage import is_doubtful, is_reliable
from mneme.memory.skills import CARDS, CORRECTIONS, REFLECTIONS, WORKFLOWS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mneme.formats.card import Card
    from mneme.formats.category import Category
    from mneme.formats.outcome import Correction, Reflection, Workflow

CARD, WORKFLOW, REFLECTION, CORRECTION, CATEGORY = "card", "workflow", "reflection", "correction", "category"
REMARK = "remark"
CATEGORIES_PATH = "categories"  # no file: the table of categories, under the name that the index keeps it by
REMARKS_PATH = "remarks"  # nor these: what people say that no tool is needed for
REMARKS_FILE = Path(__file__).with_name("remarks.json")


def card_pieces(cards: Iterable[Card]) -> tuple[Piece, ...]:
    """Return a piece for each card; one that is not active is retired, so that no look-up for prompts returns it."""
    return tuple(_card(card) for card in cards)


def _card(card: Card) -> Piece:
    state = LIVE if card.active else RETIRED
    conf = HIGH if is_reliable(card) else LOW if is_doubtful(card) else MED
    record = Record(card.id, CARD, CARDS, card.line, card.end_line, card.description, state=state, conf=conf)
    params = " ".join((*card.params_required, *card.params_optional))
    return Piece(
        record,
        gist=card.action_verb,
        cue=", ".join(card.triggers),
        topic=card.category,
        tags=(card.source,),
        title=f"{card.name} {spoken_id(card.id)}".strip(),
        body="\n".join(text for text in (card.description, params, card.example) if text),
        entity=card.namespace,
    )


def spoken_id(name: str) -> str:
    """Return an id as words."""
    return name.replace("_", " ")


def workflow_pieces(workflows: Iterable[Workflow]) -> tuple[Piece, ...]:
    """Return a piece for each workflow that worked and can be recalled by its situation."""
    return tuple(
        Piece(
            Record(_anchor(WORKFLOWS, one.key), WORKFLOW, WORKFLOWS, one.line, one.line, one.situation, since=one.at),
            body=one.situation,
        )
        for one in workflows
        if one.outcome == SUCCESS and one.situation.strip()
    )


def reflection_pieces(reflections: Iterable[Reflection]) -> tuple[Piece, ...]:
    """Return a piece for each lesson, the first one that says it."""
    first: dict[str, Reflection] = {}
    for one in reflections:
        first.setdefault(one.lesson, one)
    return tuple(
        Piece(
            Record(_anchor(REFLECTIONS, lesson), REFLECTION, REFLECTIONS, one.line, one.line, lesson, since=one.at),
            body=one.situation,
        )
        for lesson, one in first.items()
        if one.situation.strip()
    )


def correction_pieces(corrections: Iterable[Correction]) -> tuple[Piece, ...]:
    """Return a piece for each correction; of two for the same request, the later one counts."""
    latest = {" ".join(one.query.lower().split()): one for one in corrections if one.query.strip()}
    return tuple(
        Piece(
            Record(_anchor(CORRECTIONS, asked), CORRECTION, CORRECTIONS, one.line, one.line, one.query, since=one.at),
            body=one.query,
            entity=one.card,
        )
        for asked, one in latest.items()
    )


def category_pieces(categories: Iterable[Category]) -> tuple[Piece, ...]:
    """Return a piece for each description of each category: the languages apart, because vectors blur what is joined."""
    return tuple(
        Piece(
            Record(f"{CATEGORIES_PATH}#{one.name}-{place}", CATEGORY, CATEGORIES_PATH, 0, 0, text),
            body=text,
            entity=one.name,
        )
        for one in categories
        for place, text in enumerate((one.english, one.portuguese))
        if text
    )


@cache
def load_remarks() -> tuple[str, ...]:
    """Return what people say to an agent that it needs no tool for, in English, Chinese and Portuguese."""
    read = json.loads(REMARKS_FILE.read_text("utf-8"))
    return tuple(remark for kind in read.values() for remark in kind)


def remark_pieces(remarks: Iterable[str]) -> tuple[Piece, ...]:
    """Return a piece for each remark: a prompt that is as near to one of these as to any card is about no card."""
    return tuple(
        Piece(Record(f"{REMARKS_PATH}#{place}", REMARK, REMARKS_PATH, 0, 0, text), body=text)
        for place, text in enumerate(remarks)
    )


def _anchor(path: str, text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{path}#{text if path == WORKFLOWS else digest}"
