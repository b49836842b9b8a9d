"""A year of one agent's life, made from a seed: what was noted each day, what was asked, what of it was true when.

Wording comes from real workspaces and transcripts at run time: what lasts from the pages that people curate, what does
not from days' notes and conversations. What matters, and which version of it holds from which day, is written down
apart, for a scorer that knows nothing of this module.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import asdict, dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

CURATED = re.compile(
    r"(?:MEMORY|USER|AGENTS|SOUL|TOOLS|HEARTBEAT|VISION|STAGING|RESTORE|COMMANDS|AI_STACK|CONTRIBUTING)\.md$|/docs/|/config/"
)
DAILY = re.compile(r"/\d{4}-\d\d-\d\d[^/]*\.md$|log\.md$")
SHORTEST, LONGEST = 30, 200
FEW_WORDS = 5
CHANGING = re.compile(r"(?<![\w.-])\d{1,5}(?![\w.-])")

MATTERING, IDLE_FACTS = 70, 120  # facts that are asked for again and again, and facts that nobody ever needs
CHANGES = 0.35  # of the mattering facts that hold a figure
NOISE_A_DAY = (5, 11)
QUESTIONS = (84, 15, 1)  # how many different questions are asked about a thing of the day, in a hundred
PASSING_A_DAY = 2  # things of the day that are asked about, and mean nothing a week later


@dataclass(frozen=True)
class Version:
    """What a fact says from a day on."""

    day: str
    text: str


@dataclass
class Fact:
    """Something noted: its versions, and whether it matters."""

    id: int
    matters: bool
    versions: list[Version]


@dataclass(frozen=True)
class Ask:
    """Somebody asks: on which day, for which fact or line, how, and what else came up with how little weight."""

    day: str
    fact: int
    line: str
    question: str
    origin: str
    session: str
    score: float


@dataclass
class Year:
    """Notes by day, asks by day, and the facts."""

    notes: dict[str, list[str]] = field(default_factory=dict)
    asks: dict[str, list[Ask]] = field(default_factory=dict)
    facts: list[Fact] = field(default_factory=list)

    def truth(self) -> str:
        """Return what is true, for the scorer."""
        return json.dumps({"facts": [asdict(fact) for fact in self.facts]}, indent=1, ensure_ascii=False)


@dataclass(frozen=True)
class Pools:
    """Sentences to draw from."""

    lasting: list[str]
    passing: list[str]


def read_pools(data: Path) -> Pools:
    """Read the wording: curated lines, and what was said and noted in passing."""
    lasting: dict[str, None] = {}
    passing: dict[str, None] = {}
    for path in sorted((data / "workspaces").rglob("*.md")):
        name = f"/{path.relative_to(data)}"
        if "/skills/" in name or "/.next/" in name:
            continue
        pool = passing if DAILY.search(name) else lasting if CURATED.search(name) else None
        if pool is not None:
            pool.update(
                dict.fromkeys(_bullets(path.read_text(encoding="utf-8", errors="replace"), curated=pool is lasting))
            )
    for path in sorted((data / "transcripts").rglob("*.jsonl")):
        passing.update(dict.fromkeys(_said(path)))
    kept = [line for line in lasting if line not in passing]
    return Pools(_apart(kept), list(passing))


def _bullets(text: str, *, curated: bool) -> list[str]:
    fenced, found = False, []
    for row in text.split("\n"):
        if row.lstrip().startswith("```"):
            fenced = not fenced
        words = re.sub(r"^\s*[-*]\s+", "", row)
        bullet = row.lstrip().startswith(("- ", "* "))
        if fenced or (curated and not bullet) or row.startswith(("#", "|", "<", ">")):
            continue
        words = " ".join(words.split())
        plain = not words.endswith(":") and (
            not curated or ("[" not in words and "`" not in words and len(words.split()) > FEW_WORDS)
        )
        if SHORTEST <= len(words) <= LONGEST and plain and not words.startswith(("---", "**Status")):
            found.append(words)
    return found


def _said(path: Path) -> list[str]:
    found = []
    for row in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        try:
            entry = json.loads(row)
        except ValueError:
            continue
        message = entry.get("message") or entry.get("payload") or {} if isinstance(entry, dict) else {}
        content = message.get("content") if isinstance(message, dict) else None
        parts = content if isinstance(content, list) else [{"text": content}]
        for part in parts:
            said = part.get("text") if isinstance(part, dict) else None
            for line in (said or "").split("\n") if isinstance(said, str) else ():
                words = " ".join(line.split())
                if SHORTEST <= len(words) <= LONGEST and not words.startswith(("<", "#", "|", "```")):
                    found.append(words)
    return found


def _apart(lines: list[str]) -> list[str]:
    """Return lines no two of which share most of their words, so that a match means one of them."""
    kept: list[tuple[str, set[str]]] = []
    for line in lines:
        words = set(re.findall(r"\w+", line.lower()))
        if all(len(words & other) < 0.5 * len(words | other) for _, other in kept):
            kept.append((line, words))
    return [line for line, _ in kept]


def make_year(pools: Pools, seed: int, first: date, nights: int) -> Year:
    """Make a year, or as many nights of one."""
    dice = random.Random(seed)  # noqa: S311 - a year that is the same each time
    year = Year({}, {}, [])
    share = min(1.0, nights / 365)
    lasting = pools.lasting[:]
    dice.shuffle(lasting)
    count = min(len(lasting), max(8, round((MATTERING + IDLE_FACTS) * share)))
    mattering = max(3, round(count * MATTERING / (MATTERING + IDLE_FACTS)))
    days = [(first + timedelta(days=number)).isoformat() for number in range(nights)]
    for day in days:
        lines = dice.sample(pools.passing, min(len(pools.passing), dice.randint(*NOISE_A_DAY)))
        year.notes[day] = lines
        year.asks[day] = []
    for number, text in enumerate(lasting[:count]):
        begin = dice.randrange(max(1, nights - min(40, nights // 2)))
        fact = Fact(number, number < mattering, [Version(days[begin], text)])
        year.facts.append(fact)
        year.notes[days[begin]].append(text)
        if fact.matters:
            _change(dice, year, fact, days, begin)
            _ask_about(dice, year, fact, days, begin)
    for at, day in enumerate(days):
        _ask_in_passing(dice, year, days, at, day)
        dice.shuffle(year.notes[day])
    return year


def _change(dice: random.Random, year: Year, fact: Fact, days: list[str], begin: int) -> None:
    """Let a fact with a figure change, once or twice, weeks later."""
    at = begin
    text = fact.versions[0].text
    while (found := CHANGING.search(text)) and dice.random() < CHANGES:
        at += dice.randint(20, 90)
        if at >= len(days):
            return
        figure = str(int(found[0]) + dice.randint(1, 40))
        text = f"{text[: found.start()]}{figure}{text[found.end() :]}"
        fact.versions.append(Version(days[at], text))
        year.notes[days[at]].append(text)


def _ask_about(dice: random.Random, year: Year, fact: Fact, days: list[str], begin: int) -> None:
    """Ask for a fact several times soon, differently each time, and now and then ever after."""
    at = begin
    for turn in range(dice.randint(4, 7)):
        at += dice.randint(0, 5)
        _ask(dice, year, fact.id, "", days, at, f"fact {fact.id} asked {turn}")
    for turn in range(dice.randint(0, 6)):
        at += dice.randint(10, 60)
        _ask(dice, year, fact.id, "", days, at, f"fact {fact.id} asked later {turn}")


def _ask_in_passing(dice: random.Random, year: Year, days: list[str], at: int, day: str) -> None:
    """Ask about things of the day: mostly the same question again, on few days; and let upkeep and injection look."""
    for number in range(PASSING_A_DAY):
        line = dice.choice(year.notes[day])
        questions = dice.choices((1, 2, 3), QUESTIONS)[0]
        for turn in range(dice.randint(1, 4)):
            question = f"{day} passing {number} {turn % questions}"
            _ask(dice, year, -1, line, days, at + dice.randint(0, 2), question)
    for number in range(3):
        line = dice.choice(year.notes[day])
        _ask(dice, year, -1, line, days, at, f"{day} injected {number}", origin="injected")
        _ask(dice, year, -1, line, days, at, f"{day} upkeep {number}", origin="upkeep")


def _ask(
    dice: random.Random,
    year: Year,
    fact: int,
    line: str,
    days: list[str],
    at: int,
    question: str,
    *,
    origin: str = "asked",
) -> None:
    if at < len(days):
        score = dice.uniform(0.62, 0.97) if fact >= 0 else dice.uniform(0.4, 0.85)
        session = f"{days[at]}-{dice.randint(1, 3)}"
        year.asks[days[at]].append(Ask(days[at], fact, line, question, origin, session, score))
