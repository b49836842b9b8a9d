"""Statements: sentences in which somebody says outright what is worth remembering, and what kind of memory each makes.

English, Chinese and some Portuguese, by what is said in so many words; a question, a guess, a quotation and code say nothing. What is
missed costs little, what is made up costs much. Where each sentence stands is kept. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from mneme.capture import chinese, english, portuguese
from mneme.capture.english import BOTH, NOTES, SPEECH
from mneme.capture.english_life import LIFE, REQUEST

if TYPE_CHECKING:
    from collections.abc import Iterator

FACT, DECISION, PREFERENCE, CORRECTION = "fact", "decision", "preference", "correction"
GOTCHA, TODO, ENTITY = "gotcha", "todo", "entity"
KINDS = (FACT, DECISION, PREFERENCE, CORRECTION, GOTCHA, TODO, ENTITY)

SHORTEST_CHARS, SHORTEST_WIDE_CHARS, LONGEST_CHARS = 12, 5, 320
LONGEST_TEXT_CHARS = 40_000

_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{60,}`|^[ \t]*>[^\n]*", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r"[^\n.!?。！？]+(?:[.!?](?=[^\s])[^\n.!?。！？]*)*(?:[.!?。！？]+[\"”’)]*|(?=\n)|$)")
_SHORT_FORM = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|Mr|Mrs|Ms|Dr|No|St|[A-Z])\.$")
_WIDE = re.compile(r"[\u3400-\u9fff]")
_MARK = re.compile(r"^(?:[-*+•>]|\d+[.)])\s+")
_TIME = re.compile(r"^(?:[01]?\d|2[0-3]):[0-5]\d(?:\s*[ap]m)?\s*(?:[-–—:]\s*)?", re.IGNORECASE)
_BOX = re.compile(r"^\[(?P<tick>[ xX])\]\s+")
_OPEN_TASK = re.compile(r"^(?:⏳|☐|⬜|🔲)\s*")
_DONE = re.compile(r"^(?:✅|☑|✔|~~|❌)")
_STARS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_SIGN = re.compile(r"^(?:⚠️|⚠|❗|‼️|🔴|📌|💡)\s*")
_LEAD = re.compile(
    r"^(?:(?:oh|well|yeah|yep|yes|yup|ok(?:ay)?|sure(?: thing)?|btw|by the way|also|plus|and|so|but|hey|hi|thanks|thank you|wow|actually"
    r"|guess what|honestly|anyway|definitely|totally|nope|嗯|对了|哦|那个|话说)(?: (?:[A-Z]\w+|everyone|all))?\s*(?:[,:;!—–-]+|，)\s*)+",
    re.IGNORECASE,
)
_NAMED_LEAD = re.compile(r"^(?:Hey|Hi|Thanks|Yeah|Oh|Well),? [A-Z]\w+[,!]\s*")
_FORMS = {
    "im": "I'm",
    "ive": "I've",
    "dont": "don't",
    "cant": "can't",
    "didnt": "didn't",
    "doesnt": "doesn't",
    "isnt": "isn't",
}
_BARE_FORM = re.compile(rf"\b(?:{'|'.join(_FORMS)})\b", re.IGNORECASE)
_ASKS = re.compile(r"[?？][\"”)]*\s*$")
_LABEL = re.compile(
    r"^(?:decisions?|decided|final decision|gotchas?|pitfall|caveat|lessons?(?: learned)?|learned|preferences?|to-?dos?|action items?"
    r"|tasks?|next(?: steps?)?|follow-?up|reminder|open|facts?|correction|rule|solution|signal|issue|note|remember|please remember"
    r"|决定|结论|教训|注意|偏好|习惯|待办|代办|任务|下一步|备忘|记住|请记住)\s*(?:\([^)]*\)\s*)?[:：]\s*",
    re.IGNORECASE,
)
# How a statement is opened in talk, which says nothing of what it claims.
_OPENER = re.compile(
    r"^(?:(?:no|nope|actually|sorry|wait|hold on|hmm+|oops|small correction|correction|my mistake|scratch that|heads up|careful)\s*[,:;.!—–-]+\s*"
    r"|(?:it )?turns out (?:that )?|(?:不对|错了|不是这样|更正一下|纠正一下|更正|刚才说错了|我弄混了|原来|结果发现|后来才发现)[,，:：、]?\s*)+(?=.{8,})",
    re.IGNORECASE,
)
_REMEMBER = re.compile(r"^(?:please )?(?:remember|keep in mind|note|for the record|fyi)(?: that\b|,)\s*", re.IGNORECASE)
# What leans on a sentence before it cannot stand alone.
_LEANS = re.compile(
    r"^(?:it|it's|that|that's|this|these|those|they|they're|he|she|he's|she's|which|there|here|one of them|both|same)\b",
    re.IGNORECASE,
)
# Told by whoever lived it: in the first person, or beginning with what was done.
_PERSONAL = re.compile(
    r"\b(?:i|i['’]\w+|my|we|we['’]\w+|our)\b|^(?:after|since|when|\w+(?:ed|ook|ent|old|eft|ought|ot|on|an))\b|^(?:the|all) ",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """What somebody said outright: the kind of memory it makes, its words, the very words, its line, and a name."""

    kind: str
    text: str
    quote: str
    line: int = 1
    name: str = ""


def find_statements(text: str, *, spoken: bool, line: int = 1) -> tuple[Statement, ...]:
    """Return what a text states outright, in order; `spoken` is what a person says, else it is a note that was kept."""
    found: dict[str, Statement] = {}
    for at, sentence in sentences_of(text[:LONGEST_TEXT_CHARS]):
        statement = _statement(sentence, line + at, spoken=spoken)
        if statement is not None:
            found.setdefault(statement.text.lower(), statement)
    return tuple(found.values())


def sentences_of(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text, each with the number of lines before it; code and quotations have none."""
    plain = _CODE.sub(lambda match: "\n" * match[0].count("\n"), text)
    held = ""
    for match in _SENTENCE.finditer(plain):
        sentence = held + match[0]
        if len(sentence) < LONGEST_CHARS and _SHORT_FORM.search(sentence[-8:]) and not sentence.endswith("\n"):
            held = sentence
            continue
        begins = match.start() - len(held)
        held = ""
        if sentence.strip():
            lead = len(sentence) - len(sentence.lstrip())
            yield plain.count("\n", 0, begins + lead), " ".join(sentence.split())
    if held.strip():
        yield plain.count("\n", 0, len(plain) - len(held)), " ".join(held.split())


