"""The rules of files as such: what can be wrong before a file is understood, and with what was derived from it."""

from __future__ import annotations

from mneme.check.note_rules import OPEN
from mneme.check.rule import Rule
from mneme.errors import ERROR, INFO, WARN

_TABLE = (
    Rule(
        "unreadable-file",
        ERROR,
        "A file or a folder can't be read.",
        "What is in it is not known to anybody, and a check that left it out would call it clean.",
        "{value}",
        "ls -ld {path}",
    ),
    Rule(
        "vanished-file",
        WARN,
        "A file went away while it was being checked.",
        "Somebody is changing the memory right now; check again when they are done.",
        "it was there a moment ago and is gone",
        "mneme check",
    ),
    Rule(
        "large-file",
        WARN,
        "A file is too large to be a note.",
        "It is not cut into entries, and no session can load it; only its head was looked at.",
        "the file has {value} MB; over {limit} MB only its head is looked at",
        "split -C 1m {path}",
    ),
    Rule(
        "odd-file-name",
        WARN,
        "The name of a file can't be written in a link or on a line.",
        "Line ends, control characters and stray bytes in a name break links, lists and scripts.",
        "the name {value}",
        "mv -n {path} {target}",
    ),
    Rule(
        "unfollowed-link",
        WARN,
        "A symbolic link is not followed.",
        "What it leads to is not read: whoever made the link believes it is.",
        "the symbolic link {value}",
        "ls -l {path}",
    ),
    Rule(
        "read-only-file",
        INFO,
        "A file of memory may not be written.",
        "It can't be affirmed, superseded or mended.",
        "the file may not be written",
        "chmod u+w {path}",
    ),
    Rule(
        "pending-file",
        WARN,
        "A write was left unfinished.",
        "A program stopped between writing and putting in place; what it wrote is in no memory.",
        "what was written here was never put in place",
        "ls -l {path}",
    ),
    Rule(
        "stale-lock",
        WARN,
        "A lock is held by nobody.",
        "Programs that respect it wait for ever, or give up writing.",
        "{value}",
        "ls -l {path}",
    ),
    Rule(
        "ineffective-sharing",
        WARN,
        "A glob of the settings would share what is never shared.",
        "MEMORY.md, USER.md, days' notes, the buffer and transcripts stay private; whoever set it believes otherwise.",
        "the glob '{value}' names '{other}', which stays private",
        OPEN,
    ),
    Rule(
        "index-behind",
        INFO,
        "The index is behind its files.",
        "What was written since is read at the next recall, which may not have the time for all of it.",
        "the index is {value} behind",
        "mneme index",
    ),
    Rule(
        "qmd-behind",
        WARN,
        "QMD has not seen what entities hold.",
        "Whoever searches with QMD is told nothing of what was written since, and takes that for an answer.",
        "what was written is not known to QMD: {value}",
        "mneme index",
    ),
)

TREE_RULES: dict[str, Rule] = {rule.name: rule for rule in _TABLE}
