"""A year of one agent's life, made from a seed: what was noted each day, what was asked, what of it was true when.

Wording comes from real workspaces, transcripts and Chinese message histories at run time: what lasts from the pages that
people curate, what does not from days' notes and conversations. Things are noted again in other words, change in a
figure or in a word, and heartbeats tick in between. What matters, and which version of it holds from which day, is
written down apart, for a scorer that knows nothing of this module.
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
SHORTEST_ZH, LONGEST_ZH, LASTING_ZH = 8, 80, 24
CHANGING = re.compile(r"(?<![A-Za-z0-9_.-])\d{1,5}(?![A-Za-z0-9_.-])")
WIDE = re.compile(r"[\u3400-\u9fff]")

MATTERING, IDLE_FACTS = 70, 120  # facts that are asked for again and again, and facts that nobody ever needs
CHINESE = 0.2  # of all facts, and of all that passes
CHANGES = 0.35  # of the mattering facts that hold a figure, or a word that can turn
AGAIN = 0.4  # of all facts are noted again in other words
TURNS = {
    "always": "never", "never": "always", "enabled": "disabled", "disabled": "enabled", "before": "after",
    "after": "before", "daily": "weekly", "weekly": "daily", "Monday": "Thursday", "Friday": "Tuesday", "first": "last",
    "public": "private", "private": "public", "不": "都", "喜欢": "不喜欢", "早上": "晚上",
}  # fmt: skip
LEADS = ("Reminder: ", "Note to self: ", "To repeat: ", "As agreed, ", "Still true: ")
LEADS_ZH = ("提醒：", "再记一遍：", "还是那句话，")
SHORTER = {
    "do not": "don't",
    "is not": "isn't",
    "should": "ought to",
    "The ": "",
    "Always ": "Make sure to ",
    "我的": "我",
}
HEARTBEATS = (
    "HEARTBEAT_OK",
    "{hour}:00 heartbeat: nothing new, inbox empty",
    "Heartbeat check at {hour}:30, all quiet",
)
NOISE_A_DAY = (5, 11)
QUESTIONS = (84, 15, 1)  # how many different questions are asked about a thing of the day, in a hundred
PASSING_A_DAY = 2  # things of the day that are asked about, and mean nothing a week later


@dataclass(frozen=True)
class Version:
    """What a fact says from a day on."""

    day: str
    text: str
    again: list[str] = field(default_factory=list)
    """The same in other words, noted later."""


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
    lasting_zh: list[str] = field(default_factory=list)
    passing_zh: list[str] = field(default_factory=list)


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
    lasting_zh, passing_zh = _chinese(data / "memsim-zh" / "dev.json")
    return Pools(_apart(kept), list(passing), lasting_zh, passing_zh)


def _chinese(path: Path) -> tuple[list[str], list[str]]:
    """Return short statements of what somebody is or has, and longer talk; none where the histories are not there."""
    if not path.exists():
        return [], []
    texts = dict.fromkeys(
        doc["text"] for store in json.loads(path.read_text(encoding="utf-8")) for doc in store["docs"]
    )
    fit = [text for text in texts if SHORTEST_ZH <= len(text) <= LONGEST_ZH and "\n" not in text]
    short = [text for text in fit if len(text) <= LASTING_ZH and text.startswith("我")]
    return _apart(short[:1200])[:120], [text for text in fit if len(text) > LASTING_ZH]


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
        words = set(re.findall(r"[^\W\u3400-\u9fff]+|[\u3400-\u9fff]", line.lower()))
        if all(len(words & other) < 0.5 * len(words | other) for _, other in kept):
            kept.append((line, words))
    return [line for line, _ in kept]


def make_year(pools: Pools, seed: int, first: date, nights: int) -> Year:
    """Make a year, or as many nights of one."""
    dice = random.Random(seed)  # noqa: S311 - a year that is the same each time
    year = Year({}, {}, [])
    share = min(1.0, nights / 365)
    lasting = _mixed(dice, pools.lasting, pools.lasting_zh)
    count = min(len(lasting), max(8, round((MATTERING + IDLE_FACTS) * share)))
    mattering = max(3, round(count * MATTERING / (MATTERING + IDLE_FACTS)))
    days = [(first + timedelta(days=number)).isoformat() for number in range(nights)]
    for day in days:
        lines = [_passing(dice, pools) for _ in range(dice.randint(*NOISE_A_DAY))]
        beats = [dice.choice(HEARTBEATS).format(hour=dice.randint(8, 20)) for _ in range(dice.randint(0, 2))]
        year.notes[day] = [*dict.fromkeys(lines), *dict.fromkeys(beats)]
        year.asks[day] = []
    for number, text in enumerate(lasting[:count]):
        begin = dice.randrange(max(1, nights - min(40, nights // 2)))
        fact = Fact(number, number < mattering, [Version(days[begin], text)])
        year.facts.append(fact)
        year.notes[days[begin]].append(text)
        if fact.matters:
            _change(dice, year, fact, days, begin)
        _note_again(dice, year, fact, days)
        if fact.matters:
            _ask_about(dice, year, fact, days, begin)
    for at, day in enumerate(days):
        _ask_in_passing(dice, year, days, at, day)
        dice.shuffle(year.notes[day])
    return year


def _change(dice: random.Random, year: Year, fact: Fact, days: list[str], begin: int) -> None:
    """Let a fact with a figure change, once or twice, weeks later."""
    at = begin
    text = fact.versions[0].text
    while (changed := _changed(dice, text)) and dice.random() < CHANGES:
        at += dice.randint(20, 90)
        if at >= len(days):
            return
        text = changed
        fact.versions.append(Version(days[at], text))
        year.notes[days[at]].append(text)


def _changed(dice: random.Random, text: str) -> str:
    """Return a text with another figure, or with a word that turns what it says; empty where it has neither."""
    if found := CHANGING.search(text):
        figure = str(int(found[0]) + dice.randint(1, 40))
        return f"{text[: found.start()]}{figure}{text[found.end() :]}"
    for word, other in TURNS.items():
        pattern = re.escape(word) if WIDE.search(word) else rf"\b{word}\b"
        if found := re.search(pattern, text):
            return f"{text[: found.start()]}{other}{text[found.end() :]}"
    return ""


def _note_again(dice: random.Random, year: Year, fact: Fact, days: list[str]) -> None:
    """Note some versions again, days or weeks later, in other words."""
    ends = [*(version.day for version in fact.versions[1:]), "9999"]
    for version, end in zip(fact.versions, ends, strict=True):
        at = days.index(version.day) + dice.randint(2, 30)
        if dice.random() < AGAIN and at < len(days) and days[at] < end:
            text = _reworded(dice, version.text)
            version.again.append(text)
            year.notes[days[at]].append(text)


def _reworded(dice: random.Random, text: str) -> str:
    """Return a text in other words: shorter forms, its halves exchanged, or a lead before it."""
    for long, short in SHORTER.items():
        text = text.replace(long, short, 1)
    halves = re.split(r"; | — | - ", text.rstrip(" ."), maxsplit=1)
    if len(halves) > 1 and dice.choice((True, False)):
        return f"{halves[1][:1].upper()}{halves[1][1:]}; {halves[0]}"
    return f"{dice.choice(LEADS_ZH if WIDE.search(text) else LEADS)}{text}"


def _mixed(dice: random.Random, lines: list[str], chinese: list[str]) -> list[str]:
    """Return lines in any order, every so many a Chinese one."""
    plain, wide = lines[:], chinese[:]
    dice.shuffle(plain)
    dice.shuffle(wide)
    found = []
    while plain:
        found.append(wide.pop() if wide and dice.random() < CHINESE else plain.pop())
    return found


def _passing(dice: random.Random, pools: Pools) -> str:
    return dice.choice(pools.passing_zh if pools.passing_zh and dice.random() < CHINESE else pools.passing)


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
