"""Capabilities as a model is told them: one short block of facts, harmless, within a budget of tokens.

It goes to the beginning of a prompt, says what is there rather than what to do, and what each line rests on. Nothing
that stands in a card can end the block, imitate it or hide in it. What does not fit is left out from the end: details
first, then whole cards.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from mneme.formats.told import told_line
from mneme.index.words import has_cjk

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from mneme.formats.card import Card
    from mneme.formats.outcome import Workflow

MARK = "capabilities-available"
NOTE = (
    "Installed here and close to this request, from past sessions; what you see now outranks it."
    " Corrections: mneme cards correct REQUEST ID."
)
BUDGET_TOKENS = 600
MOST_TRIGGERS = 8
LONGEST_DESCRIPTION, LONGEST_EXAMPLE, LONGEST_NAME, LONGEST_VERB = 200, 140, 80, 100
LONGEST_TRIGGER, LONGEST_PARAM = 40, 40
MOST_TOOLS = 12
CHARS_PER_TOKEN = 4
FALLBACK = "fallback"


def capability_block(lines: Iterable[str], budget_tokens: int = BUDGET_TOKENS) -> str:
    """Return the block of entries, the most important first, as far as the budget goes; nothing for none."""
    left = budget_tokens - tokens_of(f"<{MARK}>\n{NOTE}\n</{MARK}>")
    kept = []
    for entry in lines:
        short = entry.split("\n", 1)[0]
        said = next((one for one in (entry, short) if tokens_of(one) <= left), None)
        if said is None:
            break
        left -= tokens_of(said)
        kept.append(said)
    return "\n".join((f"<{MARK}>", NOTE, *kept, f"</{MARK}>")) if kept else ""


def card_entry(card: Card, score: float | None) -> str:
    """Return what is told of a card; a card without a score was found by its trigger, and is told in short."""
    how = FALLBACK if score is None else f"score={score:.2f}"
    head = f"- [{card.id}] {told_line(card.name, LONGEST_NAME)} ({told_line(card.category, LONGEST_NAME)}, {how})"
    verb = f"verb: {told_line(card.action_verb, LONGEST_VERB)}"
    if score is None:
        return f"{head}\n  {verb}"
    details = [verb, f"description: {told_line(card.description, LONGEST_DESCRIPTION)}"]
    details.append(f"triggers: {_listed(card.triggers[:MOST_TRIGGERS], LONGEST_TRIGGER)}")
    if card.params_required:
        details.append(f"needs: {_listed(card.params_required, LONGEST_PARAM)}")
    if card.example:
        details.append(f"example: {told_line(card.example, LONGEST_EXAMPLE)}")
    return "\n".join((head, *(f"  {detail}" for detail in details)))


def workflow_entry(workflow: Workflow) -> str:
    """Return what is told of a workflow: the tools that were used, in order."""
    times = f", {workflow.count} times" if workflow.count > 1 else ""
    tools = [told_line(tool, LONGEST_NAME) for tool in workflow.path]
    shown = tools if len(tools) <= MOST_TOOLS else [*tools[: MOST_TOOLS - 1], "…"]
    return f"- worked before{times}: {' -> '.join(shown)}"


def reflection_entry(lesson: str) -> str:
    """Return what is told of a lesson."""
    return f"- learned: {told_line(lesson)}"


def digest_of(entry: str) -> str:
    """Return what an entry says as a short hash, its score left out: a score that moves changes nothing."""
    head, _, rest = entry.partition("\n")
    said = head.rpartition(", score=")[0] or head
    return hashlib.sha256(f"{said}\n{rest}".encode()).hexdigest()[:12]


def tokens_of(text: str) -> int:
    """Return how many tokens a text counts: four characters each, a Chinese, Japanese or Korean one by itself."""
    dense = sum(has_cjk(letter) for letter in text) if has_cjk(text) else 0
    return dense + -(-(len(text) - dense) // CHARS_PER_TOKEN)


def _listed(texts: Sequence[str], longest: int) -> str:
    return ", ".join(told_line(text, longest) for text in texts)
