"""What is not worth keeping, whatever it scored: chatter, questions, open tasks, logs, and above all secrets.

Recall shows that something was needed once; it does not show that it will be true in a year. Each test here names a
reason that a person understands, and leaves alone what states how things are or how somebody wants them.
"""

from __future__ import annotations

import re

from mneme.check.secret import find_secrets
from mneme.consolidate.dream.sentence import without_time
from mneme.consolidate.dream.taint import is_tainted
from mneme.formats.echo import is_echo

UNSAFE = "it holds a secret"
LEAST_WORDS, LEAST_CJK = 4, 6
LEAST_LETTERS = 0.55
MOST_PIPES = 3
MOST_NUMBERS = 0.5
LOG_FIELDS = 3

_LIST_MARKS = re.compile(r"^(?:[>\s]*(?:[-+]|\d+[.)])\s+)+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W\d_]+", re.UNICODE)
_STANDING = re.compile(
    r"\b(?:always|never|prefers?|preference|must|should|rule|policy|convention|decided|decision|by default|remember"
    r"|toujours|jamais|préfère)\b|总是|从不|必须|偏好|喜欢|决定|规则|默认|不要",
    re.IGNORECASE,
)
_CHATTER = re.compile(
    r"heartbeat\b.*\b(?:nothing|quiet|no new|empty|ok)\b|(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|sure|great|perfect|nice|cool|yes|no|yep|nope|got it|sounds good|done"
    r"|good (?:morning|evening|night)|bonjour|merci|salut|lol|haha|ping|pong|test|heartbeat(?:_ok)?|no_reply)\b[\s!.,…👍🙂😀]*"
    r"(?:\S+\s*){0,3}$|(?:你好|谢谢|好的|收到|早上好|晚安|哈哈)",
    re.IGNORECASE,
)
_TALK = re.compile(
    r"(?:(?:user|assistant|human|system|tool)\s*:\s)|(?:let me|i'll|i will|i'm going to|now i|now let|let's)\b|(?:让我|我来|我先)",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"\s*(?:[-*+]\s+|\d+\.\s+)?\[[ xX~-]?\](?:\s|$)|(?:todo|to do|next|next steps?|waiting|pending|blocked|in progress|wip"
    r"|à faire|en cours|attente|attendre|待办|下一步|进行中)\s*[:：—-]",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"^\W{0,3}[\u2705\u2611\u2714\u274c\u23f3\U0001f504\U0001f6a7]|\b(?:tbd|tbc|pending|awaiting|waiting (?:for|on)|not yet"
    r"|to be (?:confirmed|decided|done)|en attente|pas encore|\u00e0 confirmer|\u00e0 faire)\b|[\u2705\u2611]\W{0,3}$|\u5f85\u5b9a|\u5f85\u786e\u8ba4|\u5c1a\u672a",
    re.IGNORECASE,
)
_META = re.compile(
    r"\b(?:session (?:key|id)|message_id|sender|chat_id|run id|session started|session ended|source)\b\W{0,6}[:：=]",
    re.IGNORECASE,
)
_LOG = (
    re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?Z?\b"),
    re.compile(
        r"\bHTTP[/ ]?[\d.]*\s*[45]\d\d\b|\bexit (?:code|status)\b|\bstatus(?: code)?\s*[:=]?\s*[45]\d\d\b",
        re.IGNORECASE,
    ),
    re.compile(r"^\s*(?:at \S+ \(|Traceback|File \"|\[?(?:INFO|WARN|WARNING|ERROR|DEBUG|TRACE)\]?[\s:])"),
    re.compile(r"(?:^|[\s(\"'`])/(?:tmp|var/folders|private/tmp)/"),
    re.compile(r"\b(?:pid|elapsed|duration|latency|uptime|rss)\s*[:=]\s*\d", re.IGNORECASE),
    re.compile(r"\b[0-9a-f]{32,}\b"),
)
_ADDRESS_ALONE = re.compile(r"(?:\S+\s+){0,3}<?(?:https?://|www\.)\S+>?[\s.]*")
_COUNTS = re.compile(r"(?<![\w.])[+-]?\d[\d.,]*%?(?![\w.])")


def find_fault(text: str, written: str = "") -> str:
    """Return why a text is not worth keeping, or the empty string; `written` is how it stands in its note."""
    if find_secrets(text):
        return UNSAFE
    if is_tainted(text):
        return "dreaming wrote it"
    if is_echo(text):
        return "memory told it, and somebody took it down again"
    plain = without_time(_LIST_MARKS.sub("", re.sub(r"[*_`~]+", "", text).strip()))
    standing = _STANDING.search(plain) is not None
    for reason, found in (
        ("it is a task", _TASK.match(written or plain) or _TASK.match(plain)),
        ("it is the state of something open", not standing and _OPEN.search(plain)),
        ("it is a question", plain.rstrip(")\"'” ").endswith(("?", "？"))),
        ("it is chatter", _CHATTER.match(plain)),
        ("it is a turn of a conversation", _TALK.match(plain)),
        ("it is about a session", _META.search(plain)),
        ("it is too short to stand alone", _is_short(plain)),
        ("it is a log", not standing and any(mark.search(plain) for mark in _LOG)),
        ("it is only an address", _ADDRESS_ALONE.fullmatch(plain)),
        ("it is mostly figures and marks", not standing and _is_figures(plain)),
    ):
        if found:
            return reason
    return ""


def _is_short(text: str) -> bool:
    wide = len(_CJK.findall(text))
    return len(_WORD.findall(text)) < LEAST_WORDS and wide < LEAST_CJK


def _is_figures(text: str) -> bool:
    letters = sum(char.isalpha() or char.isspace() for char in text)
    numbers, words = len(_COUNTS.findall(text)), len(_WORD.findall(text))
    if _CJK.search(text):
        words += len(_CJK.findall(text)) // 2
    return letters < LEAST_LETTERS * len(text) or text.count("|") > MOST_PIPES or numbers > MOST_NUMBERS * max(1, words)
