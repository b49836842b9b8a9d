"""What a person says outright in a prompt: a decision, a correction, a preference, a fact.

Only what is said in so many words, in English, Chinese or Portuguese; a question, a quotation and code say nothing. It
is for the write-ahead buffer, so what is missed costs little and what is made up would cost much. Pure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DECISION, CORRECTION, PREFERENCE, FACT = "decision", "correction", "preference", "fact"
MOST_STATEMENTS = 5
LONGEST_STATEMENT_CHARS = 300
_SHORTEST_CHARS = 6
_LONGEST_PROMPT_CHARS = 20_000

_CODE = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{60,}`|^[ \t]*>[^\n]*|^(?: {4}|\t)[^\n]*", re.DOTALL | re.MULTILINE
)
_SENTENCE = re.compile(r"[^.!?。！？\n]+(?:[.!?](?=\S)[^.!?。！？\n]*)*[.!?。！？]*")
_SUPPOSED = re.compile(
    r"^(?:if|should|could|would|can|what|why|how|do|does|is|are|maybe|perhaps|如果|要不要|是不是|se)\b", re.IGNORECASE
)
_ASKS = re.compile(r"[?？]\s*$|[吗呢]\s*[。.!！]?$")
_MARK = re.compile(r"^(?:[-*•]|\d+[.)])\s+")

# In this order: what corrects may also prefer, and the correction is what must not be lost.
_SAID: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile("|".join(forms), re.IGNORECASE))
    for kind, forms in (
        (
            CORRECTION,
            (
                r"^(?:no|nope|wrong|incorrect)\b\s*[,:;.!—-]+\s*\w",
                r"^actually\b",
                r"\bthat(?:'s| is| was) (?:wrong|not right|incorrect|not what)\b",
                r"\bi (?:meant|said)\b(?! (?:hi|hello))",
                r"\b(?:it|that)(?:'s| is) not \S.{0,60}\b(?:but|it's|it is)\b",
                r"^(?:do not|don't|stop) us(?:e|ing)\b.{0,80}\b(?:use|instead)\b",
                r"不对|错了|搞错|我说的是|应该是|不是.{1,30}(?:而是|，是)|更正",
                r"^(?:não|nao)\s*[,:;.—-]+\s*\w|^na verdade\b|\best[áa] errad[oa]\b|\beu quis dizer\b",
            ),
        ),
        (
            DECISION,
            (
                r"\b(?:we|i)(?:'ve| have)? (?:decided|agreed|settled on|opted for)\b",
                r"\b(?:let's|let us|we(?:'ll| will)|i(?:'ll| will)) (?:go with|use|stick (?:with|to)|switch to|standardi[sz]e on)\b",
                r"^(?:decision|decided)\s*:",
                r"决定|就用|改用|定下来|敲定|(?:我们|咱们)(?:采用|选)",
                r"\b(?:decidimos|decidi|optamos por|vamos (?:usar|ficar com|adotar))\b|^decis[ãa]o\s*:",
            ),
        ),
        (
            PREFERENCE,
            (
                r"\bi(?:'d)? (?:really |much |strongly )?(?:prefer|like|love|hate|dislike|(?:don't|do not) (?:like|want))\b",
                r"^(?:please )?(?:always|never)\b",
                r"\bfrom now on\b|\bin (?:the )?future,|\bgoing forward\b",
                r"我(?:更|比较|很|最|不)?(?:喜欢|偏好|想要)|以后(?:都|请|别|不要)|从现在(?:开始|起)|(?:总是|永远|一律|不要再|别再)",
                r"\b(?:prefiro|gosto de|n[ãa]o gosto)\b|^(?:sempre|nunca)\b|\b(?:a partir de agora|de agora em diante)\b",
            ),
        ),
        (
            FACT,
            (
                r"^(?:please )?(?:remember|keep in mind|note|for the record|fyi)\b[ ,:]",
                r"\bmy (?:name|email|birthday|time ?zone|role|job|title|team|boss|manager|wife|husband|partner)(?:'s| is| are)\b",
                r"^i(?:'m| am) an? (?!bit|little|lot)\w+",
                r"^(?:we|our team) (?:use|deploy|host|run)s?\b.{3,}",
                r"(?:请)?(?:记住|记下|记一下|备忘)|我(?:叫|是一|的(?:名字|邮箱|生日|职业|时区)是)",
                r"^(?:lembre|lembra|anote|anota)\b|\bmeu (?:nome|email|fuso|cargo)\b.{0,20}\b[ée]\b|^(?:eu )?sou uma? \w+",
            ),
        ),
    )
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence of a prompt, and what kind of memory it would make."""

    kind: str
    text: str


def find_statements(prompt: str) -> tuple[Statement, ...]:
    """Return what a prompt states outright, in its order."""
    plain = _CODE.sub("\n", prompt[:_LONGEST_PROMPT_CHARS])
    found: dict[str, Statement] = {}
    for match in _SENTENCE.finditer(plain):
        sentence = _MARK.sub("", " ".join(match.group().split()))
        kind = _kind_of(sentence)
        if kind:
            found.setdefault(sentence.lower(), Statement(kind, sentence[:LONGEST_STATEMENT_CHARS]))
        if len(found) == MOST_STATEMENTS:
            break
    return tuple(found.values())


def _kind_of(sentence: str) -> str:
    if len(sentence) < _SHORTEST_CHARS or _ASKS.search(sentence) or _SUPPOSED.search(sentence):
        return ""
    return next((kind for kind, said in _SAID if said.search(sentence)), "")
