"""What stands in notes and sessions and is nobody's word: heartbeats, scaffolding, injected memory, our own output.

A program that takes its own output for news ends up remembering itself. What is turned away here is turned away before
any pattern or model sees it.
"""

from __future__ import annotations

import re

# Turns and entries in which a program speaks, by how they begin or by a token in them.
_PROGRAM = re.compile(
    r"\A\s*(?:HEARTBEAT_OK|NO_REPLY|REPLY_SKIP|ANNOUNCE_SKIP)\b|\b(?:HEARTBEAT_OK|NO_REPLY)\s*\Z"
    r"|\A\s*Read HEARTBEAT\.md|\A\s*\[?(?:cron|heartbeat|system|subagent)[:\]]|\A\s*System:\s*\[|__openclaw_\w+__"
    r"|\A\s*Pre-compaction memory flush|\A\s*A (?:new session|subagent task|scheduled reminder) (?:was|has been|\")"
    r"|\bWrite a dream diary entry from these memory fragments|\bdreaming-narrative-"
    r"|\A\s*(?:Caveat: The messages below|This session is being continued from a previous conversation)"
    r"|\AExec (?:completed|finished|failed)\b|\A\s*\[media attached|\A\s*Stop hook feedback",
    re.IGNORECASE,
)
# Blocks of data that programs put around or into what somebody says.
_BLOCKS = re.compile(
    r"<(?P<tag>memory|recalled|mneme[\w:-]*|active_memory\w*|relevant-memories|system-reminder|context|tool_result|function_results"
    r"|documents?|file|output|stdout|stderr)(?:\s[^<>]*)?>.*?(?:</(?P=tag)>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_METADATA = re.compile(
    r"^[^\n]*\(untrusted[^\n]*\):?[ \t]*\n+```(?:json)?\n.*?\n```[ \t]*\n?", re.DOTALL | re.MULTILINE
)
_ENVELOPE = re.compile(r"^(?:\[message_id: [^\]]*\]|\[\[reply_to[^\]]*\]\])\s*$", re.MULTILINE)
# Entries of notes that Mneme wrote itself: pointers, sessions told, what capture or upkeep left behind.
_OURS = re.compile(
    r"^(?:[-*+]\s+)?(?:\d{1,2}:\d{2}\s+)?(?:remembered \[|Session \d\d:\d\d(?:-\d\d:\d\d)?(?: \([\w -]+\))?: |Session(?: \([\w -]+\))?: asked )"
    r"|<!--\s*(?:mneme|openclaw)[\w:-]*|\bPROP-\d{4,}\b|^(?:[-*+]\s+)?(?:\d{1,2}:\d{2}\s+)?(?:under way|last said): \""
    r"|\(untrusted metadata\)|^(?:[-*+]\s+)?\"?(?:message_id|sender_id|schema)\"?:|^(?:user|assistant|system|human|tool)\s*:",
    re.MULTILINE,
)
_ANOTHERS = re.compile(
    r"\"(?:is_group_chat|is_group)\"\s*:\s*true|\\\"(?:is_group_chat|is_group)\\\"\s*:\s*true|group_subject|\"chat_type\\*\"\s*:\s*\\*\"(?:group|channel)"
    r"|\"\[(?:Telegram|WhatsApp|Discord|Slack|Signal|iMessage|Matrix|Teams|Feishu)[^\]\"]{0,80}(?:group|channel|#)",
    re.IGNORECASE,
)


def own_words(text: str) -> str:
    """Return what somebody said in a turn; empty where a program speaks in their place."""
    if _PROGRAM.search(text):
        return ""
    text = _METADATA.sub("", text) if "(untrusted" in text else text
    text = _BLOCKS.sub("", text) if "<" in text else text
    text = _ENVELOPE.sub("", text).strip()
    return "" if _PROGRAM.search(text) else text


def is_ours(entry: str) -> bool:
    """Say whether an entry of a note was left by Mneme or by a host, and not by whoever keeps the note."""
    return bool(_OURS.search(entry) or _PROGRAM.search(entry.lstrip("-*+ ")))


def is_anothers(logged: str) -> bool:
    """Say whether the logged line of a turn says that it was sent in a group or channel, where others speak too."""
    return bool(_ANOTHERS.search(logged))
