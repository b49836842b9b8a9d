"""The collection of cards on disk: read, compiled for quick reading, and changed by plan.

Reading YAML is slow, and a prompt must not wait for it. So what a file came to is kept beside the machine's other
derived state under the file's hash, as JSON; a file that changed is read anew, whoever changed it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mneme import files
from mneme.errors import NotFoundError, Problem, RefusedError, StorageError
from mneme.formats.card import Card, edit_add, edit_card, parse_cards
from mneme.memory.skills import CARDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from pathlib import Path

    from mneme.files import Change

COMPILED = "cards.json"
COMPILED_VERSION = 1


@dataclass(frozen=True, slots=True)
class CardSet:
    """All cards of a home as they were at one moment, what is wrong with the rest, and the hash they were read under."""

    cards: tuple[Card, ...] = ()
    problems: tuple[Problem, ...] = ()
    stamp: str = ""

    def get(self, wanted: str) -> Card:
        """Return the card of an id; an unknown one is told with the nearest."""
        found = next((card for card in self.cards if card.id == wanted), None)
        if found is None:
            raise self._unknown(wanted)
        return found

    def _unknown(self, wanted: str) -> NotFoundError:
        from difflib import get_close_matches

        near = get_close_matches(wanted, [card.id for card in self.cards], n=1)
        message = f"there is no card '{wanted}'" + (f"; the nearest: {near[0]}" if near else "")
        return NotFoundError(message, f"mneme cards show {near[0]}" if near else "mneme cards list")


def load_cards(root: Path, categories: Collection[str]) -> CardSet:
    """Return the cards of a home; a home without the file has none."""
    content = files.find_file(files.place_of(root, CARDS))
    if content is None:
        return CardSet()
    stamp = stamp_of(content, categories)
    known = _find_compiled(root, stamp)
    if known is not None:
        return known
    parsed = parse_cards(content.decode("utf-8", "replace"), CARDS, categories)
    found = CardSet(parsed.cards, parsed.problems, stamp)
    _keep_compiled(root, found)
    return found


def stamp_of(content: bytes, categories: Collection[str]) -> str:
    """Return what the cards of a content depend on, as one hash."""
    return files.digest(f"{COMPILED_VERSION}\0{' '.join(sorted(categories))}\0".encode("utf-8", "replace") + content)


def _find_compiled(root: Path, stamp: str) -> CardSet | None:
    try:
        kept = json.loads((root / files.WORKPLACE / COMPILED).read_bytes())
        if kept["stamp"] != stamp:
            return None
        return CardSet(tuple(map(_card, kept["cards"])), tuple(Problem(*one) for one in kept["problems"]), stamp)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _card(values: dict[str, Any]) -> Card:
    lists = ("triggers", "params_required", "params_optional")
    return Card(**{**values, **{name: tuple(values[name]) for name in lists}})


def _keep_compiled(root: Path, found: CardSet) -> None:
    """Keep what a file came to; where that can't be written, the file is read again next time."""
    cards = [{**card.as_json(), "line": card.line, "end_line": card.end_line} for card in found.cards]
    problems = [[one.path, one.line, one.rule, one.severity, one.message, one.hint] for one in found.problems]
    content = json.dumps({"stamp": found.stamp, "cards": cards, "problems": problems}).encode()
    try:
        files.write_derived(files.workplace(root) / COMPILED, content)
    except (OSError, StorageError):
        return


def plan_cards(
    root: Path,
    categories: Collection[str],
    *,
    add: Iterable[Card] = (),
    values: Mapping[str, Mapping[str, object]] | None = None,
    reason: str = "",
) -> Change | None:
    """Return the change that adds cards and sets values of cards that are there, by id; None where nothing changes.

    Whatever else stands in the file stays as it is. The result is read once more before it is proposed.
    """
    content = files.find_file(files.place_of(root, CARDS))
    text = (content or b"").decode("utf-8", "surrogateescape")
    parsed = parse_cards(text, CARDS, categories)
    if parsed.is_broken:
        problem = parsed.problems[0]
        message = f"'{CARDS}' can't be written to while it can't be read: line {problem.line}: {problem.message}"
        raise RefusedError(message, f"edit {root / CARDS}")
    added = list(add)
    wanted = {card.id: replace(card, **(values or {}).get(card.id, {})) for card in parsed.cards}  # type: ignore[arg-type]
    wanted |= {card.id: card for card in added}
    edits = [*edit_add(parsed, added)]
    for place, card in enumerate(parsed.cards):
        edits += edit_card(parsed, place, (values or {}).get(card.id, {}))
    after = files.edited(text.encode("utf-8", "surrogateescape"), files.text_edits(text, edits))
    _check_result(after, wanted, categories)
    if content is None:
        return files.plan_create(CARDS, after, reason) if added else None
    return files.plan_edit(CARDS, content, files.text_edits(text, edits), reason) if after != content else None


def _check_result(after: bytes, wanted: Mapping[str, Card], categories: Collection[str]) -> None:
    """Refuse a rewrite that would not read back as what was meant: a file laid out in a way that nobody foresaw."""
    read = {card.id: card for card in parse_cards(after.decode("utf-8", "replace"), CARDS, categories).cards}
    if read != dict(wanted):
        odd = next((name for name in wanted if read.get(name) != wanted[name]), next(iter(wanted), ""))
        message = f"'{CARDS}' is laid out so that '{odd}' can't be written to safely"
        raise RefusedError(message, f"edit {CARDS}")