def _statement(sentence: str, line: int, *, spoken: bool) -> Statement | None:
    bare, task, done = _bare(sentence)
    least = SHORTEST_WIDE_CHARS if _WIDE.search(bare) else SHORTEST_CHARS
    if done or not least <= len(bare) <= LONGEST_CHARS:
        return None
    if task and not spoken:
        return None if _ASKS.search(bare) and len(bare) < 2 * SHORTEST_CHARS else Statement(TODO, bare, sentence, line)
    plain = _spelled_out(bare)
    if _ASKS.search(plain) or _is_hedged(plain):
        return None
    kind, name = _kind_of(plain, spoken=spoken)
    if not kind or (_LEANS.match(bare) and kind not in (ENTITY, CORRECTION, GOTCHA, PREFERENCE, DECISION)):
        return None
    said = _REMEMBER.sub("", _LABEL.sub("", bare, count=1), count=1).strip()
    said = _OPENER.sub("", said).strip() if kind in (CORRECTION, GOTCHA) else said
    return Statement(kind, _capital(said), sentence, line, name) if len(said) >= least else None


def _bare(sentence: str) -> tuple[str, bool, bool]:
    """Return a sentence without marks and interjections, whether it is an open task, and whether it is done."""
    text = _MARK.sub("", sentence.strip())
    text = _TIME.sub("", text)
    box = _BOX.match(text)
    text = _TIME.sub("", text[box.end() :] if box else text)
    opened = _OPEN_TASK.match(text)
    text = text[opened.end() :] if opened else text
    done = bool(_DONE.match(text)) or bool(box and box["tick"] != " ")
    text = _SIGN.sub("", _STARS.sub("", text)).strip()
    text = _NAMED_LEAD.sub("", text)
    text = _LEAD.sub("", text) if not re.match(r"(?:no|nope|actually|oh and)\b", text, re.IGNORECASE) else text
    return text.strip(), bool(box or opened), done


def _spelled_out(text: str) -> str:
    """Return a text with the apostrophes that patterns know, where a phone curls them or a hasty hand leaves them out."""
    return _BARE_FORM.sub(lambda match: _FORMS[match[0].lower()], text.replace("\u2019", "'"))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _is_hedged(text: str) -> bool:
    return any(pattern.search(text) for pattern in _hedges(wide=bool(_WIDE.search(text))))


def _kind_of(text: str, *, spoken: bool) -> tuple[str, str]:
    """Return the kind that a sentence says, and the name that it gives somebody."""
    wide = bool(_WIDE.search(text))
    rows = _rows(wide=wide, place=SPEECH if spoken else NOTES)
    if spoken and not wide and _PERSONAL.search(text) and not _request().search(text):
        rows += _rows(wide=False, place=LIFE)
    for kind, pattern in rows:
        if match := pattern.search(text):
            return kind, _name_in(match) if kind == ENTITY else ""
    return "", ""


def _name_in(match: re.Match[str]) -> str:
    return next((name for name in match.groupdict().values() if name), "")


@cache
def _rows(*, wide: bool, place: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the rows that count in a place; those of what was lived through are apart, as few sentences need them."""
    places = (LIFE,) if place == LIFE else (BOTH, place)
    rows = chinese.ROWS if wide else (*english.ROWS, *portuguese.ROWS)
    return tuple((kind, re.compile(f"(?i:{pattern})")) for kind, where, pattern in rows if where in places)


@cache
def _request() -> re.Pattern[str]:
    return re.compile(REQUEST, re.IGNORECASE)


@cache
def _hedges(*, wide: bool) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(one, re.IGNORECASE) for one in (chinese.HEDGED if wide else (*english.HEDGED, *portuguese.HEDGED))
    )
