"""Which kind of memory a text is, told by its words: what to ask about when nobody said it.

Each kind has phrases that speak for it, in English and Chinese, with a weight; the kind with the most weight comes
first, and what spoke for it is told. Rules and not a model: the same text has the same answer everywhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

EXECUTION, STRATEGY, EXPERIENCE = "execution", "strategy", "experience"
# What is to be done, where a project stands, and what was learned; every other kind is the last.
_LAYERS = {"task": EXECUTION, "todo": EXECUTION, "status": STRATEGY}
# From this weight on a text says of itself which kind it is.
_CLEAR = 3
# Kinds that say so plainly; the words of the others also stand in what is to be done.
_PLAIN = frozenset({"task", "status", "decision", "preference", "lesson", "user"})

_CUES: dict[str, tuple[tuple[int, str], ...]] = {
    "task": (
        (3, r"^(?:to-?do|task|action item)\b\s*:?|^\[ ?\]\s"),
        (3, r"\b(?:remember|remind (?:me|us)|don't forget) to\b"),
        (2, r"\b(?:i|we|you)\s+(?:still\s+)?(?:need|have|ought)\s+to\b|\bmust be (?:done|fixed|sent) by\b|\bis due\b"),
        (3, r"待办|代办|记得要?(?:去|把|给)|别忘了|需要(?:尽快)?(?:完成|处理)"),
    ),
    "status": (
        (3, r"\b(?:is|are|am|was|got)\s+(?:still\s+)?(?:blocked|stuck)\b|\bblocked (?:on|by)\b|\bblockers?\b"),
        (
            3,
            r"\b\d{1,3}\s?% (?:done|complete|finished|ready)\b|\b(?:project|milestone) is (?:on track|behind|delayed|late|done)\b",
        ),
        (2, r"\bneeds? (?:more )?(?:resources|people|budget|headcount)\b|\bstatus\s*:|\bprogress\s*:"),
        (3, r"卡在|卡住|受阻|阻塞|进度(?:是|为|：|:|\d)|已完成\s*\d+\s*%"),
    ),
    "decision": (
        (
            3,
            r"\b(?:we|i|they|team|user)\s+(?:have\s+|has\s+)?(?:decided|chose|agreed|settled|opted)\b|\bdecision\s*:|\bdecided (?:to|on|against)\b",
        ),
        (2, r"\b(?:we|i)(?:'ll|\s+will)\s+(?:use|go with|switch|move|keep|drop)\b|\buses? \S+(?: \S+)?, not\b"),
        (2, r"\b(?:instead of|rather than|in favou?r of)\b"),
        (3, r"决定|选定|敲定|达成一致|改用|采用|而不是"),
    ),
    "feedback": (
        (3, r"\buser (?:corrected|confirmed|complained|praised|pointed out)\b|\bfeedback\s*:"),
        (3, r"\bnot like (?:that|this)\b|\bshould be (?:this|that) way\b|\bkeep (?:doing )?(?:that|it that way)\b"),
        (2, r"^(?:please\s+)?(?:don't|do not|never|stop|avoid)\b"),
        (3, r"用户(?:纠正|指出|确认)|不要这样|应该这样|别再|就这样保持"),
    ),
    "preference": (
        (3, r"\b(?:prefers?|preferred|likes?|loves?|dislikes?|hates?|favou?rite)\b|\bwould rather\b|\bpreference\s*:"),
        (
            2,
            r"\b(?:wants?|likes?) (?:\w+ ){0,3}(?:short|brief|answers?|replies|reports?)\b|^(?:always|please)\b|^answer (?:in|with)\b",
        ),
        (3, r"喜欢|偏好|更愿意|讨厌|最爱|习惯用"),
    ),
    "goal": (
        (
            3,
            r"\b(?:goal|objective|target|okr)\b(?: (?:is|for|of)\b|\s*:)|\baims? to\b|\bwe want to (?:reach|achieve|launch|ship)\b",
        ),
        (3, r"目标(?:是|为|：|:)|旨在|力争"),
    ),
    "gotcha": (
        (3, r"\bgotcha\b|\bpitfall\b|\bwatch out\b|\bbeware\b|\bcareful\b|\bcaveat\b"),
        (
            2,
            r"\b(?:breaks?|fails?|crash(?:es)?|hangs?|corrupts?|deadlocks?)\b(?!.{0,40}\bfixed\b)|\bsilently\b|\bunless\b|\bonly works\b",
        ),
        (3, r"的坑|有坑|踩坑|小心|会(?:报错|崩溃|失败|卡死)|切记"),
    ),
    "lesson": (
        (
            3,
            r"\blessons?\b(?: learned)?|\blearn(?:ed|t) (?:that|the hard way)\b|\bpost-?mortem\b|\bin hindsight\b|\broot cause\b",
        ),
        (2, r"\bnext time\b|\bshould have\b"),
        (3, r"教训|复盘|下次(?:要|应该|先)|经验是|事后"),
    ),
    "howto": (
        (3, r"\bhow to\b|^to \w+(?: \S+){0,6},? (?:run|use|open|click|type|call|set|first)\b|\bsteps?\s*(?:\d\s*)?:"),
        (2, r"\brun `[^`]+`|^(?:run|use|open|click|type)\b"),
        (3, r"步骤|如何|怎么(?:做|用|装)|操作方法|先.{1,20}再.{1,20}"),
    ),
    "infrastructure": (
        (3, r"\b\d{1,3}(?:\.\d{1,3}){3}\b|\bports? \d{2,5}\b|:\d{4,5}\b"),
        (
            2,
            r"\b(?:runs|hosted|deployed|listens|lives) on\b|\b(?:server|host|cluster|vpn|subnet|dns|firewall|database url)\b",
        ),
        (3, r"端口|服务器|内网|部署在|主机|防火墙"),
    ),
    "reference": (
        (3, r"https?://\S+"),
        (
            2,
            r"\b(?:docs?|documentation|dashboard|wiki|tracker|runbook|board|spreadsheet|channel)\b.{0,30}\b(?:at|in|is|on)\b|\bsee also\b",
        ),
        (3, r"网址|链接|文档(?:在|地址)|看板(?:在|地址)"),
    ),
    "user": (
        (
            3,
            r"\b(?:user|i)(?:'m| am| is) (?:a|an|the)\b|\bmy name is\b|\buser'?s (?:name|role|job|timezone|birthday|language)\b",
        ),
        (3, r"\buser (?:works|lives|speaks|studies|knows|was born|grew up)\b|\bi (?:work|live|speak|studied)\b"),
        (3, r"用户(?:是|叫|住|在|会说|的(?:名字|生日|职业))|我(?:是一?[名个位]|叫|住在|的(?:名字|生日|职业))"),
    ),
    "event": (
        (2, r"\b(?:today|yesterday|this morning|last night)\b"),
        (2, r"今天|昨天|刚才|今早|昨晚"),
    ),
    "project": (
        (2, r"\b(?:the|our) project\b|\bproject \w+ (?:is|was|uses|aims|started)\b"),
        (2, r"项目(?:是|用|采用|开始|启动)"),
    ),
}


@dataclass(frozen=True, slots=True)
class Guess:
    """A kind that a text may be: how much speaks for it, and the words that do."""

    kind: str
    weight: int
    cue: str


def guess_kinds(text: str) -> tuple[Guess, ...]:
    """Return the kinds that a text's words speak for, the likeliest first; what nothing speaks for is a fact."""
    guesses = []
    for kind, cues in _patterns().items():
        found = [(weight, match) for weight, cue in cues if (match := cue.search(text))]
        if found:
            strongest = max(found, key=lambda pair: pair[0])
            guesses.append(Guess(kind, sum(weight for weight, _ in found), strongest[1][0].strip()))
    return (*sorted(guesses, key=lambda guess: -guess.weight), Guess("fact", 0, ""))


def layer_of(kind: str) -> str:
    """Return the layer that a kind belongs to."""
    return _LAYERS.get(kind, EXPERIENCE)


def misplaced_layer(text: str, kind: str) -> Guess | None:
    """Return the kind of another layer that a text clearly is; None where it may be of the kind that was named."""
    guesses = [guess for guess in guess_kinds(text) if guess.weight]
    if not guesses or any(layer_of(guess.kind) == layer_of(kind) for guess in guesses):
        return None
    return guesses[0] if guesses[0].weight >= _CLEAR and guesses[0].kind in _PLAIN else None


@cache
def _patterns() -> dict[str, tuple[tuple[int, re.Pattern[str]], ...]]:
    return {
        kind: tuple((weight, re.compile(cue, re.IGNORECASE)) for weight, cue in cues) for kind, cues in _CUES.items()
    }
