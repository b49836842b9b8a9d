"""Which card a use of a tool was a use of, and what experience with each card comes to.

A host names its tools in its own way (`mcp__server__tool`, `Bash` with a command, `Skill` with a name), and a card has
an id; what is counted is matched here, in one place. A card's own `last_used` says up to when it was counted already,
so that counting twice adds nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import PurePath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mneme.formats.card import Card
    from mneme.formats.outcome import Failure, Step, Workflow

DECAYS_AFTER_DAYS, HALVES_IN_DAYS = 30, 30
FAILS_OFTEN = WORKS_OFTEN = 3
_SHELLS = frozenset({"bash", "shell", "exec_command", "local_shell", "run_shell_command", "exec", "terminal"})
_BEFORE_PROGRAM = frozenset({"sudo", "env", "time", "nohup", "command", "exec", "nice", "npx", "uvx", "timeout"})
_COMMAND_PARTS = re.compile(r"\|\||&&|[;|&\n]")


@dataclass(frozen=True, slots=True)
class Use:
    """How often a card was used with success and without since it was last counted, and when last."""

    successes: int = 0
    failures: int = 0
    last: str = ""


def slug_of(name: str) -> str:
    """Return a name as a card's id spells it: small letters, digits, single underscores."""
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def ids_of(tool: str, given: Mapping[str, object] | None = None) -> Iterator[str]:
    """Yield the ids that a card for a use of a tool may have, the likeliest first."""
    words = given or {}
    server, _, name = tool.removeprefix("mcp__").partition("__")
    if tool.startswith("mcp__"):
        yield slug_of(f"{server}_{name}")
        yield slug_of(server)
    elif tool.lower() in _SHELLS:
        for program in programs_in(str(words.get("command") or words.get("cmd") or "")):
            yield f"program_{slug_of(program)}"
            yield slug_of(program)
    elif tool == "Skill":
        yield f"skill_{slug_of(str(words.get('skill') or words.get('command') or ''))}"
    elif tool == "SlashCommand":
        said = str(words.get("command") or "").split()
        yield f"command_{slug_of(said[0])}" if said else ""
    elif tool in ("Task", "Agent"):
        yield f"agent_{slug_of(str(words.get('subagent_type') or ''))}"
    else:
        yield slug_of(tool)


def programs_in(command: str) -> list[str]:
    """Return the names of the programs that a command line runs."""
    found = []
    for part in _COMMAND_PARTS.split(command):
        words = [word for word in part.split() if not re.match(r"-|\d+$|[A-Za-z_]\w*=", word)]
        program = next((word for word in words if word not in _BEFORE_PROGRAM), "")
        if program:
            found.append(PurePath(program).name)
    return list(dict.fromkeys(found))


def count_uses(cards: Sequence[Card], workflows: Iterable[Workflow], failures: Iterable[Failure]) -> dict[str, Use]:
    """Return what happened with each card after it was last counted; cards with which nothing did are left out.

    `workflows` are rows as they were written: a repetition has the steps of the row that it repeats.
    """
    known = {card.id: card for card in cards}
    uses: dict[str, Use] = {}

    def count(ids: Iterator[str], at: str, *, well: bool) -> None:
        name = next((one for one in ids if one in known), "")
        if not name or (known[name].last_used is not None and not _is_after(at, known[name].last_used or "")):
            return
        before = uses.get(name, Use())
        last = max(before.last, at)
        uses[name] = Use(before.successes + well, before.failures + (not well), last)

    first: dict[str, Sequence[Step]] = {}
    for row in workflows:
        steps = first.setdefault(row.key, row.steps)
        told = [(step.tool, step.given) for step in steps if step.ok] or [(tool, None) for tool in row.sequence]
        for tool, given in told:
            for _ in range(row.count):
                count(ids_of(tool, given), row.last or row.at, well=True)
    for failure in failures:
        count(ids_of(failure.tool, {"command": failure.did}), failure.at, well=False)
    return uses


def counted(card: Card, use: Use | None, today: date) -> Card:
    """Return a card with what happened since counted in, and its decay as of today."""
    last = card.last_used
    if use is not None:
        last = use.last or last
        card = replace(
            card,
            last_used=last,
            success_count=card.success_count + use.successes,
            failure_count=card.failure_count + use.failures,
        )
    return replace(card, decay_score=decay_of(last, today))


def decay_of(last_used: str | None, today: date) -> float:
    """Return how present a card is: 1 for a month after its last use, then half of it each month; 1 if never used."""
    if not last_used:
        return 1.0
    idle = (today - datetime.fromisoformat(last_used).date()).days - DECAYS_AFTER_DAYS
    return 1.0 if idle <= 0 else round(0.5 ** (idle / HALVES_IN_DAYS), 3)


def is_reliable(card: Card) -> bool:
    """Say whether a card has worked often, and seldom failed."""
    return card.success_count >= WORKS_OFTEN and card.success_count >= 4 * card.failure_count


def is_doubtful(card: Card) -> bool:
    """Say whether a card fails more often than not, or was used long ago and never since."""
    return (card.failure_count >= FAILS_OFTEN and card.failure_count > card.success_count) or card.decay_score < 0.25  # noqa: PLR2004 - three months


def _is_after(at: str, counted_to: str) -> bool:
    try:
        one, other = datetime.fromisoformat(at), datetime.fromisoformat(counted_to)
        return (one.timestamp() if one.tzinfo else one.replace(tzinfo=other.tzinfo).timestamp()) > other.timestamp()
    except ValueError:
        return at > counted_to
