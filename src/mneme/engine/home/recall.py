"""What the home answers with: the capabilities that bear on a prompt, and workflows like one that has just ended."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from mneme import files
from mneme.engine.home.index import find_embedder, load_cards, open_index
from mneme.memory import skills
from mneme.recall import block, capability

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mneme.engine.home import Home
    from mneme.formats.outcome import Workflow
    from mneme.formats.piece import Piece
    from mneme.index.embed import Embedder
    from mneme.index.sqlite import SqliteBackend
    from mneme.recall.capability import Capabilities, Limits

SHOWN = "shown"  # the folder of the machine's state that says what each session was shown
LOG = "recall.jsonl"


def capability_block(home: Home, prompt: str, *, session: str, here: str) -> str:
    """Return the block for a prompt; a home without cards has nothing to say."""
    if not prompt.strip() or not (home.root / skills.CARDS).is_file():
        return ""
    found, entries = _entries(home, prompt, here)
    seen = _shown(home, session)
    fresh = {name: entry for name, entry in entries.items() if seen.get(name) != block.digest_of(entry)}
    budget = int(home.memory.workspace.settings["capabilities.budget_tokens"])
    text = block.capability_block(fresh.values(), budget)
    told = {name: block.digest_of(entry) for name, entry in fresh.items() if entry.split("\n", 1)[0] in text}
    if told and session:
        files.append_line(_shown_file(home, session), json.dumps(told))
    _log(home, found, told, session)
    return text


def find(home: Home, prompt: str, *, here: str = "", limits: Limits | None = None) -> Capabilities | None:
    """Return what bears on a prompt; None where there is no embedder to tell."""
    from mneme.recall.calibration import scale_of

    embedder, reason = find_embedder(home)
    if embedder is None and not home.lexical and home.memory.workspace.settings["embedder.kind"] != "none":
        home.memory.note_fault(reason)
    asked = None if embedder is None else _read(home, embedder, prompt, here)
    if embedder is None or asked is None:
        return None
    with open_index(home, embedder) as backend:
        return capability.find_capabilities(backend, asked, scale_of(embedder.name), limits or limits_of(home))


def limits_of(home: Home) -> Limits:
    """Return how much is told, as the home's settings have it."""
    settings = home.memory.workspace.settings
    return capability.Limits(
        categories=int(settings["capabilities.categories_kept"]),
        cards=int(settings["capabilities.cards_told"]),
        least=float(settings["capabilities.threshold"]),
    )


def _read(home: Home, embedder: Embedder, prompt: str, here: str) -> capability.Prompt | None:
    """Return a prompt with its vectors; None where the embedder does not answer."""
    from mneme.index.embed.protocol import EmbedderError

    try:
        return capability.read_prompt(prompt, embedder, here, load_cards(home).cards)
    except EmbedderError as fault:
        home.memory.note_fault(fault.message)
        return None


def _entries(home: Home, prompt: str, here: str) -> tuple[Capabilities | None, dict[str, str]]:
    """Return what is to be told, by name: cards, then workflows, then lessons."""
    from mneme.index.embed.protocol import EmbedderError

    try:
        found = find(home, prompt, here=here)
    except EmbedderError as fault:
        home.memory.note_fault(fault.message)
        found = None
    if found is None:
        return None, _fallback_entries(home, prompt, here)
    cards = {card.id: card for card in load_cards(home).cards} if found.cards else {}
    entries = {one.id: block.card_entry(cards[one.id], one.score) for one in found.cards if one.id in cards}
    entries |= _workflow_entries(home, found.workflows)
    entries |= {piece.record.id: block.reflection_entry(piece.record.text) for piece in found.reflections}
    return found, entries


def _workflow_entries(home: Home, found: Sequence[Piece]) -> dict[str, str]:
    from mneme.memory.skills.rows import load_rows

    if not found:
        return {}
    known = {one.key: one for one in load_rows(home.root).workflows}
    keys = [(piece.record.id, piece.record.id.rpartition("#")[2]) for piece in found]
    return {name: block.workflow_entry(known[key]) for name, key in keys if key in known}


def _fallback_entries(home: Home, prompt: str, here: str) -> dict[str, str]:
    """Return the cards whose triggers stand in the prompt, where the user has asked for that."""
    from mneme.workspace import wants_fallback

    if not wants_fallback():
        return {}
    limit = int(home.memory.workspace.settings["capabilities.cards_told"])
    found = capability.find_triggered(load_cards(home).cards, prompt, here, limit)
    return {card.id: block.card_entry(card, None) for card in found}


def _log(home: Home, found: Capabilities | None, told: dict[str, str], session: str) -> None:
    """Note what was told: ids and scores, never the prompt."""
    from mneme.workspace import wants_telemetry

    if not wants_telemetry() or (found is None and not told):
        return
    scores = {one.id: round(one.score or 0.0, 3) for one in found.cards} if found else {}
    row: dict[str, object] = {"at": home.moment, "origin": "injected", "session": _name_of(session) if session else ""}
    row |= {"fallback": found is None, "ids": {name: scores.get(name, 0.0) for name in told}}
    files.append_line(home.root / files.WORKPLACE / LOG, json.dumps(row))


# --- what a session was shown -----------------------------------------------------------------------------------------


def start_session(home: Home, session: str) -> None:
    """Forget what a session was shown."""
    if session and (home.root / files.WORKPLACE / SHOWN).is_dir():
        files.take_derived(_shown_file(home, session))


def _shown(home: Home, session: str) -> dict[str, str]:
    shown: dict[str, str] = {}
    content = files.find_file(_shown_file(home, session)) if session else None
    for line in (content or b"").decode("utf-8", "replace").split("\n"):
        try:
            shown |= json.loads(line)
        except (ValueError, TypeError):
            continue
    return shown


def _shown_file(home: Home, session: str) -> Path:
    return home.root / files.WORKPLACE / SHOWN / f"{_name_of(session)}.jsonl"


def _name_of(session: str) -> str:
    return hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:24]


# --- workflows like one that ended ------------------------------------------------------------------------------------


def near_workflows(home: Home, workflow: Workflow) -> Sequence[tuple[str, float]]:
    """Return the workflows in situations like this one's, nearest first; by shared words where there is no embedder."""
    embedder, _ = find_embedder(home)
    if embedder is None or not (home.root / skills.WORKFLOWS).is_file():
        return _near_by_words(home, workflow)
    with open_index(home, embedder) as backend:
        return _near_by_vector(backend, embedder, workflow)


def _near_by_vector(backend: SqliteBackend, embedder: Embedder, workflow: Workflow) -> Sequence[tuple[str, float]]:
    from mneme.index.backend import Wanted

    wanted = Wanted(kinds=(capability.WORKFLOW,))
    (vector,) = embedder.embed_documents([workflow.situation])
    hits = backend.by_vector(embedder.name, vector, 10, wanted).hits
    found = dict(backend.pieces([row for row, _ in hits], wanted))
    return [(found[row].record.id.rpartition("#")[2], cosine) for row, cosine in hits if row in found]


def _near_by_words(home: Home, workflow: Workflow) -> Sequence[tuple[str, float]]:
    from mneme.index.words import parse_query
    from mneme.memory.skills.rows import load_rows

    asked = set(parse_query(workflow.situation).terms)
    near = []
    for one in load_rows(home.root).workflows:
        terms = set(parse_query(one.situation).terms)
        near.append((one.key, len(asked & terms) / (len(asked | terms) or 1)))
    return sorted(near, key=lambda pair: -pair[1])
