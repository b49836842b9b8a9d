"""What is not worth remembering, because it is said better elsewhere or will not be true tomorrow.

Advice with its reason, never an error: whoever insists is right. It is caught before it is written; each rule names the
kinds that it does not concern, because what is noise among lessons is the very thing that a day's note is for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

_LOGS = frozenset({"event"})
_PRESENT = frozenset({"event", "task", "todo", "status"})
_PLACES = frozenset({"event", "task", "todo", "status", "infrastructure", "reference", "howto"})
_MANY_LINES = 12


@dataclass(frozen=True, slots=True)
class Advice:
    """Why a text is better not remembered: the rule, the words that tell, and where the thing belongs instead."""

    rule: str
    cue: str
    reason: str


@dataclass(frozen=True, slots=True)
class _Rule:
    name: str
    pattern: str
    reason: str
    exempt: frozenset[str]


_SOURCE = r"[\w./-]+\.(?:py|js|ts|tsx|jsx|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift|scala|sql|vue)"
_IN_CODE = "the code says where its things are, and goes on saying it when they move"
_RULES = (
    _Rule(
        "raw-conversation",
        r"^[\s>*_-]*(?:user|assistant|human|ai|system|me|you|用户|助手)[*_]*\s*[:\uff1a].*\n(?:.*\n)*?[\s>*_-]*(?:user|assistant|human|ai|system|me|you|用户|助手)[*_]*\s*[:\uff1a]",
        "a conversation as it was spoken is a transcript; remember what it came to",
        frozenset(),
    ),
    _Rule(
        "told-by-git",
        r"\b(?:commit(?:ted)?|merged|reverted|cherry-?picked|rebased)\b.{0,40}\b(?:[0-9a-f]{7,40}\b|#\d+|PR\b|pull request|branch\b)"
        r"|\b(?:PR|pull request) #?\d+ (?:was |is |got )?(?:merged|closed|opened)\b|提交了.{0,20}[0-9a-f]{7,40}",
        "git remembers its own history; remember why it was done, if that is not in the commit",
        _LOGS,
    ),
    _Rule(
        "told-by-code",
        rf"`?{_SOURCE}`?\s+(?:contains|defines|implements|exports|imports|has the)\b|\bis (?:defined|implemented|declared) in `?{_SOURCE}",
        _IN_CODE,
        _PLACES - {"reference"},
    ),
    _Rule(
        "told-by-code",
        r"\b(?:function|class|method|module|variable|constant|endpoint|component)s?\b.{0,60}\b(?:is|are)?\s*(?:defined|declared|implemented|located|found|lives?)\b.{0,30}\bin\b",
        _IN_CODE,
        _PLACES,
    ),
    _Rule(
        "fixed-in-code",
        rf"\b(?:fixed|resolved|solved|patched)\b.{{0,80}}\b(?:by (?:adding|removing|changing|replacing|checking|casting|catching|renaming)|in `?{_SOURCE})"
        r"|修复了.{0,40}(?:通过|改成|加上|添加)",
        "the cure is in the code; remember it as a lesson only if it would be made again",
        frozenset({"event", "lesson", "gotcha", "feedback"}),
    ),
    _Rule(
        "documented-elsewhere",
        r"\b(?:as|it is|this is|is)\s+(?:described|documented|explained|written|stated)\s+in\s+(?:the\s+)?(?:readme|docs?|documentation|manual|wiki|contributing|changelog)\b"
        r"|\baccording to the (?:readme|docs?|documentation|manual)\b|文档(?:里|中)(?:已经?)?(?:写|说明|记录)",
        "it is documented already; keep a reference to the page, not a second copy",
        frozenset({"reference", "event"}),
    ),
    _Rule(
        "passing-state",
        r"\b(?:right now|at the moment|currently (?:running|working|waiting|debugging|installing|building|compiling|testing|downloading|looking))\b"
        r"|\b(?:tests?|build|pipeline|ci) (?:is|are) (?:currently |still )?(?:failing|running|red|green|broken)\b|\bin progress\b|\bwaiting for the (?:build|tests?|download|deploy)"
        r"|(?:正在(?:运行|编译|调试|等待|安装|下载|测试)|目前还?在)",
        "it will not be so tomorrow; what is in hand belongs in the buffer, what is to be done in the tasks",
        _PRESENT,
    ),
)


def advise(text: str, kind: str) -> Advice | None:
    """Return why a text is better not remembered as this kind; None where nothing speaks against it."""
    for rule, pattern in _patterns():
        match = None if kind in rule.exempt else pattern.search(text)
        if match:
            return Advice(rule.name, " ".join(match[0].split())[:60], rule.reason)
    if (
        kind not in _LOGS
        and text.count("\n") > _MANY_LINES
        and not re.search(r"^\s*(?:[-*+]|\d+[.)])\s", text, re.MULTILINE)
    ):
        return Advice("raw-conversation", f"{text.count(chr(10)) + 1} lines", _RULES[0].reason)
    return None


@cache
def _patterns() -> tuple[tuple[_Rule, re.Pattern[str]], ...]:
    return tuple((rule, re.compile(rule.pattern, re.IGNORECASE | re.MULTILINE)) for rule in _RULES)
